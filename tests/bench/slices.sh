#!/usr/bin/env bash
# slices.sh [OBJECTS [ACCEPTANCES [DEPENDENTS]]]: how long turns of the loop of the real daemon are at most, by processor time and by the
# clock on the wall, and how many of them take more than 50 ms of processor time,
#   while ACCEPTANCES (10000) deviations of OBJECTS (50000) that drift are accepted one by one, listed, and taken over from driftd.yaml;
#   while one acceptance ends all of the drifts, and is taken back;
#   while the cluster and the template of the findings are renamed;
#   while an object changes that DEPENDENTS (10000) others look up, once and ten times a second;
#   while inspection rules of the phase main look at each event of 5000.
# PARTS: which of accepted, renamed, looked_up, inspected.
. "$(dirname "$0")/../e2e/lib.sh"
objects=${1:-50000} acceptances=${2:-10000} dependents=${3:-10000}
PARTS=${PARTS:-accepted renamed looked_up inspected}
export DRIFTD_SOCKET=$work/control.sock TURN_CLOCK=$work/turns

show() { # show WHAT: since the last time
	python3 - "$TURN_CLOCK" "$work/shown" "$1" "$(cpu)" <<'P'
import mmap, os, struct, sys
path, shown, what, cpu = sys.argv[1:]
with open(path, "rb") as file:
    turns = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
n = struct.unpack_from("I", turns, 0)[0]
first, cpu_before = map(float, open(shown).read().split()) if os.path.exists(shown) else (0, 0)
pairs = list(struct.iter_unpack("II", turns[8 + 8 * int(first):8 + 8 * n]))
wall, own = (max((p[i] for p in pairs), default=0) / 1e4 for i in (0, 1))
print("%-58s longest turn %7.1f ms (%7.1f by the wall), %3d above 50 ms, %6.2f CPU s" % (
    what, own, wall, sum(p[1] > 500000 for p in pairs), float(cpu) - cpu_before), flush=True)
open(shown, "w").write("%d %s" % (n, cpu))
P
}
cpu() { metric process_cpu_seconds_total; }
begin() { # begin: a driftd of its own, with its turns counted
	rm -rf "$TURN_CLOCK" "$work/shown" "$work/state" "$work/records"
	mkdir "$work/state"
	LD_PRELOAD=$bin/libturn_clock.so start_driftd
	wait_until 300 "driftd to be ready" ready
	quiet
}
open_are() { [ "$(curl -sf "$web/metrics" | awk '/^driftd_objects_drifted{/ { n += $NF } END { print n + 0 }')" = "$1" ]; }
# quiet: nothing waits to be judged or written, twice in a row
quiet() {
	wait_until 120 "what waits" quiet_now
	sleep 1
	wait_until 120 "what waits" quiet_now
	sleep 1
}
quiet_now() {
	curl -sf "$web/metrics" | awk '/^driftd_(queue_length|records_waiting)/ { n += $NF } END { exit n != 0 }'
}
request() { # request METHOD PATH [BODY]: by the control socket
	curl -sf --unix-socket "$DRIFTD_SOCKET" -X "$1" ${3:+-H "Content-Type: application/json" -d "$3"} -o "$work/answer" "http://localhost$2"
}
accept() { # accept NAME REASON: what an acceptance is, as JSON
	echo "{\"kind\": \"ConfigMap\", \"namespace\": \"many\", \"name\": \"$1\", \"path\": \"data\", \"reason\": \"$2\", \"owner\": \"o\"}"
}
generate() { # generate JSON
	curl -sf --cacert "$ca" -X POST "$server/_apisim/generate" -d "$1" -o /dev/null
}
maps() { # maps PREFIX COUNT [MORE]
	generate "{\"resource\": \"configmaps\", \"namespace\": \"many\", \"prefix\": \"$1\", \"count\": $2,
		\"object\": {\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"data\": {\"v\": \"2\", \"text\": \"$(printf '%0300d' 7)\"}}${3:-}}"
}
reload() { # reload: the configuration that was written
	local loaded
	loaded=$(metric driftd_config_last_reload_success_timestamp_seconds)
	kill -HUP "${pid[driftd]}"
	reloaded() { ! metric_is driftd_config_last_reload_success_timestamp_seconds "$loaded"; }
	wait_until 60 "the reload" reloaded
	quiet
}
accept_each() { # all but one, four at a time
	python3 - "$DRIFTD_SOCKET" $((acceptances - 1)) <<'P'
import http.client, json, socket, sys, threading
path, count = sys.argv[1], int(sys.argv[2])
class Connection(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(path)
def some(first):
    c = Connection("localhost")
    for i in range(first, count, 4):
        c.request("POST", "/api/v1/accepted", json.dumps({"kind": "ConfigMap", "namespace": "many", "name": "x-%06d" % i, "path": "data",
            "reason": "for a test", "owner": "o"}), {"Content-Type": "application/json"})
        answer = c.getresponse()
        answer.read()
        if answer.status != 201:
            sys.exit("%d" % answer.status)
threads = [threading.Thread(target=some, args=(i,)) for i in range(4)]
for t in threads: t.start()
for t in threads: t.join()
P
}
updates() { # updates WHAT FIELD: of objects that drift, 500 a second
	local before
	before=$(metric driftd_evaluations_total)
	maps x- "$objects" ', "rate": 500, "seconds": 4, "field": "data.'"$2"'"'
	sleep 5
	quiet
	show "$1 ($(($(metric driftd_evaluations_total) - before)) judged)"
}

configured() { # configured LINES: driftd.yaml
	configure "$work/reference" "control_socket: $DRIFTD_SOCKET
${1:-}"
}
part_accepted() {
	local i
	reference "$work/reference" anyOf map.yaml+
	template "$work/reference/map.yaml" v1 ConfigMap "$any_name" "$any_namespace" <<<'data: {v: "1", u1: x, u2: x, u3: x}'
	configured
	start_apisim
	maps x- "$objects"
	begin
	show "$objects objects that drift are listed"
	updates "2000 updates" u1
	request POST /api/v1/accepted "$(accept '*' all)"
	wait_until 120 "the ends" open_are 0
	quiet
	show "one acceptance ends $objects drifts"
	request DELETE "/api/v1/accepted/$(jq -r .id "$work/answer")"
	wait_until 120 "the drifts" open_are "$objects"
	quiet
	show "it is taken back"
	accept_each
	wait_until 120 "the ends" open_are $((objects - acceptances + 1))
	quiet
	show "$((acceptances - 1)) are made, each for one object"
	request POST /api/v1/accepted "$(accept x-0499990 'one more')"
	quiet
	show "one more"
	request GET /api/v1/accepted
	show "GET /api/v1/accepted, $(wc -c <"$work/answer") bytes"
	"$bin/driftd" accept list >"$work/listed"
	show "driftd accept list"
	updates "2000 updates" u2
	stop driftd || fail "driftd did not end cleanly"
	{
		echo "accepted:"
		for ((i = 0; i < acceptances; i++)); do
			printf '  - {kind: ConfigMap, namespace: many, name: x-%06d, path: data, reason: configured}\n' $((objects - 1 - i))
		done
	} >"$work/accepted.yaml"
	begin
	show "a start without them"
	configured "$(<"$work/accepted.yaml")"
	reload
	show "a reload brings $acceptances of driftd.yaml"
	updates "2000 updates" u3
	configured
	reload
	show "a reload takes them away"
	stop driftd || fail "driftd did not end cleanly"
	stop apisim || true
}
part_renamed() {
	reference "$work/reference" anyOf map.yaml+
	template "$work/reference/map.yaml" v1 ConfigMap "$any_name" "$any_namespace" <<<'data: {v: "1"}'
	configured
	start_apisim
	maps x- "$objects"
	begin
	show "$objects objects that drift are listed"
	sed -i 's/name: ref$/name: other/' "$work/driftd.yaml"
	reload
	show "the reference is renamed"
	sed -i "s/name: $cluster\$/name: another/" "$work/driftd.yaml"
	cluster=another
	reload
	wait_until 120 "the drifts" open_are "$objects"
	show "the cluster is renamed"
	stop driftd || fail "driftd did not end cleanly"
	stop apisim || true
	cluster=
}
part_looked_up() {
	local i
	reference "$work/reference" anyOf map.yaml+
	template "$work/reference/map.yaml" v1 ConfigMap "$any_name" many <<-'Y'
		{{- $s := lookupCR "v1" "ConfigMap" "settings" "s" }}
		data: {v: {{ $s.data.v | quote }}}
	Y
	configured
	start_apisim
	control load "$(configmap s settings '{"v":"2"}')"
	maps x- "$dependents"
	begin
	show "$dependents objects that look one up are listed"
	control load "$(configmap s settings '{"v":"2","w":"1"}')"
	quiet
	show "it changes"
	for ((i = 0; i < 100; i++)); do
		control load "$(configmap s settings "{\"v\":\"2\",\"w\":\"$i\"}")"
		sleep 0.1
	done
	quiet
	show "it changes ten times a second for ten seconds"
	control load "$(configmap s settings '{"v":"3"}')"
	wait_until 120 "the drifts" open_are "$dependents"
	quiet
	show "all drift by it"
	for ((i = 0; i < 100; i++)); do
		control load "$(configmap s settings "{\"v\":\"$((i % 2 + 2))\"}")"
		sleep 0.1
	done
	quiet
	show "they begin and end to, ten times a second"
	stop driftd || fail "driftd did not end cleanly"
	stop apisim || true
}
part_inspected() {
	local rules condition
	reference "$work/reference" anyOf map.yaml+
	template "$work/reference/map.yaml" v1 ConfigMap "$any_name" many <<<'data: {v: "2"}'
	start_apisim
	maps x- 5000
	for rules in none early main; do
		condition="{op: eq, args: [\"{node.data[$rules]}\", never]}"
		[ $rules != main ] || condition='{op: eq, args: ["{inventory[drifted]}", "{node.data[main]}"]}'
		echo "[{phase: $rules, conditions: [$condition], actions: [{op: fail, args: [m]}]}]" >"$work/rules.yaml"
		configured "$([ $rules = none ] || echo "inspection_rules: {built_in: $work/rules.yaml}")"
		begin
		show "rules: $rules: 5000 objects are listed"
		maps x- 5000 ', "rate": 1000, "seconds": 5, "field": "data.'$rules'"'
		sleep 6
		quiet
		show "rules: $rules: 5000 updates"
		stop driftd || fail "driftd did not end cleanly"
	done
	stop apisim || true
}
for part in $PARTS; do "part_$part"; done
