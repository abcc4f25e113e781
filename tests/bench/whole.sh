#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Whole runs: 1080p YUYV and 4K RG10 from files to PNG files, to Y4M and to nothing, beside ffmpeg and, where it is
# there, gst-launch-1.0 doing the same job with the same number of threads, in turn, medians:
# tests/bench/whole.sh ZCAPP [ROUNDS [FOLDER]]. GStreamer's PNG encoder has one thread, its Bayer 8 bits. The frames are made of the sensor frame RG10_testchart_960x720.raw, which lies in FOLDER (../shared/frames).
set -eu -o pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
zcapp=$(realpath "${1:?the program zcapp}")
rounds=${2:-5}
chart=$(realpath "${3:-$here/../shared/frames}")/RG10_testchart_960x720.raw
threads=$(nproc)
for tool in ffmpeg awk; do
    command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
[ -r "$chart" ] || { echo "skipped: no $chart"; exit 77; }
work=$(mktemp -d)
trap '[ -n "${KEEP:-}" ] || rm -rf "$work"' EXIT
cd "$work"

quietly()
{
    ffmpeg -hide_banner -loglevel error -nostdin -y "$@"
}

# The chart's linear picture, enlarged, seen through the colour filters with a sensor's shot noise, 10 bits.
# 1080p is cut out of the picture that this gives. Enlarged noise alone would be too smooth to be a camera's.
yuyv_frames=24 rg10_frames=8
"$zcapp" -q -f RG10 -s 960x720 --stages black=16,wb=auto,demosaic --depth 16 -o linear-%u.png "$chart"
noisy()
{
    echo "clip($1(X,Y)+sqrt($1(X,Y)+1)*0.6*(random(0)+random(1)+random(2)-1.5),0,1023)"
}
quietly -i linear-0.png -vf "scale=3840:2160:flags=lanczos,format=gbrp10le,geq=\
r='if(mod(Y,2),if(mod(X,2),$(noisy b),$(noisy g)),if(mod(X,2),$(noisy g),$(noisy r)))':g=0:b=0,\
extractplanes=r" -pix_fmt gray10le -f rawvideo frame.rg10
"$zcapp" -q -f RG10 -s 3840x2160 -o picture-%u.png frame.rg10
quietly -i picture-0.png -vf crop=1920:1080:700:500 -pix_fmt yuyv422 -f rawvideo frame.yuyv
# ffmpeg's Bayer has 16 bits: the same samples at full scale.
"$zcapp" -q -f RG10 -s 3840x2160 --stages none --depth 16 -n 1 -o frame.raw frame.rg10
mv frame.raw frame.rg16
"$zcapp" -q -f RG10 -s 3840x2160 --stages none --depth 8 -n 1 -o frame.raw frame.rg10
mv frame.raw frame.rg8
repeat()
{
    local i
    for ((i = 0; i < $2; i++)); do cat "frame.$1"; done >"in.$1"
}
repeat yuyv $yuyv_frames
repeat rg10 $rg10_frames
repeat rg16 $rg10_frames
repeat rg8 $rg10_frames
yuyv_in=(-f rawvideo -pixel_format yuyv422 -video_size 1920x1080 -threads "$threads" -i in.yuyv)
rg16_in=(-f rawvideo -pixel_format bayer_rggb16le -video_size 3840x2160 -threads "$threads" -i in.rg16)
ff_out=(-filter_threads "$threads" -threads "$threads" -vf format=rgb24)
ff_y4m=(-filter_threads "$threads" -threads "$threads" -vf format=yuv444p)
zc_out=(-q --backend host --threads "$threads" --writers "$threads")

command -v gst-launch-1.0 >/dev/null && gst=1 || gst=
gst_rgb=(videoconvert "n-threads=$threads" '!' video/x-raw,format=RGB '!')
gst_png=(pngenc '!' multifilesink location=out/%06d.png)
# gst FRAME_BYTES FILE ELEMENTS...: what GStreamer makes of it.
gst()
{
    local bytes=$1 file=$2
    shift 2
    gst-launch-1.0 -q filesrc "location=$file" "blocksize=$bytes" '!' "$@"
}
gst_yuyv()
{
    gst 4147200 in.yuyv rawvideoparse format=yuy2 width=1920 height=1080 framerate=25/1 '!' "${gst_rgb[@]}" "$@"
}
gst_rg8()
{
    gst 8294400 in.rg8 video/x-bayer,format=rggb,width=3840,height=2160,framerate=25/1 '!' bayer2rgb '!' \
        "${gst_rgb[@]}" "$@"
}

# timed NAME FRAMES COMMAND...: appends frames/s and milliseconds of processor time a frame to NAME.
timed()
{
    local name=$1 frames=$2 TIMEFORMAT='%R %U %S'
    shift 2
    rm -rf out
    mkdir out
    { time "$@" 2>&3; } 3>&2 2>took
    awk -v n="$frames" '{ printf "%.3f %.3f\n", n / $1, ($2 + $3) * 1000 / n }' took >>"$name"
    find out -type f -exec cat {} + | wc -c >"$name.bytes"
}

before=$(cut -d ' ' -f 1 /proc/loadavg)
for ((round = 0; round < rounds; round++)); do
    timed yuyv-png-zcapp $yuyv_frames "$zcapp" "${zc_out[@]}" -f YUYV -s 1920x1080 -o out/%06u.png in.yuyv
    timed yuyv-png-ffmpeg $yuyv_frames quietly "${yuyv_in[@]}" "${ff_out[@]}" out/%06d.png
    [ -z "$gst" ] || timed yuyv-png-gst $yuyv_frames gst_yuyv "${gst_png[@]}"
    timed yuyv-y4m-zcapp $yuyv_frames "$zcapp" "${zc_out[@]}" -f YUYV -s 1920x1080 -o out/x.y4m in.yuyv
    timed yuyv-y4m-ffmpeg $yuyv_frames quietly "${yuyv_in[@]}" "${ff_y4m[@]}" out/x.y4m
    timed yuyv-none-zcapp $yuyv_frames "$zcapp" "${zc_out[@]}" -f YUYV -s 1920x1080 -o none in.yuyv
    timed yuyv-none-ffmpeg $yuyv_frames quietly "${yuyv_in[@]}" "${ff_out[@]}" -f null -
    [ -z "$gst" ] || timed yuyv-none-gst $yuyv_frames gst_yuyv fakesink
    timed rg10-png-zcapp $rg10_frames "$zcapp" "${zc_out[@]}" -f RG10 -s 3840x2160 -o out/%06u.png in.rg10
    timed rg10-png-ffmpeg $rg10_frames quietly "${rg16_in[@]}" "${ff_out[@]}" out/%06d.png
    [ -z "$gst" ] || timed rg10-png-gst $rg10_frames gst_rg8 "${gst_png[@]}"
    timed rg10-y4m-zcapp $rg10_frames "$zcapp" "${zc_out[@]}" -f RG10 -s 3840x2160 -o out/x.y4m in.rg10
    timed rg10-y4m-ffmpeg $rg10_frames quietly "${rg16_in[@]}" "${ff_y4m[@]}" out/x.y4m
    timed rg10-none-zcapp $rg10_frames "$zcapp" "${zc_out[@]}" -f RG10 -s 3840x2160 -o none in.rg10
    timed rg10-none-ffmpeg $rg10_frames quietly "${rg16_in[@]}" "${ff_out[@]}" -f null -
    [ -z "$gst" ] || timed rg10-none-gst $rg10_frames gst_rg8 fakesink
done

# median NAME COLUMN; '-': there is none
median()
{
    [ -e "$1" ] || { printf -; return; }
    cut -d ' ' -f "$2" "$1" | sort -g |
        awk '{ v[NR] = $1 } END { printf "%.1f", NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

# What ffmpeg makes of zcapp's own picture: the same pixels, so that the sizes compare.
same_picture()
{
    rm -rf out
    mkdir out
    "$zcapp" "${zc_out[@]}" -f "$1" -s "$2" -n 1 -o out/%u.png "in.$3"
    quietly -i out/0.png again.png
    echo "$(stat -c %s out/0.png) $(stat -c %s again.png)"
}

echo "$rounds rounds in turn, medians, $threads threads each; load before $before, after $(cut -d ' ' -f 1 /proc/loadavg); $(ffmpeg -version | head -n 1 | cut -d ' ' -f 1-3)"
# table TITLE COLUMN BIGGER: rows of medians; a ratio is zcapp's advantage.
table()
{
    local job tool
    printf '%-20s %10s %10s %7s %10s %7s\n' "$1" zcapp ffmpeg ratio gst ratio
    for job in {yuyv,rg10}-{png,y4m,none}; do
        printf '%-20s' "$job"
        for tool in zcapp ffmpeg gst; do
            printf ' %10s' "$(median $job-$tool "$2")"
            [ $tool = zcapp ] || printf ' %7s' "$(awk -v a="$(median $job-zcapp "$2")" -v b="$(median $job-$tool "$2")" \
                -v up="$3" 'BEGIN { if (b == "-") print b; else printf "%.1f", up ? a / b : b / a }')"
        done
        echo
    done
}
table "frames/s" 1 1
table "CPU ms a frame" 2 0
[ -z "$gst" ] || printf '%-24s %12s %12s\n' "bytes of gst's PNG" "yuyv $(($(cat yuyv-png-gst.bytes) / yuyv_frames))" \
    "rg10 $(($(cat rg10-png-gst.bytes) / rg10_frames))"
printf '%-24s %12s %12s\n' "bytes of one PNG" zcapp ffmpeg
printf '%-24s %12s %12s\n' "yuyv, each its own" $(($(cat yuyv-png-zcapp.bytes) / yuyv_frames)) $(($(cat yuyv-png-ffmpeg.bytes) / yuyv_frames))
printf '%-24s %12s %12s\n' "yuyv, same pixels" $(same_picture YUYV 1920x1080 yuyv)
printf '%-24s %12s %12s\n' "rg10, each its own" $(($(cat rg10-png-zcapp.bytes) / rg10_frames)) $(($(cat rg10-png-ffmpeg.bytes) / rg10_frames))
printf '%-24s %12s %12s\n' "rg10, same pixels" $(same_picture RG10 3840x2160 rg10)
