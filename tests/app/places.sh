# SPDX-License-Identifier: MIT
# Where files come to be: folders that cannot be made, and a folder or a name that is lost while a video is written.
. "$(dirname "$0")/lib.inc"

# unfinished PROCESS: it has begun to write.
unfinished() {
    ls -l "/proc/$1/fd" 2>/dev/null | grep -q -e '/#[0-9]* (deleted)$' -e '/\.take\.y4m'
}
# interrupted STATUS COMMAND...: a run writes v/take.y4m; COMMAND is executed, then the run is interrupted.
interrupted() {
    local wanted=$1 process got=0
    shift
    rm -rf v moved take*.y4m
    mkdir v
    "$ZCAPP" -q --pace --fps 100 -s 32x24 -o v/take.y4m --json report.json pattern:square -n 0 2>err.txt &
    process=$!
    wait_for unfinished $process
    sleep 0.2
    "$@"
    sleep 0.1
    kill -INT $process
    wait $process || got=$?
    same "status after $*: $(cat err.txt)" "$got" "$wanted"
}
# whole FILE: it has each frame that the report counts as written, and none is lost.
whole() {
    local frames
    run 0 -q -o none --json read.json "$1"
    frames=$("$JSONGET" read.json frames.captured)
    same "frames in $1" "$frames $(report frames.lost.writer)" "$(report frames.written) 0"
    [ "$frames" -gt 10 ] || fail "only $frames frames"
}

interrupted 1 mv v moved
error_says "v/take.y4m: the folder was moved or removed; what was written is in $PWD/moved/take.y4m"
whole moved/take.y4m
interrupted 1 mkdir v/take.y4m
error_says "v/take.y4m: Is a directory; what was written is in $PWD/v/take-2.y4m"
whole v/take-2.y4m
taken() {
    mkdir v/take.y4m
    printf old >v/take-2.y4m
}
interrupted 1 taken
error_says "what was written is in $PWD/v/take-3.y4m"
whole v/take-3.y4m
same "a file of somebody else" "$(cat v/take-2.y4m)" old
removed_and_taken() {
    rm -rf v
    printf old >v
}
interrupted 1 removed_and_taken
error_says "what was written is in $PWD/take.y4m"
whole take.y4m
same "a file of somebody else" "$(cat v)" old
interrupted 0 rm -r v
whole v/take.y4m
replace() {
    printf old >v/take.y4m
}
interrupted 0 replace
whole v/take.y4m

# A folder that cannot be made is named; each option makes folders.
printf old >file
small="-q -s 16x8 -n 1 pattern:bars"
for output in "-o file/a/x%u.png" "-o file/a/x.png" "-o file/a/x.y4m" "-o none --latest file/a/x.png" "-o none --record file/a/x.zcr"; do
    refused 1 "the folder file cannot be made: Not a directory" $small $output
done
run 0 $small -o n1/a/x%u.png
run 0 $small -o n2/a/x.y4m --latest n3/a/x.png --record n4/a/x.zcr --json n5/a/x.json
for name in n1/a/x0.png n2/a/x.y4m n3/a/x.png n4/a/x.zcr n5/a/x.json; do
    [ -s $name ] || fail "no $name"
done
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && setpriv --reuid=65534 --clear-groups test -x "$ZCAPP"; then
    mkdir closed
    chmod 755 . closed
    as="setpriv --reuid=65534 --regid=65534 --clear-groups"
    for output in "-o closed/new/x%u.png" "-o closed/new/x.y4m" "-o none --latest closed/new/x.png" \
        "-o none --record closed/new/x.zcr" "-o none --json closed/new/x.json"; do
        got=0
        # shellcheck disable=SC2086
        $as "$ZCAPP" $small $output </dev/null 2>err.txt || got=$?
        same "status of $output" "$got" 1
        error_says "the folder closed/new cannot be made: Permission denied"
    done
fi
