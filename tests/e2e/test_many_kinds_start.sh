#!/usr/bin/env bash
# A server with sixty kinds is killed, and one begins while driftd does: each kind answers 429 ("storage is (re)initializing") at first, and
# driftd asks only some times a second. Neither is a gap, and nothing is told but what changed.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/many_kinds.sh"

start_many_kinds
configure "$work/reference"
stop apiserver KILL || true
start_apiserver
since=$SECONDS
start_driftd
wait_until 120 "every kind to be listed" ready
took=$((SECONDS - since))
set_sizes 4
wait_until 60 "drift in every kind" told begin
echo "refused with 429: $(metric "$(of_cluster driftd_kube_request_failures_total 'verb="watch",code="429"')")"
since=$SECONDS
stop apiserver KILL || true
start_apiserver
every_kind_served
away=$((SECONDS - since))
set_sizes 5
wait_until 120 "a change in every kind" told change
echo "refused with 429: $(metric "$(of_cluster driftd_kube_request_failures_total 'verb="watch",code="429"')")"
echo "listed within $took s, away for $away s"
longest=$((took > away ? took : away))
no_gap_of $longest
noise='.DRIFTD_EVENT != "started" and .DRIFTD_EVENT != "notice" and (.MESSAGE | test("^gap ") | not)'
# Sixty gaps that begin, change and end are more records than go at once, so that a storm is told with them.
[ $longest -lt 10 ] || noise+=' and .DRIFTD_EVENT != "storm"'
check "nothing but what changed" record_count "$noise" $((2 * kinds))
stop driftd || fail "driftd did not end cleanly"
