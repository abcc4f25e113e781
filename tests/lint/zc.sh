#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The newcomer's script: its help names each command that it has, and a word that is none is named in an error.
set -eu -o pipefail
cd "${SOURCE_DIR:-$(dirname "$0")/../..}"

fail()
{
    echo "$1" >&2
    exit 1
}

help=$(./zc help)
commands=$(sed -n '/^case \$command in/,/^esac/s/^\([a-z]\{1,\}\)\( |\|)\).*/\1/p' zc)
[ "$(wc -w <<<"$commands")" -ge 6 ] || fail "commands of zc: only these were found: $commands"
for command in $commands; do
    grep -q "^  $command " <<<"$help" || fail "./zc help does not name '$command'"
done
status=0
words=$(./zc dmeo 2>&1) || status=$?
[ "$status" = 2 ] || fail "./zc dmeo: status $status, not 2"
[ "${words%%$'\n'*}" = "zc: no such command: dmeo" ] || fail "./zc dmeo: $words"
