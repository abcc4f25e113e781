#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Sizes: files warn over 300 lines and fail over 500, functions fail over 70, the headers of one stream over 1,000
# together, and those for what only some programs do over 150 each.
set -eu -o pipefail
cd "${SOURCE_DIR:-$(dirname "$0")/../..}"
bad=0
code=$(ls -d include lib kernels app samples 2>/dev/null) || true # samples may not be there

# Tables and tests may be longer.
files=$(find $code -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.sh'; echo zc .ci/run)
for file in $files; do
    lines=$(wc -l <"$file")
    if [ "$lines" -gt 500 ]; then
        echo "$file: $lines lines, the limit is 500" >&2
        bad=1
    elif [ "$lines" -gt 300 ]; then
        echo "$file: $lines lines, a warning from 300 on"
    fi
done

# A function is from the line with its name to the closing brace in column 1, both counted.
find $code tests \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.cpp' \) -print0 |
    xargs -0 awk '
        FNR == 1 { head = 0; first = 0 }
        /^[A-Za-z_]/ && /\(/ { head = FNR; name = $0 }
        /^{$/ { first = head ? head : FNR }
        /^}$/ && first {
            if (FNR - first + 1 > 70) {
                printf "%s:%d: %d lines, the limit is 70: %s\n", FILENAME, first, FNR - first + 1, name
                bad = 1
            }
            first = 0
            head = 0
        }
        END { exit bad }' >&2 || bad=1

some="camera dlpack latency measure set"
headers=$(cd include/zcstream && ls *.h | grep -v -x -F "$(printf '%s.h\n' $some)" | xargs cat | wc -l)
if [ "$headers" -ge 1000 ]; then
    echo "include/zcstream/*.h but $some: $headers lines together, the limit is 1000" >&2
    bad=1
fi
for name in $some; do
    lines=$(wc -l <include/zcstream/$name.h)
    if [ "$lines" -gt 150 ]; then
        echo "include/zcstream/$name.h: $lines lines, the limit is 150" >&2
        bad=1
    fi
done
exit $bad
