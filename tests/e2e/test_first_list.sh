#!/usr/bin/env bash
# A first list is judged by threads while it comes, as a stream or in pages. What is told, counted and known afterwards is the same as where
# each object is judged by the loop, in its turn. test_first_list.sh [OBJECTS]: 2500 by default.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"
objects=${1:-2500}

reference "$work/maps" anyOf map.yaml+ whole.yaml
template "$work/maps/map.yaml" v1 ConfigMap "$any_name" many <<'Y'
data: {v: "1", mode: '{{ .data.mode }}'}
Y
template "$work/maps/whole.yaml" v1 ConfigMap "$any_name" whole <<'Y'
data: {v: "1"}
Y
reference "$work/labels" anyOf labels.yaml+
template "$work/labels/labels.yaml" v1 ConfigMap "$any_name" many <<'Y'
  labels: {team: platform}
Y

# Large enough to be packed: what the daemon keeps open is bounded. Some differ in a value, some in a label, and some are of no
# template.
jq -nc --argjson n "$objects" '{apiVersion: "v1", kind: "List", items: [range($n) | {apiVersion: "v1", kind: "ConfigMap",
	metadata: {name: "m-\(.)", namespace: (if . % 50 == 7 then "whole" elif . % 50 == 9 then "other" else "many" end),
		labels: {team: (if . % 40 == 3 then "café" else "platform" end)}},
	data: {v: (if . % 20 == 5 then "2" else "1" end), mode: "m-\(. % 3)", pad: ("\(.) \"quoted\" " * 250)}}]}' >"$work/list.json"

config() {
	configure "$work/maps"
	cat >"$work/driftd.yaml" <<Y
clusters:
  - {name: $cluster, kubeconfig: $work/kubeconfig, references: [maps, labels]}
references:
  - {name: maps, path: $work/maps/metadata.yaml}
  - {name: labels, path: $work/labels/metadata.yaml}
state_dir: $work/state
flapping: {changes: 0}
Y
}

counted() { # what does not depend on time
	curl -sf "$web/metrics" | grep -E '^driftd_(objects|objects_[a-z]+|evaluations_total|evaluation_failures_total|components_[a-z]+)[{ ]'
}
all_judged_again() {
	[ "$(metric "$(of_cluster driftd_objects_drifted 'severity="warning"')")" -ge $((objects * 9 / 10)) ] &&
		metric_is driftd_queue_length 0 && metric_is "$(of_cluster driftd_objects_unmatched)" $((objects / 50))
}
all_told() { [ "$(metric driftd_records_waiting) $(metric driftd_records_deferred_current)" = "0 0" ]; }

# An object that ended the process before: nothing is judged before its turn while one is known (tests/e2e/test_crash_marker.sh).
condemn_another() {
	start_driftd
	stop driftd || fail "driftd did not end cleanly"
	python3 - "$work/state/in-hand" <<-'EOF'
		import struct, sys
		with open(sys.argv[1], "r+b") as f:
		    assert f.read(8) == b"driftd3\0"
		    f.write(struct.pack("<IiII", 1, 6, 0, 0))
		    for text in ("elsewhere", "v1", "ConfigMap", "d", "bad", "1", "1"):
		        f.write(text.encode().ljust(256, b"\0"))
	EOF
}

round() { # round NAME [APISIM-OPTIONS...]
	local name=$1
	shift
	apisim_port=0
	rm -rf "$work/tls" "$work/state" "$work/records"
	start_apisim "$@"
	request -X POST "$server/_apisim/load" --data-binary "@$work/list.json" -o /dev/null || fail "load"
	config
	[ "$name" != in_turn ] || condemn_another
	rm -f "$work/records"
	start_driftd_ready
	wait_until 120 "all to be told" all_told
	counted >"$work/counted.$name"
	said | grep ' ConfigMap ' | sort >"$work/said.$name" # a storm depends on time
	: >"$work/records"
	# Who wrote, and who removed, is known of what was packed by a thread.
	api PATCH /api/v1/namespaces/many/configmaps/m-0 '{"data":{"v":"9"}}' kubectl-edit
	wait_until 30 "a later drift" has_record '.DRIFTD_NAME == "m-0" and .DRIFTD_MANAGER == "kubectl-edit"'
	api PATCH /api/v1/namespaces/many/configmaps/m-1 '{"data":{"v":null}}' kubectl-patch
	wait_until 30 "a later removal" begins '.DRIFTD_NAME == "m-1" and .DRIFTD_PATH == "data.v"'
	api PATCH /api/v1/namespaces/many/configmaps/m-2 '{"data":{"pad":"short"}}' kubectl-edit
	api PATCH /api/v1/namespaces/many/configmaps/m-2 '{"data":{"v":"8"}}' kubectl-edit
	wait_until 30 "a drift behind a change that nobody sees" begins '.DRIFTD_NAME == "m-2" and .DRIFTD_ACTUAL == "\"8\""'
	jq -r '[.DRIFTD_EVENT, .DRIFTD_NAME, .DRIFTD_PATH, .DRIFTD_ACTUAL, .DRIFTD_MANAGER] | map(. // "-" | tostring) | join(" ")' \
		"$work/records" | sort >"$work/later.$name"
	# All are judged again, as they are kept.
	sed -i 's/v: "1"/v: "3"/' "$work/maps/map.yaml"
	: >"$work/records"
	kill -HUP "${pid[driftd]}"
	wait_until 120 "a new reference to be counted" all_judged_again
	counted | grep -v evaluation >"$work/again.$name"
	sed -i 's/v: "3"/v: "1"/' "$work/maps/map.yaml"
	stop driftd || fail "driftd did not end cleanly"
	stop apisim || true
}

round in_turn
round streamed
round paged --no-watch-list
check "some drift was told" test "$(grep -c '^begin ConfigMap' "$work/said.in_turn")" -gt $((objects / 20))
same() { diff "$work/$1.in_turn" "$work/$1.streamed" && diff "$work/$1.in_turn" "$work/$1.paged"; }
check "the same is told" same said
check "and counted" same counted
check "of later changes too" same later
check "and by another reference" same again
