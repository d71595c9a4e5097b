#!/usr/bin/env bash
# Sixty kinds over HTTP/2, with servers that allow many or few streams on a connection and with one that sends GOAWAY: every kind is listed
# and watched, a change in each is told once, no gap.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/many_kinds.sh"
command -v ss >/dev/null || skip "no ss"

connections() { ss -Htnp state established "dst 127.0.0.1 and dport = :$api_port" | grep -c "pid=${pid[driftd]},"; }
restarts() { metric "$(of_cluster driftd_watch_restarts_total "reason=\"$1\"")"; } # restarts REASON
live() { # live NAME MOST-CONNECTIONS [OPTIONS]: one life of driftd against a server with these options
	local life=$1 most=$2
	shift 2
	stop apiserver KILL || true
	start_apiserver "$@"
	every_kind_served
	rm -rf "$work/state"
	cluster=
	configure "$work/reference"
	start_driftd
	wait_until 120 "every kind to be listed ($life)" ready
	set_sizes 4
	wait_until 60 "drift in every kind ($life)" told begin
	echo "$life: $(connections) connections for $kinds kinds"
	check "connections: $(connections), $most at most ($life)" test "$(connections)" -le "$most"
	set_sizes 5
	wait_until 60 "a change in every kind ($life)" told change
	set_sizes 3
	wait_until 60 "the end in every kind ($life)" told end
	check "nothing but that ($life)" record_count '.DRIFTD_DRIFT_ID != null' $((3 * kinds))
	check "no gap ($life)" no_gap
	echo "$life: watches resumed: $(restarts timeout) ended, $(restarts error) failed, $(restarts idle) silent"
	stop driftd || fail "driftd did not end cleanly"
	mv "$work/records" "$work/records.$life"
}

start_many_kinds
live default 1
live goaway 20 --goaway-chance=0.02
live twenty 8 --http2-max-streams-per-connection=20
