#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs, moves the installation, and builds users' programs against it in each documented way.
set -eu -o pipefail
cd "${SOURCE_DIR:-$(dirname "$0")/../..}"
consumer=$PWD/tests/install/consumer
program=$PWD/samples/examples/first.c # the README compiles this one
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc=${CC:-cc}

fail()
{
    echo "$1" >&2
    exit 1
}

check_frames()
{
    [ "$("$@" | tee "$work/out" | grep -c '^frame [012]: 640x480, first pixel ')" = 3 ] ||
        fail "$*: three frames were expected, not: $(cat "$work/out")"
}

echo "install, then move: it must work from anywhere, but for the unit for systemd, which wants paths"
cmake --install "${BUILD_DIR:?the build folder}" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/moved away"
prefix=$work/moved\ away
for file in include/zcstream/zcstream.h include/zcstream/formats.def ${ZCAPP:+bin/zcapp} \
    share/doc/zcstream/README.md share/doc/zcstream/docs/architecture.md; do
    [ -e "$prefix/$file" ] || fail "not installed: $file"
done
! grep -rlI --exclude="*.service" "$work/first\|$PWD" "$prefix/lib" >"$work/out" ||
    fail "a path of this machine is in: $(cat "$work/out")"
version=$(sed -n 's/^project(zcstream VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
[ -z "${ZCAPP:-}" ] || "$prefix/bin/zcapp" --version | grep -qF "$version" || fail "zcapp --version does not name $version"

echo "find_package"
generator=$(sed -n 's/^CMAKE_GENERATOR:INTERNAL=//p' "$BUILD_DIR/CMakeCache.txt")
cmake -S "$consumer" -B "$work/build" -G "$generator" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="$cc" ${CXX:+-DCMAKE_CXX_COMPILER="$CXX"} >/dev/null
cmake --build "$work/build" >/dev/null
check_frames "$work/build/frames"
[ -z "${CXX:-}" ] || "$work/build/frames_cpp" | grep -qxF "zcstream $version: 640x480 YUYV" ||
    fail "the C++ program did not get its frame"

echo "pkg-config"
ln -s "$prefix" "$work/prefix" # its flags are split at spaces by the shell
pc=$(find "$work/prefix/" -name zcstream.pc)
export PKG_CONFIG_PATH=${pc%/*}
[ "$(pkg-config --modversion zcstream)" = "$version" ] || fail "zcstream.pc: not version $version"
"$cc" -std=c11 -o "$work/frames" "$program" $(pkg-config --cflags --libs zcstream)
check_frames "$work/frames"

echo "a header of another API number does not link"
mkdir "$work/other"
cp -r "$prefix/include/zcstream" "$work/other/"
sed -i 's/^#define ZCS_API 1$/#define ZCS_API 2/' "$work/other/zcstream/base.h"
! "$cc" -std=c11 -I"$work/other" -o "$work/other/frames" "$program" \
    $(pkg-config --libs zcstream) 2>"$work/out" || fail "it linked"
grep -q "zcs_open_api2" "$work/out" || fail "it failed for another reason: $(cat "$work/out")"

echo "the README compiles it the same way"
grep -qF 'cc samples/examples/first.c -o first $(pkg-config --cflags --libs zcstream)' README.md ||
    fail "README.md does not say how to compile samples/examples/first.c"
