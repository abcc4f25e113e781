# SPDX-License-Identifier: MIT
# Outputs other than PNG: one file for all frames or a file each, pipes, and what is refused.
. "$(dirname "$0")/lib.inc"

# Three frames of 3x2: colours, exact in each kind.
red="ff 00 00" green="00 ff 00" blue="00 00 ff" gray="80 80 80"
hex $red $green $blue $gray $gray $red >a.rgb
hex $blue $blue $blue $green $green $green >b.rgb
hex 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10 11 12 >c.rgb
cat a.rgb b.rgb c.rgb >in.rgb
color="-q -f RGB3 -s 3x2 in.rgb"
hex 10 20 30 40 50 60 >in.grey
words 1 2 513 65535 >in.y16

# payload FILE: behind the first line.
payload() {
    tail -c +$(($(head -n 1 "$1" | wc -c) + 1)) "$1"
}
bytes() {
    od -An -v -tx1 "$@" | tr -s ' \n' ' ' | sed 's/^ //;s/ $//'
}

# PPM, PGM: pictures back to back, or a file each.
run 0 -o x.ppm $color
for i in a b c; do printf 'P6\n3 2\n255\n' && cat $i.rgb; done | cmp - x.ppm || fail "x.ppm"
run 0 -o n/%u.ppm $color
for i in 0 1 2; do cat n/$i.ppm; done | cmp - x.ppm || fail "n/%u.ppm"
same "what is in n" "$(ls -A n | tr '\n' ' ')" "0.ppm 1.ppm 2.ppm "
run 0 -q -o x.pgm -f GREY -s 3x2 in.grey
{ printf 'P5\n3 2\n255\n' && cat in.grey; } | cmp - x.pgm || fail "x.pgm"
run 0 -q -o x.pnm -f Y16 -s 2x2 in.y16
same "16 bits in PNM" "$(payload x.pnm | bytes)" "32 20 32 0a 36 35 35 33 35 0a 00 01 00 02 02 01 ff ff"
refused 2 "--output 'x.pgm': a PGM has 1 channel, the results have 3: name it .ppm" -o x.pgm $color
refused 2 "--output 'y.ppm': a PPM has 3 channels, the results have 1: name it .pgm" \
    -q -o y.ppm -f GREY -s 3x2 in.grey
[ ! -e y.ppm ] || fail "a file of what was refused"

# Raw: rows without padding, which replay reads again.
run 0 -o x.raw $color
same "bytes of x.raw" "$(wc -c <x.raw)" $((3 * 24))
run 0 -q -f AB24 -s 3x2 x.raw -o y.ppm
cmp x.ppm y.ppm || fail "x.raw, read again"
run 0 -q -f Y16 -s 2x2 in.y16 -o y.raw
cmp in.y16 y.raw || fail "Y16 as raw"

# Y4M. The reference values are BT.601's; white is 235, black 16.
run 0 -o x.y4m $color
same "head" "$(head -n 1 x.y4m)" "YUV4MPEG2 W3 H2 F25:1 Ip A1:1 C444 XCOLORRANGE=LIMITED"
same "red, green, blue, grey, grey, red" "$(payload x.y4m | head -c 24 | bytes)" \
    "46 52 41 4d 45 0a 51 91 29 7e 7e 51 5a 36 f0 80 80 5a f0 22 6e 80 80 f0"
same "bytes of x.y4m" "$(payload x.y4m | wc -c)" $((3 * 24))
run 0 --fps 30000/1001 --every 2 -o y.y4m $color
same "rate of every second frame" "$(head -n 1 y.y4m | cut -d' ' -f4)" F30000:2002
run 0 -q -o y.y4m -f GREY -s 3x2 in.grey
same "one channel" "$(head -n 1 y.y4m)" "YUV4MPEG2 W3 H2 F25:1 Ip A1:1 Cmono XCOLORRANGE=FULL"
same "its samples" "$(payload y.y4m | bytes)" "46 52 41 4d 45 0a 10 20 30 40 50 60"
run 0 -q -o y.y4m -f Y16 -s 2x2 in.y16
same "one deep channel" "$(head -n 1 y.y4m)" "YUV4MPEG2 W2 H2 F25:1 Ip A1:1 Cmono16 XCOLORRANGE=FULL"
same "its samples" "$(payload y.y4m | tail -c 8 | bytes)" "01 00 02 00 01 02 ff ff"
run 0 --depth 16 -o y.y4m $color
same "deep colour" "$(head -n 1 y.y4m)" "YUV4MPEG2 W3 H2 F25:1 Ip A1:1 C444p16 XCOLORRANGE=LIMITED"
run 0 -o each/%u.y4m -n 2 $color
same "a file each" "$(head -n 1 each/1.y4m)" "$(head -n 1 x.y4m)"

# Standard output: the same, and nothing else.
run 0 -o - $color
cmp x.y4m out.txt || fail "-o - is not x.y4m"
run 0 -o - -f RGB3 -s 3x2 in.rgb
same "the summary" "$(cat err.txt)" "zcapp: 3 frames; in standard output; none lost"
run 0 -o x.y4m -f RGB3 -s 3x2 in.rgb
same "the summary of a file" "$(cat err.txt)" "zcapp: 3 frames; in x.y4m; none lost"
refused 2 "--output '-': --json also uses standard output" -o - --json - $color
if script -qec true /dev/null >/dev/null 2>&1; then
    # The progress line: the total, a latency with a name, the time left.
    for files in "none result" "p/%u.png file"; do
        script -qec "'$ZCAPP' -n 60 -s 64x36 --fps 50 --pace -o ${files% *} pattern:zone pattern:bars" typescript \
            >progress.txt </dev/null || fail "a run on a terminal"
        grep -qE "[0-9]+/120 frames, [0-9.]+/s, [0-9.]+ ms capture to ${files#* }, [0-9]+ s left" progress.txt ||
            fail "the progress line of two inputs: $(cat progress.txt)"
    done
    script -qec "'$ZCAPP' -n 60 -s 64x36 --fps 50 --pace -o none pattern:zone" typescript >progress.txt </dev/null ||
        fail "a run on a terminal"
    grep -qE "[0-9]+/60 frames, [0-9.]+/s, [0-9.]+ ms capture to result, [0-9]+ s left" progress.txt ||
        fail "the progress line: $(cat progress.txt)"
    script -qec "'$ZCAPP' -q -o - -f RGB3 -s 3x2 in.rgb" typescript >on-terminal.txt </dev/null &&
        fail "a terminal got a video"
    grep -q "standard output is a terminal" on-terminal.txt || fail "the terminal's line: $(cat on-terminal.txt)"
else
    echo "without pseudo-terminals: nothing was tried on a terminal"
fi

# Standard output that is what is read.
for option in --output --json; do
    cp x.y4m same.y4m
    status=0
    "$ZCAPP" -q -o none $option - same.y4m >>same.y4m 2>err.txt || status=$?
    same "status of a file that $option would go on" "$status" 2
    error_says "$option -: that is INPUT, because standard output is that file"
    cmp x.y4m same.y4m || fail "$option - has changed its own input"
done
status=0
"$ZCAPP" -q -o - - <same.y4m >>same.y4m 2>err.txt || status=$?
same "status of standard input that would go on" "$status" 2
run 0 -q -o none --json - same.y4m

# A reader that goes: status 1 and one line. A device that is full.
# What was asked for is far more than a pipe holds.
set +e
"$ZCAPP" -q -o - -n 200 pattern:bars 2>err.txt | head -c 1000 >/dev/null
got=${PIPESTATUS[0]}
set -e
same "status without a reader" "$got" 1
error_says "standard output: Broken pipe"
"$ZCAPP" -q -o - -n 3 pattern:bars >/dev/full 2>err.txt && fail "a full device is no failure"
error_says "standard output: No space left on device"
"$ZCAPP" -q -o - -n 3 pattern:bars >&- 2>err.txt && fail "no standard output is no failure"
error_says "standard output: Bad file descriptor"
mkfifo pipe.y4m
cat pipe.y4m >through.y4m &
run 0 -o pipe.y4m $color
wait $!
cmp x.y4m through.y4m || fail "through a pipe with a name"
[ -p pipe.y4m ] || fail "a pipe was replaced"

# A file is there when it is whole; folders are made; what a signal ends is kept.
run 0 -o new/folder/x.y4m $color
same "what is in new" "$(find new -type f)" new/folder/x.y4m
# unfinished PROCESS: it has begun to write, into a file without a name or one that begins with a dot.
unfinished() {
    ls -l "/proc/$1/fd" 2>/dev/null | grep -q -e '/#[0-9]* (deleted)$' -e '/\.live\.y4m'
}
"$ZCAPP" -q --pace --fps 50 -o live.y4m pattern:square 2>err.txt &
pid=$!
wait_for unfinished $pid
[ ! -e live.y4m ] || fail "a file that was not whole"
sleep 0.2
kill -INT $pid
wait $pid || fail "SIGINT"
frame=$((640 * 480 * 3 + 6))
same "whole frames" "$(($(payload live.y4m | wc -c) % frame))" 0
[ "$(wc -c <live.y4m)" -gt $frame ] || fail "no frame"
refused 1 "taken.y4m: Is a directory" -o "$(mkdir taken.y4m && echo taken.y4m)" $color
refused 1 "/proc/nosuch/x.y4m: the folder /proc/nosuch cannot be made: No such file" -o /proc/nosuch/x.y4m $color
same "what is beside the files" "$(ls -A | grep '^\.' || true)" ""

# Killed while it writes: where files without a name can be made, nothing is left, and else one with a dot.
"$ZCAPP" -q --pace --fps 50 -o live.y4m pattern:square 2>err.txt &
pid=$!
rm live.y4m
wait_for unfinished $pid
nameless=$(ls -l /proc/$pid/fd | grep -c '/#[0-9]* (deleted)$' || true)
kill -9 $pid
wait $pid 2>/dev/null || true
[ ! -e live.y4m ] || fail "a file that was not whole, of a killed run"
[ "$nameless" = 0 ] || same "what a killed run left" "$(ls -A | grep '^\.' || true)" ""
rm -f .live.y4m*
case $(stat -f -c %T .) in # these have such files
tmpfs | ext2/ext3 | xfs | btrfs) [ "$nameless" != 0 ] || fail "the file had a name while it was written" ;;
esac

# A disk that fills up: the whole frames are kept, and said.
if [ "$(id -u)" = 0 ] && mkdir full && mount -t tmpfs -o size=4m tmpfs full 2>/dev/null; then
    trap 'umount "$work/full"; leave' EXIT
    run 1 -q -n 50 -o full/x.y4m --json report.json pattern:zone
    error_says "full/x.y4m: No space left on device"
    frames=$(report frames.written)
    [ "$frames" -ge 1 ] || fail "nothing was kept"
    same "what was kept" "$(payload full/x.y4m | wc -c)" $((frames * frame))
    same "what is beside it" "$(ls -A full)" x.y4m
fi

# What ffmpeg makes of it.
command -v ffmpeg >/dev/null || { echo "without ffmpeg" && exit 0; }
for depth in 8 16; do
    run 0 -q -n 2 --depth $depth -f RGB3 -s 66x50 -o v.y4m pattern:bars
    run 0 -q -n 2 --depth $depth -f RGB3 -s 66x50 -o v.raw pattern:bars
    planar=yuv444p rgb=rgba
    [ $depth = 8 ] || planar=yuv444p16le rgb=rgba64le
    # Its planes are ours, and its colours those that went in, but for the rounding of Y'CbCr.
    ffmpeg -v error -y -i v.y4m -f rawvideo -pix_fmt $planar v.planes
    tail -c +$((1 + $(head -n 1 v.y4m | wc -c))) v.y4m |
        cmp <(for i in 0 1; do
            printf 'FRAME\n'
            tail -c +$((1 + i * 66 * 50 * 3 * depth / 8)) v.planes | head -c $((66 * 50 * 3 * depth / 8))
        done) - || fail "ffmpeg reads other planes at $depth bits"
    ffmpeg -v error -y -i v.y4m -sws_flags accurate_rnd+full_chroma_int+bitexact \
        -f rawvideo -pix_fmt $rgb v.rgba
    run 0 -q -f $([ $depth = 8 ] && echo AB24 || echo AB48) -s 66x50 v.rgba -o ffmpeg-%u.png
    run 0 -q -f $([ $depth = 8 ] && echo AB24 || echo AB48) -s 66x50 v.raw -o zcapp-%u.png
    for i in 0 1; do
        "$PNGINFO" diff ffmpeg-$i.png zcapp-$i.png 0 0 >diff.txt
        read -r most mean <diff.txt
        [ "${most%.*}" -le 12 ] || fail "frame $i at $depth bits: differs from ffmpeg's by $most thousandths"
    done
done
run 0 -q -n 1 -f Y16 -s 66x50 -o v.y4m pattern:ramp
run 0 -q -n 1 -f Y16 -s 66x50 -o v.raw pattern:ramp
ffmpeg -v error -y -i v.y4m -f rawvideo -pix_fmt gray16le v.gray
cmp v.gray v.raw || fail "ffmpeg reads other samples of one channel"
