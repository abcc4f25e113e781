# SPDX-License-Identifier: MIT
# The Python sample, built as it says, on the installed library: NumPy looks at the library's own memory.
set -eu -o pipefail
: "${BUILD_DIR:?}" "${SOURCE_DIR:?}" "${CC:?}"
skip() { echo "skipped: $*"; exit 77; }
command -v python3 >/dev/null || skip "no python3"
python3 -c 'import numpy; numpy.from_dlpack' 2>/dev/null || skip "python3 has no numpy of 1.23 or later"
command -v pkg-config >/dev/null || skip "no pkg-config"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$BUILD_DIR" --prefix "$work/prefix" >/dev/null
pc=$(find "$work/prefix" -name zcstream.pc) # lib, lib64 or lib/x86_64-linux-gnu
flags=$(PKG_CONFIG_PATH=${pc%/*} pkg-config --cflags --libs zcstream)
# shellcheck disable=SC2086
"$CC" -shared -fPIC -o "$work/libzcs_frames.so" "$SOURCE_DIR/samples/python/zcs_frames.c" $flags \
    -Wl,--exclude-libs,ALL 2>"$work/err.txt" || {
    ! grep -q "recompile with -fPIC" "$work/err.txt" || skip "this compiler makes no position independent code by itself"
    cat "$work/err.txt" >&2
    exit 1
}
for name in chart_SRGGB10P:320x480x4 gradient_Y16:; do
    python3 -B "$SOURCE_DIR/samples/python/zcs_frames.py" "$work/libzcs_frames.so" \
        "$SOURCE_DIR/samples/frames/${name%:*}.zcr" | tee "$work/out.txt"
    grep -q "^numpy: uint.* ${name#*:}.*which is the frame itself$" "$work/out.txt"
done
# A recording that is not there: one line, no traceback.
! python3 -B "$SOURCE_DIR/samples/python/zcs_frames.py" "$work/libzcs_frames.so" "$work/none.zcr" 2>"$work/err.txt" || exit 1
! grep -q Traceback "$work/err.txt"
grep -q "none.zcr: cannot be opened" "$work/err.txt"
# Who keeps the arrays is told how many there may be, copies are all of them, and a failure is no end.
{
    echo "YUV4MPEG2 W64 H48 F25:1 Cmono"
    for ((i = 0; i < 20; i++)); do echo FRAME && head -c $((64 * 48)) /dev/zero; done
} >"$work/long.y4m"
PYTHONPATH=$SOURCE_DIR/samples/python python3 -B - "$work/libzcs_frames.so" "$work/long.y4m" <<'EOF'
import sys
import numpy
import zcs_frames

lib = zcs_frames.load(sys.argv[1])
for keep in (4, 9):
    held = []
    try:
        for frame in zcs_frames.frames(lib, sys.argv[2], keep=keep):
            held.append(numpy.from_dlpack(frame))
        sys.exit(f"{len(held)} frames were held, and nothing was said")
    except RuntimeError as error:
        assert keep <= len(held) < 20, len(held)
        assert f"{keep} may be" in str(error), error
for keep in (0, -1, 257):
    try:
        sys.exit(f"keep={keep}: {len(list(zcs_frames.frames(lib, sys.argv[2], keep=keep)))} frames")
    except ValueError as error:
        assert str(error).startswith(f"keep={keep}: 1 to 256"), error
every = [numpy.from_dlpack(frame).copy() for frame in zcs_frames.frames(lib, sys.argv[2])]
assert len(every) == 20, len(every)
assert len([numpy.from_dlpack(frame) for frame in zcs_frames.frames(lib, sys.argv[2], keep=32)]) == 20


class Failing:
    frames_open, frames_close, frames_strerror = lib.frames_open, lib.frames_close, lib.frames_strerror

    def frames_next(self, handle, tensor):
        return -7


try:
    sys.exit(f"{len(list(zcs_frames.frames(Failing(), sys.argv[2])))} frames, and no word of the failure")
except OSError as error:
    assert str(error) == f"{sys.argv[2]}: {lib.frames_strerror(-7).decode()}", error
EOF
