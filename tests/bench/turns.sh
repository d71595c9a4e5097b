#!/usr/bin/env bash
# turns.sh [MEGABYTES [OBJECTS]]: how long turns of the loop are, by the wall clock, while the real daemon lists pages with MEGABYTES (100)
# config maps of 1 MB and OBJECTS (20000) small ones, answers with all that is open, and closes the cluster for a reload to watch it anew.
. "$(dirname "$0")/../e2e/lib.sh"
large=${1:-100} small=${2:-20000}

above() { # above SECONDS: turns that took longer
	curl -sf "$web/metrics" | awk -v le="le=\"$1\"" '/^driftd_loop_turn_seconds_bucket/ && index($0, le) { n = $NF }
		/^driftd_loop_turn_seconds_count/ { print $NF - n }'
}
show() { # show WHAT: since the last time
	local now=() bounds=(0.025 0.05 0.1 0.25) i
	for i in "${!bounds[@]}"; do now[i]=$(above "${bounds[i]}"); done
	printf '%-44s' "$1"
	for i in "${!bounds[@]}"; do printf ' %4d above %s s' $((now[i] - ${before[i]:-0})) "${bounds[i]}"; done
	echo
	before=("${now[@]}")
}
fetch() { # fetch WHAT PATH: shows how long it takes
	curl -sf -o "$work/fetched" "$web$2" -w "$1: %{size_download} bytes, the first after %{time_starttransfer} s, all after %{time_total} s\n"
}
before=()

reference "$work/reference" anyOf map.yaml+
template "$work/reference/map.yaml" v1 ConfigMap "$any_name" "$any_name" <<<'data: {v: "1"}'
start_apisim --no-watch-list
generate() { # generate NAMESPACE COUNT TEXT
	jq -nc --arg n "$1" --argjson count "$2" --rawfile text "$3" '{resource: "configmaps", namespace: $n, prefix: "x-", count: $count,
		object: {apiVersion: "v1", kind: "ConfigMap", data: {v: "1", text: $text}}}' >"$work/generate.json"
	curl -sf --cacert "$ca" -X POST "$server/_apisim/generate" -d @"$work/generate.json" -o /dev/null
}
head -c 1000000 /dev/zero | tr '\0' t >"$work/large"
head -c 300 /dev/zero | tr '\0' t >"$work/small"
generate large "$large" "$work/large"
generate small "$small" "$work/small"
configure "$work/reference"
start_driftd
wait_until 300 "driftd to be ready" ready
show "listing $large objects of 1 MB, $small small ones"
fetch "the list of open findings" /api/v1/findings
mv "$work/fetched" "$work/list.json"
show "$(jq .count "$work/list.json") open findings, listed"
fetch "the status page" /
fetch "the last of its pages" "/?page=1000000"
fetch "one that is filtered" "/?type=drift&severity=warning"
show "the status page"
loaded=$(metric driftd_config_last_reload_success_timestamp_seconds)
echo 'sensitive_fields: [nothing]' >>"$work/driftd.yaml"
kill -HUP "${pid[driftd]}"
reloaded() { ! metric_is driftd_config_last_reload_success_timestamp_seconds "$loaded"; }
wait_until 60 "the reload" reloaded
sleep 5
show "reload that watches the cluster anew"
stop driftd || fail "driftd did not end cleanly"
