#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What may stand nowhere: calls that a library does not make, unfinished work, untidy text.
set -eu -o pipefail
cd "${SOURCE_DIR:-$(dirname "$0")/../..}"
bad=0

# forbid MESSAGE GREP-OPTIONS...: each line found is a complaint.
forbid()
{
    local message=$1
    shift
    if grep "$@" >"$found"; then
        sed "s|\$|   <- $message|" "$found" >&2
        bad=1
    fi
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
found=$work/found
folders=$(ls -d app cmake include kernels lib samples tests docs .ci 2>/dev/null) || true # samples may not be there
text=$(find $folders CMakeLists.txt CMakePresets.json README.md zc -type f \
    ! -name '*.png' ! -name '*.raw' ! -name '*.zcr' ! -name '*.mjpg' ! -path tests/lint/forbidden.sh \
    ! -path 'tests/fuzz/corpus/*' | sort)
code=$(echo "$text" | grep -E '\.(c|h|cuh?|cpp|def)$')

# The library's code without comments and strings, at the same places.
for file in $(echo "$code" | grep -E '^(lib|kernels)/'); do
    mkdir -p "$work/src/$(dirname "$file")"
    awk '
        {
            gsub(/\\./, "")
            gsub(/"[^"]*"/, "\"\"")
            line = $0
            out = ""
            while (line != "") {
                if (inside) {
                    if (!(at = index(line, "*/"))) break
                    line = substr(line, at + 2); inside = 0
                } else {
                    if (!(at = index(line, "/*"))) { out = out line; break }
                    out = out substr(line, 1, at - 1); line = substr(line, at + 2); inside = 1
                }
            }
            sub(/\/\/.*/, "", out)
            print out
        }' "$file" >"$work/src/$file"
done
cd "$work/src"
calls='getenv|secure_getenv|setenv|putenv|v?f?printf|v?dprintf|puts|fputs|putchar|fputc|perror|psignal'
calls="$calls|exit|_exit|_Exit|quick_exit|abort|atexit|at_quick_exit|signal|sigaction|raise|system|popen"
calls="$calls|alloca|gets|v?sprintf|strcpy|strcat|strtok|setlocale"
forbid "a library never does that" -rnE "\b($calls) *\("
forbid "a library never prints" -rnwE "stdout|stderr"
forbid "mutable state of the whole program" -rnE \
    '^ *static (_Thread_local )?(unsigned |atomic_|struct |enum )?[A-Za-z_0-9]+( |\*)+[A-Za-z_0-9]+(\[[^]]*\])*( =.*|;)$'
forbid "mutable state of the whole program" -rnE \
    '^ *static const [^(]*\*[A-Za-z_0-9]+(\[[^]]*\])*( =.*|;)$'
forbid "state of a thread" -rnwE "__thread|_Thread_local"
cd - >/dev/null

forbid "unfinished" -nwE "TODO|FIXME|XXX|HACK" $text
forbid "unfinished" -niE "not (yet )?implemented|unimplemented" $text
forbid "a tab" -nP '\t' $text
forbid "trailing space" -nE ' +$' $text
forbid "over 100 columns" -nE '^.{101,}$' $(echo "$code" | grep -vE '\.def$|^tests/')
# Texts for people may have more than ASCII, and so may names that tests try out.
forbid "not ASCII" -nP '[^\x00-\x7f]' $(echo "$text" | grep -vE '^(docs|tests/app)/')
for file in $text; do
    [ ! -s "$file" ] || [ -z "$(tail -c 1 "$file")" ] || {
        echo "$file: no newline at its end" >&2
        bad=1
    }
done

# Line 1 is the licence, line 2 says what the file owns; a script's #! comes before both.
for file in $(echo "$text" | grep -E '\.(c|h|cuh?|cpp|def|sh|cmake|in)$|CMakeLists.txt$|^zc$|^\.ci/run$'); do
    head -n 3 "$file" | sed '1{/^#!/d;}' | head -n 2 | tr '\n' '~' |
        grep -qE '^(/\* SPDX-License-Identifier: MIT \*/~/\* [^ ]|# SPDX-License-Identifier: MIT~# [^ ])' || {
        echo "$file: does not begin with the SPDX line and a line that says what it is for" >&2
        bad=1
    }
done
exit $bad
