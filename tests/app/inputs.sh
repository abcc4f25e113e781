# SPDX-License-Identifier: MIT
# Inputs that state their format: Y4M, PGM, PPM, PNG, v4l2-ctl's; as files, folders, series, pipes.
. "$(dirname "$0")/lib.inc"
pixels() {
    run 0 -q "$@" -n 1 -o picture.png
    "$PNGINFO" pixels picture.png
}

# PGM and PPM, 8 and 16 bits, with comments, reinterpreted as Bayer, scaled if the maximum is not full range.
{ printf 'P5\n# a comment\n2 1\n255\n' && hex 01 fe; } >a.pgm
same "PGM" "$(pixels a.pgm)" "1 254"
for text in 'P5# a\n2 1\n255\n' 'P5\n# a\r2 1\n255\n' 'P5\n2# a\n1\n255\n' 'P5\n2 1# a\r255\n' 'P5\n2 1\n255# a\n'; do
    { printf "$text" && hex 23 fe; } >comment.pgm
    same "PGM with a comment in $text" "$(pixels comment.pgm)" "35 254"
done
{ printf 'P5 2 1 1023\n' && hex 02 00 03 ff; } >b.pgm
same "PGM of 10 bits" "$(pixels b.pgm)" "$(scaled 512 10) 65535"
same "PGM told to be RG10" "$(pixels -f RG10 --stages none b.pgm)" "$(scaled 512 10) 65535"
same "PGM told to be Y16" "$(pixels -f Y16 b.pgm)" "512 1023"
{ printf 'P5 3 1 200\n' && hex 00 64 c8; } >f.pgm
same "PGM up to 200" "$(pixels f.pgm)" "0 128 255"
{ printf 'P5 3 1 1000\n' && hex 00 00 01 f4 03 e8; } >g.pgm
same "PGM up to 1000" "$(pixels g.pgm)" "0 32768 65535"
cat g.pgm | "$ZCAPP" -q -n 1 -o picture.png - || fail "PGM up to 1000 in a pipe"
same "PGM up to 1000 in a pipe" "$("$PNGINFO" pixels picture.png)" "0 32768 65535"
same "PGM up to 1000 told to be Y16" "$(pixels -f Y16 g.pgm)" "0 500 1000"
same "PGM up to 1000 told to be RG10" "$(pixels -f RG10 --stages none g.pgm)" \
    "0 $(scaled 500 10) $(scaled 1000 10)"
{ printf 'P6\n2 1 255 ' && hex 01 02 03 fd fe ff; } >c.ppm
same "PPM" "$(pixels c.ppm)" "1,2,3 253,254,255"
{ printf 'P6 1 1 65535\n' && hex 12 34 56 78 9a bc; } >d.ppm
same "PPM of 16 bits" "$(pixels --depth 16 d.ppm)" "4660,22136,39612"
{ printf 'P6 1 1 15\n' && hex 00 07 0f; } >e.ppm
same "PPM of 4 bits" "$(pixels e.ppm)" "0,119,255"
cat a.pgm a.pgm a.pgm >three.pgm
run 0 -q -o none --json report.json three.pgm
same "pictures back to back" "$(report frames.captured)" 3
"$ZCAPP" -q -o none --json report.json - <three.pgm || fail "PGM on standard input"
same "pictures on standard input" "$(report frames.captured)" 3
cat three.pgm | "$ZCAPP" -q --every 2 -o none --json report.json - || fail "PGM in a pipe"
same "every second of a pipe" "$(report frames.processed)" 2

# Y4M by hand: full range, FRAME with parameters, a truncated file.
{ printf 'YUV4MPEG2 W2 H2 F25:1 Ip A1:1 C420jpeg XCOLORRANGE=FULL\nFRAME\n' && hex 10 20 30 40 80 80 &&
    printf 'FRAME Ip\n' && hex 50 60 70 ff 80 80; } >a.y4m
same "Y4M" "$(pixels a.y4m | tr '\n' ' ')" "16,16,16 32,32,32 48,48,48 64,64,64 "
run 0 -q -o none --json report.json --loop 2 a.y4m
same "Y4M twice" "$(report frames.captured)" 4
{ cat a.y4m && printf 'FRAME\nxy'; } >cut.y4m
run 0 -o none --json report.json cut.y4m
same "a cut Y4M" "$(report frames.captured) $(report frames.lost.short)" "2 1"
for rest in FRA $'FRAME\n' $'FRAME\nxy'; do
    { cat a.y4m && printf %s "$rest"; } | "$ZCAPP" -q -o none --json report.json - || fail "a cut Y4M in a pipe"
    same "a Y4M in a pipe, cut at '$rest'" "$(report frames.captured) $(report frames.lost.short)" "2 1"
done
before=$(date +%s%N)
run 0 -q --pace -o none --loop 4 a.y4m
[ $(($(date +%s%N) - before)) -ge 250000000 ] || fail "--pace does not keep the rate of the Y4M"
(cat a.y4m; sleep 0.2) | "$ZCAPP" -q -o none --json report.json - || fail "Y4M in a pipe"
same "Y4M in a pipe" "$(report frames.captured)" 2
run 0 -v -o none a.y4m
grep -q "chroma sited at the centre" err.txt || fail "no word on the siting"
{ printf 'YUV4MPEG2 W1 H1 C444p12\nFRAME\n' && words 2048 2048 2048; } >deep.y4m
same "Y4M of 12 bits" "$(pixels --color range=full --depth 16 deep.y4m)" "32776,32776,32776"
# The older name of the colour space, in a header without C.
{ printf 'YUV4MPEG2 W3 H1 F25:1 XYSCSS=444\nFRAME\n' && hex 51 51 51 5a 5a 5a f0 f0 f0; } >older.y4m
same "Y4M with XYSCSS" "$(pixels older.y4m | tr '\n' ' ')" "254,0,0 254,0,0 254,0,0 "
{ printf 'YUV4MPEG2 W1 H1 XYSCSS=any\nFRAME\nxyz'; } >odd.y4m
refused 1 "'XYSCSS=any' in the YUV4MPEG2 header: the colour space is unknown" -o none odd.y4m

# Y4M whose planes become others: the pixels are those of the format that they become, in a pipe too.
# as_planes NAME WORDS BYTES OPTION...: two frames of 5x2; kind.raw has what they become.
as_planes() {
    local name=$1 word=$2 bytes=$3
    shift 3
    { printf "YUV4MPEG2 W5 H2 $word\nFRAME\n" && hex $bytes && printf 'FRAME\n' && hex $bytes; } >kind.y4m
    run 0 -q --stages digest -o none --json report.json "$@" -s 5x2 kind.raw
    local wanted
    wanted=$(report digest)
    run 0 --stages digest -o none --json report.json kind.y4m
    same "$name" "$(report frames.captured) $(report frames.lost.short) $(report digest)" "2 0 $wanted"
    cat kind.y4m | "$ZCAPP" -q --stages digest -o none --json report.json - || fail "$name in a pipe"
    same "$name in a pipe" "$(report frames.captured) $(report frames.lost.short) $(report digest)" "2 0 $wanted"
}
luma="10 20 30 40 50 60 70 80 90 a0"
repeat 2 hex $luma 81 81 82 85 85 86 91 91 92 95 95 96 >kind.raw
as_planes "Y4M 4:1:1" "C411" "$luma 81 82 85 86 91 92 95 96" -f 422P
repeat 2 hex $luma 81 82 83 84 85 86 87 88 89 8a 71 72 73 74 75 76 77 78 79 7a >kind.raw
as_planes "Y4M with alpha" "C444alpha" \
    "$luma 81 82 83 84 85 86 87 88 89 8a 71 72 73 74 75 76 77 78 79 7a $luma" -f YM24
grep -q "kind.y4m: its alpha plane is not used" err.txt || fail "no word on the alpha plane: $(cat err.txt)"
codes9="0 32 64 255 256 300 400 470 510 511 255 256 257 258 259 260 240 256 272 256 0 256 511 250 251 252 253 254 255 256"
nine=$(words $codes9 | od -An -v -tx1)
limited= full= i=0
for code in $codes9; do
    limited="$limited $((2 * code))"
    full="$full $((2 * code + (i < 10 && code >= 256)))"
    i=$((i + 1))
done
repeat 2 words $limited >kind.raw
as_planes "Y4M of 9 bits" "C444p9" "$nine" -f I410
repeat 2 words $full >kind.raw
as_planes "Y4M of 9 bits in full range" "C444p9 XCOLORRANGE=FULL" "$nine" -f I410 --color range=full
mkdir kinds
{ printf 'YUV4MPEG2 W4 H1 C411\nFRAME\n' && hex 10 20 30 40 80 80; } >kinds/a.y4m
{ printf 'YUV4MPEG2 W4 H1 C422\nFRAME\n' && hex 10 20 30 40 80 80 80 80; } >kinds/b.y4m
refused 1 "kinds/b.y4m: its colour space C411, C444alpha or of 9 bits" -o none kinds

# Interlaced Y4M: whole frames, and a word on the order of the fields.
for order in "t:the top field first" "b:the bottom field first" "m:each frame in its own way"; do
    { printf "YUV4MPEG2 W1 H2 I${order%%:*} C444 XYSCSS=444\nFRAME Itp\n" && hex 51 10 5a 80 f0 80; } >woven.y4m
    run 0 -n 1 -o picture.png woven.y4m
    same "interlaced Y4M" "$("$PNGINFO" pixels picture.png | tr '\n' ' ')" "254,0,0 0,0,0 "
    grep -q "woven.y4m: interlaced, ${order#*:}" err.txt || fail "no word on the fields: $(cat err.txt)"
done
{ printf 'YUV4MPEG2 W1 H1 Ix\nFRAME\nxyz'; } >odd.y4m
refused 1 "'Ix' in the YUV4MPEG2 header: the order of the fields is unknown" -o none odd.y4m

# v4l2-ctl --stream-to-hdr: one buffer a frame, and two.
frame() { printf rdhV && hex 00 00 00 04 && hex "$@"; }
{ frame 51 5a 51 f0 && frame 10 80 10 80; } >a.hdr
same "v4l2-ctl's header" "$(pixels -f YUYV -s 2x1 a.hdr)" "254,0,0 254,0,0"
{ frame 51 5a 51 f0 && printf rdhV && hex 00 00 00 02 10 80 && frame 10 80 10 80; } >short.hdr
run 0 -q -f YUYV -s 2x1 -o none --json report.json short.hdr
same "a short frame of v4l2-ctl's" "$(report frames.captured) $(report frames.lost.short)" "2 1"
{ printf rdhV && hex 00 00 00 04 51 51 51 51 00 00 00 02 5a f0; } >two.hdr
same "two buffers a frame" "$(pixels -f NM12 -s 2x2 two.hdr | tr '\n' ' ')" \
    "254,0,0 254,0,0 254,0,0 254,0,0 "
refused 2 "a.hdr: v4l2-ctl frames need a format and a size" -o none a.hdr

# PNG: files that zcapp wrote are read again; grey as Bayer; a folder; a damaged file.
# A library without libpng reports that in one line; zcapp can still write PNG.
run 0 -q -f YUYV -s 96x64 -n 3 -o png/%u.png pattern:zone
read_png() {
    run 0 -q -o again/%u.png png
    for i in 0 1 2; do
        same "PNG $i" "$("$PNGINFO" pixels again/$i.png | cksum)" "$("$PNGINFO" pixels png/$i.png | cksum)"
    done
    run 0 -q -f RG10 -s 96x64 -n 1 -o deep.png --stages demosaic --depth 16 pattern:zone
    same "PNG of 16 bits" "$(pixels --depth 16 deep.png | cksum)" "$("$PNGINFO" pixels deep.png | cksum)"
    run 0 -q -f RG10 -s 96x64 -n 1 -o mosaic.png --stages none pattern:zone
    same "PNG told to be Bayer" "$(pixels -f RG16 --stages demosaic --depth 16 mosaic.png | cksum)" \
        "$("$PNGINFO" pixels deep.png | cksum)"
    # More in a PNG than the one picture that is read: another PNG, an animation, other bytes.
    mkdir more
    cat png/0.png png/1.png png/2.png >more/0.png
    { head -c 33 png/0.png && hex 00 00 00 08 && printf acTL && hex 00 00 00 07 00 00 00 00 fb 85 34 dd &&
        tail -c +34 png/0.png; } >more/1.png
    { cat png/0.png && hex 00 00 00; } >more/2.png
    run 0 -o none --loop 2 --json report.json more
    same "PNGs with more in them" "$(report frames.captured)" 6
    same "lines on what is left" "$(grep -c "more/" err.txt)" 3
    for words in "0.png: has 3 pictures" "1.png: has 7 pictures" "2.png: 3 bytes after the end"; do
        grep -q "more/$words" err.txt || fail "no '$words': $(cat err.txt)"
    done
    run 0 -o none png
    ! grep -q "pictures\|after the end" err.txt || fail "a warning on whole PNGs: $(cat err.txt)"
    run 0 -q -o none --json report.json png/%u.png
    same "a numbered pattern of PNG" "$(report frames.captured)" 3
    head -c 300 png/1.png >png/1.png.new && mv png/1.png.new png/1.png
    run 0 -o none --json report.json png
    same "a damaged PNG" "$(report frames.captured) $(report frames.lost.error)" "2 1"
    run 0 -q -f YUYV -s 96x60 -n 1 -o png/3.png pattern:zone
    refused 1 "png/3.png: PNG RGB3 96x60, but the first file is PNG RGB3 96x64" -o none png
    cp a.pgm png/3.png
    refused 1 "png/3.png: PNM GREY 2x1, but the first file is PNG RGB3 96x64" -o none png
    printf '\x89PNG\r\n\x1a\nxxxxxxxxxxxxxxxxxxxxx' >hostile
    refused 1 "hostile: " -o none hostile
}
if "$ZCAPP" -q -n 1 -o none png/0.png 2>err.txt; then
    read_png
else
    refused 3 "png/0.png: a PNG; this build has no libpng" -o none png/0.png
    echo "PNG as input: not in this build"
fi

# A folder of files of different types, raw first.
mkdir mixed
hex 01 02 >mixed/a.raw
cp a.pgm mixed/b.pgm
refused 1 "mixed/b.pgm: PNM GREY 2x1, but the first file is raw GREY 2x1" -f GREY -s 2x1 -o none mixed
mv mixed/a.raw mixed/c.raw
refused 1 "mixed/c.raw: raw frames, but the first file is PNM GREY 2x1" -o none mixed
rm mixed/c.raw
: >mixed/c.pgm
run 0 -o none --json report.json mixed
same "an empty file beside a PGM" "$(report frames.captured) $(report frames.lost.short)" "1 1"
grep -q "mixed/c.pgm: empty, 0 bytes; a frame of GREY 2x1 needs 2: ignored" err.txt || fail "$(cat err.txt)"
{ printf 'P5 2 1 200\n' && hex 01 c8; } >mixed/c.pgm
refused 1 "mixed/c.pgm: its maximum value is 200, but that of the first file is 255" -o none mixed
hex 01 02 03 04 05 06 07 08 09 0a 0b 0c >twelve
for stride in 4 6; do
    run 0 -q -f GREY -s 2x1 --stride $stride --record mixed/$stride.zcr -o none twelve
done
rm mixed/*.pgm
refused 1 "mixed/6.zcr: its stride is 6, but that of the first file is 4" -o none mixed

# Files that stand beside frames are left out by extension and content, and named in one line.
mkdir side
for i in 1 2 3; do
    hex 0$i 0$i >side/$i.raw
done
hex 1 2 3 4 5 6 >side/Thumbs.db
for name in desktop.ini .DS_Store timestamps.txt metadata.json report.json notes.PSD; do
    printf 'a text of some length' >side/$name
done
run 0 -f GREY -s 2x1 -o none --json report.json side
same "frames beside other files" "$(report frames.captured) $(report frames.lost.short)" "3 0"
same "lines on files left out" "$(grep -c "left out" err.txt)" 1
grep -q "side: 6 of 9 files are left out as no frames: .*Thumbs.db.*timestamps.txt" err.txt || fail "$(cat err.txt)"
for i in 1 2 3; do
    cp a.pgm side/$i.pgm && rm side/$i.raw
done
cp a.pgm side/pgm.txt
run 0 -o none --json report.json side
same "pictures beside other files" "$(report frames.captured) $(report frames.lost.short)" "4 0"
# Numbers are one extension. Without a majority, or with side extensions only, no file is left out.
mkdir numbered texts
for i in 001 002 003; do
    hex 01 02 >numbered/frame.$i
    hex 01 02 >texts/$i.txt
done
printf 'some text' >numbered/frame.txt
run 0 -q -f GREY -s 2x1 -o none --json report.json numbered
same "frames with a number as extension" "$(report frames.captured)" 3
run 0 -f GREY -s 2x1 -o none --json report.json texts
same "frames in .txt" "$(report frames.captured)" 3

# An empty file among files of any type is a lost frame in each pass, also as the first file; a warning comes once.
mkdir gaps
kinds="pgm y4m zcr hdr"
! "$ZCAPP" -q -n 1 -o none png/0.png 2>/dev/null || kinds="$kinds png"
cp a.pgm gaps/1.pgm
cp a.y4m gaps/1.y4m
cp a.hdr gaps/1.hdr
cp png/0.png gaps/1.png
run 0 -q -f GREY -s 2x1 -n 2 --record gaps/1.zcr -o none twelve
for kind in $kinds; do
    mkdir gaps/$kind
    : >gaps/$kind/0
    cp gaps/1.$kind gaps/$kind/1
    : >gaps/$kind/2
    cp gaps/1.$kind gaps/$kind/3
    given=
    [ $kind != hdr ] || given="-f YUYV -s 2x1"
    run 0 -q $given -o none --json report.json gaps/1.$kind
    once=$(report frames.captured)
    for loops in 1 2; do
        run 0 $given --loop $loops -o none --json report.json gaps/$kind
        same "frames beside empty files, $kind" "$(report frames.captured) $(report frames.lost.short)" \
            "$((2 * loops * once)) $((2 * loops))"
        same "lines on empty files, $kind" "$(grep -c ': empty, 0 bytes; a frame of' err.txt)" 2
    done
    : >gaps/$kind/1
    : >gaps/$kind/3
    refused 1 "empty, 0 bytes" -o none gaps/$kind
done

# Options must not contradict the header of the file.
refused 2 "a.pgm: size 3x1 was requested, the PNM has 2x1" -s 3x1 -o none a.pgm
refused 2 "a.pgm: format RG10 was requested, the PNM has GREY" -f RG10 -o none a.pgm
refused 2 "a.y4m: format YUYV was requested, the Y4M has YU12" -f YUYV -o none a.y4m
run 0 -q -f YU12 -s 2x2 -o none a.y4m

# Invalid headers.
hostile() {
    local words=$1
    printf "$2" >hostile
    refused 1 "$words" -o none hostile
}
hostile "the PGM or PPM header: the width" 'P5 0 1 255\nx'
hostile "the PGM or PPM header: the height" 'P5 1 999999999999999999999 255\nx'
hostile "the PGM or PPM header: the maximum" 'P6 1 1 65536\nx'
hostile "hostile: ends within the header of a PNM" 'P5 # for ever'
hostile "'W0' in the YUV4MPEG2 header" 'YUV4MPEG2 W0 H1\n'
hostile "has no height" 'YUV4MPEG2 W1\n'
hostile "'C444beta' in the YUV4MPEG2 header: the colour space is unknown" 'YUV4MPEG2 W1 H1 C444beta\n'
hostile "expected FRAME before the frame" 'YUV4MPEG2 W1 H1 Cmono\nGRAME\nx'
hostile "the recording's header: its version is not 1" "ZCSREC\\x1a\\n$(printf '%0300d' 0)"

# ffmpeg's Y4M, in each colour space that both support, has the pixels of the planes that it was made from.
command -v ffmpeg >/dev/null || exit 0
for pair in yuv420p:YU12 yuv422p:422P yuv444p:YM24 gray:GREY yuv420p10le:I010 yuv422p10le:I210 \
    yuv444p12le:I412 yuv420p14le:I014 yuv444p16le:I416 gray10le:Y10 gray16le:Y16; do
    ffmpeg -loglevel error -y -f lavfi -i testsrc2=size=66x50:rate=25 -frames:v 2 -strict -1 \
        -pix_fmt "${pair%:*}" ff.y4m -frames:v 2 -pix_fmt "${pair%:*}" -f rawvideo ff.raw 2>err.txt ||
        { echo "ffmpeg: no Y4M of ${pair%:*}"; continue; }
    run 0 -q --stages digest -o none --json report.json ff.y4m
    first=$(report digest)
    range=limited
    grep -q "XCOLORRANGE=FULL" <(head -c 200 ff.y4m) && range=full
    run 0 -q --stages digest -f "${pair#*:}" -s 66x50 --color range=$range -o none --json report.json ff.raw
    same "ffmpeg's ${pair%:*}" "$first" "$(report digest)"
    echo "ffmpeg's ${pair%:*}: $(head -1 ff.y4m | tr -d '\0')"
done
