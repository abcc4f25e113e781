#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The unit for systemd is installed, names what is installed, and systemd finds no fault with it.
set -eu -o pipefail
[ -n "${ZCAPP:-}" ] || { echo "skipped: this build has no zcapp"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "${BUILD_DIR:?the build folder}" --prefix "$work" >/dev/null
unit=$work/lib/systemd/system/zcapp@.service
[ -e "$unit" ] || { echo "not installed: zcapp@.service" >&2; exit 1; }

# names UNIT PROGRAM FILE: the unit starts PROGRAM, as it is spelt in a unit, and its documentation is FILE.
names()
{
    grep -qxF "ExecStart=$2 \$ZCAPP_OPTIONS /dev/%I" "$1" && grep -qxF "Documentation=file://$3" "$1" && return
    echo "not '$2' and '$3' in $1: $(grep "^ExecStart\|^Documentation" "$1")" >&2
    exit 1
}
program=$work/bin/zcapp
doc=$work/$(cd "$work" && find . -path '*/docs/service.md' | cut -c 3-)
[ -x "$program" ] && [ -e "$doc" ] || { echo "not installed: $program, $doc" >&2; exit 1; }
names "$unit" "$program" "$doc"
# Staged for a package; from the folder above; and where words and specifiers of units would end or begin.
DESTDIR=$work/stage cmake --install "$BUILD_DIR" --prefix /usr >/dev/null
names "$work/stage/usr/${unit#"$work"/}" /usr/bin/zcapp "/usr/${doc#"$work"/}"
(cd "$work" && cmake --install "$BUILD_DIR" --prefix "50% of it" >/dev/null)
names "$work/50% of it/${unit#"$work"/}" "\"$work/50%% of it/bin/zcapp\"" "$work/50%%25%%20of%%20it/${doc#"$work"/}"
# Two at the same time have a prefix each, and leave nothing in the build.
for i in 1 2 3; do
    cmake --install "$BUILD_DIR" --prefix "$work/one$i" >/dev/null &
    cmake --install "$BUILD_DIR" --prefix "$work/two$i" >/dev/null
    wait $!
    for prefix in "$work/one$i" "$work/two$i"; do
        names "$prefix/${unit#"$work"/}" "$prefix/bin/zcapp" "$prefix/${doc#"$work"/}"
    done
done
# Each option of the unit is one of zcapp's; cameras alone have --reconnect.
"$work/bin/zcapp" $(sed -n 's/^Environment="ZCAPP_OPTIONS=\(.*\)"/\1/p' "$unit" | sed 's/--reconnect [0-9]*//') -q -n 1 -o "$work/%u.png" --latest "$work/latest.png" pattern:bars
[ -e "$work/latest.png" ] || { echo "no latest.png" >&2; exit 1; }
command -v systemd-analyze >/dev/null || { echo "skipped: systemd-analyze is not here"; exit 77; }
sed -i "s|^Documentation=.*|Documentation=man:zcapp|" "$unit"
if ! systemd-analyze verify --man=no "$unit" >"$work/out" 2>&1 || grep -q zcapp "$work/out"; then
    grep -q "Failed to\( create\| initialize\).*manager\|D-Bus\|not permitted" "$work/out" && {
        echo "skipped: systemd-analyze does not work here: $(head -1 "$work/out")"
        exit 77
    }
    cat "$work/out" >&2
    exit 1
fi
