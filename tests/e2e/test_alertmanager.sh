#!/usr/bin/env bash
# Open findings in real Alertmanagers: begin, go on and end, whoever of them is killed, stopped or away, which host leads, and what the
# clock says; a team's route, a storm of one cause, a silence. test_alertmanager.sh [FINDINGS]: 5000 by default.
command -v prometheus-alertmanager >/dev/null && command -v amtool >/dev/null || { echo "skipped: no Alertmanager" && exit 77; }
. "$(dirname "$0")/leader.sh"
objects=${1:-5000}
namespaces=$((objects / 50 + 1)) # so many that none has a flood
step=$((objects / 20))
patience=60

# ---- Alertmanagers ----

declare -A am=()
alertmanager() { # alertmanager NAME
	am[$1]=${am[$1]:-$(free_port)}
	start "am-$1" prometheus-alertmanager --config.file "$work/am.yaml" --storage.path "$work/am-$1" --cluster.listen-address= \
		--web.listen-address "127.0.0.1:${am[$1]}" --log.level=warn
	wait_until 20 "Alertmanager $1" curl -sf "http://127.0.0.1:${am[$1]}/-/ready"
}
alerts() { # alerts NAME: ids of the findings that it has as alerts
	curl -sf "http://127.0.0.1:${am[$1]}/api/v2/alerts?active=true&silenced=true&inhibited=true" | jq -r '.[].labels.drift_id' | sort
}
findings() { # findings HOST: ids of those that are open
	curl -sf --unix-socket "$work/$1.sock" http://driftd/api/v1/findings | jq -r '.items[].id' | sort
}
has() { [ "$(alerts "$1" | wc -l)" -eq "$2" ]; } # has NAME COUNT
equal() { # equal HOST NAME COUNT: it has what is open, and that is so much
	findings "$1" >"$work/open.txt" && alerts "$2" >"$work/alerts.txt" && cmp -s "$work/open.txt" "$work/alerts.txt" &&
		[ "$(wc -l <"$work/open.txt")" -eq "$3" ]
}
# equals HOST NAME COUNT WHAT: within a minute, on a machine that is not busy with other things
equals() {
	local from=$SECONDS
	wait_until $patience "$2 to have the $3 that are open, $4" equal "$1" "$2" "$3"
	echo "$3 alerts, $4: $((SECONDS - from)) s"
}
of_alerts() { of "$1" "driftd_alertmanager_$2{alertmanager=\"http://127.0.0.1:$3\"}"; } # of_alerts HOST FAMILY PORT
is_of() { [ "$(of_alerts "$1" "$2" "$3")" = "$4" ]; }                                    # is_of HOST FAMILY PORT VALUE

hook_port=$(free_port)
cat >"$work/am.yaml" <<Y
route:
  receiver: nobody
  group_wait: 1s
  group_interval: 2s
  group_by: [cause]
  routes:
    - matchers: ['team="platform"', 'namespace=~"n-.*"']
      receiver: platform
receivers:
  - name: nobody
  - name: platform
    webhook_configs: [{url: "http://127.0.0.1:$hook_port/", max_alerts: 3, send_resolved: true}]
Y
check "a team's route by label" test "$(amtool config routes test --config.file "$work/am.yaml" team=platform namespace=n-1)" = platform
check "and what has none" test "$(amtool config routes test --config.file "$work/am.yaml" team=platform)" = nobody
start hook python3 -u "$here/data/hook.py" "$hook_port" "$work/posted.json"
alertmanager one
alertmanager two
am[away]=$(free_port)
way=$(free_port) # to the second
start forward python3 "$here/data/forward.py" "$way" "${am[two]}"

# ---- begin and end ----

truncate -s 8 "$work/clock"
export CLOCK_JUMP_FILE="$work/clock"
host_settings="alertmanager:
  urls: [http://127.0.0.1:${am[one]}, http://127.0.0.1:$way, http://127.0.0.1:${am[away]}]
  labels: {team: platform}
  page_url: https://driftd.example.com
  values: true"
preload="$bin/model_clock_jump.so"
jumping_host() { # jumping_host NAME: its time of day is what the test says, where that can be done
	[ -e "$preload" ] || { host "$1" && return; }
	LD_PRELOAD=$preload ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" host "$1"
}
generate 1
jumping_host a
wait_until 120 "it to be ready" is_ready a
wait_until 30 "it to lead" leads a
generate 2
equals a one $objects "all begun"
equals a two $objects "at the second"
check "an alert has its labels" jq -e '.[0].labels | .alertname == "DriftdDrift" and .job == "driftd" and .cluster == "shared" and
	.kind == "ConfigMap" and .team == "platform" and .type == "drift" and .severity == "warning" and .reference == "ref" and
	(.namespace | startswith("n-")) and (.name | startswith("m-")) and (.drift_id | length == 32) and (.cause | length == 32)' \
	<(curl -sf "http://127.0.0.1:${am[one]}/api/v2/alerts")
check "and texts" jq -e '.[0] | .annotations.link == "https://driftd.example.com/findings/" + .labels.drift_id and
	.annotations.fields == "data.v" and (.annotations.message | test("^ConfigMap n-[0-9]+/m-[0-9]+ of cluster shared differs from its " +
	"reference: data.v \"1\" → \"2\"$")) and .generatorURL == .annotations.link' <(curl -sf "http://127.0.0.1:${am[one]}/api/v2/alerts")
wait_until 10 "the metrics to agree" is_of a alerts "${am[one]}" $objects
check "nothing is due" is_of a undelivered "${am[one]}" 0
check "it is up" is_of a up "${am[one]}" 1
check "the one that is away is not" is_of a up "${am[away]}" 0
check "and gets nothing" is_of a undelivered "${am[away]}" $objects
check "the status says so" status_says a "Alertmanager http://127.0.0.1:${am[away]}: CANNOT BE POSTED TO"
hook_got() { [ "$(jq -r "$1" "$work/posted.json")" = true ]; }
wait_until 20 "one notification for all of one cause" hook_got ".truncatedAlerts >= $objects - 3 and .status == \"firing\""
generate 1 $((objects / 2))
left=$((objects - objects / 2))
equals a one $left "half of them ended"

# ---- a silence is none of driftd's ----

at() { echo "--alertmanager.url=http://127.0.0.1:${am[one]}"; }
amtool "$(at)" silence add -d 1h -a test -c test namespace=n-1 >"$work/silence.txt" || fail "amtool silence add"
silenced() { # namespaces of those that are
	[ "$(amtool "$(at)" -o json alert query -s | jq -r '[.[] | select(.status.state == "suppressed") | .labels.namespace] | unique[]')" = n-1 ]
}
wait_until 10 "alerts to be silenced" silenced
check "nothing of it is driftd's" equal a one $left
amtool "$(at)" silence expire "$(cat "$work/silence.txt")" || fail "amtool silence expire"

# ---- an Alertmanager is killed, and another one comes ----

stop am-one KILL || true
generate 1 $((objects / 2 + step))
left=$((left - step))
alertmanager one
equals a one $left "Alertmanager killed"
alertmanager away
equals a away $left "one that was away"
is_up() { is_of a up "${am[away]}" 1; }
wait_until 10 "it to be up" is_up

# ---- driftd is killed while one could not be told of an end ----

stop forward KILL || true
generate 1 $((objects / 2 + 2 * step))
left=$((left - step))
equals a one $left "no way to the second"
stop a KILL || true
start forward python3 "$here/data/forward.py" "$way" "${am[two]}"
check "the second knows nothing of it" has two $((left + step))
jumping_host a
wait_until 120 "it to be ready" is_ready a
equals a two $left "driftd killed"
stop a KILL || true
generate 2 $step
jumping_host a
wait_until 120 "it to be ready" is_ready a
left=$((left + step))
equals a one $left "driftd killed, and more begun meanwhile"

# ---- the clock of driftd's host is set, ahead and back ----

if [ -e "$preload" ]; then
	for ahead in 7200 0; do # back by as much, too: certificates are as old as this test
		python3 -c 'import struct, sys; sys.stdout.buffer.write(struct.pack("=q", int(sys.argv[1])))' $ahead 1<>"$work/clock"
		generate 1 $((step / 2))
		equals a one $((left - step / 2)) "the clock set by $ahead s"
		check "none began in the future" jq -e 'all(.[]; .startsAt | sub("[.].*"; "Z") | fromdate < now + 5)' \
			<(curl -sf "http://127.0.0.1:${am[one]}/api/v2/alerts")
		generate 2 $step
		equals a one $left "the clock set by $ahead s"
	done
fi

# ---- another host leads ----

host b
wait_until 120 "the second host to be ready" is_ready b
check "it posts nothing" is_of b posts_total "${am[one]}" 0
check "and nobody is told that it cannot" is_of b up "${am[one]}" ""
stop a KILL || true
generate 1 $step
left=$((left - step))
wait_until $((lease + 30)) "it to lead" leads b
equals b one $left "the leader killed"
equals b two $left "the leader killed"

# ---- other settings, and none ----

sed -i 's/team: platform/team: storage/' "$work/b.yaml"
kill -HUP "${pid[b]}"
of_team() { # of_team TEAM COUNT
	[ "$(curl -sf "http://127.0.0.1:${am[one]}/api/v2/alerts" | jq "[.[] | select(.labels.team == \"$1\")] | length")" -eq "$2" ]
}
wait_until $patience "alerts of the other team" of_team storage $left
wait_until $patience "none of the first" of_team platform 0
equals b one $left "other labels"

generate 1
equals b one 0 "all ended"
equals b two 0 "all ended"
stop b || fail "it did not end cleanly"
