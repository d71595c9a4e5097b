#!/usr/bin/env bash
# scripts/demo goes through with each of its samples, and all that begins there ends. What it would build is there already, and nobody
# looks on, so it does not pause.
. "$(dirname "$0")/lib.sh"
command -v curl >/dev/null || skip "no curl"

sed -e '/^scripts\/install-deps demo$/d; /^cmake /d' -e "s|^bin=.*|bin='$bin'|; s|^cd .*|cd '$source_dir'|; s|^pause=.*|pause=0|" \
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
command -v python3 >/dev/null || skip "no python3"
goes_through 5 --helm
check "the failed upgrade is told" grep -q 'error begins: helm/shop/shop: .*3, has failed' "$work/demo.log"
check "and its end" grep -q 'error ends: helm/shop/shop ' "$work/demo.log"
check "drift is from the revision that the upgrade has brought" \
	grep -q 'web:1.5.0" -> "registry.example.com/shop/web:1.4.2"' "$work/demo.log"
check "what was applied with kubectl is looked at" grep -q 'drift begins: deployments.apps docs/docs spec.replicas 3 -> 1' "$work/demo.log"
check "of the forged release only what is its own" test "$(grep -c 'guest/' <(grep -E ' begins: ' "$work/demo.log"))" = 1
no_secret canary-of-a-release -- "$work/demo.log"
