#!/usr/bin/env bash
# scripts/demo writes titles in bold to a terminal, and no control character to a pipe or where NO_COLOR is set. Only what writes them is
# run: all of the demo would be built anew, as release.
. "$(dirname "$0")/lib.sh"
command -v script >/dev/null || skip "no script(1) to make a terminal"

{
	echo 'set -eu'
	sed -n '/^bold=/,/^title()/p' "$source_dir/scripts/demo"
	echo 'title a title'
} >"$work/title.sh"
terminal() { script -qefc "$1" /dev/null </dev/null >"$work/out"; } # terminal COMMAND
controls() { LC_ALL=C tr -d '\r\n -~' <"$work/out" | wc -c; }     # what is not shown as it is

terminal "env -u NO_COLOR bash '$work/title.sh'"
check "bold on a terminal" grep -qF $'\033[1m# a title\033[0m' "$work/out"
terminal "NO_COLOR=1 bash '$work/title.sh'"
check "the title with NO_COLOR" grep -qF '# a title' "$work/out"
check "no control character with NO_COLOR" test "$(controls)" = 0
env -u NO_COLOR bash "$work/title.sh" >"$work/out"
check "the title in a pipe" grep -qxF '# a title' "$work/out"
check "no control character in a pipe" test "$(controls)" = 0
check "nothing else in the demo makes one" test "$(grep -cE '033|\\e\[|tput' "$source_dir/scripts/demo")" = 1
