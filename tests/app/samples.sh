# SPDX-License-Identifier: MIT
# The sample recordings: they are what make_samples makes, and zcapp develops them to their truth.
. "$(dirname "$0")/lib.inc"
frames=$SOURCE_DIR/samples/frames
[ "$(cat "$frames"/* | wc -c)" -lt 8000000 ] || fail "8 MB or more of samples"

# Made anew. Other compilers and C libraries may round a sample in a million otherwise.
mkdir new
"$BUILD_DIR/samples/make_samples" new || fail "make_samples"
same "the files" "$(ls "$frames")" "$(ls new)"
sleep 0.01 # no clock stands still
mkdir again
"$BUILD_DIR/samples/make_samples" again || fail "make_samples"
diff -r new again || fail "make_samples makes other files each time"
for file in "$frames"/*.zcr; do
    name=$(basename "$file")
    same "bytes of $name" "$(wc -c <"$file")" "$(wc -c <"new/$name")"
    others=$(cmp -l "$file" "new/$name" | wc -l || true)
    same "the clocks in $name" "$(tail -c +145 "$file" | head -c 16 | tr -d '\000' | wc -c)" 0
    [ "$others" -lt 200 ] || fail "$name: $others bytes differ from those that are made now"
done

# near SCENE FORMAT FRAMES MEAN OPTION...: each frame within MEAN thousandths of the truth.
near() {
    local scene=$1 format=$2 count=$3 mean=$4 i got
    shift 4
    run 0 -q "$@" -o "$scene-$format-%u.png" "$frames/${scene}_$format.zcr"
    same "frames of $scene in $format" "$(ls "$scene-$format-"* | wc -l)" "$count"
    for ((i = 0; i < count; i++)); do
        got=$("$PNGINFO" diff "$scene-$format-$i.png" "$frames/${scene}_truth.png" 0 0)
        [ "${got#* }" -le "$mean" ] || fail "$scene in $format, frame $i: off by $got, not $mean"
    done
}
sensor="black:level=64:white=928,wb:r=1.9:b=1.6,demosaic"
sensor="$sensor,ccm=1.50262/-0.39664/-0.10598/-0.22875/1.38720/-0.15845/-0.01889/-0.34417/1.36306,gamma"
near chart SRGGB10P 3 15 --depth 8 --stages "$sensor"
near zone SGRBG10P 3 28 --depth 8 --stages "$sensor"
near edge SGBRG10P 3 8 --depth 8 --stages "$sensor"
near text SBGGR10P 3 16 --depth 8 --stages "$sensor"
near gradient SRGGB10 3 13 --depth 8 --stages "$sensor"
near chart NV12 1 4
near text YUYV 1 4
! cmp -s chart-SRGGB10P-0.png chart-SRGGB10P-1.png || fail "two frames with the same noise"
same "what zc, docs/samples.md and the recordings say of the stages" \
    "$(grep -lF "ccm=${sensor#*ccm=}" "$SOURCE_DIR"/{zc,docs/samples.md,samples/frames/chart_SRGGB10P.zcr} | wc -l)" 3
run 0 -q -o edge.png -n 1 "$frames/edge_GREY.zcr"
same "GREY" "$("$PNGINFO" edge.png | head -n 1)" "480 320 8 gray"
run 0 -q -o gradient.png -n 1 "$frames/gradient_Y16.zcr"
same "Y16" "$("$PNGINFO" gradient.png | head -n 1)" "480 320 16 gray"

# The sheet of them: three columns and two rows of 100 pixels.
"$BUILD_DIR/samples/contact_sheet" sheet.png 3 100 chart-NV12-0.png=a text-YUYV-0.png=b edge.png=c \
    gradient.png=d || fail "contact_sheet"
same "its size" "$("$PNGINFO" sheet.png | head -n 1)" "332 174 8 rgb"
"$BUILD_DIR/samples/contact_sheet" sheet.png 3 100 nosuch.png=a 2>err.txt && fail "a picture that is not there"
"$BUILD_DIR/samples/contact_sheet" sheet.png 0 100 edge.png=a 2>err.txt && fail "no columns"
[ "$(wc -c <"$SOURCE_DIR/docs/demo.png")" -lt 400000 ] || fail "docs/demo.png has 400 kB or more"
