#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Y4M of every kind that ffmpeg writes and zcapp reads becomes the same picture as by ffmpeg, within 1.
. "$(dirname "$0")/lib.inc"
PNMDIFF=$BUILD_DIR/tests/pnmdiff
command -v ffmpeg >/dev/null || skip "there is no ffmpeg"

# ffmpeg at its most exact, with chroma replicated as zcapp does it. BT.601, limited to full range.
scale=scale=in_color_matrix=bt601:in_range=limited:out_range=full
scale=$scale:flags=accurate_rnd+full_chroma_int+full_chroma_inp+neighbor
for kind in yuv420p yuv422p yuv444p gray yuv420p10le yuv422p10le yuv444p10le yuv420p12le yuv422p12le \
    yuv444p12le gray10le; do
    ffmpeg -v error -y -f lavfi -i testsrc2=s=352x288 -frames:v 1 -pix_fmt $kind -strict -1 a.y4m </dev/null ||
        skip "this ffmpeg does not make $kind"
    case $kind in
    gray*) ending=pgm pixels=gray ;;
    *) ending=ppm pixels=rgb24 ;;
    esac
    ffmpeg -v error -y -i a.y4m -vf $scale -frames:v 1 -pix_fmt $pixels theirs.$ending </dev/null
    run 0 -q a.y4m --depth 8 -n 1 -o ours.$ending
    greatest=$("$PNMDIFF" ours.$ending theirs.$ending)
    [ "$greatest" -le 1 ] || fail "$kind: differs by $greatest"
    rm -f ours.$ending
done
