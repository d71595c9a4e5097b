#!/usr/bin/env bash
# What the commands that ask the daemon ask it for, and what they print of its answers.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip "no python3"
status=0
python3 "$here/mistakes.py" "$bin/driftd" "$source_dir/tests/data/answers/table.txt" >"$work/told" || status=$?
check "each is printed as tests/data/answers has it: $(cat "$work/told")" test $status = 0
