#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Everything that needs a GPU, in one call of at most ten minutes: build, parity, life, faults, sanitizers,
# the same PNGs from both backends, a user's kernel, benchmarks, long runs.
# Usage: tests/gpu/run.sh [--short] [FOLDER for results]; --short leaves the long runs out (five minutes)
# ZCS_SHARED names a folder with frames/ for the PNGs; BUILD the build's folder; ZCS_LIBV4L one with Debian's libv4l-dev,
# libv4l-0, libv4lconvert0 and libjpeg62-turbo unpacked (dpkg -x), for live capture where they are not installed.
set -u -o pipefail
cd "$(dirname "$0")/../.."
long=1
[ "${1:-}" != --short ] || { long=0; shift; }
out=${1:-gpu-results}
build=${BUILD:-/tmp/zcstream-gpu}
mkdir -p "$out"
bad=0

# step NAME SECONDS COMMAND...: its output goes to a file, its last line to the summary.
step()
{
    local name=$1 limit=$2 start=$SECONDS code
    shift 2
    timeout "$limit" bash -uc '"$@"' "$name" "$@" >"$out/$name.log" 2>&1
    code=$?
    [ $code = 0 ] || [ $code = 77 ] || bad=1
    printf '%-12s status %3d, %3d s: %s\n' "$name" $code $((SECONDS - start)) \
        "$(tail -n 1 "$out/$name.log")" | tee -a "$out/summary.txt"
}

build_all()
{
    local app=ON cameras=OFF architectures=${ARCHITECTURES:-native} one=-DZCK_CUDA_THREAD_GROUPS=1u
    [ -e /usr/include/png.h ] || app=OFF
    ! pkg-config --exists libv4l2 2>/dev/null || cameras=ON
    cmake -S . -B "$build" -G Ninja -DZCS_CUDA=ON -DZCS_V4L2=$cameras -DZCS_APP=$app -DZCS_WERROR=ON \
        -DCMAKE_CUDA_ARCHITECTURES="$architectures" || return 1
    cmake -S . -B "$build-one" -G Ninja -DZCS_CUDA=ON -DZCS_V4L2=OFF -DZCS_APP=OFF -DCMAKE_C_FLAGS=$one \
        -DCMAKE_CUDA_FLAGS=$one -DCMAKE_CUDA_ARCHITECTURES="$architectures" || return 1
    ninja -C "$build-one" gpu_parity_test &
    local other=$!
    ninja -C "$build" gpu_parity_test gpu_life_test gpu_fault_test gpu_fresh_test gpu_late_test gpu_dispatch_test \
        gpu_registration_test gpu_measure_test gpu_multi gpu_bench gpu_latency gpu_long || return 1
    wait $other || return 1
    [ $app = OFF ] || ninja -C "$build" zcapp || return 1
    [ $app = OFF ] || [ $cameras = OFF ] || ninja -C "$build" vcam vcam_digests jsonget || return 1
    echo built
}

sanitize()
{
    local tool=$1
    shift
    compute-sanitizer --tool "$tool" --error-exitcode 9 "$@"
}

# The frames that are raw and name their format: both backends' PNGs, compared byte by byte.
same_pictures()
{
    local frames=${ZCS_SHARED:-../shared}/frames compared=0 work file name size format backend
    [ -d "$frames" ] || { echo "skipped: no $frames"; return 77; }
    [ -x "$build/app/zcapp" ] || { echo "skipped: no zcapp"; return 77; }
    work=$(mktemp -d)
    for file in "$frames"/*.raw "$frames"/derived/*.raw; do
        name=$(basename "$file" .raw)
        format=${name%%_*}
        size=$(grep -oE '[0-9]+x[0-9]+' <<<"$name" | tail -n 1)
        for backend in host cuda; do
            "$build/app/zcapp" -q --backend $backend -f "$format" -s "$size" "$file" \
                -o "$work/$backend.png" -n 1 || { echo "$name: $backend failed"; return 1; }
        done
        cmp "$work/host.png" "$work/cuda.png" || { echo "$name: the backends differ"; return 1; }
        compared=$((compared + 1))
    done
    rm -r "$work"
    echo "$compared frames give the same PNG on both backends"
}

# An application's project with kernels of its own, on the installed library; the same on the host.
example()
{
    local work
    work=$(mktemp -d)
    cmake --install "$build" --prefix "$work/prefix" >/dev/null || return 1
    cmake -S samples/examples -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" \
        -DCMAKE_CUDA_ARCHITECTURES="${ARCHITECTURES:-native}" && ninja -C "$work/build" cuda_stage || return 1
    "$work/build/cuda_stage" host >"$work/host.txt" && "$work/build/cuda_stage" cuda >"$work/cuda.txt" || return 1
    cat "$work/host.txt"
    [ "$(wc -l <"$work/cuda.txt")" = 3 ] && cmp "$work/host.txt" "$work/cuda.txt" || return 1
    rm -r "$work"
    echo "a user's kernels, in the chain and behind it, give the host's results"
}

# The Python sample, on results in host memory and on the device: NumPy, PyTorch and CuPy, what is there of them.
tensors()
{
    local work
    work=$(mktemp -d)
    cmake --install "$build" --prefix "$work/prefix" >/dev/null || return 1
    # shellcheck disable=SC2046
    cc -shared -fPIC -o "$work/frames.so" samples/python/zcs_frames.c \
        $(PKG_CONFIG_SYSROOT_DIR='' PKG_CONFIG_PATH="$work/prefix/lib/pkgconfig" pkg-config --cflags --libs zcstream) \
        -Wl,--exclude-libs,ALL || return 1
    python3 samples/python/zcs_frames.py "$work/frames.so" samples/frames/chart_SRGGB10P.zcr || return 1
    python3 samples/python/zcs_frames.py "$work/frames.so" samples/frames/chart_SRGGB10P.zcr --device || return 1
    rm -r "$work"
}

if [ -n "${ZCS_LIBV4L:-}" ]; then
    ZCS_LIBV4L=$(realpath "$ZCS_LIBV4L")
    libraries=$(dirname "$(find "$ZCS_LIBV4L" -name libv4l2.so.0)")
    export PKG_CONFIG_SYSROOT_DIR=$ZCS_LIBV4L PKG_CONFIG_PATH=$libraries/pkgconfig
    export LD_LIBRARY_PATH=$libraries LIBRARY_PATH=$libraries
fi
export build
export -f build_all sanitize same_pictures example tensors
: >"$out/summary.txt"
{
    date -u +%F
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
    nvcc --version | tail -n 2 | head -n 1
    uname -r
} | tee "$out/machine.txt"
step build 240 build_all
[ $bad = 0 ] || { tail -n 20 "$out/build.log"; exit 1; }
tests=$build/tests
step parity 220 "$tests/gpu_parity_test"
step life 60 "$tests/gpu_life_test"
step fault 60 "$tests/gpu_fault_test"
step fresh 30 "$tests/gpu_fresh_test"
step late 60 "$tests/gpu_late_test"
step dispatch 90 "$tests/gpu_dispatch_test" --quick
for way in frames bands relay; do
    step "fault_$way" 60 "$tests/gpu_dispatch_test" --fault $way
done
step multi 150 "$tests/gpu_multi" "$out/multi.json"
step ranges 30 "$tests/gpu_registration_test"
step measure 60 "$tests/gpu_measure_test"
step tensors 60 tensors
step example 60 example
step pictures 90 same_pictures
step memcheck 100 sanitize memcheck "$tests/gpu_parity_test" --quick 7
# Persistent kernels with one thread group: with several, it takes barriers of all threads for none (docs/gpu-results.md).
step racecheck 100 sanitize racecheck "$build-one/tests/gpu_parity_test" --quick 60
step initcheck 60 sanitize initcheck "$tests/gpu_parity_test" --quick 25
step synccheck 60 sanitize synccheck "$tests/gpu_parity_test" --quick 25
step bench 120 "$tests/gpu_bench" "$out/bench.json"
[ ! -x "$build/app/zcapp" ] || step tables 60 "$build/app/zcapp" bench --json "$out/tables.json"
[ ! -x "$build/app/zcapp" ] || step doctor 30 "$build/app/zcapp" doctor --json "$out/doctor.json"
step latency 90 "$tests/gpu_latency"
step numpy 90 python3 tests/gpu/numpy_to_torch.py
if [ $long = 1 ]; then
    step stamped 280 "$tests/gpu_dispatch_test"
    step cycles 120 "$tests/gpu_long" cycles 1000
    step minutes 220 "$tests/gpu_long" run 180
    BUILD=$build step vcam 200 tests/gpu/vcam.sh "$out/vcam"
fi
cat "$out/bench.log" "$out/latency.log"
cat "$out/summary.txt"
exit $bad
