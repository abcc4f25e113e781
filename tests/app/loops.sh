# SPDX-License-Identifier: MIT
# Runs that could go on for ever: a signal ends each of them soon, and damaged files end by themselves.
. "$(dirname "$0")/lib.inc"
head -c 256 /dev/zero >one.grey

# ended ARGUMENT...: SIGINT ends the run within a second or so; the status is 0.
ended() {
    local status=0 process
    echo "$*"
    "$ZCAPP" -q -o none --json report.json "$@" >out.txt 2>err.txt </dev/zero &
    process=$!
    sleep 0.4
    kill -INT $process
    for ((i = 0; i < 100; i++)); do
        kill -0 $process 2>/dev/null || break
        sleep 0.05
    done
    ! kill -KILL $process 2>/dev/null || fail "still running 5 s after SIGINT: $*"
    wait $process || status=$?
    same "status of $*" "$status" 0
    same "outcome of $*" "$(report outcome)" interrupted
}

# Faster than it can be read.
for policy in wait drop-newest latest; do
    ended --policy $policy -n 0 --fps 1000000 --pace pattern:bars
    ended --policy $policy -n 0 --fps 1000000 --pace --loop 0 -f GREY -s 16x16 one.grey
done

# Almost all frames are passed over.
for pass in "--skip 1000000000000" "--every 1000000000000"; do
    # shellcheck disable=SC2086
    {
        ended $pass -n 0 pattern:bars --inject error=1%
        ended $pass -n 0 pattern:bars --inject drop=100%
        ended $pass -n 0 --loop 0 -f GREY -s 16x16 one.grey
        ended $pass -n 0 -f GREY -s 16x16 -
        ended $pass -n 0 -f GREY -s 16x16 --sync 5ms --loop 0 one.grey one.grey
        ended $pass -n 0 --loop 0 -f GREY -s 16x16 one.grey one.grey
    }
done

# Without a whole frame there is no second pass.
mkdir damaged
run 0 -q pattern:bars -f GREY -s 64x32 -n 1 -o whole.png
for i in a b c d e f g h; do
    head -c 200 whole.png >damaged/$i.png
done
run 1 --loop 0 -o none --json report.json damaged
grep -q "no whole frame" err.txt || fail "$(cat err.txt)"
same "lost" "$(report frames.lost.error)" 8

# One whole frame: the run goes on, and its messages are counted, not repeated.
cp whole.png damaged/i.png
"$ZCAPP" --loop 0 -n 2000 -o none --json report.json damaged >out.txt 2>err.txt || fail "$(cat err.txt)"
same "frames" "$(report frames.processed)" 2000
[ "$(report frames.lost.error)" -ge 15992 ] || fail "lost: $(report frames.lost.error)"
[ "$(wc -l <err.txt)" -le 120 ] || fail "$(wc -l <err.txt) lines"
grep -q "a.png: .*; 1000 messages like this so far" err.txt || fail "$(cat err.txt)"

# A header without end.
status=0
{ printf 'YUV4MPEG2 X' && timeout 20 tr '\0' x </dev/zero; } 2>/dev/null |
    timeout 10 "$ZCAPP" -o none - >out.txt 2>err.txt || status=$?
same "status of an endless header" "$status" 1
error_says "the header has more than 4096 bytes"
