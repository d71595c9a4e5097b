#!/usr/bin/env bash
# One Alertmanager, several that post to it: a leader that was stopped for longer than its lease and wakes up, two driftds that know nothing
# of each other, two shards of one cluster; names that a hostile API server makes up; what is accepted, and what is told from other
# severities on; the example's routes for gaps.
command -v prometheus-alertmanager >/dev/null && command -v amtool >/dev/null || { echo "skipped: no Alertmanager" && exit 77; }
. "$(dirname "$0")/leader.sh"
objects=200
am_port=$(free_port)
am=http://127.0.0.1:$am_port
cp "$source_dir/examples/notify/alertmanager.yaml" "$work/am.yaml"
alertmanager() {
	start am prometheus-alertmanager --config.file "$work/am.yaml" --storage.path "$work/am" --cluster.listen-address= \
		--web.listen-address "127.0.0.1:$am_port" --log.level=warn
	wait_until 20 "Alertmanager" curl -sf "$am/-/ready"
}
alerts() { curl -sf "$am/api/v2/alerts?active=true&silenced=true&inhibited=true"; }
count() { alerts | jq "[.[] | select(.labels.drift_id and ($1))] | length"; } # count FILTER
has() { [ "$(count "$1")" -eq "$2" ]; }                                    # has FILTER COUNT
posts() { of "$1" "driftd_alertmanager_posts_total{alertmanager=\"$am\"}"; }
settings() { host_settings="alertmanager: {urls: [$am], labels: {team: ${1:-x}}, page_url: https://driftd.example.com}"; }
alertmanager

# ---- a leader is stopped for longer than its lease ----

settings
generate 2
host a
wait_until 60 "the first to lead" leads a
wait_until 60 "all to have begun" has true $objects
host b
wait_until 60 "the second to be ready" is_ready b
kill -STOP "${pid[a]}"
wait_until $((lease + 30)) "the other to lead" leads b
generate 1 100
wait_until 60 "half of them to end" has true $((objects - 100))
before=$(of b "driftd_alertmanager_posts_total{alertmanager=\"$am\"}")
wait_until 60 "it to post" test "$before" -gt 0
kill -CONT "${pid[a]}"
follows() { [ "$(of a driftd_leader)" = 0 ]; }
wait_until 60 "the first to follow" follows
for ((i = 0; i < 30; i++)); do
	has true $((objects - 100)) || fail "what woke up posted what is over: $(count true)"
	sleep 0.1
done
checks=$((checks + 1))
stop b || fail "the second did not end cleanly"
wait_until $((lease + 30)) "the first to lead again" leads a
generate 1
wait_until 60 "all to end" has true 0
stop a || fail "the first did not end cleanly"
stop etcd || true
stop apisim || true
start_apisim --no-watch-list # what it is told to put into a list is in none that comes as events

# ---- two that know nothing of each other, with the same settings ----

alone() { # alone NAME [OPTIONS...]: without another host; $host_settings
	ports[$1]=${ports[$1]:-$(free_port)}
	mkdir -p "$work/state-$1"
	cat >"$work/$1.yaml" <<-Y
		clusters: [{name: shared, kubeconfig: $work/kubeconfig}]
		references: [{name: ref, path: $work/reference/metadata.yaml}]
		state_dir: $work/state-$1
		control_socket: $work/$1.sock
		flapping: {changes: 0}
		$host_settings
	Y
	"$bin/driftd" run -c "$work/$1.yaml" -o json --web.listen-address "127.0.0.1:${ports[$1]}" "${@:2}" \
		>>"$work/records-$1" 2>>"$work/$1.err.log" &
	pid[$1]=$!
	wait_until 60 "$1 to be ready" is_ready "$1"
}
ids() { curl -sf --unix-socket "$work/$1.sock" http://driftd/api/v1/findings | jq -r '.items[].id' | sort; } # ids NAME
posted() { # posted NAME...: the alerts are what these have open
	for name; do ids "$name"; done | sort >"$work/open.txt"
	alerts | jq -r '.[].labels.drift_id' | sort | cmp -s - "$work/open.txt"
}
generate 2 20
alone x
alone y
wait_until 60 "both to have posted" posted x y
check "each its own" has true 40
stop x KILL || true
alone x
wait_until 60 "it to have asked" posted x y
generate 1 10
wait_until 60 "half of both to end" has true 20
check "by those who began them" posted x y

# ---- accepted, and not any more; other severities ----

number=$(DRIFTD_SOCKET=$work/x.sock "$bin/driftd" accept ConfigMap n-15/m-15 --reason "a test" --owner kim) || fail "accept"
number=${number##* }
wait_until 60 "what is accepted to end, of the one that was told" has '.labels.name == "m-15"' 1
check "there is no other" has true 19
DRIFTD_SOCKET=$work/x.sock "$bin/driftd" unaccept "$number" >"$work/removed.txt" 2>&1 ||
	fail "unaccept $number: $(cat "$work/removed.txt")"
wait_until 60 "it to begin again" has true 20
stop y || fail "y did not end cleanly"
sed -i 's/labels: {team: x}/labels: {team: x}, min_severity: critical/' "$work/x.yaml"
kill -HUP "${pid[x]}"
wait_until 60 "nothing to be so bad, of the one that was told" has true 10
check "what the other one posted is left alone" has true 10
sed -i 's/, min_severity: critical//' "$work/x.yaml"
kill -HUP "${pid[x]}"
wait_until 60 "all to begin again" has true 20

# ---- names that no API server has ----

stop x || fail "x did not end cleanly"
jq -nc --slurpfile more "$here/data/hostile-names.json" '{action: "item", resource: "configmaps", verb: "list", at: 1, count: -1, text: (
	["<!channel>", "@here", "[a](https://evil.example.com/)", "a\"b\\c\n{{.}}", "\u202egnp", "\u0001", ("x" * 3000), "*_~`|"] + $more[0] |
	to_entries | map({data: {v: "2"}, metadata: {name: .value, namespace: .value, uid: "hostile-\(.key)", resourceVersion: "2"}} | tojson) |
	join(","))}' >"$work/fault.json"
control fault "@$work/fault.json"
alone x
n_x() { ids x | wc -l; }
more() { [ "$(n_x)" -gt 20 ]; }
wait_until 60 "some of them to be watched" more
all_of_x() { ids x >"$work/of-x.txt" && alerts | jq -r '.[].labels.drift_id' | sort | comm -23 "$work/of-x.txt" - | { ! grep -q .; }; }
wait_until 60 "all of them to be posted" all_of_x
check "$(n_x) with nothing that a chat takes for more than text" jq -e 'all(.[]; [.labels, (.annotations | del(.link, .runbook_url))] |
	tostring | test("<|>|(^|[^a-z0-9])@|://|\\]\\(|\\\\u0001|\u202e") | not)' <(alerts)
check "nothing was refused" test "$(of x "driftd_alertmanager_post_failures_total{alertmanager=\"$am\",reason=\"refused\"}")" = 0
stop x || fail "x did not end cleanly"

# ---- two shards ----

stop am KILL || true
rm -r "$work/am"
alertmanager
alone s0 --shard 0 --total-shards 2
alone s1 --shard 1 --total-shards 2
wait_until 60 "both to have posted theirs" posted s0 s1
stop s0 KILL || true
alone s0 --shard 0 --total-shards 2
generate 1 15
wait_until 60 "theirs to end" posted s0 s1
check "and both have some" test "$(ids s0 | wc -l)" -gt 0 -a "$(ids s1 | wc -l)" -gt 0

# ---- the example's inhibition: a gap that is posted mutes Prometheus' word for gaps ----

gap() { amtool --alertmanager.url="$am" alert add alertname="$1" severity=warning "${@:2}" || fail "amtool alert add $1"; }
muted() { alerts | jq -e --argjson yes "$1" '[.[] | select(.labels.alertname == "DriftdWatchGap")] |
	length == 1 and ((.[0].status.inhibitedBy | length > 0) == $yes)'; }
gap DriftdWatchGap instance=h kube_cluster=prod
wait_until 20 "Prometheus' word to be told" muted false
gap DriftdGap drift_id=00000000000000000000000000000001 cluster=prod
wait_until 20 "it to be muted" muted true
