# SPDX-License-Identifier: MIT
# A disk that fills up while PNG files are written.
. "$(dirname "$0")/lib.inc"
[ "$(id -u)" = 0 ] || skip "mounting a small file system takes root"
mkdir full
mount -t tmpfs -o size=2m tmpfs full 2>/dev/null || skip "no file system can be mounted here"
trap 'umount "$work/full"; leave' EXIT

run 1 -q --writers 3 --png-level 0 -o full/%06u.png --json report.json -n 500 pattern:zone
error_says "full/0*.png: No space left on device"
written=$(report frames.written)
[ "$written" -gt 0 ] || fail "nothing was written before the disk was full"
all_whole full "$written"
same "status" "$(report status)" 1
same "processed and written differ by the writer's loss" \
    "$(report frames.processed)" "$((written + $(report frames.lost.writer)))"
[ "$(report frames.processed)" -lt 500 ] || fail "the run went on without files"

# A report on the same disk.
head -c 4m /dev/zero >full/rest 2>/dev/null || true
refused 1 "--json full/report.json: No space left on device" -q -o none -n 2 --json full/report.json pattern:bars
[ ! -e full/report.json ] || fail "half a report"
