#!/usr/bin/env bash
# Sixty mistakes and more, and every word that driftd says of them.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip "no python3"
check "each is told as tests/data/mistakes has it" python3 "$here/mistakes.py" "$bin/driftd" "$source_dir/tests/data/mistakes/table.txt"
