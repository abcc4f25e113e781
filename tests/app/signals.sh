# SPDX-License-Identifier: MIT
# SIGINT and SIGTERM during a run: frames in flight are finished, every PNG is complete, the status is 0.
. "$(dirname "$0")/lib.inc"
head -c 307200 /dev/zero >one.yuyv
head -c 307200 /dev/zero >>one.yuyv

has_pictures() {
    [ "$(find "$1" -name '*.png' 2>/dev/null | wc -l)" -ge 3 ]
}

# interrupted SIGNAL FOLDER ARGUMENT...
interrupted() {
    local signal=$1 folder=$2 status=0 process
    shift 2
    "$ZCAPP" --json report.json -o "$folder/%06u.png" "$@" >out.txt 2>err.txt </dev/null &
    process=$!
    wait_for has_pictures "$folder"
    kill "-$signal" $process
    wait $process || status=$?
    same "status after SIG$signal" "$status" 0
    all_whole "$folder" "$(report frames.written)"
    same "processed" "$(report frames.processed)" \
        "$(($(report frames.written) + $(report frames.lost.writer)))"
    same "outcome" "$(report outcome)" interrupted
}

interrupted INT a -n 0 pattern:square
interrupted TERM b -n 0 pattern:zone --policy latest --fps 100 --pace
interrupted INT c -f YUYV -s 640x480 --loop 0 one.yuyv
interrupted TERM d -f YUYV -s 640x480 --loop 0 --fps 20 --pace one.yuyv

# Before the first frame.
for signal in INT TERM; do
    status=0
    mkfifo pipe
    exec 7<>pipe
    "$ZCAPP" -f YUYV -s 640x480 -o none --json report.json - <&7 2>err.txt &
    process=$!
    sleep 0.5
    kill "-$signal" $process
    wait $process || status=$?
    exec 7>&-
    rm pipe
    same "status of a run that waits for input, after SIG$signal" "$status" 0
    same "processed" "$(report frames.processed)" 0
done

# Before the input is open; also with several inputs.
catches() {
    local mask
    [ "$(cat /proc/$process/comm)" = "$(basename "$ZCAPP")" ] || return 1
    mask=$(sed -n 's/^SigCgt:[[:space:]]*//p' /proc/$process/status)
    [ $((0x$mask >> 14 & 1)) = 1 ]
}
for inputs in "-" "- pattern:bars" "pattern:bars -"; do
    mkfifo pipe
    exec 7<>pipe
    # shellcheck disable=SC2086
    "$ZCAPP" -o none --json report.json $inputs <&7 2>err.txt &
    process=$!
    wait_for catches
    sleep 0.3
    kill -TERM $process
    status=0
    wait $process || status=$?
    exec 7>&-
    rm pipe
    same "status of a run that waits for its kind of input: $(cat err.txt)" "$status" 0
    same "its outcome" "$(report outcome)" interrupted
done

# A second signal ends a run that is stuck: this pipe has a reader that does not read. A second one that follows at once is
# the same request: timeout(1) signals the process and its group. It may come late on a busy machine, so there are three attempts.
mkfifo stuck.y4m
exec 7<>stuck.y4m
for attempt in 1 2 3; do
    "$ZCAPP" -o stuck.y4m -n 300 pattern:bars 2>err.txt &
    process=$!
    wait_for catches
    sleep 0.3
    kill -TERM $process
    read -r -t 0.02 <>/dev/zero || true
    kill -INT $process
    sleep 0.3
    ! kill -0 $process 2>/dev/null || break
done
kill -0 $process 2>/dev/null || fail "SIGTERM and SIGINT at once did not let the run finish, $attempt times"
kill -INT $process
status=0
wait $process || status=$?
same "status after a second SIGINT" "$status" 130
exec 7>&-

# A signal ends the run even if frames never come back.
timeout --foreground -k 5 --preserve-status -s INT 1 "$ZCAPP" -q pattern:zone -s 64x36 -n 5 -o none --inject drop=100% </dev/null 2>err.txt ||
    fail "SIGINT while every frame is lost: status $?"

# The first signal prints a line on a terminal or with -v; not with -q or in a file.
line="stopping; send the signal again to stop at once"
# said_after OPTION...: how often err.txt has that line, on a line of its own.
said_after() {
    local status=0
    rm -rf f
    "$ZCAPP" "$@" -n 0 -s 64x36 --fps 50 --pace -o f/%06u.png pattern:zone 2>err.txt </dev/null &
    process=$!
    wait_for has_pictures f
    kill -INT $process
    wait $process || status=$?
    same "status of $* after SIGINT" "$status" 0
    said=$(grep -cx "zcapp: $line" err.txt || true)
}
said_after -v
same "times that -v says it" "$said" 1
said_after
same "times that it is said in a file" "$said" 0
said_after -q
same "times that -q says it" "$said" 0
if script -qec true /dev/null >/dev/null 2>&1; then
    rm -rf f
    script -qec "'$ZCAPP' -n 0 -s 64x36 --fps 50 --pace -o f/%06u.png pattern:zone & echo \$! >process; wait \$!" \
        typescript >on-terminal.txt 2>&1 </dev/null &
    process=$!
    wait_for has_pictures f
    kill -TERM "$(cat process)"
    wait $process || fail "a run on a terminal failed: $(cat on-terminal.txt)"
    same "times that a terminal is told" "$(grep -c "$line" on-terminal.txt)" 1
else
    echo "without pseudo-terminals: nothing was tried on a terminal"
fi
