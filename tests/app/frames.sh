# SPDX-License-Identifier: MIT
# Real camera frames: the same scene in several formats gives the same picture.
. "$(dirname "$0")/lib.inc"
frames=${ZCS_SHARED:-}/frames
[ -d "$frames" ] || skip "no frames in $frames"

# digest FORMAT SIZE FILE ARGUMENT...
digest() {
    run 0 -q -f "$1" -s "$2" -n 1 -o picture.png "${@:4}" "$frames/$3"
    "$PNGINFO" digest picture.png
}
small=320x240
color="--color range=full"
same "UYVY and YUYV" "$(digest UYVY $small derived/UYVY_tshirt_320x240.raw $color)" \
    "$(digest YUYV $small derived/YUYV_tshirt_320x240.raw $color)"
same "NV16 and YUYV" "$(digest NV16 $small derived/NV16_tshirt_320x240.raw $color)" \
    "$(digest YUYV $small derived/YUYV_tshirt_320x240.raw $color)"
same "NV12 and YU12" "$(digest NV12 $small derived/NV12_tshirt_320x240.raw $color)" \
    "$(digest YU12 $small YU12_tshirt_320x240.raw $color)"
same "BGR3 and RGB3" "$(digest BGR3 $small derived/BGR3_tshirt_320x240.raw)" \
    "$(digest RGB3 $small RGB3_tshirt_320x240.raw)"
rose=768x512
for stages in "" none; do
    chain=${stages:+--stages $stages}
    same "pRAA and RG10 $chain" "$(digest pRAA $rose derived/pRAA_rose_768x512.raw $chain)" \
        "$(digest RG10 $rose derived/RG10_rose_768x512.raw $chain)"
    same "pRCC and RG12 $chain" "$(digest pRCC $rose derived/pRCC_rose_768x512.raw $chain)" \
        "$(digest RG12 $rose derived/RG12_rose_768x512.raw $chain)"
done

# close WHAT LIMIT DX DY A B: the mean difference in thousandths
close() {
    local mean
    mean=$("$PNGINFO" diff "$5" "$6" "$3" "$4" | cut -d' ' -f2)
    [ "$mean" -le "$2" ] || fail "$1: they differ by $mean thousandths on average"
}

# The four orders were made of one photo by exchanging samples inside each cell.
for format in RG14 GR14 GB14 BG14; do
    run 0 -q -f $format -s $rose -n 1 --stages demosaic -o $format.png "$frames/${format}_rose_768x512.raw"
done
for format in GR14 GB14 BG14; do
    close "$format and RG14" 6 0 0 RG14.png $format.png
done

# The same frame, decoded by another program.
run 0 -q -f RGB3 -s $small -n 1 -o rgb.png "$frames/RGB3_tshirt_320x240.raw"
run 0 -q -f YU12 -s $small -n 1 -o yuv.png $color "$frames/YU12_tshirt_320x240.raw"
close "YU12 and RGB3" 9 0 0 rgb.png yuv.png
run 0 -q -f YU12 -s 318x240 -n 1 -o odd.png $color "$frames/YU12_tshirt_318x240.raw"
same "an odd chroma width" "$("$PNGINFO" odd.png | head -1)" "318 240 8 rgb"

# Grey and thermal values stay as they are.
run 0 -q -f Y16 -s 640x512 -n 1 -o thermal.png "$frames/Y16_thermal_640x512.raw"
same "least and greatest thermal value" "$("$PNGINFO" pixels thermal.png | tr ' ' '\n' | sort -n \
    | sed -n '1p;$p' | tr '\n' ' ')" "6743 7077 "
"$PNGINFO" pixels thermal.png | tr ' ' '\n' | sort -n >got.txt
od -An -v -tu2 -w2 "$frames/Y16_thermal_640x512.raw" | tr -d ' ' | sort -n | cmp -s - got.txt ||
    fail "thermal values changed"
