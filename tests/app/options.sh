# SPDX-License-Identifier: MIT
# The command line: what is refused, the message and the status.
. "$(dirname "$0")/lib.inc"
hex 10 80 eb 80 >two.yuyv
two="-f YUYV -s 2x1 two.yuyv"

refused 2 "INPUT is missing*a numbered series (in-%06u.raw), '-' or pattern:NAME"
refused 2 "two.yuyv: raw frames need a format and a size, such as YUYV and 640x480" two.yuyv
refused 2 "two.yuyv: raw frames need a size, such as 640x480" -f sgrbg10p two.yuyv
refused 2 "two.yuyv: raw frames need a format, such as YUYV" -s 2x1 two.yuyv
refused 2 "--nonsense: unknown option (see zcapp --help)" --nonsense $two
refused 2 "--hlep: unknown option; there is --help" --hlep
refused 2 "--jsn: unknown option; there is --json" --jsn x $two
refused 2 "--formats=x: unknown option; there is --format" --formats=x $two
refused 2 "--list: ambiguous; it can be --list-devices, --list-formats, --list-controls, --list-stages" --list
refused 2 "--x: unknown option (see" --x $two
refused 2 "-x: unknown option" -x $two
refused 2 "-n: a value is missing" two.yuyv -n
refused 2 "--frames: a value is missing" two.yuyv --frames
refused 2 "--stages: a value is missing" two.yuyv --stages
refused 2 "--quiet: takes no value" --quiet=1 $two
for option in record json route-cache input; do
    refused 2 "--$option '': a value is missing (" "--$option" "" $two
done
refused 2 "INPUT '': a name is missing" -f YUYV -s 2x1 ""

for number in "" -1 +1 1x " 1" 1.0 0x1 18446744073709551616; do
    refused 2 "-n '$number': not a whole number from 0 to 18446744073709551615" -n "$number" $two
    refused 2 "--frames '$number': not a whole number" --frames="$number" $two
done
refused 2 "--skip '-1': not a whole number from 0" --skip -1 $two
refused 2 "--every '0': not a whole number from 1" --every 0 $two
refused 2 "--buffers '257': not a whole number from 1 to 256" --buffers 257 $two
refused 2 "--writers '65': not a whole number from 1 to 64" --writers 65 $two
refused 2 "--threads '0': not a whole number from 1" --threads 0 $two
refused 2 "--png-level '10': not a whole number from 0 to 9" --png-level 10 $two
refused 2 "--shift '16': not a whole number from 0 to 15" --shift 16 $two
refused 2 "--loop 'x': not a whole number from 0" --loop x $two
refused 2 "--stride '0': not a whole number" --stride 0 $two
refused 2 "--stride 3: a row of 2 YUYV pixels takes at least 4 bytes" --stride 3 $two

for size in 0x1 1x0 262145x1 1x262145 2 2x 2x1x1 -2x1 "2 x1"; do
    refused 2 "-s '$size': a size is WIDTHxHEIGHT" -f YUYV -s "$size" two.yuyv
done
refused 2 "-f 'YUYW': unknown format" -f YUYW -s 2x1 two.yuyv
refused 2 "-f 'yuyw?': unknown format" -f "yuyw
" -s 2x1 two.yuyv
refused 2 "-f 'MJPG': compressed formats are not supported" -f MJPG -s 2x1 two.yuyv
for fps in 0 25/0 25/ /1 29.97 -5 1000001 25/1/1; do
    refused 2 "--fps '$fps': a rate is N or N/D" --fps "$fps" $two
done
refused 2 "two.yuyv: playing at its pace needs a rate" --pace $two
refused 2 "--pace: needs a frame rate, --fps" --pace pattern:bars
refused 2 "--color 'matrix=bt602'" --color matrix=bt602 $two
refused 2 "--depth '10': not one of auto|8|16" --depth 10 $two
refused 2 "--depth '': not one of" --depth "" $two
refused 2 "--backend 'gpu': not one of auto|host|cuda" --backend gpu $two
refused 2 "--dispatch 'x': not one of" --dispatch x $two
refused 2 "--route 'auto|mapped': not one of" --route 'auto|mapped' $two
refused 2 "--memory 'x': not one of" --memory x $two
for name in l.jpg l.y4m l-%u.png none; do
    refused 2 "--latest '$name': not one picture file, .png, .ppm or .pgm, such as" --latest $name $two
done
refused 2 "--policy 'drop': not one of wait|drop-newest|latest" --policy drop $two
for devices in "" , 0, ,0 0,,1 x 0-1 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16; do
    refused 2 "--devices '$devices': not 'all' or" --devices "$devices" $two
done
refused 2 "--require-path 'fast': the paths are*direct*read*pattern" --require-path fast $two
refused 2 "--stages 'nosuch'" --stages nosuch $two
refused 2 "pattern:nosuch: unknown pattern; there are*bars*" pattern:nosuch
refused 2 "--loop: only for files" --loop 2 pattern:bars
refused 2 "--shift: only for files" --shift 2 pattern:bars
for part in 640x480 640x480+0 640x480+0+ 0x480+0+0 640x480+-1+0 640x480+0+0x 640,480+0+0; do
    refused 2 "--crop '$part': a crop is WIDTHxHEIGHT+X+Y" --crop "$part" $two
done
refused 2 "--treat-as 'Y11': unknown format" --treat-as Y11 $two
refused 2 "--treat-as 'MJPG': compressed" --treat-as MJPG $two
refused 2 "--stall '1.5': not a whole number of seconds from 0 to 86400" --stall 1.5 $two
refused 2 "--stall '86401': not a whole number of seconds" --stall 86401 $two
refused 2 "--input: only for cameras" --input 0 $two
refused 2 "--crop: only for cameras" --crop 2x1+0+0 $two
refused 2 "--treat-as: only for cameras" --treat-as Y10 $two
refused 2 "--accept-nearest: only for cameras" --accept-nearest pattern:bars
refused 2 "--stall: only for cameras" --stall 0 pattern:bars
refused 2 "--reconnect '1m': not a whole number of seconds from 0 to 86400" --reconnect 1m $two
refused 2 "--reconnect: only for cameras" --reconnect 5 pattern:bars
refused 2 "--pace: only for files and patterns" --pace /dev/video99
refused 2 "--inject: only for files and patterns" --inject drop=5% /dev/video99
refused 2 "--loop: only for files" --loop 2 /dev/video99
refused 3 "/dev/video99" --input 1 --crop 64x48+0+0 --treat-as Y10 --accept-nearest --stall 3 --reconnect 1 /dev/video99

refused 2 "--loop: standard input" --loop 2 -f YUYV -s 2x1 -

refused 2 "must end in .png .y4m .ppm .pgm .pnm .raw, or be '-' or 'none'" -o out/%u.jpg $two
refused 2 "is for one frame (-n 1), and here are 2" -o out.png --loop 2 $two
refused 2 "is for one frame (-n 1), and here are 100" -o out.png pattern:bars
refused 2 "is for one frame (-n 1), and this input may have more" -o out.png -f YUYV -s 2x1 -
refused 2 "-o 'a%s.png'" -o a%s.png $two
refused 2 "more than one number" -o %u%u.png $two

# More refused values.
refused 2 "--record ./two.yuyv: that is INPUT" --record ./two.yuyv $two
refused 2 "--inject 'drop=5': a share such as 5%" --inject drop=5 $two
refused 2 "--inject 'loss=5%': known are drop, error" --inject loss=5% $two
refused 2 "--inject '': known are drop, error" --inject '' $two
refused 2 "--inject 'drop=5%,x': 'x': known are drop" --inject drop=5%,x $two
refused 2 "--set: only for cameras" --set gain=1 $two
refused 2 "--list-controls: a camera is missing" --list-controls
refused 2 "must be a camera (/dev/videoN)" --list-controls two.yuyv
refused 2 "is a second INPUT" --list-controls /dev/video0 /dev/video1
refused 2 "such as brightness=128" --set =5 /dev/video0
refused 2 "bench must be the first word" -q bench
for words in "doctor --help" "--help doctor" "doctor -h /dev/video0"; do
    # shellcheck disable=SC2086
    run 0 $words
    grep -q "^usage: zcapp doctor " out.txt || fail "$words: no help"
done

# What is not available.
refused 3 "--devices: there is no device 7" --backend host --devices 7 $two
refused 3 "memory 'wc': the host backend gives 'pageable' here" --backend host --memory wc -o none $two
run 0 --backend host --memory cached -n 2 -o none $two
refused 3 "--require-path userptr: frame 0 came by" --require-path userptr -q $two
run 0 --require-path pattern pattern:bars -n 2 -o none
[ -e frames ] && fail "a refused run has made a folder"
exit 0
