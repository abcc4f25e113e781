# SPDX-License-Identifier: MIT
# Links, pipes and devices that somebody has put where a file will be: never written into, and no run hangs.
. "$(dirname "$0")/lib.inc"
small="-q -s 16x8 pattern:bars"

# Names that the program makes are replaced, not followed.
mkdir o
printf old >victim
mkfifo o/0.png pipe
ln -s "$PWD/pipe" o/1.png
ln -s "$PWD/victim" o/2.png
ln -s "$PWD/nosuch" o/3.png
ln -s /dev/full o/4.png
timeout -k 1 20 "$ZCAPP" $small -n 6 -o o/%u.png </dev/null 2>err.txt || fail "status $? among planted files: $(cat err.txt)"
all_whole o 6
same "links that are left" "$(find o ! -type f ! -type d)" ""
same "where the links led" "$(cat victim) $([ -p pipe ] && [ ! -e nosuch ] && echo kept)" "old kept"

# The newest picture is replaced as a whole, also where a pipe or a link is in its place.
for kind in pipe link; do
    rm -f o/latest.png
    if [ $kind = pipe ]; then mkfifo o/latest.png; else ln -s "$PWD/pipe" o/latest.png; fi
    timeout -k 1 20 "$ZCAPP" $small -n 3 -o none --latest o/latest.png </dev/null 2>err.txt || fail "--latest and a $kind: status $?"
    [ -f o/latest.png ] && [ ! -L o/latest.png ] || fail "--latest was written into a $kind"
done
if [ "$(id -u)" = 0 ] && mknod o/5.png c 1 3 2>/dev/null; then
    refused 1 "o/5.png: is a device" $small -n 6 -o o/%u.png
    [ -c o/5.png ] || fail "a device was replaced"
fi

# A pipe that the command line names is written. While it has no reader, SIGTERM ends the run.
# ends_on_sigterm WHAT ARGUMENT...
ends_on_sigterm() {
    local what=$1 process i
    shift
    "$ZCAPP" $small -n 3 "$@" </dev/null 2>err.txt &
    process=$!
    sleep 0.4
    kill -0 $process 2>/dev/null || fail "$what: ended without a reader: $(cat err.txt)"
    kill -TERM $process
    for ((i = 0; i < 100; i++)); do
        kill -0 $process 2>/dev/null || break
        sleep 0.05
    done
    ! kill -0 $process 2>/dev/null || fail "$what: SIGTERM does not end a run that waits for a reader"
    wait $process || true
}
for name in v.y4m v.png v.json v.zcr; do
    mkfifo $name
done
ends_on_sigterm "-o of a video" -o v.y4m
ends_on_sigterm "-o of a picture" -n 1 -o v.png
ends_on_sigterm "--json" -o none --json v.json
ends_on_sigterm "--record" -o none --record v.zcr
for name in v.y4m v.png v.json v.zcr; do
    [ -p $name ] || fail "$name was replaced"
    cat $name >read.$name &
done
run 0 $small -n 2 -o v.y4m
run 0 $small -n 1 -o v.png --json v.json --record v.zcr
wait
for name in v.y4m v.png v.json v.zcr; do
    [ -s read.$name ] || fail "nothing came through $name"
done
