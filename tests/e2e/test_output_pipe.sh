#!/usr/bin/env bash
# Records on a pipe: its reader is slow, stopped or gone, and driftd goes on, ends in time and loses nothing.
. "$(dirname "$0")/lib.sh"
for tool in jq mkfifo; do command -v $tool >/dev/null || skip "no $tool"; done

change_many() { # change_many LETTER: a long record of each of 200 objects, so that they fill a pipe several times
	jq -nc --arg letter "$1" '{apiVersion: "v1", kind: "List", items: [range(200) | {apiVersion: "v1", kind: "ConfigMap",
		metadata: {name: "m-\(.)", namespace: "n-\(. % 100)"}, data: {v: ($letter * 3000)}}]}' >"$work/objects.json"
	request -X POST "$server/_apisim/load" --data-binary "@$work/objects.json" -o /dev/null || fail "load"
}
# What was cut when driftd was killed is no record; it comes again whole.
forget_cut_line() { [ -z "$(tail -c 1 "$work/records")" ] || sed -i '$d' "$work/records"; }
start_reader() { start reader sh -c 'exec cat "$1" >>"$2"' sh "$work/pipe" "$work/records"; }
end_reader() { # it ends by itself when driftd has, with all that it was given
	wait "${pid[reader]}" || fail "the reader"
	unset "pid[reader]"
	forget_cut_line
}
start_on_pipe() {
	: "${web_port:=$(free_port)}"
	web=http://127.0.0.1:$web_port
	start_reader
	"$bin/driftd" run -c "$work/driftd.yaml" -o json --web.listen-address "127.0.0.1:$web_port" >"$work/pipe" 2>>"$work/driftd.err.log" &
	pid[driftd]=$!
	wait_until 20 "driftd's HTTP server" curl -sf "$web/-/healthy"
}
write_fails() { [ "$(metric driftd_journal_write_failures_total)" -gt "$failures" ]; }
send_is() { metric_is 'driftd_state_step_stuck{step="send"}' "$1"; }
count_of() { echo ".DRIFTD_EVENT == \"$1\" and .DRIFTD_KIND == \"ConfigMap\""; } # count_of EVENT: a filter
# Every line is a record, and none is there twice that does not say so.
are_whole() {
	jq -es 'map(select(.DRIFTD_RESENT == null).DRIFTD_RECORD_ID) | length > 0 and length == (unique | length)' "$work/records"
}
told() { # told EVENT COUNT: of so many, each once by its id
	[ "$(records "$(count_of "$1")" | jq -r .DRIFTD_RECORD_ID | sort -u | wc -l)" -eq "$2" ]
}
stop_reading() { # stop_reading LETTER: and something happens
	failures=$(metric driftd_journal_write_failures_total)
	kill -STOP "${pid[reader]}"
	change_many "$1"
	wait_until 30 "what cannot be written" write_fails
	check "the loop goes on" curl -sf "$web/-/healthy"
}

reference "$work/reference" anyOf map.yaml+
template "$work/reference/map.yaml" v1 ConfigMap "$any_name" "$any_namespace" <<<'data: {v: "1"}'
start_apisim
configure "$work/reference"
mkfifo "$work/pipe"
: >"$work/records"
start_on_pipe
wait_until 60 "driftd to be ready" ready
change_many a
wait_until 30 "200 drifts" record_count "$(count_of begin)" 200

# ---- a reader that does not read ----

stop_reading b
wait_until 60 "it to be said" send_is 1
kill -CONT "${pid[reader]}"
wait_until 60 "200 changes" told change 200
wait_until 60 "that to end" send_is 0
check "all is whole" are_whole
check "none was sent again" record_count '.DRIFTD_RESENT != null' 0

# ---- it ends in time beside one, and tells the rest at the next start; so it does when it is killed ----

expected=200
for signal in TERM KILL; do
	[ $signal = TERM ] && stop_reading c || stop_reading d
	begun=$SECONDS
	stop driftd $signal || true
	check "it ends in time" test $((SECONDS - begun)) -le 30
	kill -CONT "${pid[reader]}"
	end_reader
	start_on_pipe
	expected=$((expected + 200))
	wait_until 60 "$expected changes" told change $expected
	wait_until 60 "driftd to be ready" ready
	check "all is whole" are_whole
done

# ---- a reader that is gone, and another one ----

exec 9<>"$work/pipe" # what was given and not read stays while anybody has the pipe
failures=$(metric driftd_journal_write_failures_total)
stop reader || true
exec 9>&-
change_many e
wait_until 30 "what cannot be written" write_fails
wait_until 60 "it to be said" send_is 1
start_reader
wait_until 60 "1000 changes" told change $((expected + 200))
check "all is whole" are_whole
stop driftd || fail "driftd did not end cleanly"
end_reader
echo "$(wc -l <"$work/records") records, $(records '.DRIFTD_RESENT != null' | wc -l) of them sent again"
