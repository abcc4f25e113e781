#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Random sources through zcapp, compared with a model in numpy. ZCS_DIFFERENTIAL_RUNS says how many [2000].
set -eu -o pipefail
cd "${SOURCE_DIR:-$(dirname "$0")/../..}"
for python in /usr/bin/python3 python3 ""; do
    ! "${python:-true}" -c 'import numpy' 2>/dev/null || break
done
[ -n "$python" ] || { echo "skipped: no python3 with numpy"; exit 77; }
export PYTHONDONTWRITEBYTECODE=1
exec "$python" tests/differential/differential.py "${ZCAPP:?the program}" --runs "${ZCS_DIFFERENTIAL_RUNS:-2000}"
