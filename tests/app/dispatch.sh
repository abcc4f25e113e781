# SPDX-License-Identifier: MIT
# Dispatch over devices: every mode writes the same files; each chain of a broadcast has its own folder.
. "$(dirname "$0")/lib.inc"

first=black=64,wb,demosaic,gamma
second=demosaic=bilinear,gray
common="--backend host -f SRGGB10 -s 96x70 -n 5 pattern:zone"

run 0 -q --stages $first -o one/%06u.png $common
run 0 -q --stages $second -o two/%06u.png $common
for way in frames bands relay; do
    run 0 -q --devices 0,0,0 --dispatch $way --stages $first --json report.json -o $way/%06u.png $common
    diff -r one $way || fail "$way gives other files"
    same "$way: reported" "$(report dispatch)" $way
    same "$way: devices" "$(report device_use.2.state)" working
    same "$way: redone" "$(report frames_redone)" 0
done

run 0 --devices 0,0 --dispatch broadcast --stages $first --stages $second --json report.json \
    -o both/%06u.png $common
diff -r one both/chain-1 || fail "the first chain's files differ from those of it alone"
diff -r two both/chain-2 || fail "the second chain's files differ from those of it alone"
same "broadcast: chains" "$(report chains.1)" $second
same "broadcast: processed" "$(report frames.processed)" 5
same "broadcast: written" "$(report frames.written)" 10
for i in 0 1; do
    same "broadcast: files of chain $i" "$(report outputs.$i.files)" both/chain-$((i + 1))/%06u.png
    same "broadcast: written by chain $i" "$(report outputs.$i.written) $(report outputs.$i.files_left)" "5 null"
done
same "broadcast: chains' stages" "$(report outputs.0.stages) $(report outputs.1.stages)" "$first $second"
same "broadcast: chains' results" "$(report outputs.0.format) $(report outputs.1.format)" "AB24 Y16"
same "broadcast: the first chain's" "$(report output.format) $(report output.files)" "AB24 both/chain-1/%06u.png"
grep -q "5 frames; 10 files in both/chain-1 to chain-2; none lost" err.txt || fail "summary: $(cat err.txt)"

# One output file for each chain; both chains on one device; the names stay the same with a single chain.
run 0 -q --dispatch broadcast --stages $first --stages $second -o all.y4m $common
run 0 -q --stages $second -o alone.y4m $common
cmp chain-2/all.y4m alone.y4m || fail "the second chain's video differs"
[ -s chain-1/all.y4m ] || fail "the first chain has no video"
run 0 -q --dispatch broadcast --stages $second -o single/%06u.png $common
diff -r two single || fail "a broadcast to one chain gives other files"

# The example in the README.
example=$(sed -n 's/.*`zcapp \(take.zcr --dispatch broadcast [^`]*\)`.*/\1/p' "${SOURCE_DIR:?}/README.md")
[ -n "$example" ] || fail "the README has no broadcast of take.zcr"
run 0 -q --record take.zcr -o none $common
# shellcheck disable=SC2086
run 0 -q $example
same "files of the README's example" "$(find both -name '*.png' | wc -l)" 10

refused 2 "--stages is given 2 times: several chains need --dispatch broadcast" \
    --stages $first --stages $second $common
refused 2 "standard output takes one chain, there are 2" \
    --dispatch broadcast --stages $first --stages $second -o - $common
refused 2 'chain 2: stage 1 "gray": the picture is a mosaic' \
    --dispatch broadcast --stages $first --stages gray -o none $common
run 0 -v --dispatch broadcast --stages $first --stages $second -o none $common
grep -q "chain 2: stages $second" err.txt || fail "-v does not tell the second chain: $(cat err.txt)"
refused 2 'stage 1 "nothing" is not known' --dispatch broadcast --stages $first --stages nothing $common
refused 2 "--sync: not possible with --dispatch broadcast" \
    --dispatch broadcast --sync 5ms --stages $first pattern:zone pattern:bars
refused 3 "--devices: there is no device 4" --devices 0,4 --dispatch bands $common
