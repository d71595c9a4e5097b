#!/usr/bin/env bash
# scripts/demo goes through with each of its samples, and all that begins there ends. What it would build is there already, and nobody
# looks on, so it does not pause.
. "$(dirname "$0")/lib.sh"
command -v curl >/dev/null || skip "no curl"

sed -e '/^scripts\/install-deps$/d; /^cmake /d' -e "s|^bin=.*|bin='$bin'|; s|^cd .*|cd '$source_dir'|; s|^pause=.*|pause=0|" \
	"$source_dir/scripts/demo" >"$work/demo"

goes_through() { # goes_through FINDINGS [OPTION...]
	local findings=$1 how
	shift
	timeout 300 bash "$work/demo" "$@" >"$work/demo.log" 2>&1 || fail "demo $*"
	for how in begins ends; do
		check "demo $*: $findings findings, each $how" \
			test "$(grep -cE "^[0-9:]+ (drift|component unsatisfied) $how: " "$work/demo.log")" = "$findings"
	done
}

goes_through 4
goes_through 2 --kubegen
goes_through 2 --manifests
check "the folder is followed" grep -q 'manifests changed and are in force' "$work/demo.log"
