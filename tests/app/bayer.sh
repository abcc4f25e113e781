# SPDX-License-Identifier: MIT
# Exact values of sensor data: packing, depth, black level, mosaics in all four orders.
. "$(dirname "$0")/lib.inc"

# codes WANTED ARGUMENTS...: the first row of in.raw without any stage
codes() {
    local wanted=$1
    shift
    same "$*" "$(picture in.raw --stages none "$@" | head -1)" "$wanted"
}

# Packed: pixel 0 has the lowest bits.
hex 00 00 00 00 01 00 00 00 00 01 >in.raw
codes "$(scaled 1 10) 0 0 0" -f pRAA -s 4x2
codes "$(scaled 1 10) 0 0 0" -f Y10P -s 4x2
hex 00 00 ff ff c9 00 00 ff ff c9 >in.raw
codes "$(scaled 1 10) $(scaled 2 10) $(scaled 1020 10) 65535" -f SRGGB10P -s 4x2
hex 12 ab c3 12 ab c3 >in.raw
codes "$(scaled 291 12) $(scaled 2748 12)" -f pRCC -s 2x2
codes "$(scaled 291 12) $(scaled 2748 12)" -f Y12P -s 2x2
# A stride above the least, as sensors' receivers align it.
repeat 1620 printf '\377' >row.raw
repeat 12 printf '\252' >pad.raw
repeat 2 cat row.raw pad.raw >in.raw
same "pRAA 1296x2 with stride 1632" \
    "$(picture in.raw -f pRAA -s 1296x2 --stride 1632 --stages none | tr ' ' '\n' | sort -u)" 65535

# The white level follows the format, the scale is exact.
words 4095 2048 4095 2048 >in.raw
codes "65535 32776" -f RG12 -s 2x2
words 1023 512 1023 512 >in.raw
codes "65535 32800" -f RG10 -s 2x2
codes "65535 32800" -f BG10 -s 2x2
words 57344 8 57344 8 >in.raw
codes "$(scaled 3584 12) 0" -f RG12 -s 2x2 --shift 4
for format in BYR2 GB16 GR16 RG16; do
    words 1 65534 1 65534 >in.raw
    codes "1 65534" -f $format -s 2x2
done
refused 2 "'BYR9'" -f BYR9 -s 2x2 in.raw

# Black level.
words 63 64 65 544 1023 63 64 65 544 1023 >in.raw
same "black=64" "$(picture in.raw -f RG10 -s 5x2 --stages black=64 | head -1)" "0 0 68 32802 65535"

# mosaic ORDER WIDTH HEIGHT COMMAND: a mosaic of the constant colour $red $green $blue
mosaic() {
    local x y c cells=$1
    for ((y = 0; y < $3; y++)); do
        for ((x = 0; x < $2; x++)); do
            c=${cells:$(((y & 1) * 2 + (x & 1))):1}
            case $c in R) "$4" "$red" ;; G) "$4" "$green" ;; B) "$4" "$blue" ;; esac
        done
    done
}
byte() {
    printf "\\x$(printf %02x "$1")"
}

# A constant mosaic gives a constant picture to the border.
for size in 2x2 3x3 5x4 6x6 7x2 2x9; do
    red=200 green=100 blue=50
    for order in RGGB:RGGB GRBG:GRBG GBRG:GBRG BGGR:BA81; do
        mosaic "${order%:*}" "${size%x*}" "${size#*x}" byte >in.raw
        for method in bilinear mhc; do
            same "${order#*:} $size $method" "$(picture in.raw -f "${order#*:}" -s $size \
                --stages demosaic=$method --depth 8 | tr ' ' '\n' | sort -u)" 200,100,50
        done
    done
    red=3000 green=1200 blue=77
    for order in RGGB:RG12 GRBG:BA12 GBRG:GB12 BGGR:BG12; do
        mosaic "${order%:*}" "${size%x*}" "${size#*x}" words >in.raw
        same "${order#*:} $size" "$(picture in.raw -f "${order#*:}" -s $size \
            --stages demosaic --depth 16 | tr ' ' '\n' | sort -u)" \
            "$(scaled 3000 12),$(scaled 1200 12),$(scaled 77 12)"
    done
done

# A flip or a crop before the demosaic moves the order with it.
red=200 green=100 blue=50
mosaic RGGB 6 5 byte >in.raw
for place in flip=h flip=v flip=both crop=4x3+1+0 crop=4x3+0+1 crop=4x3+1+1; do
    same "$place" "$(picture in.raw -f RGGB -s 6x5 --stages $place,demosaic --depth 8 \
        | tr ' ' '\n' | sort -u)" 200,100,50
done
# And a mosaic that was flipped by the sensor has another order.
for pair in GRBG:GRBG GBRG:GBRG BGGR:BA81; do
    mosaic "${pair%:*}" 4 4 byte >flipped.raw
    same "a sensor flipped to ${pair%:*}" \
        "$(picture flipped.raw -f "${pair#*:}" -s 4x4 --stages demosaic --depth 8 | tr ' ' '\n' | sort -u)" 200,100,50
done

# Deep grey keeps its values; a stretch is asked for.
words 6743 6800 7077 6743 >in.raw
same "Y16 as it is" "$(picture in.raw -f Y16 -s 4x1)" "6743 6800 7077 6743"
same "Y16 stretched" "$(picture in.raw -f Y16 -s 4x1 --stages stretch)" \
    "0 $(((57 * 65535 * 2 + 334) / 668)) 65535 0"

# Every route gives the same picture.
mosaic RGGB 7 9 byte >in.raw
picture in.raw -f RGGB -s 7x9 --route mapped >mapped.txt
for route in staged whole; do
    picture in.raw -f RGGB -s 7x9 --route $route --json report.json >other.txt
    same "route" "$(report route)" $route
    cmp -s mapped.txt other.txt || fail "route $route gives another picture"
done
