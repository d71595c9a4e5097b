#!/usr/bin/env bash
# Alertmanagers that hang, lie, answer without end or repeat what they were sent: each costs only itself. What they say ends nothing
# elsewhere, no turn of the loop is long, memory stays bounded, and a token comes out of nowhere. test_alertmanager_hostile.sh [OBJECTS]
. "$(dirname "$0")/lib.sh"
for tool in jq python3; do command -v $tool >/dev/null || skip "no $tool"; done
objects=${1:-1000}
token_text=QzAlertToken4711
port=$(free_port)
am=http://127.0.0.1:$port
mkdir "$work/said"
ways=(good hang slow endless endless-post drip head garbage echo echo-version echo-length redirect 500 404 others cut)
urls() { # urls WAY...
	local list=''
	for way; do list+="$am/$way, "; done
	echo "[${list%, }]"
}
start_am() { start am python3 -u "$here/data/hostile_alertmanager.py" "$port" "$work/said"; }
start_am

generate() { # generate VALUE [COUNT]
	jq -nc --argjson n "${2:-$objects}" --arg v "$1" '{apiVersion: "v1", kind: "List", items: [range($n) |
		{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "m-\(.)", namespace: "n-\(. % 100)"}, data: {v: $v}}]}' >"$work/objects.json"
	request -X POST "$server/_apisim/load" --data-binary "@$work/objects.json" -o /dev/null || fail "load"
}
n_open() { [ "$(curl -sf "$am/good/api/v2/alerts" | jq length)" = "$1" ]; } # n_open COUNT: at the good one
of_am() { metric "driftd_alertmanager_$1{alertmanager=\"$am/$2\"}"; }          # of_am FAMILY WAY
of_am_is() { [ "$(of_am "$1" "$2")" = "$3" ]; }
failed() { # failed WAY
	curl -sf "$web/metrics" | awk -v way="$am/$1\"" '/^driftd_alertmanager_post_failures_total/ && index($0, way) { n += $NF } END { exit !n }'
}
resident() { awk '/^VmHWM/ { print $2 }' "/proc/${pid[driftd]}/status"; } # the most, in kB

printf '%s\n' "$token_text" >"$work/token"
reference "$work/reference" anyOf map.yaml+
template "$work/reference/map.yaml" v1 ConfigMap "$any_name" "$any_namespace" <<<'data: {v: "1"}'
start_apisim
configure "$work/reference" "alertmanager: {urls: $(urls "${ways[@]}"), auth: {bearer_token_file: $work/token}}"
generate 1
begun=$SECONDS
start_driftd_ready
generate 2
wait_until 60 "the good one to have all" n_open "$objects"
for way in endless endless-post head garbage echo echo-version echo-length redirect 500 404 cut; do
	wait_until 60 "$way to fail" failed "$way"
done
for way in hang redirect 500 404 cut head garbage; do check "$way has nothing" of_am_is undelivered "$way" "$objects"; done
# What answers a question for longer than a minute is posted to without an answer.
of_am_is undelivered drip "$objects" || [ $((SECONDS - begun)) -ge 60 ] || fail "drip has something within a minute"
wait_until 60 "what has 100,000 alerts of others to have all" of_am_is undelivered others 0
generate 1 $((objects / 2))
wait_until 60 "half of them to end" n_open $((objects - objects / 2))
check "nobody ended what is open, but" test "$(awk '$2 == "over"' "$work/said/good.posts" | sort -u | wc -l)" -le $((objects / 2))
curl -sf "$web/metrics" >"$work/metrics.txt"
curl -sf "$web/" >"$work/page.html"
curl -sf "$web/status.json" >"$work/status.json"
no_secret "$token_text" "$(printf %s "$token_text" | base64)" -- \
	"$work/metrics.txt" "$work/page.html" "$work/status.json" "$work/records" -- \
	"$work/driftd.err.log"
check "no turn of the loop took seconds" test "$(sed -n 's/^driftd_loop_turn_seconds_bucket{le="2.5"} //p' "$work/metrics.txt")" = \
	"$(sed -n 's/^driftd_loop_turn_seconds_count //p' "$work/metrics.txt")"

# ---- others: one whose clock is mad, one that claims 300,000 alerts to be driftd's, and a token that is wrong for a while ----

echo wrong >"$work/token.new" && mv "$work/token.new" "$work/token"
sed -i "s|urls: \[.*\]|urls: $(urls good date ours wants)|" "$work/driftd.yaml"
kill -HUP "${pid[driftd]}"
generate 2 $((objects / 4))
left=$((objects - objects / 2 + objects / 4))
wait_until 60 "others to have begun" n_open $left
wait_until 60 "a mad clock to have all" of_am_is undelivered date 0
check "the wrong token is refused" of_am_is undelivered wants $left
asks() { # asks WAY RESULT TEXT: check-config --connect says so of it
	sed "s|^alertmanager: .*|alertmanager: {urls: [$am/$1], auth: {bearer_token_file: $work/token}}|" "$work/driftd.yaml" >"$work/asks.yaml"
	"$bin/driftd" check-config -c "$work/asks.yaml" --connect -o json >"$work/asks.json" 2>>"$work/asks.err" || true
	check "check-config --connect of $1: $(cat "$work/asks.json")" jq -e --arg result "$2" --arg text "$am/$1: $3" \
		'.checks[] | select(.check == "alertmanager") | .result == $result and (.detail | startswith($text))' "$work/asks.json"
}
asks good ok "it answers"
asks wants failed "it answers 401: the credentials are not those"
asks redirect failed "it answers 302"
asks endless failed ""
no_secret wrong -- "$work/asks.json" -- "$work/asks.err"
printf '%s\n' "$token_text" >"$work/token.new" && mv "$work/token.new" "$work/token"
asks wants ok "it answers"
asks echo failed ""
no_secret "$token_text" -- "$work/asks.json" -- "$work/asks.err"
wait_until 60 "the right token to be taken" of_am_is undelivered wants 0
stop driftd || fail "it did not end cleanly"
