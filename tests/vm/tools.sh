#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs what the guest's tests need before any of them runs, so that no two of them install at once.
set -eu -o pipefail
cd "${SOURCE_DIR:-$(dirname "$0")/../..}"
. tests/vm/harness/kernel.inc
[ "$(uname -m)" = x86_64 ] || skip "the guest is an x86-64 machine"
install_tools
