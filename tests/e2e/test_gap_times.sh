#!/usr/bin/env bash
# What happened while nobody watched is told with the times between which it did, and with who did it, as far as that is known.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"

usec() { date +%s%6N; }
# the time $at lies within the span that the records which @1 selects give, and the message says so
between() { has_record "$1 and (.DRIFTD_NOT_BEFORE_USEC | tonumber) <= $at and (.DRIFTD_NOT_AFTER_USEC | tonumber) >= $at and
	(.MESSAGE | test(\"; between 20.*Z and 20.*Z\"))"; }
team() { echo ".DRIFTD_EVENT == \"$1\" and .DRIFTD_KIND == \"Namespace\" and .DRIFTD_NAME == \"shop\""; } # team EVENT: a filter
drifted() { metric_is "$(of_cluster driftd_objects_drifted 'severity="warning"')" "$1"; }
# a server forgets a manager who only removes
remove_team() { # remove_team MANAGER MARK
	api PATCH /api/v1/namespaces/shop "{\"metadata\":{\"labels\":{\"team\":null,\"mine\":\"$2\"}}}" "$1"
}
by() { echo "$(team "$1") and .DRIFTD_MANAGER == \"$2\""; }                                                 # by EVENT MANAGER: a filter

start_shop
start_driftd_ready
set_team other
wait_until 10 "the drift" begins '.DRIFTD_KIND == "Namespace"'
check "what is seen at once has no span" record_count '.DRIFTD_NOT_BEFORE_USEC != null' 0

# ---- driftd is away ----

stop driftd || fail "driftd did not end cleanly"
set_team storefront
at=$(usec)
sleep 11
start_driftd_ready
wait_until 10 "its end" between "$(team end)"

stop driftd KILL || true
sleep 1
remove_team kubectl-thief 1
at=$(usec)
sleep 11
start_driftd_ready
wait_until 10 "a field removed meanwhile" between "$(team begin)"
check "by nobody that could be known" has_record "$(team begin) and (.MESSAGE | contains(\"(absent)\")) and .DRIFTD_MANAGER == null"

# ---- who removed a field is not whoever writes next, over a restart too ----

set_team storefront
wait_until 10 "its end" drifted 0
remove_team kubectl-burglar 2
wait_until 10 "a field removed while driftd watches, and by whom" has_record "$(by begin kubectl-burglar)"

stop driftd || fail "driftd did not end cleanly"
api PATCH /api/v1/namespaces/shop '{"metadata":{"labels":{"other":"1"}}}' kubectl-innocent
start_driftd_ready
api PATCH /api/v1/namespaces/shop '{"metadata":{"labels":{"pod-security.kubernetes.io/enforce":null,"other":"2"}}}' kubectl-second
wait_until 10 "another field removed, by another" has_record "$(by change kubectl-second)"
api PATCH /api/v1/namespaces/shop '{"metadata":{"labels":{"pod-security.kubernetes.io/enforce":"restricted","more":"1"}}}' kubectl-innocent
wait_until 10 "the first is still gone, by the first" has_record "$(by change kubectl-burglar)"
set_team storefront
wait_until 10 "its end" has_record "$(by end kubectl-label)"

# ---- the server is away ----

control fault '{"status":503,"verb":"watch","count":-1}'
control fault '{"action":"close-watches"}'
wait_until 40 "a gap" eval '! no_gap'
set_team late
at=$(usec)
sleep 1
control fault '{"action":"recover"}'
wait_until 60 "what happened meanwhile" between '.DRIFTD_ACTUAL == "\"late\""'
set_team storefront
wait_until 10 "its end, seen at once" has_record "$(team end) and .DRIFTD_NOT_BEFORE_USEC == null"
stop driftd || fail "driftd did not end cleanly"
