#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Sizes: files fail over 600 lines, functions over 70, the headers of one stream over 1,300
# lines together, and the headers for special uses over 200 each.
set -eu -o pipefail
cd "${SOURCE_DIR:-$(dirname "$0")/../..}"
bad=0
code=$(ls -d include lib kernels app samples 2>/dev/null) || true # samples may not be there

# Tables and tests may be longer.
files=$(find $code -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.sh'; echo zc .ci/run)
for file in $files; do
    lines=$(wc -l <"$file")
    if [ "$lines" -gt 600 ]; then
        echo "$file: $lines lines, the limit is 600" >&2
        bad=1
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
if [ "$headers" -gt 1300 ]; then
    echo "include/zcstream/*.h but $some: $headers lines together, the limit is 1300" >&2
    bad=1
fi
for name in $some; do
    lines=$(wc -l <include/zcstream/$name.h)
    if [ "$lines" -gt 200 ]; then
        echo "include/zcstream/$name.h: $lines lines, the limit is 200" >&2
        bad=1
    fi
done
exit $bad
