# SPDX-License-Identifier: MIT
# Headerless dumps: samples in the wrong bits, rows with padding, bytes around frames, layouts of planes.
. "$(dirname "$0")/lib.inc"

# keep_warnings: err.txt without the line that counts frames.
keep_warnings() {
    grep -v '^zcapp: [0-9]* frames*[;,] ' err.txt >warnings.txt || true
    mv warnings.txt err.txt
}

# warns WORDS ARGUMENT...: the run succeeds, with one warning that has WORDS; "" means no warning.
warns() {
    local words=$1
    shift
    run 0 -o none "$@"
    keep_warnings
    if [ -z "$words" ]; then
        same "lines of zcapp $*" "$(cat err.txt)" ""
    else
        error_says "$words"
    fi
}

# Codes above the format's bits. The low bits are unused, or not; the second frame; big-endian; in a pipe.
words 0 32768 65472 640 >left.raw
warns "left.raw: codes exceed 10 bits: is it --shift 6? The largest is 65472; codes above 1023" -f RG10 -s 2x2 left.raw
warns "" -f RG10 -s 2x2 --shift 6 left.raw
warns "codes exceed 10 bits: is it --shift 6?" -f RG10 -s 2x2 --shift 2 left.raw
warns "" -f RG16 -s 2x2 left.raw
words 0 64 1984 2048 >dark.raw
warns "codes exceed 10 bits: is it --shift 6?" -f RG10 -s 2x2 dark.raw
words 1 100 3000 4095 >wide.raw
warns "codes exceed 10 bits: is it -f RG12?" -f RG10 -s 2x2 wide.raw
warns "codes exceed 10 bits: is it -f Y12?" -f Y10 -s 2x2 wide.raw
words 65535 33313 64 1 >repeated.raw
warns "codes exceed 12 bits: is it --shift 4, or -f BYR2?" -f BG12 -s 2x2 repeated.raw
cat left.raw | "$ZCAPP" -o none -f RG10 -s 2x2 - 2>err.txt || fail "codes in a pipe"
keep_warnings
error_says "standard input: codes exceed 10 bits: is it --shift 6?"
{ words 0 1 2 3 && cat left.raw left.raw; } >later.raw
warns "codes exceed 10 bits: is it --shift 6?" -f RG10 -s 2x2 later.raw
words 1023 4 1023 0 >good.raw
warns "" -f RG10 -s 2x2 good.raw
words 2000 0 0 0 512 512 >planes.raw
warns "codes exceed 10 bits: is it -f I012?" -f I010 -s 2x2 planes.raw

# A file that contains its format: the hint fits what can be given.
{ printf 'P5 2 2 65535\n' && hex ff c0 40 00 00 00 00 00; } >left.pgm
warns "left.pgm: codes exceed 10 bits: is it --shift 6?" -f RG10 left.pgm
warns "" -f RG10 --shift 6 left.pgm
warns "" left.pgm
run 0 -q -f RG10 -s 2x2 --record wrong.zcr -o none left.raw
warns "wrong.zcr: codes exceed 10 bits: the input has the wrong format or shift." wrong.zcr

# A large picture is sampled: one white quarter is found.
{ head -c 120000 /dev/zero && head -c 40000 /dev/zero | tr '\0' '\377'; } >quarter.raw
warns "codes exceed 12 bits: is it --shift 4, or -f RG16?" -f RG12 -s 400x200 quarter.raw

# Rows with padding, and a size that other strides divide too: the warning names the stride that fits.
frames() { # FORMAT WxH STRIDE FRAMES PATTERN: padded.raw
    local format=$1 size=$2 stride=$3 count=$4 bytes
    run 0 -q -f "$format" -s "$size" --stride "$stride" -n "$count" --record take.zcr -o none pattern:"$5"
    bytes=$((stride * ${size#*x}))
    [ $((bytes % 4096)) = 0 ] || fail "frames of $bytes bytes"
    local i
    for ((i = 0; i < count; i++)); do
        tail -c +$((4096 + i * (4096 + bytes) + 4096 + 1)) take.zcr | head -c $bytes
    done >padded.raw
}
for kind in bars square; do
    frames GREY 640x480 1024 5 $kind
    warns "padded.raw: rows look 1024 bytes apart, not 640: is it --stride 1024?" -f GREY -s 640x480 padded.raw
    warns "" -f GREY -s 640x480 --stride 1024 padded.raw
done
frames RG10 640x480 2048 5 square
warns "is it --stride 2048?" -f RG10 -s 640x480 padded.raw
frames YUYV 600x512 1280 15 bars
warns "is it --stride 1280?" -f YUYV -s 600x512 padded.raw
frames GREY 640x512 704 1 bars
run 0 -f GREY -s 640x512 -o none padded.raw
grep -q "padded.raw: rows look 704 bytes apart, not 640: is it --stride 704?" err.txt || fail "$(cat err.txt)"
grep -q "left over" err.txt || fail "$(cat err.txt)"
mkdir folder
cp padded.raw folder/0
cp padded.raw folder/1
run 0 -f GREY -s 640x512 -o none folder
same "warnings of a folder" "$(grep -c 'is it --stride 704?' err.txt)" 1

# Frames without padding, flat ones and noise: no proposal.
for kind in bars ramp zone square; do
    for size in 640x480 1024x256 200x512; do
        frames GREY $size ${size%x*} 8 $kind
        warns "" -f GREY -s $size padded.raw
    done
done
head -c 1228800 /dev/zero >flat.raw
warns "" -f GREY -s 640x480 flat.raw
openssl enc -aes-128-ctr -pass pass:x -nosalt <flat.raw >noise.raw 2>/dev/null ||
    head -c 1228800 /dev/urandom >noise.raw
warns "" -f GREY -s 640x480 noise.raw

# Bytes around the frames: a file header, a header and a footer of each frame. The first bytes look like a PGM.
{
    printf 'P5 9 9 255\nJUNK'
    for value in 10 20 30; do
        printf 'head%s' $value
        hex $value $value $value $value
        printf 'ft'
    done
} >around.raw
whole() {
    "$JSONGET" report.json frames.captured | tr '\n' ' '
    report frames.lost.short
}
around="-f GREY -s 2x2 --offset 15 --frame-header 6 --frame-footer 2"
pixels_of() { "$PNGINFO" pixels "$1" | tr '\n' ' '; }
all_three() {
    same "frames of $1" "$(whole)" "3 0"
    same "the first of $1" "$(pixels_of out/0.png)" "16 16 16 16 "
    same "the last of $1" "$(pixels_of out/2.png)" "48 48 48 48 "
    rm -r out
}
run 0 $around -o out/%u.png --json report.json around.raw
all_three "a file"
cat around.raw | "$ZCAPP" -q $around -o out/%u.png --json report.json - || fail "bytes around, in a pipe"
all_three "a pipe"
"$ZCAPP" -q $around -o out/%u.png --json report.json - <around.raw || fail "bytes around, from standard input"
all_three "standard input"
(
    for ((i = 0; i < 51; i++)); do
        tail -c +$((i + 1)) around.raw | head -c 1
        sleep 0.005
    done
) | "$ZCAPP" -q $around -o out/%u.png --json report.json - || fail "bytes around, one by one"
all_three "a slow pipe"
rm -rf folder && mkdir folder
cp around.raw folder/0
cp around.raw folder/1
run 0 -q $around --loop 2 -o none --json report.json folder
same "frames of a folder" "$(whole)" "12 0"
run 0 -q $around --skip 2 -o out/%u.png around.raw
same "a skipped frame" "$(pixels_of out/2.png)" "48 48 48 48 "

# Ends: within a footer nothing is lost, within a header or the pixels one frame.
for cut in 50:"3 0" 49:"3 0" 48:"2 1" 44:"2 1" 40:"2 1" 39:"2 0" 38:"2 0" 37:"2 0"; do
    head -c ${cut%:*} around.raw >cut.raw
    run 0 -q $around -o none --json report.json cut.raw
    same "a file of ${cut%:*} bytes" "$(whole)" "${cut#*:}"
    cat cut.raw | "$ZCAPP" -q $around -o none --json report.json - || fail "a pipe of ${cut%:*} bytes"
    same "a pipe of ${cut%:*} bytes" "$(whole)" "${cut#*:}"
done
head -c 10 around.raw >cut.raw
refused 1 "cut.raw: 10 bytes; a frame of GREY 2x2 needs 4 after 21 others" $around -o none cut.raw
refused 1 "around.raw: 51 bytes; a frame" -f GREY -s 2x2 --offset 9223372036854775807 -o none around.raw
refused 2 "around.raw: raw frames need a format and a size" --offset 15 -o none around.raw
refused 2 "--offset: only for files" --offset 15 -o none pattern:bars

# A large header, read from the page cache or with O_DIRECT, and a stride that is missing.
{ head -c 8192 /dev/zero && head -c 4096 /dev/zero | tr '\0' A; } >large.raw
run 0 -q -f GREY -s 64x64 --offset 8192 --stages digest -o none --json report.json large.raw
first=$(report digest)
cat large.raw | "$ZCAPP" -q -f GREY -s 64x64 --offset 8192 --stages digest -o none --json report.json -
same "a large header in a pipe" "$(report digest)" "$first"
frames GREY 640x480 1024 5 square
{ printf header && cat padded.raw; } >both.raw
warns "is it --stride 1024?" -f GREY -s 640x480 --offset 6 both.raw

# Planes with padding of their own. rows COUNT WIDTH STRIDE BYTE: rows of BYTE and of other bytes behind them.
rows() {
    repeat "$1" eval "repeat $2 hex $4; repeat $(($3 - $2)) hex 77"
}
picture_of() { "$ZCAPP" -q -n 1 --color range=full -o picture.png "$@" && "$PNGINFO" pixels picture.png | tr '\n' ' '; }
{ rows 3 6 6 80 && rows 2 3 3 40 && rows 2 3 3 c0; } >dense.raw
wanted=$(picture_of -f YU12 -s 6x3 dense.raw)
{ rows 3 6 8 80 && rows 1 0 8 0 && rows 2 3 4 40 && rows 2 3 4 c0; } >gst.raw
cat gst.raw gst.raw gst.raw >gst3.raw
same "GStreamer's I420 6x3" "$(picture_of -f YU12 -s 6x3 --stride gstreamer gst.raw)" "$wanted"
run 0 -q -f YU12 -s 6x3 --stride gstreamer -o none --json report.json gst3.raw
same "frames of GStreamer's I420" "$(whole)" "3 0"
same "the same by numbers" "$(picture_of -f YU12 -s 6x3 --stride 8 --plane-offsets 0,32,40 gst.raw)" "$wanted"
{ rows 3 6 7 80 && rows 2 3 5 40 && rows 2 3 3 c0; } >odd.raw
same "a stride of each plane" "$(picture_of -f YU12 -s 6x3 --stride 7,5,3 odd.raw)" "$wanted"
{ printf head && cat odd.raw && printf foot; } >moved.raw
same "planes behind a header" \
    "$(picture_of -f YU12 -s 6x3 --stride 7,5,3 --plane-offsets 4,25,35 moved.raw)" "$wanted"
{ rows 3 6 6 80 && rows 2 3 3 c0 && rows 2 3 3 40; } >exchanged.raw
same "planes in another order" "$(picture_of -f YU12 -s 6x3 --plane-offsets 0,24,18 exchanged.raw)" "$wanted"
same "a recording of it" "$(run 0 -q -f YU12 -s 6x3 --stride gstreamer --record gst.zcr -o none gst.raw &&
    picture_of gst.zcr)" "$wanted"
# 4:2:2 planar, semi-planar, packed, RGB and grey: GStreamer pads rows to 4 bytes, and 4:2:0 to two rows.
gstreamer() { # FORMAT WxH FRAME_BYTES
    head -c $((3 * $3)) /dev/zero >size.raw
    run 0 -q -f "$1" -s "$2" --stride gstreamer -o none --json report.json size.raw
    same "frames of GStreamer's $1 $2" "$(whole)" "3 0"
}
gstreamer YU12 404x4 $((404 * 4 + 204 * 2 * 2))
gstreamer 422P 404x3 $((404 * 3 + 204 * 3 * 2))
gstreamer NV12 6x3 $((8 * 4 + 8 * 2))
gstreamer NV24 5x3 $((8 * 3 + 12 * 3))
gstreamer YUYV 3x2 $((8 * 2))
gstreamer RGB3 3x2 $((12 * 2))
gstreamer GREY 6x3 $((8 * 3))
gstreamer I010 3x3 $((8 * 4 + 4 * 2 * 2))
gstreamer P010 3x3 $((8 * 4 + 8 * 2))
refused 2 "a stride or an offset of plane 2: GREY has 1" -f GREY -s 6x3 --stride 6,6 -o none gst.raw
refused 2 "a stride of 2 bytes of plane 3 is below 3, the minimum for YU12 6x3" -f YU12 -s 6x3 --stride 6,3,2 \
    -o none gst.raw
refused 2 "--stride '6,': not a whole number" -f YU12 -s 6x3 --stride 6, -o none gst.raw
refused 2 "--stride '6,3,3,3': not a whole number" -f YU12 -s 6x3 --stride 6,3,3,3 -o none gst.raw
refused 2 "--plane-offsets '0,x': not up to 3 numbers" -f YU12 -s 6x3 --plane-offsets 0,x -o none gst.raw
refused 2 "left.pgm: a layout of planes was requested, the PNM has its own" --stride gstreamer -o none left.pgm
refused 2 "the layout of planes: only for files" --stride gstreamer -o none pattern:bars

# Stripes of any period are no padding; a multiple of the width may be a multiple of the right stride.
values=(10 f0 40 c0 80)
for i in 0 1 2 3 4; do
    head -c 640 /dev/zero | tr '\0' "\\$(printf %o 0x${values[i]})" >row$i
done
for rows in "row0 row1" "row0 row1 row2" "row0 row1 row2 row3" "row0 row1 row2 row3 row4"; do
    # shellcheck disable=SC2086
    cat $rows $rows $rows $rows >some.raw
    for ((i = 0; i < 8; i++)); do
        cat some.raw some.raw >more.raw
        mv more.raw some.raw
    done
    head -c 1228800 some.raw >striped.raw
    cat striped.raw striped.raw >many.raw
    [ "$(wc -c <many.raw)" = 2457600 ] || fail "too few stripes"
    warns "" -f GREY -s 640x480 many.raw
done
frames YUYV 480x512 1280 3 square
warns "is it --stride 1280?" -f YUYV -s 480x512 padded.raw
