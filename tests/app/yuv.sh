# SPDX-License-Identifier: MIT
# Exact values of Y'CbCr and RGB formats, from files made byte by byte.
. "$(dirname "$0")/lib.inc"

# one ARGUMENTS...: the pixels of in.raw
one() {
    picture in.raw "$@"
}

# Limited and full range.
hex 10 80 eb 80 >in.raw
same "limited range" "$(one -f YUYV -s 2x1)" "0,0,0 255,255,255"
same "full range" "$(one -f YUYV -s 2x1 --color range=full)" "16,16,16 235,235,235"

# Matrices; the table of reference values: Y U V, then 601 limited, 601 full, 709 limited.
while read -r y u v limited full bt709; do
    hex "$y" "$u" "$y" "$v" >in.raw
    same "$y $u $v in BT.601 limited" "$(one -f YUYV -s 2x1)" "$limited $limited"
    same "$y $u $v in BT.601 full" "$(one -f YUYV -s 2x1 --color range=full)" "$full $full"
    same "$y $u $v in BT.709" "$(one -f YUYV -s 2x1 --color matrix=bt709)" "$bt709 $bt709"
    same "$y $u $v in BT.601, said" \
        "$(one -f YUYV -s 2x1 --color matrix=bt601,range=limited)" "$limited $limited"
done <<EOF
10 80 80 0,0,0 16,16,16 0,0,0
eb 80 80 255,255,255 235,235,235 255,255,255
7e 80 80 128,128,128 126,126,126 128,128,128
00 80 80 0,0,0 0,0,0 0,0,0
ff 80 80 255,255,255 255,255,255 255,255,255
51 5a f0 254,0,0 238,14,14 255,24,0
91 36 22 0,255,1 13,238,14 0,216,0
29 f0 6e 0,0,255 16,15,239 0,15,255
aa a6 10 1,255,255 13,237,237 0,231,255
b4 64 a0 242,176,134 225,167,130 248,180,132
3f 66 f0 233,0,2 220,0,17 255,1,0
00 00 00 0,136,0 0,135,0 0,77,0
10 00 00 0,154,0 0,151,0 0,96,0
eb ff ff 255,102,255 255,101,255 255,160,255
ff ff ff 255,125,255 255,121,255 255,184,255
EOF

# Order of the four bytes.
hex 51 5a 51 f0 >in.raw
same YUYV "$(one -f YUYV -s 2x1)" "254,0,0 254,0,0"
same UYVY "$(one -f UYVY -s 2x1)" "11,143,0 186,255,166"
same YVYU "$(one -f YVYU -s 2x1)" "15,63,255 15,63,255"
hex 5a 51 f0 51 >in.raw
same "UYVY, red" "$(one -f UYVY -s 2x1)" "254,0,0 254,0,0"
hex f0 51 5a 51 >in.raw
same "VYUY, red" "$(one -f VYUY -s 2x1)" "254,0,0 254,0,0"
hex 51 5a 51 f0 29 f0 29 6e >in.raw
same "one U and V for two pixels" "$(one -f YUYV -s 4x1)" "254,0,0 254,0,0 0,0,255 0,0,255"

# Planes.
hex 51 51 51 51 5a f0 >in.raw
red="254,0,0 254,0,0"
blue="15,63,255 15,63,255"
for format in YU12 NV12 YM12 NM12; do
    same "$format" "$(one -f $format -s 2x2)" "$red
$red"
done
for format in YV12 NV21; do
    same "$format" "$(one -f $format -s 2x2)" "$blue
$blue"
done

# A chroma row of NV12 is as long as a luma row; padding is never seen.
luma="51 51 51 51 51 51 ff ff"
hex $luma $luma $luma $luma 5a f0 5a f0 5a f0 ff ff f0 5a f0 5a f0 5a ff ff >in.raw
same "NV12 with stride" "$(one -f NV12 -s 6x4 --stride 8)" "$red $red $red
$red $red $red
$blue $blue $blue
$blue $blue $blue"

# Odd widths: the third pixel is the first of the second pair. In a file alone, nothing is behind it.
hex 51 5a 51 f0 29 f0 ff 6e 51 5a 51 f0 29 f0 ff 6e >in.raw
same "3x2 YUYV" "$(one -f YUYV -s 3x2)" "254,0,0 254,0,0 0,0,255
254,0,0 254,0,0 0,0,255"
hex 51 51 51 51 51 51 51 51 51 5a 5a 5a 5a f0 f0 f0 f0 >in.raw
same "3x3 YU12" "$(one -f YU12 -s 3x3 | sort -u)" "254,0,0 254,0,0 254,0,0"

# RGB.
hex ff 00 00 >in.raw
same RGB3 "$(one -f RGB3 -s 1x1)" "255,0,0"
same BGR3 "$(one -f BGR3 -s 1x1)" "0,0,255"
hex 01 02 03 04 >in.raw
same XR24 "$(one -f XR24 -s 1x1)" "3,2,1"
same BX24 "$(one -f BX24 -s 1x1)" "2,3,4"
same AB24 "$(one -f AB24 -s 1x1)" "1,2,3"
hex 00 f8 e0 07 1f 00 ff ff >in.raw
same RGBP "$(one -f RGBP -s 4x1)" "255,0,0 0,255,0 0,0,255 255,255,255"

# Grey; no format by that name.
hex 00 40 80 c0 ff 01 02 03 04 05 fa fb fc fd fe >in.raw
same GREY "$(one -f GREY -s 5x3)" "0 64 128 192 255
1 2 3 4 5
250 251 252 253 254"
words 0 1 512 1023 >in.raw
same Y10 "$(one -f Y10 -s 4x1)" "0 64 32800 65535"
words 0 1 2048 4095 >in.raw
same Y12 "$(one -f Y12 -s 4x1)" "0 16 32776 65535"
words 0 1 4660 65535 >in.raw
same Y16 "$(one -f Y16 -s 4x1)" "0 1 4660 65535"
hex 12 34 ff fe >in.raw
same Y16_BE "$(one -f Y16_BE -s 2x1)" "4660 65534"
refused 2 "'Y99'" -f Y99 -s 1x1 in.raw

# Rows that are padded: the stride of a camera that aligns to 64 bytes.
words $(repeat 848 echo 4660) >row.raw
repeat 16 printf '\377\377' >pad.raw
repeat 4 cat row.raw pad.raw >in.raw
same "Y16 848x4 with stride 1728" "$(one -f Y16 -s 848x4 --stride 1728 | tr ' ' '\n' | sort -u)" 4660
refused 2 "--stride 1695: a row of 848 Y16 pixels takes at least 1696 bytes" -f Y16 -s 848x4 --stride 1695 in.raw
