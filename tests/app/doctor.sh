# SPDX-License-Identifier: MIT
# zcapp doctor: its sections as text and as JSON, files as INPUT, and what cannot be had.
. "$(dirname "$0")/lib.inc"
SOURCE_DIR=${SOURCE_DIR:?}

run 0 doctor
same "what doctor says on standard error" "$(cat err.txt)" ""
for title in "This computer" "GPUs" "Memory that can be shared" "Rates at a camera's frame sizes" "What auto comes to"; do
    grep -qx "$title" out.txt || fail "doctor has no section '$title'"
done
grep -Eq "^  anonymous +.*the kernel pins it: yes" out.txt || fail "ordinary memory is not pinned"
! grep -q "^  - .*/dev/video" out.txt || fail "advice on cameras that nobody asked for: $(cat out.txt)"
same "files left" "$(find . -name '.zcapp-doctor*')" ""

run 0 doctor --json report.json --threads 1 "$SOURCE_DIR/samples/frames/chart_SRGGB10P.zcr"
same "the sections" "$(for i in 0 1 2 3 4; do report sections.$i.name; done | tr '\n' ' ')" "system gpu memory rates auto "
same "cores" "$(report sections.0.facts.cores)" "$(getconf _NPROCESSORS_ONLN)"
case $(report sections.4.facts.frames) in
"pRAA 480x320, 10 bits") ;;
*) fail "frames: $(report sections.4.facts.frames)" ;;
esac
same "the stages" "$(report sections.4.facts.stages)" black,wb,demosaic,ccm,gamma
same "frames looked at" "$(report sections.4.facts.frames_looked_at)" 3
report sections.3.facts.1920x1080.memcpy >/dev/null

run 0 doctor --json - --backend host
mv out.txt report.json
report sections.1.facts.gpu >/dev/null
same "the route" "$(report sections.4.facts.route)" "mapped: the host reads its slots directly"

# The options are those of a run.
words 1 2 3 4 >one.raw
run 0 doctor -f Y16 -s 2x2 --stages none one.raw
grep -q "^  stages  *none$" out.txt || fail "--stages is not taken"
run 1 doctor nothing.zcr
error_says "nothing.zcr: No such file"
grep -q "  - it cannot be opened: nothing.zcr: No such file" out.txt || fail "no word on an INPUT that is not there"
refused 2 "only one INPUT is possible" doctor one.raw two.raw
refused 1 "--json /proc/no/such" doctor --json /proc/no/such
"$ZCAPP" doctor --backend host --json - | "$JSONGET" /dev/stdin || fail "not well-formed"
status=0
"$ZCAPP" doctor >/dev/full 2>err.txt || status=$?
same "status of doctor to a full disk" "$status" 1

# A GPU that is asked for and not there: the line, and the rest all the same.
status=0
"$ZCAPP" doctor --backend cuda >out.txt 2>err.txt || status=$?
if [ "$status" != 0 ]; then
    same "status without a GPU" "$status" 3
    error_says "backend cuda: "
    why=$(sed 's/^zcapp: backend cuda: //' err.txt)
    grep -qxF "  - --backend cuda is not to be had: $why; what follows is the processor's" out.txt || fail "no finding: $(cat out.txt)"
    grep -q "^  memory  *[0-9.]* GiB" out.txt && grep -q "^  route  *mapped: the host" out.txt || fail "the rest is not told"
    # Of two things that are not to be had it is the status, too.
    run 3 doctor --backend cuda nothing.zcr
    grep -q "  - it cannot be opened: nothing.zcr: No such file" out.txt || fail "no word on the INPUT"
fi

# Advice on cameras is for who asks for one.
if "$ZCAPP" --list-devices | grep -q "not in this build"; then exit 0; fi
run 3 doctor /dev/video63
grep -q "there is no /dev/video63" out.txt || fail "no word on a camera that is not there: $(cat out.txt)"
