#!/usr/bin/env bash
# A process that was stopped did not watch: what happened meanwhile is told with the time between, and how long something lasts does not
# follow a clock that is set during a run.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"

usec() { date +%s%6N; }
team() { echo ".DRIFTD_EVENT == \"$1\" and .DRIFTD_KIND == \"Namespace\" and .DRIFTD_NAME == \"shop\""; } # team EVENT: a filter
between() { has_record "$1 and (.DRIFTD_NOT_BEFORE_USEC | tonumber) <= $at and (.DRIFTD_NOT_AFTER_USEC | tonumber) >= $at and
	(.MESSAGE | test(\"; between 20.*Z and 20.*Z\"))"; }

start_shop --bookmark-interval 1000 # on a connection that lives each watch is heard soon
start_driftd_ready
kill -STOP "${pid[driftd]}"
set_team stopped
at=$(usec)
sleep 11 # a shorter time is as good as now
kill -CONT "${pid[driftd]}"
wait_until 20 "what happened while it was stopped" between "$(team begin)"
wait_until 10 "that it was" has_record '.MESSAGE | test("driftd did not run between 20.*Z and 20.*Z \\(the process was stopped or busy\\)")'
wait_until 40 "each watch to be heard" metric_is "$(of_cluster driftd_watch_gaps_current)" 0
check "no gap was told" record_count '.MESSAGE | startswith("gap")' 0
sleep 3 # a server sends what a watch missed at once
set_team storefront
wait_until 10 "what happens then, seen at once" has_record "$(team end) and .DRIFTD_NOT_BEFORE_USEC == null"
check "it was stopped once" record_count '.MESSAGE | startswith("driftd did not run")' 1

# ---- the clock is set a day ahead, and back, during a run ----

set_clock() { python3 -c 'import struct, sys; open(sys.argv[1], "r+b").write(struct.pack("q", int(sys.argv[2])))' "$work/clock" "$1"; }
lasted() { # some seconds, or minutes on a busy machine
	has_record "$(team end) and (.DRIFTD_DURATION_USEC | tonumber) < 120e6 and (.MESSAGE | test(\"after [0-9. ]*(min [0-9 ]*)?s \"))"
}
stop driftd || fail "driftd did not end cleanly"
truncate -s 8 "$work/clock"
export LD_PRELOAD="$bin/model_clock_jump.so" CLOCK_JUMP_FILE="$work/clock" ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0"
start_driftd_ready
for ahead in 86400 0; do
	: >"$work/records"
	set_team "before-$ahead"
	wait_until 10 "the drift" has_record "$(team begin)"
	set_clock $ahead
	sleep 1.5
	set_team storefront
	wait_until 20 "its end, after some seconds" lasted
done
stop driftd || fail "driftd did not end cleanly"
