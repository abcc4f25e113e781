#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# One term for one thing: a word that was retired is named with the term that docs/glossary.md has instead.
set -eu -o pipefail
cd "${SOURCE_DIR:-$(dirname "$0")/../..}"
bad=0
code=$(git ls-files -- include lib kernels app samples tests 2>/dev/null ||
    find include lib kernels app samples tests -type f)
code=$(echo "$code" | grep -E '\.(c|h|cuh?|def)$' | grep -v '^tests/vcam/programs/')
[ -n "$code" ] || { echo "no code was found" >&2; exit 1; }
prose="README.md CONTRIBUTING.md $(ls docs/*.md | grep -v -e docs/structure.md)"

# retired TERM PATTERN FILES...: whole words of the pattern are complaints.
retired()
{
    local term=$1 pattern=$2 found
    shift 2
    [ $# -gt 0 ] || { echo "no files to look for '$pattern' in" >&2; bad=1; return; }
    found=$(grep -nwE "$pattern" "$@" /dev/null || true)
    [ -z "$found" ] || {
        echo "$found" | cut -c 1-160 | sed "s/\$/   <- the term is: $term/" >&2
        bad=1
    }
}

in_code()
{
    retired "$1" "$2" $code
}

# Where a word has another meaning elsewhere (a warp's lanes, a mailbox of a test).
below()
{
    local folders=$1
    shift
    retired "$1" "$2" $(echo "$code" | grep -E "^($folders)/")
}

in_code "frame context, in-flight" 'zc[ik]_([a-z0-9]+_)?lanes?(_[a-z0-9_]+)?|lane_(create|submit|poll|wait|destroy|hold)'
below 'lib/(core|os|backend|context|source|record|stream)|app' "frame context, in-flight" 'lanes?|Lanes?'
in_code "device group; in kernels thread group" 'zc[ik]_([a-z0-9]+_)?team(_[a-z0-9_]+)?|ZCK_CUDA_TEAMS'
below 'lib|kernels' "device group; in kernels thread group" 'teams?|Teams?'
in_code "notifier" 'zci_bell(_[a-z_]+)?|bells?|Bells?'
below 'lib|kernels' "persistent kernel" 'resident|Resident|zc[ik]_cuda_resident(_[a-z_]+)?'
in_code "SM reservation" 'zci_hold|hold_refusal'
in_code "mailbox, command, completion" 'zck_cuda_(desk|order|answer)|ZCK_ORDER_[A-Z_]+'
in_code "device state, barrier" 'zck_cuda_(board|meeting)'
in_code "sentinel" 'ZCK_CUDA_WAIT_WORDS(_[A-Z]+)?|zci_cuda_begin_words'
in_code "transfer descriptor" 'zck_cuda_flow'
in_code "upload" 'zci_cuda_bring'
in_code "partition" 'zci_share(_[a-z]+)?|ZCI_SHARE_ROWS'
in_code "failover" 'regroups?|zci_lanes_regroup'
in_code "failed_device" 'culprits?|Culprits?'
in_code "registration cache" 'zci_cuda_(learn|spans?|ranges)(_[a-z]+)?'
in_code "mlock tag" 'zci_mark(_[a-z]+)?|ZCI_MARK_[A-Z_]+'
in_code "fork guard" 'zci_origin(_[a-z]+)?'
in_code "fault injector" 'zci_fate(_[a-z]+)?'
in_code "timestamp rebase" 'zci_stamps(_[a-z_]+)?'
in_code "route cache" 'zci_notes?(_[a-z]+)?|ZCI_NOTES'
in_code "negotiation of memory modes" 'zci_v4l2_(climb|climb_back|ladder)|ladders?'
in_code "reconnect" 'zci_v4l2_away(_[a-z]+)?'
in_code "worker scratch, worker context" 'zci_(seat|bench)|seats?'
in_code "benchmark" 'zcs_way|ZCS_WAY_[A-Z_]+'
in_code "kind, category" 'zci_stage_sort'
in_code "validate" 'zci_v4l2_judge|zci_cuda_judge'
in_code "canary" 'zci_v4l2_poison|[Pp]oison(ed)?'
in_code "min, max, default_value" '(least|most)_(width|height|num|den|bytes|ns)|zcs?_[a-z_]*preset|preset'
below app "input run, multi-camera, retention" 'feed_[a-z_]+|several_[a-z_]+|zcapp_(feed|several|keep)'

retired "the glossary's" 'zci_lane|bells?|culprits?|regroup|ladder|poison|residents?|resident kernel' $prose
retired "in-flight frame" 'lanes?' $prose

exit $bad
