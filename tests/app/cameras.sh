# SPDX-License-Identifier: MIT
# Controls, lists and doctor on the virtual camera, by the unmodified zcapp.
. "$(dirname "$0")/lib.inc"
VCAM=$BUILD_DIR/tests/vcam
[ -x "$VCAM" ] || skip "cameras are not in this build"
cat >cam.script <<'SCRIPT'
camera /dev/video0
mode YUYV 64x48 30 15
mode YUYV 320x240 30
mode MJPG 640x480 30
driver uvcvideo
card "Test Cam"
bus usb-0000:00:14.0-1
caps capture streaming
memory mmap userptr
control brightness 0x980900 0 255 1 128
control power 0x980918 0 2 1 1 Off 50Hz 60Hz
control exposure_dynamic_framerate 0x9a0903 0 1 1 1
clock monotonic start
SCRIPT
# with SCRIPT STATUS ARGUMENT...: zcapp with these cameras must end with STATUS.
with() {
    local script=$1 wanted=$2 got=0
    shift 2
    "$VCAM" "$script" -- "$ZCAPP" "$@" >out.txt 2>err.txt </dev/null || got=$?
    [ "$got" != 77 ] || skip "the virtual camera: $(cat err.txt)"
    [ "$got" = "$wanted" ] || { cat err.txt >&2; fail "zcapp $*: status $got instead of $wanted"; }
}
says() {
    grep -Eq -- "$1" "${2:-out.txt}" || { cat "${2:-out.txt}" >&2; fail "no '$1'"; }
}

with cam.script 0 --list-controls /dev/video0
says '^brightness +0x00980900 +int +0\.\.255 \[128\]  = 128$'
says '^power +0x00980918 +menu +\[1\]  = 1 \(50Hz\)$'
says '^    2: 60Hz$'
with cam.script 0 --list-formats /dev/video0
says '^YUYV '
says '^    64x48  30, 15 fps$'
says '^MJPG .*no decoder'
# Sizes that the driver lists but does not accept are counted, not listed.
sed 's/^clock .*/stubborn/' cam.script >stubborn.script
with stubborn.script 0 --list-formats /dev/video0
says '^    64x48 '
! grep -q "320x240\|640x480" out.txt || fail "modes that the driver does not accept"
same "modes left out" "$(grep -c "1 more that the driver lists but does not accept" out.txt)" 2
with cam.script 3 --list-formats /dev/video9
error_says "there is no such node"

# A control is set, and appears in the report and in the recording. A wrong one ends the run before any frame.
with cam.script 0 -q /dev/video0 -n 2 -o none --set Brightness=7 --set power=60hz --json report.json --record take.zcr
same "controls of the report" "$(report controls.brightness) $(report controls.power)" "7 2"
run 0 -q -o none --json report.json take.zcr
same "times of a recording" "$(report timestamps.compared) $(report timestamps.clock) $(report timestamps.because)" \
    "0 monotonic times are those of a recording"
run 0 -q -o none --pace --json report.json take.zcr
same "the same at its own pace" "$(report timestamps.compared) $(report latency_us.driver_to_result.p50)" "0 null"
grep -aq "brightness=7$" take.zcr || fail "the recording does not hold the controls"
with cam.script 2 -q /dev/video0 -n 2 -o none --set brightness=300
error_says "brightness=300: it takes 0..255"
with cam.script 2 -q /dev/video0 -n 2 -o none --set gain=3
error_says "no control 'gain'; it has brightness, power, exposure_dynamic_framerate"

# A flip changes the Bayer order; the picture stays the same.
cat >flip.script <<'SCRIPT'
camera /dev/video0
mode RGGB 64x48 30
caps capture streaming
memory mmap userptr
control horizontal_flip 0x980914 0 1 1 0 flips GRBG
SCRIPT
with flip.script 0 -q /dev/video0 -n 1 -o none --json report.json
same "format" "$(report format)" RGGB
with flip.script 0 -q /dev/video0 -n 1 -o none --set horizontal_flip=1 --json report.json
same "format when flipped" "$(report format)" GRBG
with flip.script 3 -q /dev/video0 -f RGGB -n 1 -o none --set horizontal_flip=1
error_says "asked for RGGB, the driver gives GRBG"

# Latency from the driver's time on, and cases in which it cannot be measured.
with cam.script 0 -q /dev/video0 -n 5 -o 'p%u.png' --json report.json
same "timestamps" "$(report timestamps.clock) $(report timestamps.of) $(report timestamps.compared)" "monotonic start of exposure 5"
for leg in driver_to_capture driver_to_result driver_to_file capture_to_result; do
    [ "$(report latency_us.$leg.p50)" != null ] || fail "no $leg"
done
sed 's/^clock .*/clock copy/' cam.script >copied.script
with copied.script 0 -q /dev/video0 -n 5 -o none --json report.json
same "of a feeder" "$(report timestamps.compared) $(report latency_us.driver_to_capture.p50)" "0 null"

# Doctor: what works, what does not and why, measured, and advice.
with cam.script 0 doctor /dev/video0 --json doctor.json
says '^paths +userptr: works, no copy$'
says '^ +dmabuf: .*VIDIOC_REQBUFS'
says '^measured +[0-9]+ frames in 2\.[0-9]+ s'
says '^latency +driver.s time \(start of exposure\)'
says '^- MJPG cannot be read here'
same "doctor's report" "$("$JSONGET" doctor.json camera.driver)" "uvcvideo, bus usb-0000:00:14.0-1"
sed 's/^memory .*/memory mmap no-orphans/; s/^driver .*/driver "v4l2 loopback"/; s/^clock .*/clock unknown/' cam.script >poor.script
echo "frame 5.. pause 100" >>poor.script
with poor.script 0 doctor /dev/video0
says '^ +copied: works, one copy'
says '^- each frame is copied by the CPU'
says '^- .* frames a second of 30: automatic exposure'
says '^- latency from the camera on cannot be told.*what clock'
# Even if the requested GPU does not exist, doctor examines the camera.
gpu=0
"$ZCAPP" --list-devices --backend cuda >/dev/null 2>&1 || gpu=$?
with cam.script "$gpu" doctor /dev/video0 --backend cuda
says '^measured +[0-9]+ frames in 2\.[0-9]+ s'
says '^This computer$'
with cam.script 3 doctor /dev/video9
says '^- there is no /dev/video9'
sed 's/^caps .*/caps metadata streaming/' cam.script >meta.script
with meta.script 3 doctor /dev/video0
says '^- /dev/video0 is a metadata node'
echo 'fail S_FMT EBUSY always' | cat cam.script - >busy.script
with busy.script 3 doctor /dev/video0
says 'userptr: .*another program uses the camera'
