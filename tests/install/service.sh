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
program=$(sed -n 's/^ExecStart=\([^ ]*\) .*/\1/p' "$unit")
case $program in
/*/bin/zcapp) ;;
*) echo "ExecStart is '$program'" >&2; exit 1 ;;
esac
# Each option of the unit is one of zcapp's; cameras alone have --reconnect.
"$work/bin/zcapp" $(sed -n 's/^Environment="ZCAPP_OPTIONS=\(.*\)"/\1/p' "$unit" | sed 's/--reconnect [0-9]*//') -q -n 1 -o "$work/%u.png" --latest "$work/latest.png" pattern:bars
[ -e "$work/latest.png" ] || { echo "no latest.png" >&2; exit 1; }
command -v systemd-analyze >/dev/null || { echo "skipped: systemd-analyze is not here"; exit 77; }
sed -i "s|$program|$work/bin/zcapp|; s|^Documentation=.*|Documentation=man:zcapp|" "$unit"
if ! systemd-analyze verify --man=no "$unit" >"$work/out" 2>&1 || grep -q zcapp "$work/out"; then
    grep -q "Failed to\( create\| initialize\).*manager\|D-Bus\|not permitted" "$work/out" && {
        echo "skipped: systemd-analyze does not work here: $(head -1 "$work/out")"
        exit 77
    }
    cat "$work/out" >&2
    exit 1
fi
