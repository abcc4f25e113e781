# SPDX-License-Identifier: MIT
# What a PNG says of itself: transfer, significant bits, texts; byte order; compression levels.
. "$(dirname "$0")/lib.inc"

# about FILE ARGUMENT...: the chunks of its picture; those before IDAT sorted, since libpng's releases differ
about() {
    local chunks
    picture "$@" >/dev/null
    chunks=$("$PNGINFO" picture.png | sed -n 2p)
    chunks=${chunks#IHDR } chunks=${chunks% IDAT IEND}
    echo IHDR $(printf '%s\n' $chunks | LC_ALL=C sort) IDAT IEND
}
chunk() {
    "$PNGINFO" chunk picture.png "$1"
}

# sRGB-encoded: sRGB and gAMA 45455, once, before IDAT.
hex 10 80 eb 80 10 80 eb 80 >in.raw
same "chunks of YUYV" "$(about in.raw -f YUYV -s 2x2)" "IHDR gAMA sRGB tEXt tEXt tEXt IDAT IEND"
same gAMA "$(chunk gAMA)" 0000b18f
same "kind of YUYV" "$("$PNGINFO" picture.png | head -1)" "2 2 8 rgb"
same "chunks of GREY" "$(about in.raw -f GREY -s 2x4)" "IHDR gAMA sRGB tEXt tEXt tEXt IDAT IEND"
same "kind of GREY" "$("$PNGINFO" picture.png | head -1)" "2 4 8 gray"

# Linear: gAMA 100000 and no sRGB; the bits that carry signal.
same "chunks of linear Bayer" "$(about in.raw -f RG10 -s 2x2 --stages demosaic)" \
    "IHDR gAMA sBIT tEXt tEXt tEXt IDAT IEND"
same "gAMA of linear data" "$(chunk gAMA)" 000186a0
same "sBIT of 10 bits" "$(chunk sBIT)" 0a0a0a
same "kind" "$("$PNGINFO" picture.png | head -1)" "2 2 16 rgb"
same "chunks of a mosaic" "$(about in.raw -f RG12 -s 2x2 --stages none)" \
    "IHDR gAMA sBIT tEXt tEXt tEXt IDAT IEND"
same "sBIT of 12 bits" "$(chunk sBIT)" 0c
same "kind" "$("$PNGINFO" picture.png | head -1)" "2 2 16 gray"
same "chunks of Y16" "$(about in.raw -f Y16 -s 2x2)" "IHDR gAMA tEXt tEXt tEXt IDAT IEND"
same "gAMA of Y16" "$(chunk gAMA)" 000186a0
same "chunks of 5-6-5" "$(about in.raw -f RGBP -s 2x2)" "IHDR gAMA sBIT sRGB tEXt tEXt tEXt IDAT IEND"
same "sBIT of 5-6-5" "$(chunk sBIT)" 050605
same "the default chain of Bayer is encoded" "$(about in.raw -f RGGB -s 2x4)" \
    "IHDR gAMA sRGB tEXt tEXt tEXt IDAT IEND"
same "a power" "$(about in.raw -f RGGB -s 2x4 --stages demosaic,gamma=2.2)" \
    "IHDR gAMA tEXt tEXt tEXt IDAT IEND"
same "gAMA of 1/2.2" "$(chunk gAMA)" 0000b18f

# Texts.
run 0 -q -f YUYV -s 2x1 -o texts/%u.png --fps 30000/1001 in.raw
text() {
    "$PNGINFO" text texts/1.png "$1"
}
same Source "$(text Source)" in.raw
same Sequence "$(text Sequence)" 1
same Time "$(text Time)" "0.033366666 s (media)"
same Software "$(text Software)" "$("$ZCAPP" --version)"
run 0 -q -f YUYV -s 2x1 -o texts/%u.png in.raw
text Time >/dev/null && fail "a time where none is known"
text Digest >/dev/null && fail "a digest where none was asked for"
run 0 -v -f YUYV -s 2x1 -o texts/%u.png --stages digest --json report.json in.raw
digest=$(text Digest)
grep -q "frame 1: digest $digest" err.txt || fail "no digest in the log"
same "length of the digests" "${#digest} $(report digest | wc -c)" "16 17"
hex ff >x
for name in $'with\nnewline' $'bad\xffbyte'; do
    cp in.raw "$name"
    picture "$name" -f YUYV -s 2x1 >/dev/null
    case $("$PNGINFO" text picture.png Source) in
    "with?newline" | "bad?byte") ;;
    *) fail "Source of a strange name" ;;
    esac
done

# The high byte comes first.
words 22488 18633 54613 65535 >in.raw
same "AB48" "$(picture in.raw -f AB48 -s 1x1)" 22488,18633,54613

# Levels: the same pixels, other sizes.
declare -A size
for level in 0 1 5 9; do
    run 0 -q -o level.png -n 1 --png-level $level -f GREY -s 1920x1080 pattern:zone
    size[$level]=$(stat -c %s level.png)
    "$PNGINFO" digest level.png >>digests.txt
done
same "pictures at all levels" "$(sort -u digests.txt | wc -l)" 1
[ "${size[0]}" -gt 2073600 ] || fail "level 0 is not stored: ${size[0]}"
[ "${size[0]}" -gt "${size[1]}" ] && [ "${size[1]}" -gt "${size[5]}" ] && [ "${size[5]}" -gt "${size[9]}" ] ||
    fail "sizes at levels 0 1 5 9: ${size[0]} ${size[1]} ${size[5]} ${size[9]}"
