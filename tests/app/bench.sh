# SPDX-License-Identifier: MIT
# zcapp bench: the tables asked for, as pictures and as JSON; what a machine without a GPU has.
. "$(dirname "$0")/lib.inc"

run 0 bench --help
for name in copy call devices dot register streams wc routes latency memory kernels threads png; do
    grep -Eq "^  $name +[a-z]" out.txt || fail "no $name in bench --help"
done

run 0 bench kernels
grep -q "^kernels: variants" out.txt || fail "no title"
grep -Eq "^    base +[0-9.]+ GB/s +#+ +x[0-9.]+$" out.txt || fail "no bar: $(cat out.txt)"
! grep -q "^memory:" out.txt || fail "bench kernels shows others"

run 0 bench kernels memory --json report.json
same "tables" "$(grep -c '"compares"' report.json)" 2
same "the first table" "$(report tables.0.name)" memory # in the order of --help
same "what it compares" "$(report tables.0.compares)" gb_per_s
same "the second table" "$(report tables.1.name)" kernels
same "the first series" "$(report tables.1.groups.0.series.0.name)" scalar
same "the outcome" "$(report outcome)" done
same "its bytes" "$(report tables.1.groups.0.series.0.bytes)" 2097152
same "of itself" "$(report tables.1.groups.0.series.0.of_first)" 1.00000
[ "$(report tables.1.groups.0.rounds)" -ge 5 ] || fail "too few rounds"
awk "BEGIN { exit !($(report tables.1.groups.0.series.0.least_us) > 0 &&
    $(report tables.1.groups.0.series.0.least_us) <= $(report tables.1.groups.0.series.0.median_us)) }" ||
    fail "times are out of order"

run 0 bench copy devices --json -
mv out.txt report.json
if [ "$(report cuda_devices)" = 0 ]; then
    same "copies without a GPU" "$(report tables.0.skipped)" \
        "there is no GPU that CUDA can use, or this build is without CUDA"
    run 0 bench copy png wc
    same "what is said of those without a GPU" "$(tail -n 2 out.txt)" \
        "not measured: there is no GPU that CUDA can use, or this build is without CUDA:
  copy wc"
fi

# The end is asked for while the first table is measured: its group is finished, and others are not begun.
"$ZCAPP" bench memory kernels png --json report.json >out.txt 2>err.txt &
process=$!
wait_for grep -q xN: out.txt
kill -INT $process
status=0
wait $process || status=$?
same "status of bench after SIGINT: $(cat err.txt)" "$status" 0
error_says "interrupted; not measured: memory* kernels png"
! grep -q "^kernels:\|^png:\|^not measured" out.txt || fail "shown although not measured: $(cat out.txt)"
same "the outcome" "$(report outcome)" interrupted
same "the last table" "$(report tables.2.skipped)" interrupted
if grep -q "memory (in part)" err.txt; then
    grep -qx "  = interrupted: 1 of 2 groups measured" out.txt || fail "no word on the table in part: $(cat out.txt)"
    same "its note" "$(report tables.0.note)" "interrupted: 1 of 2 groups measured"
    [ "$(report tables.0.groups.0.rounds)" -ge 5 ] || fail "a group in part"
else
    same "a table that was not begun" "$(report tables.0.skipped)" interrupted
fi

# Signals that ask for nothing here, several within the wait for one frame, are no failure. Without a terminal SIGHUP is one.
setsid "$ZCAPP" bench threads >out.txt 2>err.txt </dev/null &
process=$!
wait_for grep -q "SigCgt:.*[13579bdf]$" /proc/$process/status # its handlers are there: SIGHUP is the lowest bit
while kill -HUP $process 2>/dev/null; do sleep 0.001; done
status=0
wait $process || status=$?
same "status of bench among signals: $(cat err.txt)" "$status" 0
grep -q "^threads:" out.txt || fail "no table among signals: $(cat out.txt)"

refused 2 "bench: 'speed': no such table; there are copy call devices" bench speed
refused 2 "bench: --fast: no such option" bench --fast
refused 2 "bench: --json: a value is missing" bench --json
refused 1 "--json /proc/no/such" bench kernels --json /proc/no/such
status=0
"$ZCAPP" bench kernels >/dev/full 2>err.txt || status=$?
same "status of bench to a full disk" "$status" 1
error_says "standard output: No space left on device"
