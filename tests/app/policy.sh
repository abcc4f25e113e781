# SPDX-License-Identifier: MIT
# A slow writer: what waits, what is dropped, and that every frame is counted.
. "$(dirname "$0")/lib.inc"

# The writer is slow: best compression, one thread.
slow="-s 320x240 --png-level 9 --writers 1 -n 40 --json report.json pattern:zone"
lost() {
    report frames.lost.writer
}
check() {
    same "$1: processed" "$(report frames.processed)" 40
    same "$1: written and lost" "$(($(report frames.written) + $(lost)))" 40
    all_whole "$1" "$(report frames.written)"
}

run 0 -q --policy wait -o wait/%06u.png $slow
check wait
same "lost while waiting" "$(lost)" 0

run 0 --policy drop-newest -o newest/%06u.png $slow
check newest
[ "$(lost)" -gt 0 ] || fail "nothing was dropped though the writer is slow"
grep -q "lost: $(lost) not written" err.txt || fail "the summary does not tell of the loss"
[ -e newest/000000.png ] || fail "drop-newest has dropped the first frame"

run 0 -q --policy latest -o latest/%06u.png $slow
check latest
[ "$(lost)" -gt 0 ] || fail "nothing was dropped though the writer is slow"
[ -e latest/000039.png ] || fail "latest has dropped the last frame"
