# SPDX-License-Identifier: MIT
# Names of output files: numbers, folders, -n, --skip, --every, --loop.
. "$(dirname "$0")/lib.inc"
for i in 0 1 2 3 4; do hex "0$i" "0$i"; done >five.grey
five="-f GREY -s 2x1 five.grey"

# names FOLDER: the files in it, in one line.
names() {
    (cd "$1" && find . -type f | sort | sed 's,^\./,,' | tr '\n' ' ')
}

run 0 $five
same "default names" "$(names frames)" \
    "frame-000000.png frame-000001.png frame-000002.png frame-000003.png frame-000004.png "
same "the summary" "$(cat err.txt)" \
    "zcapp: 5 frames; 5 files, from frames/frame-000000.png to frames/frame-000004.png; none lost"

run 0 -o a/b/c/%u.png $five
same "missing folders" "$(names a/b/c)" "0.png 1.png 2.png 3.png 4.png "
for i in 0 1 2 3 4; do
    same "frame $i" "$("$PNGINFO" pixels a/b/c/$i.png)" "$i $i"
done
run 0 -o folder%02d/x.png $five
same "a number in the folder's name" "$(names .| tr ' ' '\n' | grep -c '^folder0[0-4]/x.png')" 5
run 0 -o "b/100%%-%3i.PNG" -n 2 $five
same "percent and spaces" "$(names b)" "100%-  0.PNG 100%-  1.PNG "
run 0 -o c/%u.png --skip 2 $five
same "--skip 2" "$(names c)" "2.png 3.png 4.png "
same "pixels of frame 2" "$("$PNGINFO" pixels c/2.png)" "2 2"
run 0 -o d/%u.png --skip 1 --every 2 $five
same "--skip 1 --every 2" "$(names d)" "1.png 3.png "
run 0 -o e/%u.png --every 2 -n 2 $five
same "--every 2 -n 2" "$(names e)" "0.png 2.png "
run 0 -o f/%u.png --loop 2 $five
same "--loop 2" "$(names f | wc -w)" 10
same "the number goes on" "$("$PNGINFO" pixels f/7.png)" "2 2"
run 0 -o g/%u.png --loop 0 -n 12 $five
same "--loop 0 -n 12" "$(names g | wc -w)" 12
run 0 -o h/one.png -n 1 --skip 4 $five
same "one name" "$("$PNGINFO" pixels h/one.png)" "4 4"
same "the summary of one" "$(cat err.txt)" "zcapp: 1 frame; 1 file, h/one.png; none lost"
run 0 -o h/left.png --skip 4 $five
same "one name where one is left" "$("$PNGINFO" pixels h/left.png)" "4 4"
run 0 -o none $five
same "the summary without files" "$(cat err.txt)" "zcapp: 5 frames; none lost"
run 0 -o none --loop 2 $five
same "the summary of ten" "$(sed 's/ [0-9.]* fps/ N fps/' err.txt)" "zcapp: 10 frames, N fps; none lost"
run 0 -o none -s 8x8 pattern:bars
same "a pattern's end" "$(sed 's/,.*//' err.txt)" "zcapp: 100 frames"
run 0 -o none -n 0 $five
same "-n 0" "$(cat err.txt)" "zcapp: 5 frames; none lost"
run 0 -q -o h/one.png -n 1 $five
same "-q" "$(cat err.txt)" ""
same "an older file is replaced" "$("$PNGINFO" pixels h/one.png)" "0 0"
refused 1 "five.grey: no frame is left after 5 of them (--skip 5)" -q --skip 5 -o none $five

# A name of the maximum length.
long=$(printf '%0250d' 0)
run 0 -o "i/$long%u.png" -n 1 $five
same "a long name" "$(names i | wc -w)" 1
refused 1 "File name too long" -q -o "i/${long}x%u.png" -n 1 $five
same "a run with as many frames gives the same bytes" \
    "$(cat a/b/c/*.png | cksum)" "$(run 0 -o a/b/c/%u.png --writers 3 $five; cat a/b/c/*.png | cksum)"

# Numbers that stand still or fall: each picture has a name of its own, the warning comes once, --keep counts right.
# number FILE FRAME SEQUENCE: gives that frame of a recording of one-page frames the number; the index is removed.
number() {
    local at=$((4096 + $2 * 8192)) crc
    truncate -s $((4096 + FRAMES * 8192)) "$1"
    words "$3" 0 0 0 | dd of="$1" bs=1 seek=$((at + 24)) conv=notrunc status=none
    words 0 0 | dd of="$1" bs=1 seek=$((at + 8)) conv=notrunc status=none
    crc=$(dd if="$1" bs=1 skip="$at" count=64 status=none | gzip -c | tail -c 8 | head -c 4 | od -An -tx1)
    # shellcheck disable=SC2086
    hex $crc | dd of="$1" bs=1 seek=$((at + 8)) conv=notrunc status=none
}
FRAMES=7
for i in 0 1 2 3 4 5 6; do hex "0$i" "0$i"; done >seven.grey
run 0 -q -f GREY -s 2x1 -o none --record seven.zcr seven.grey
i=0
for value in 100 102 102 101 5 103 109; do
    number seven.zcr $i $value
    i=$((i + 1))
done
run 0 -o j/%u.png --json report.json seven.zcr
same "names where numbers fall" "$(names j)" "0.png 2.png 3.png 4.png 5.png 6.png 9.png "
i=0
for name in 0 2 3 4 5 6 9; do
    same "picture $name" "$("$PNGINFO" pixels j/$name.png)" "$i $i"
    i=$((i + 1))
done
same "warnings" "$(grep -c 'warning: frame numbers do not rise: 102 is not above the one before; .* count on from 3$' err.txt)" 1
same "lines" "$(grep -c 'warning: frame numbers' err.txt)" 1
run 0 -q -o k/%u.png --keep 4 --json report.json seven.zcr
same "names that --keep left" "$(names k) $(report outputs.0.files_left)" "4.png 5.png 6.png 9.png  4"
run 0 -q --dispatch broadcast --stages flip --stages gray -o l/%u.png seven.zcr
same "names of two chains" "$(names l/chain-1)" "$(names l/chain-2)"
same "names of one of them" "$(names l/chain-1)" "$(names j)"
