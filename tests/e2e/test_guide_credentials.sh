#!/usr/bin/env bash
# docs/guide/credentials.md: its commands do what it says, and systemd finds no mistake in its units.
. "$(dirname "$0")/lib.sh"
. "$here/guide.sh"

if command -v systemd-analyze >/dev/null; then
	cp "$source_dir"/examples/credentials/driftd-token.* "$work"
	systemd-analyze verify "$work"/driftd-token.{service,timer} >"$work/verify.log" 2>&1 || fail "systemd-analyze verify driftd-token"
	check "nothing is said of the units: $(head -c 300 "$work/verify.log")" test ! -s "$work/verify.log"
fi
start_cluster
run_guide "$source_dir/docs/guide/credentials.md" 2 EXAMPLES="$source_dir/examples"
no_secret e2e-token -- "$work/blocks"
