#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The tree in figures: files, lines, functions, headers with one user, circles. docs/structure.md keeps them.
# Usage: structure.sh [--write]. Without --write it fails on a circle, and where docs/structure.md is off by over 3 %.
set -eu -o pipefail
cd "${SOURCE_DIR:-$(dirname "$0")/../..}"
page=docs/structure.md

code_of()
{
    find "$1" -type f \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.def' \) | LC_ALL=C sort
}

# spread: the median, the 90th percentile and the greatest of the numbers on standard input.
spread()
{
    sort -n | awk '{ v[NR] = $1 } END {
        if (NR == 0) { print "0 / 0 / 0"; exit }
        print v[int((NR + 1) / 2)] " / " v[int((NR * 9 + 9) / 10)] " / " v[NR] }'
}

# The lines of each function: from the line with its name to the closing brace in column 1.
function_lines()
{
    xargs awk '
        FNR == 1 { head = 0; first = 0 }
        /^[A-Za-z_]/ && /\(/ { head = FNR }
        /^{$/ { first = head ? head : FNR }
        /^}$/ && first { print FNR - first + 1; first = 0; head = 0 }'
}

# Each include of a file of the tree's own, as "USER FILE".
includes()
{
    local file
    grep -oE '^ *# *include *"[^"]+"' $(for root in include lib kernels app; do code_of $root; done) |
        sed 's/^\([^:]*\):.*"\([^"]*\)"/\1 \2/' | while read -r user name; do
        for file in "lib/$name" "$name" "include/$name"; do
            [ ! -e "$file" ] || { echo "$user $file" && break; }
        done
    done
}

# A module is NAME.c with NAME.h. The modules that include each other, directly or not, one circle a line.
circles()
{
    awk '
        function module(file) { sub(/\.[a-z]+$/, "", file); return file }
        function walk(from, at,    i) { # what `from` reaches
            for (i = 1; i <= count[at]; i++)
                if (!((from, to[at, i]) in reach)) { reach[from, to[at, i]] = 1; walk(from, to[at, i]) }
        }
        { a = module($1); b = module($2); if (a != b && !((a, b) in edge)) {
            edge[a, b] = 1; to[a, ++count[a]] = b; name[a] = name[b] = 1 } }
        END {
            for (a in name) walk(a, a)
            for (a in name) if ((a, a) in reach && !(a in seen)) {
                line = a; seen[a] = 1
                for (b in name) if (b != a && ((a, b) in reach) && ((b, a) in reach)) { line = line " " b; seen[b] = 1 }
                print line
            }
        }' "$work/includes"
}

# Of the private headers below the folder $1, those that fewer than two other modules include.
lonely()
{
    awk -v root="$1/" '
        function module(file) { sub(/\.[a-z]+$/, "", file); return file }
        FNR == NR { if (module($1) != module($2)) users[$2]++; next }
        index($1, root) == 1 && /\.(h|cuh)$/ && users[$1] < 2' "$work/includes" <(code_of "$1") | wc -l
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
includes | LC_ALL=C sort -u >"$work/includes"

# row NAME FOLDER...: a line of the table.
row()
{
    local name=$1 root alone=0
    shift
    for root in "$@"; do
        alone=$((alone + $(lonely "$root")))
        code_of "$root"
    done >"$work/files"
    xargs wc -l <"$work/files" | awk '$2 != "total" { print $1 }' >"$work/lines"
    function_lines <"$work/files" >"$work/functions"
    printf '| %s | %d | %d | %s | %d | %s | %d |\n' "$name" "$(wc -l <"$work/files")" \
        "$(awk '{ s += $1 } END { print s }' "$work/lines")" "$(spread <"$work/lines")" \
        "$(wc -l <"$work/functions")" "$(spread <"$work/functions")" "$alone"
}

{
    row app app
    row lib lib
    row kernels kernels
    row together app lib kernels
} >"$work/table"
circles >"$work/circles"
echo "| circles | $(wc -l <"$work/circles") | | | | | |" >>"$work/table"

if [ "${1:-}" = --write ]; then
    sed -i "/^<!-- now -->/,/^<!-- end -->/{/^| [a-z]* | [0-9]/d}" "$page"
    sed -i "/^<!-- now -->/,/^<!-- end -->/{/^| --- /r $work/table
}" "$page"
    exit
fi
cat "$work/table"
bad=0
while read -r circle; do
    echo "these include each other: $circle" >&2
    bad=1
done <"$work/circles"
sed -n '/^<!-- now -->/,/^<!-- end -->/p' "$page" | grep -E '^\| [a-z]+ \| [0-9]' >"$work/kept" || true
# Each number of the page is within 3 % of what is there, or one off.
paste -d '\n' "$work/kept" "$work/table" | awk '
    { gsub(/[^0-9 ]/, " "); n = split($0, v, " ") }
    NR % 2 { m = n; for (i = 1; i <= n; i++) kept[i] = v[i]; next }
    { if (n != m) off = 1
      for (i = 1; i <= n; i++) { d = v[i] - kept[i]; if (d < 0) d = -d; if (d > 1 && d > v[i] * 0.03) off = 1 } }
    END { exit off || NR < 10 }' || {
    echo "$page: its figures are not those of the tree: tests/lint/structure.sh --write" >&2
    bad=1
}
exit $bad
