#!/usr/bin/env bash
# SIGHUP: everything that the configuration says of the process takes effect, or is told that it does not; none is lost.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"

first=$(free_port) second=$(free_port)
write_config() { # write_config PORT OUTPUT [TELEMETRY-PATH]
	cat >"$work/driftd.yaml" <<Y
clusters: []
references: []
output: $2
metrics:
  listen: ["127.0.0.1:$1"]
  telemetry_path: ${3:-/metrics}
Y
}
run() { # run OPTIONS...: driftd with nothing but the configuration
	"$bin/driftd" run -c "$work/driftd.yaml" "$@" >>"$work/records" 2>>"$work/driftd.err.log" &
	pid[driftd]=$!
}
block() { # listen somewhere without answering: sets $blocked
	: >"$work/blocker.log"
	start blocker python3 -uc "import socket, time
s = socket.socket()
s.bind(('127.0.0.1', 0))
s.listen(1)
print(s.getsockname()[1])
time.sleep(120)"
	wait_until 10 "the blocker" test -s "$work/blocker.log"
	blocked=$(cat "$work/blocker.log")
}
answers() { curl -sf "http://127.0.0.1:$1$2" -o /dev/null; }
refuses() { ! answers "$@"; }
reloads() { grep -c '"DRIFTD_EVENT":"reloaded"' "$work/records" || true; }
reloaded() { [ "$(reloads)" -ge "$1" ]; }

write_config "$first" json
run
wait_until 20 "the first address" answers "$first" /-/healthy

# ---- another address and another path ----

write_config "$second" json /stats
kill -HUP "${pid[driftd]}"
wait_until 10 "the second address" answers "$second" /stats
wait_until 10 "the end of the first" refuses "$first" /-/healthy
check "the old path is gone" refuses "$second" /metrics
wait_until 5 "the record of it" reloaded 1

# ---- an address that somebody else has: told, and taken when it is free ----

block
write_config "$blocked" json
kill -HUP "${pid[driftd]}"
wait_until 10 "the failure" grep -q "listen on '127.0.0.1:$blocked': Address already in use; tried again" "$work/records"
stop blocker KILL || true
wait_until 10 "the address when it is free" answers "$blocked" /-/healthy

# ---- many signals at once: the last state of the files is what counts ----

n=$(reloads)
for port in $first $second $first $second; do
	write_config "$port" json
	kill -HUP "${pid[driftd]}"
done
wait_until 10 "the last of several" answers "$second" /-/healthy
wait_until 10 "their records" reloaded $((n + 1))
check "and no other address" refuses "$first" /-/healthy

# ---- another output ----

write_config "$second" text
kill -HUP "${pid[driftd]}"
wait_until 10 "a record as text" grep -q '^[^{].*configuration reloaded' "$work/records"
stop driftd || fail "driftd did not end cleanly"

# ---- what the command line says wins, and that is told ----

write_config "$first" text
run -o json --web.listen-address "127.0.0.1:$second" --web.telemetry-path /m
wait_until 20 "the address of the command line" answers "$second" /m
write_config "$blocked" auto /n
kill -HUP "${pid[driftd]}"
for setting in metrics.listen output metrics.telemetry_path; do
	wait_until 10 "the word on $setting" grep -q "configuration reloaded.*$setting is not used: --" "$work/records"
done
check "the address stays" answers "$second" /m
stop driftd || fail "driftd did not end cleanly"

# ---- a start that cannot listen ends with a word ----

block
status=0
"$bin/driftd" run -c "$work/driftd.yaml" -o text --web.listen-address 127.0.0.1:0 --web.listen-address "127.0.0.1:$blocked" \
	>"$work/refused" 2>&1 || status=$?
check "its status" test $status -eq 1
check "its reason" grep -q "listen on '127.0.0.1:$blocked': Address already in use" "$work/refused"
stop blocker KILL || true

# ---- signals while the clusters of a reload are being closed ----

cp -r "$source_dir/examples/demo/reference" "$work/reference"
start_apisim --load "$source_dir/examples/demo/cluster.json"
set_team nobody
: >"$work/records"
configure "$work/reference"
start_driftd_ready
drifted() { metric_is "driftd_objects_drifted{kube_cluster=\"$cluster\",severity=\"$1\"}" 1; }
wait_until 10 "the drift" drifted warning
for severity in error notice critical error notice critical error notice critical info; do
	sed -i '/^    severity:/d; s/^    path:.*/&\n    severity: '$severity'/' "$work/driftd.yaml"
	kill -HUP "${pid[driftd]}"
	sleep 0.01
done
wait_until 20 "the last configuration" drifted info
stop driftd || fail "driftd did not end cleanly"

# ---- a signal while a cluster that its kubeconfig leads elsewhere is being closed: one after the other ----

: >"$work/records"
start_driftd_ready
for server in localhost 127.0.0.1 localhost 127.0.0.1; do # its change counts after a while, which passes while nothing runs
	n=$(reloads)
	sed -i -E "s#https://[^:]*:#https://$server:#" "$work/kubeconfig"
	sleep 0.05
	kill -STOP "${pid[driftd]}"
	sleep 0.3
	kill -HUP "${pid[driftd]}"
	kill -CONT "${pid[driftd]}"
	wait_until 20 "the reload" reloaded $((n + 1))
	wait_until 20 "its cluster" drifted info
	settled=$(curl -sf "$web/status.json" | jq -r .configuration.state)
	check "nothing is left of it" test "$settled" = settled
	check "so says the metric" metric_is 'driftd_config_state{state="settled"}' 1
done
stop driftd || fail "driftd did not end cleanly"
