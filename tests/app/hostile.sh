# SPDX-License-Identifier: MIT
# Damaged input and failing output: one line of error, the right status, no incomplete files.
. "$(dirname "$0")/lib.inc"
raw="-f GREY -s 4x4"
head -c 48 /dev/zero >three.grey
head -c 10 /dev/zero >short.grey
: >empty.grey

# Input.
refused 1 "nosuch.grey*No such file" $raw -o out/%u.png nosuch.grey
refused 1 "empty.grey*16" $raw -o out/%u.png empty.grey
refused 1 "short.grey*10*16" $raw -o out/%u.png short.grey
refused 1 "three.grey*48*1000000" -f GREY -s 1000x1000 -o out/%u.png three.grey
refused 1 "three.grey*48*68719476736" -f GREY -s 262144x262144 -o out/%u.png three.grey
mkdir nothing
refused 1 nothing $raw -o out/%u.png nothing
refused 1 three.grey/x $raw -o out/%u.png three.grey/x
refused 1 "missing-%04u.grey" $raw -o out/%u.png missing-%04u.grey
refused 3 "/dev/video99" $raw -o out/%u.png /dev/video99
if [ "$(id -u)" != 0 ]; then
    cp three.grey locked.grey && chmod 0 locked.grey
    refused 1 "locked.grey*Permission denied" $raw -o out/%u.png locked.grey
fi

# Other file types are named. With -f and -s they are read as raw frames, with a warning.
foreign() {
    printf "$2" >foreign
    refused 3 "foreign: $1, which cannot be replayed; PNG, " -o out/%u.png foreign
}
foreign "a JPEG" '\xff\xd8\xff\xe0 and so on'
foreign "a PPM in text (P3)" 'P3\n1 1\n255\n1 2 3\n'
foreign "a PGM in text (P2)" 'P2 1 1 255 1'
foreign "a PBM of bits (P4)" 'P4\n8 1\nx'
foreign "an AVI" 'RIFF1234AVI LIST'
foreign "an MP4" '\0\0\0\x18ftypisom'
printf '\xff\xd8\xff\xe0' >foreign
run 0 -f GREY -s 2x1 -o none foreign
grep -q "warning: foreign: looks like a JPEG; read as raw frames of GREY 2x1" err.txt || fail "no doubt of a JPEG"
mkdir texts
printf 'what lies here\n\n' >texts/readme.txt
refused 2 "texts/readme.txt: looks like text; raw frames need a format and a size" -o out/%u.png texts
cp three.grey texts/a.grey
run 0 $raw -o none texts
grep -q "warning: texts: 1 of 2 files are left out as no frames: readme.txt" err.txt || fail "a text among frames"
printf 'what lies here\n\n' >doubt
run 0 -f GREY -s 2x1 -o none doubt
grep -q "warning: doubt: looks like a text; read as raw frames of GREY 2x1" err.txt || fail "no doubt of a text"
same "doubts" "$(grep -c "looks like" err.txt)" 1
rm texts/readme.txt
printf 'P5 1 1 255\nx' >texts/a.grey
printf 'what lies here\n\n' >texts/b.grey
refused 1 "texts/b.grey: a text, but the first file is PNM GREY 1x1" -o out/%u.png texts
[ -e out ] && fail "a run without frames has made a folder"

# A short tail is a loss, not a failure.
{ cat three.grey && printf x; } >tail.grey
run 0 $raw -o tail/%u.png --json report.json tail.grey
all_whole tail 3
grep -q "warning: tail.grey: 1 byte left over after 3 frames of GREY 4x4 (16 bytes each)" err.txt || fail "no warning of the short tail: $(cat err.txt)"
same "lost.short" "$(report frames.lost.short)" 1
same "processed" "$(report frames.processed)" 3

# Output.
refused 1 "three.grey/0.png: the folder three.grey cannot be made: Not a directory" -q $raw -n 1 -o three.grey/%u.png three.grey
refused 1 "/proc/nosuch/0.png: the folder /proc/nosuch cannot be made: No such file" -q $raw -n 1 -o /proc/nosuch/%u.png three.grey
mkdir -p taken/0.png
refused 1 "taken/0.png: Is a directory" -q $raw -o taken/%u.png three.grey
ln -s /dev/full full.png
refused 1 "full.png: No space left on device" -q $raw -n 1 -o full.png three.grey
[ -c /dev/full ] && [ -L full.png ] || fail "a device was replaced"
if [ "$(id -u)" != 0 ]; then
    mkdir closed && chmod a-w closed
    refused 1 "closed/0.png: Permission denied" -q $raw -n 1 -o closed/%u.png three.grey
fi
refused 1 "--json /dev/full: No space left" -q $raw -o none --json /dev/full three.grey
refused 1 "--json nosuch.d/../three.grey/x: " -q $raw -o none --json nosuch.d/../three.grey/x three.grey
same "temporary files" "$(find . -name '.*.tmp')" ""

# Closed standard descriptors.
status=0
"$ZCAPP" -q $raw -o none - <&- 2>err.txt || status=$?
same "status with standard input closed" "$status" 1
error_says "standard input"
status=0
"$ZCAPP" -q $raw -o none --json - three.grey >&- 2>err.txt || status=$?
same "status with standard output closed" "$status" 1
error_says "--json - (standard output): Bad file descriptor"
"$ZCAPP" $raw -o closed-err/%u.png three.grey 2>&- || fail "status with standard error closed"
all_whole closed-err 3
"$ZCAPP" $raw -o closed-all/%u.png three.grey <&- >&- 2>&- || fail "status with all closed"
all_whole closed-all 3

"$ZCAPP" --pace --fps 10 -o none pattern:bars <&- >&- 2>&- &
process=$!
sleep 0.3
for fd in 0 1 2; do
    same "descriptor $fd of a run that had none" "$(readlink /proc/$process/fd/$fd)" /dev/null
done
kill -INT $process
wait $process || fail "status of a run that had no descriptors"

# A closed pipe is a write error; the process does not die by SIGPIPE.
{ status=0; "$ZCAPP" --list-formats 2>err.txt || status=$?; echo $status >status.txt; } | :
case $(cat status.txt) in 0 | 1) ;; *) fail "SIGPIPE ended --list-formats" ;; esac

# A name with control characters is printed on one line.
cp three.grey $'new\nline.grey'
refused 1 "new?line.grey" -f GREY -s 9x9 -o none $'new\nline.grey'
# 8-bit control characters and invalid UTF-8 are not printed either; other characters are.
run 1 -f GREY -s 9x9 -o none $'ä€\xc2\x9bb\xe4c'
LC_ALL=C grep -qF 'zcapp: ä€??b?c: No such file' err.txt || fail "a name with such bytes: $(cat err.txt)"
