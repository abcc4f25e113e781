# SPDX-License-Identifier: MIT
# The JSON report: keys, values, escapes, where it goes.
. "$(dirname "$0")/lib.inc"
head -c 2048 /dev/zero >four.yuyv
run 0 -f YUYV -s 16x16 --backend host -o out/%u.png --json report.json four.yuyv
for key in input backend devices devices.0 path memory route format width height fps latency_us \
    frames.captured frames.processed frames.written frames.lost.driver_gap frames.lost.error \
    frames.lost.short frames.lost.stale frames.lost.policy frames.lost.writer \
    latency_us.capture_to_result.{p50,p95,p99,max} latency_us.capture_to_file.{p50,p95,p99,max} \
    cpu_bytes_copied_per_frame version output.format; do
    report "$key" >/dev/null
done
# Keys that docs/report.md lacks, and keys in its first column that the report lacks.
for key in $(grep -o '^ *"[a-z0-9_]*":' report.json | tr -d ' ":' | sort -u); do
    grep -q "\`$key\`" "$SOURCE_DIR/docs/report.md" || fail "docs/report.md has no $key"
done
for key in $(grep -o '^| `[a-z_`, ]*' "$SOURCE_DIR/docs/report.md" | tr -d '|`,'); do
    report "$key" >/dev/null
done
same input "$(report input)" four.yuyv
same "no recording" "$(report recorded_from) $(report recorded_text)" "null null"
same backend "$(report backend)" host
same format "$(report format)" YUYV
same size "$(report width)x$(report height)" 16x16
same frames "$(report frames.captured) $(report frames.processed) $(report frames.written)" "4 4 4"
same memory "$(report memory)" pageable
same route "$(report route)" mapped
same outcome "$(report outcome) $(report status)" "done 0"
same output "$(report output.format) $(report output.depth)" "AB24 8"
same outputs "$(report outputs.0.format) $(report outputs.0.stages) $(report outputs.0.files) $(report outputs.0.written)" \
    "AB24 $(report stages) out/%u.png 4"
case $(report path) in read | direct) ;; *) fail "path $(report path)" ;; esac
for kind in capture_to_result capture_to_file; do
    last=0
    for point in p50 p95 p99 max; do
        now=$(report latency_us.$kind.$point)
        now=${now/./}
        [ "$now" -ge "$last" ] && [ "$now" -gt 0 ] || fail "$kind.$point is $now after $last"
        last=$now
    done
done

# Low latency: null unless requested; the reserved multiprocessors, or the reason for none.
same "low latency, not asked for" "$(report low_latency)" null
run 0 --low-latency -f YUYV -s 16x16 --backend host -o out/%u.png --json report.json four.yuyv
same "low latency on the host" "$(report low_latency.held_units) $(report low_latency.reason)" \
    "0 frames run on the CPU: only a GPU holds a kernel ready"
grep -q "no low latency on device 0, since frames run on the CPU: only a GPU holds a kernel ready" err.txt || fail "no warning"
same "frames all the same" "$(report frames.written)" 4

# The report is the last output on standard output; latencies of steps that did not happen are null.
run 0 -q -f YUYV -s 16x16 -o none --json - four.yuyv
cp out.txt report.json
same "capture_to_file without files" "$(report latency_us.capture_to_file.p50)" null
same "result_to_file without files" "$(report latency_us.result_to_file.max)" null
same written "$(report frames.written)" 0
# Times that cannot be compared are reported with the reason, not as a number.
run 0 -q -f YUYV -s 16x16 --fps 100 -o t/%u.png --json report.json four.yuyv
same "the driver's time of a file" "$(report latency_us.driver_to_capture.p50) $(report latency_us.driver_to_file.p50)" "null null"
same "compared" "$(report timestamps.compared) $(report timestamps.not_compared) $(report timestamps.clock)" "0 4 media"
case $(report timestamps.because) in *"the input's own start"*) ;; *) fail "because $(report timestamps.because)" ;; esac
[ "$(report latency_us.result_to_file.max)" != null ] || fail "no result_to_file"

# Names that need escapes.
cp four.yuyv $'a"b\\c\td\xff.yuyv'
run 0 -q -f YUYV -s 16x16 -o none --json report.json $'a"b\\c\td\xff.yuyv'
same "an escaped name" "$(report input)" 'a\"b\\c\u0009d\ufffd.yuyv'
cp four.yuyv ä.yuyv
run 0 -q -f YUYV -s 16x16 -o u/%u.png --json report.json ä.yuyv
same "a name in UTF-8" "$(report input)" ä.yuyv
same "the same in the picture" "$("$PNGINFO" text u/0.png Source)" ä.yuyv

# There is also a report after a failure.
run 1 -q -f YUYV -s 16x16 -o four.yuyv/%u.png --json report.json four.yuyv
same outcome "$(report outcome) $(report status) $(report frames.written)" "failed 1 0"
run 3 -q --require-path direct -o out/%u.png --json report.json -n 3 pattern:bars
same "outcome of a path that was not to be had" "$(report outcome) $(report status)" "failed 3"
# A report file is complete or does not exist.
mkdir folder
run 0 -q -o none -n 1 --json folder/report.json pattern:bars
"$JSONGET" folder/report.json || fail "the report in a folder"
same "what is beside it" "$(find folder -type f | wc -l)" 1
# A report that cannot be written is refused before the run; no folder is made.
refused 1 "--json folder: Is a directory" -o new/%u.png --json folder pattern:bars
refused 1 "--json folder/: Is a directory" -o new/%u.png --json folder/ pattern:bars
if [ "$(id -u)" != 0 ]; then
    mkdir closed && chmod a-w closed
    refused 1 "--json closed/x.json: Permission denied" -o new/%u.png --json closed/x.json pattern:bars
fi
refused 1 "--json four.yuyv/a/report.json: Not a directory" -o new/%u.png --json four.yuyv/a/report.json pattern:bars
[ ! -e new ] || fail "a folder was made"
run 0 -q -n 1 -o none --json new/folder/report.json pattern:bars
"$JSONGET" new/folder/report.json outcome >/dev/null || fail "no report in a new folder"

# There is also a report if an input cannot be opened.
run 1 -o none -f YUYV -s 16x16 --json report.json nosuch.yuyv
same "outcome without an input" "$(report outcome) $(report status) $(report frames.captured)" "failed 1 0"
same "what is not known" "$(report format) $(report stages) $(report color)" "null null null"
run 2 -q -o none --stages ccm,demosaic --json report.json -f RGGB pattern:bars
same "outcome of a chain that does not fit" "$(report outcome) $(report status) $(report format)" "failed 2 RGGB"
run 3 -q -o none --devices 99 --json report.json pattern:bars
same "outcome without a device" "$(report outcome) $(report status) $(report input)" "failed 3 pattern:bars"

# Why a run failed, when it began and ended, and null for all that is not known.
run 1 -o none -f YUYV -s 16x16 --json report.json nosuch.yuyv
same "its error" "$(report error.code): $(report error.text)" "failed: $(sed 's/^zcapp: //' err.txt)"
for key in path memory route freshness.state format width height fps cpu_bytes_copied_per_frame output.width \
    output.height output.depth output.significant_bits digest; do
    same "$key without an input" "$(report $key)" null
done
run 2 -q -o none --stages ccm,demosaic --json report.json -f RGGB pattern:bars
same "the error of a wrong chain" "$(report error.code): $(report error.text)" \
    "usage: $(sed 's/^zcapp: //; s/"/\\"/g' err.txt)"
run 3 -q -o none --devices 99 --json report.json pattern:bars
same "the error of a missing device" "$(report error.code): $(report error.text)" "unavailable: $(sed 's/^zcapp: //' err.txt)"
mkdir -p blocked/1.png
run 1 -q -n 3 -s 16x16 -o 'blocked/%u.png' --json report.json pattern:bars
same "the error of a file" "$(report error.text)" "blocked/1.png: Is a directory"
rm -r blocked
run 0 -q -n 10 --fps 20 --pace -s 16x16 -o none --json report.json pattern:bars
same "no error" "$(report error)" null
took=$(($(date -d "$(report end)" +%s%3N) - $(date -d "$(report start)" +%s%3N)))
[ "$took" -ge 400 ] && [ "$took" -lt 5000 ] || fail "$(report start) to $(report end) is $took ms"
past=$(($(date +%s%3N) - $(date -d "$(report end)" +%s%3N)))
[ "$past" -ge 0 ] && [ "$past" -lt 5000 ] || fail "the end is $past ms ago"
run 1 -q -n 2 -s 16x16 -f YUYV -o none --json report.json pattern:bars nosuch.yuyv
same "errors of two inputs" "$(report inputs.0.error) $(report inputs.1.error.text) $(report error.text)" \
    "null $(sed 's/^zcapp: //' err.txt) $(sed 's/^zcapp: //' err.txt)"
[ "$(report start)" != null ] && [ "$(report end)" != null ] || fail "no times of two inputs"

# The choices: in the report and with -v; each frame with -vv.
run 0 -v -f RG10 -s 16x16 -n 2 -o none --json report.json pattern:bars
same "the default chain" "$(report stages)" black,wb,demosaic,ccm,gamma
same "its colour" "$(report color.matrix) $(report color.range) $(report color.transfer)" "bt601 full linear"
grep -q "^zcapp: stages black,wb,demosaic,ccm,gamma, the default$" err.txt || fail "no stages with -v"
grep -q "^zcapp: color matrix=bt601,range=full,transfer=linear$" err.txt || fail "no colour with -v"
! grep -q "frame 1: " err.txt || fail "a line for each frame with -v"
run 0 -vv -f YUYV -s 16x16 -n 2 -o none --color range=full --stages flip --json report.json pattern:bars
same "a chain" "$(report stages) $(report color.range)" "flip full"
grep -q "^zcapp: stages flip$" err.txt || fail "no chain with -v"
grep -q "frame 1: path pattern, route [a-z]*, [0-9.]* ms$" err.txt || fail "no line for a frame with -vv"

# Every frame is counted in exactly one column, however the run ends.
adds_up() {
    local captured processed
    captured=$(($(report frames.processed) + $(report frames.skipped) + $(report frames.lost.policy) + $(report frames.lost.error)))
    processed=$(($(report frames.written) + $(report frames.lost.writer)))
    same "captured, $1" "$(report frames.captured)" "$captured"
    same "processed, $1" "$(report frames.processed)" "$processed"
}
mkdir -p blocked/3.png
for _ in 1 2 3 4 5; do
    run 1 -q -n 20 -s 320x240 -o 'blocked/%u.png' --json report.json pattern:zone
    adds_up "after a file that could not be written"
done
run 3 -q -n 20 -s 320x240 --require-path direct -o 'q/%u.png' --json report.json pattern:zone
adds_up "after a path that was not to be had"
run 0 -q -n 20 -s 320x240 --fps 500 --pace --policy drop-newest -o 'q/%u.png' --json report.json pattern:zone
adds_up "with a policy that drops"

# Each kind of loss has a row in docs/report.md, with the words of the summary line.
keys=$(sed -n 's/^ *\[ZCS_LOSS_[A-Z_]*\] = "\(.*\)",/\1/p' "$SOURCE_DIR/lib/core/names.c")
words=$(sed -n 's/^ *\[ZCS_LOSS_[A-Z_]*\] = "\(.*\)",/\1/p' "$SOURCE_DIR/app/run/report.c")
same "kinds of loss" "$(wc -l <<<"$keys")" 7
paste -d '|' <(echo "$keys") <(echo "$words") >rows.txt
while IFS='|' read -r key word; do
    grep -qF "| $word | \`$key\` | " "$SOURCE_DIR/docs/report.md" || fail "docs/report.md does not say that '$word' is $key"
done <rows.txt
