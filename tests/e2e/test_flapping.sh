#!/usr/bin/env bash
# What comes and goes all the time is one state: told when it begins, and when it has been quiet, over kill -9 too.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"

start_shop
# The window is long enough for five changes on a busy machine.
sed -i 's|^flapping: .*|flapping: {changes: 5, window: 20s}|' "$work/driftd.yaml"
drifted() { metric_is "$(of_cluster driftd_objects_drifted 'severity="warning"')" "$1"; }
flapping() { metric_is "$(of_cluster driftd_findings_flapping)" "$1"; }
toggle() { # toggle COUNT: the namespace drifts and is repaired
	for _ in $(seq "$1"); do
		set_team other
		wait_until 10 "the drift" drifted 1
		set_team storefront
		wait_until 10 "its end" drifted 0
	done
}
flaps() { record_count ".DRIFTD_FLAPPING == \"$1\"" "$2"; } # flaps HOW COUNT
findings() { record_count '.DRIFTD_DRIFT_ID != null' "$1"; }

start_driftd_ready
toggle 5
check "four changes and the begin of the state are told" findings 5
check "it is told that it flaps" flaps begin 1
check "and counted" flapping 1
check "as are changes that are not told" test "$(metric driftd_flapping_changes_total)" -ge 5

stop driftd KILL || true
start_driftd_ready
check "a restart keeps it" flapping 1
check "and repeats nothing" findings 5
toggle 1
check "nor do further changes" findings 5
set_team other
wait_until 30 "it is quiet" flaps end 1
check "it is told as it is: open" record_count '.DRIFTD_FLAPPING == "end" and .DRIFTD_EVENT == "change" and .DRIFTD_ACTUAL == "\"other\""' 1
check "nothing flaps" flapping 0
set_team storefront
wait_until 10 "its end, told at once" ends '.DRIFTD_KIND == "Namespace" and .DRIFTD_FLAPPING == null'

sleep 20
toggle 3
wait_until 30 "it is quiet again" flaps end 2
check "it is told as it is: over" record_count '.DRIFTD_FLAPPING == "end" and .DRIFTD_EVENT == "end"' 1
stop driftd || fail "driftd did not end cleanly"
