# SPDX-License-Identifier: MIT
# Unattended runs: --keep, --latest, SIGHUP and SIGTERM. setsid: without a terminal.
. "$(dirname "$0")/lib.inc"
export ZCAPP

names() {
    (cd "$1" && find . -type f -printf '%f\n' | sort | tr '\n' ' ')
}

# numbered FOLDER: the files that match %06u.png.
numbered() {
    names "$1" | tr ' ' '\n' | grep -xE '[0-9]{6}\.png' | tr '\n' ' '
}

# Only the newest files stay; files with other names are not touched.
mkdir keep
for other in 7.png 000007.pngx x000007.png 000007.ppm notes.txt 0000008.png; do
    echo mine >"keep/$other"
done
ln -s notes.txt keep/000001.png
mkdir keep/000002.png
run 0 --json report.json --writers 1 --keep 3 -n 13 --skip 3 -s 16x16 -o keep/%06u.png pattern:bars
same "the summary of what stays" "$(sed 's/,[^,;]* fps//' err.txt)" \
    "zcapp: 13 frames; 13 files, 3 of them left, from keep/000013.png to keep/000015.png; none lost"
same "what stays, reported" "$(report outputs.0.written) $(report outputs.0.files_left)" "13 3"
same "what stays" "$(names keep)" \
    "0000008.png 000007.pngx 000007.ppm 000013.png 000014.png 000015.png 7.png notes.txt x000007.png "
[ -L keep/000001.png ] && [ -d keep/000002.png ] || fail "a link or a folder was removed"
same "the others" "$(cat keep/7.png keep/notes.txt)" "mine
mine"

# Files of earlier runs count; files that are written again count as new.
touch -d '2001-01-01' keep/000013.png
run 0 -q --writers 1 --keep 3 -n 2 --skip 13 -s 16x16 -o keep/%06u.png pattern:bars
same "after a second run" "$(numbered keep)" "000013.png 000014.png 000015.png "
run 0 --writers 1 --keep 2 -n 1 -s 16x16 -o keep/%06u.png pattern:bars
same "the summary of one that is left" "$(sed 's/^.*frame; //' err.txt)" "1 file, keep/000000.png; none lost"
same "after a third run" "$(numbered keep)" "000000.png 000014.png "

# A limit in bytes; the newest file always stays, whatever its size.
run 0 -q --writers 1 --keep 10K -n 9 -s 32x32 -o bytes/%u.raw pattern:bars
same "files of 4096 bytes within 10K" "$(names bytes)" "7.raw 8.raw "
run 0 -q --writers 1 --keep 1K -n 9 -s 32x32 -o bytes/%u.raw pattern:bars
same "files within less than one" "$(names bytes)" "8.raw "
run 0 --writers 4 --keep 5 -n 60 -s 32x32 -o many/%u.ppm pattern:bars
grep -q "; 60 files, 5 of them left, from many/55.ppm to many/59.ppm; none lost" err.txt || fail "the summary: $(cat err.txt)"
same "files of several threads" "$(names many)" "55.ppm 56.ppm 57.ppm 58.ppm 59.ppm "
for bad in 0 -1 x 2X 2GB "" 99999999999999; do
    refused 2 "--keep '$bad': not a number of files, such as 100" --keep "$bad" -o a%u.png pattern:bars
done
refused 2 "--keep: there are no output files" --keep 3 -o none pattern:bars
refused 2 "--keep: there are no output files" --keep 3 -o - pattern:bars
refused 2 "must be in the name of the file" --keep 3 -o a/%u/x.png pattern:bars

# --latest: a complete picture at any time, of the last frame at the end.
run 0 -q --latest shown/latest.png -o none -n 20 -s 320x240 pattern:zone
same "the latest, and nothing beside it" "$(names shown)" "latest.png "
run 0 -q -o want/%u.png -n 20 -s 320x240 pattern:zone
same "the latest picture" "$("$PNGINFO" pixels shown/latest.png | sed 1d)" "$("$PNGINFO" pixels want/19.png | sed 1d)"
run 0 -q --latest latest.ppm -o beside/%u.png -n 3 pattern:bars
same "files beside the latest" "$(names beside | wc -w)" 3
run 0 -q --latest both/latest.ppm -o none -n 5 -s 16x16 pattern:bars pattern:ramp
for name in bars ramp; do
    same "one picture of $name" "$(stat -c %s "both/$name/latest.ppm")" $((13 + 16 * 16 * 3))
done
for bad in latest%u.png latest.y4m latest.raw none -; do
    refused 2 "--latest '$bad': not one picture file" --latest "$bad" -o none pattern:bars
done
refused 2 "writes to the same file" --latest one.png -o one.png -n 1 pattern:bars
refused 2 "--latest new/./one.png: --output writes to the same file" --latest new/./one.png -o new/./one.png -n 1 pattern:bars
refused 2 "--latest x/3.png: is also one of the files of --output 'x/%u.png'" --latest x/3.png -o x/%u.png pattern:bars
[ ! -e new ] && [ ! -e x ] || fail "a refused run has made a folder"
run 0 -q --latest x/latest.png -o x/%u.png -n 1 -s 16x16 pattern:bars
echo mine >blocked
refused 1 "blocked/x.png: the folder blocked cannot be made: Not a directory" -q --latest blocked/x.png -o none -n 3 pattern:bars

# SIGHUP: the next part, no frame lost between parts; if the first part was moved away, it is created again.
live() {
    setsid "$ZCAPP" -n 0 -s 16x16 --fps 100 --pace --json report.json "$@" pattern:square >out.txt 2>err.txt </dev/null &
    process=$!
}
size_of() {
    stat -c %s "$1" 2>/dev/null || echo 0
}
grows() {
    [ "$(size_of "$1")" -gt 100000 ]
}
# writes BYTES: true if the process has written that many bytes to a file, which may be nameless.
writes() {
    local most
    [ "$(cat /proc/$process/comm 2>/dev/null)" = "$(basename "$ZCAPP")" ] || return 1
    most=$(stat -L -c %s /proc/$process/fd/* 2>/dev/null | sort -n | tail -n 1)
    [ "${most:-0}" -gt "$1" ]
}
ended() {
    local status=0
    kill -TERM $process
    wait $process || status=$?
    same "status after SIGTERM: $(cat err.txt)" "$status" 0
    same outcome "$(report outcome)" interrupted
}
live -o none --record take.zcr
wait_for grows take.zcr
kill -HUP $process
wait_for grows take-2.zcr
mv take.zcr moved.zcr
kill -HUP $process
wait_for grows take.zcr
ended
last=-1
total=0
for part in moved.zcr take-2.zcr take.zcr; do
    cp report.json run.json
    run 0 -q -o none --json report.json "$part"
    total=$((total + $(report frames.captured)))
    "$ZCAPP" -vv -o none "$part" 2>frames.txt
    for number in $(sed -n 's/.*frame \([0-9]*\): path.*/\1/p' frames.txt); do
        [ "$number" = $((last + 1)) ] || fail "$part has frame $number behind $last"
        last=$number
    done
    cp run.json report.json
done
same "frames in all parts" "$total" "$(report frames.recorded)"

# A last part without frames is removed, and the other parts keep their places.
mkdir empty
setsid "$ZCAPP" -q -n 0 -s 64x48 --fps 1/60 --pace --keep 1 --json report.json -o none --record empty/take.zcr pattern:square >out.txt 2>err.txt </dev/null &
process=$!
recorded() {
    [ "$(size_of "$1")" -gt 6144 ]
}
wait_for recorded empty/take.zcr
kill -HUP $process
wait_for test -e empty/take-2.zcr
ended
same "parts with frames" "$(names empty)" "take.zcr "
run 0 -q -o none empty/take.zcr

live -o take.y4m --keep 2
for part in take.y4m take-2.y4m take-3.y4m; do
    sleep 0.2
    wait_for writes 4000
    kill -HUP $process
    wait_for test -e "$part"
done
sleep 0.2
wait_for writes 4000
ended
grep -q "; in 4 parts of take.y4m, 2 of them left; none lost" err.txt || fail "the summary of parts: $(cat err.txt)"
same "parts that stay" "$(find . -name 'take*.y4m' -printf '%f\n' | sort | tr '\n' ' ')" "take-3.y4m take-4.y4m "
run 0 -q -o none take-4.y4m

# An input is never deleted as a part of an earlier run.
refused 2 "--keep: would delete take-4.y4m, which is INPUT" --keep 1 -o take.y4m take-4.y4m
refused 2 "--keep: would delete empty/../take-2.zcr, which is INPUT" --keep 1 -o none --record take.zcr empty/../take-2.zcr
[ -e take-4.y4m ] && [ -e take-2.zcr ] || fail "INPUT was removed"
run 0 -q --keep 1 -o took.y4m take-4.y4m

# The summary line reports several parts.
setsid "$ZCAPP" -n 0 -s 16x16 --fps 100 --pace --json report.json -o two.y4m --record two.zcr pattern:square 2>err.txt </dev/null &
process=$!
wait_for grows two.zcr
kill -HUP $process
wait_for grows two-2.zcr
ended
grep -q "; in 2 parts of two.y4m; [0-9]* recorded in 2 parts of two.zcr; none lost" err.txt ||
    fail "the last line: $(cat err.txt)"

# A part that cannot have its name is kept, and ends the run, even while its frames wait for room.
mkdir away
setsid "$ZCAPP" -q -n 0 -s 640x480 -o away/take.y4m pattern:square >out.txt 2>err.txt </dev/null &
process=$!
wait_for writes 3000000
rm -r away
echo mine >away
kill -HUP $process
gone() {
    ! kill -0 $process 2>/dev/null
}
wait_for gone
status=0
wait $process || status=$?
same "status without the folder" "$status" 1
error_says "away/take.y4m: No such file or directory; what was written is in $PWD/take"

# The file size limit is an ordinary write error.
status=0
(ulimit -f 100 && exec env --default-signal=XFSZ "$ZCAPP" -q --writers 1 -n 2 -s 640x480 -o limit/%u.raw pattern:bars) 2>err.txt || status=$?
same "status with a limit" "$status" 1
error_says "limit/0.raw: File too large"
[ ! -e limit/0.raw ] || fail "half a file"

# SIGHUP does not affect numbered files; nothing is lost.
live -o go/%06u.ppm
wait_for test -e go/000005.ppm
kill -HUP $process
wait_for test -e go/000020.ppm
ended
same "numbered files" "$(names go | wc -w)" "$(report frames.written)"
