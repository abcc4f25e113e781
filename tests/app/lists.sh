# SPDX-License-Identifier: MIT
# --help, --version and the lists; every option in --help exists.
. "$(dirname "$0")/lib.inc"
hex 10 80 eb 80 >two.yuyv

run 0 --version
same "--version" "$(sed 's/[0-9]*\.[0-9]*\.[0-9]*/N/' out.txt)" "zcapp N"
for list in formats stages; do
    refused 2 "--json: not with --list-$list" --list-$list --json -
done
run 0 --help
same "what --help says on standard error" "$(cat err.txt)" ""
grep -q "^usage: zcapp" out.txt || fail "--help has no usage"
grep -q "zcapp doctor \[OPTIONS\] \[INPUT\]" out.txt || fail "--help does not name doctor"
grep -q "zcapp bench \[NAME...\]" out.txt || fail "--help does not name bench"
cp out.txt help.txt
run 0 -h
cmp -s out.txt help.txt || fail "-h is not --help"

# Each option with a valid value; an option that is missing here fails below.
declare -A value=([output]=none [png-level]=0 [writers]=2 [json]=report.json [frames]=1 [skip]=0 [every]=1
    [loop]=1 [fps]=25 [format]=YUYV [size]=2x1 [stride]=4 [plane-offsets]=0 [shift]=0 [offset]=0 [frame-header]=0 [frame-footer]=0 [color]=matrix=bt709 [stages]=none
    [depth]=8 [backend]=host [devices]=0 [dispatch]=frames [route]=mapped [memory]=auto
    [require-path]=read [buffers]=2 [policy]=wait [threads]=1
    [record]=x.zcr [inject]=drop=0% [route-cache]=routes.txt [latest]=latest.png)
declare -A camera=([input]=1 [crop]=2x2+0+0 [treat-as]=Y10 [stall]=3 [reconnect]=5 [set]=gain=1)
count=0
for option in $(sed -n 's/^  .*--\([a-z-]*\).*/\1/p' help.txt); do
    count=$((count + 1))
    case $option in
    keep) run 0 --keep 2 -f YUYV -s 2x1 -o keep/%u.png two.yuyv ;;
    list-controls) refused 2 "a camera is missing" --list-controls ;;
    list-* | help | version) run 0 "--$option" ;;
    quiet | verbose | low-latency) run 0 "--$option" -f YUYV -s 2x1 -o none two.yuyv ;;
    pace) run 0 --pace --fps 100 -f YUYV -s 2x1 -o none two.yuyv ;;
    require-path) run 3 --require-path dmabuf -f YUYV -s 2x1 -o none two.yuyv ;;
    sync) refused 2 "--sync: needs several INPUTs" --sync 5ms -f YUYV -s 2x1 -o none two.yuyv ;;
    accept-nearest) refused 2 "--accept-nearest: only for cameras" --accept-nearest -o none pattern:bars ;;
    input | crop | treat-as | stall | reconnect | set)
        refused 2 "--$option: only for cameras" "--$option" "${camera[$option]}" -o none pattern:bars ;;
    *)
        [ -n "${value[$option]:-}" ] || fail "--$option of --help is not tested here"
        run 0 -f YUYV -s 2x1 -o none "--$option" "${value[$option]}" two.yuyv
        ;;
    esac
done
[ "$count" -gt 25 ] || fail "only $count options in --help"

run 0 --list-formats
grep -Eq "^pRAA +SRGGB10P +10  bayer  black,wb,demosaic,ccm,gamma$" out.txt || fail "no pRAA in --list-formats"
grep -Eq "^YUYV +YUYV +8  yuv    none$" out.txt || fail "no YUYV in --list-formats"
grep -Eq "^MJPG .*no decoder" out.txt || fail "no word on MJPG in --list-formats"
# Every listed name is accepted, in both forms.
sed 1d out.txt | while read -r name v4l2 _ model rest; do
    for text in "$name" "$v4l2"; do
        if [ "$model" = jpeg ]; then
            refused 2 "compressed formats are not supported" -f "$text" -s 2x2 two.yuyv
        else
            run 1 -f "$text" -s 512x512 two.yuyv -o none
            error_says two.yuyv
        fi
    done
done

run 0 --list-stages
grep -q "^demosaic" out.txt || fail "no demosaic in --list-stages"
grep -q "mhc|bilinear" out.txt || fail "no methods in --list-stages"
for chain in $(sed -n 's/.*joined by commas: //p' out.txt help.txt) $(grep -o 'levels:[^ ]*=v' help.txt); do
    run 0 -q -f Y16 -s 8x8 --stages "$chain" -o none -n 1 pattern:ramp
done
run 0 --list-devices --backend host
grep -q "^0  host" out.txt || fail "no device in --list-devices"
run 0 --list-devices --backend host --json report.json
same "the device" "$(report devices.0.backend)" host
report cameras >/dev/null
run 0 --list-devices --backend host
grep -Eq "^cameras?[: ]" out.txt || fail "no word on cameras in --list-devices"
refused 2 "must be a camera" --list-formats two.yuyv

for action in --help --version --list-formats --list-stages --list-devices; do
    status=0
    "$ZCAPP" "$action" >/dev/full 2>err.txt || status=$?
    same "status of $action to a full disk" "$status" 1
    error_says "standard output: No space left on device"
done

# A reader that closes the pipe, as head(1) does, is no error for text output.
mkfifo pipe
exec 7<>pipe 8>pipe 7>&-
for what in --help --version --list-formats --list-stages --list-devices "doctor --help" "bench --help"; do
    status=0
    # shellcheck disable=SC2086
    "$ZCAPP" $what >&8 2>err.txt || status=$?
    same "status of $what without a reader" "$status" 0
    same "what $what says without a reader" "$(cat err.txt)" ""
done
exec 8>&-
