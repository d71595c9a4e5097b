#!/usr/bin/env bash
# A storm in one cluster hides nothing of another one, nothing of it is lost, also not by kill -9, and what is over before it is told is one
# record. test_flood.sh [OBJECTS]: 1500 by default.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"
objects=${1:-1500}

generate() { # generate VALUE: the objects of the storm, all at once
	jq -nc --argjson n "$objects" --arg v "$1" '{apiVersion: "v1", kind: "List", items: [range($n) | {apiVersion: "v1", kind: "ConfigMap",
		metadata: {name: "m-\(.)", namespace: "many"}, data: {v: $v}}]}' >"$work/storm.json"
	request -X POST "$server/_apisim/load" --data-binary "@$work/storm.json" -o /dev/null || fail "load"
}
usec_of() { records "$1" | jq -r .__REALTIME_TIMESTAMP | sort -n; }
distinct() { records "$1" | jq -r .DRIFTD_RECORD_ID | sort -u | wc -l; }

reference "$work/stormy" anyOf map.yaml+
template "$work/stormy/map.yaml" v1 ConfigMap "$any_name" many <<<'data: {v: "1"}'
start_shop
cp "$work/kubeconfig" "$work/quiet.kubeconfig"
quiet=$server
pid[quiet]=${pid[apisim]}
unset "pid[apisim]"
apisim_port=0
mv "$work/tls" "$work/quiet.tls" && quiet_ca=$work/quiet.tls/ca.crt
start_apisim
generate 1
cluster=stormy
cat >"$work/driftd.yaml" <<Y
clusters:
  - {name: stormy, kubeconfig: $work/kubeconfig, references: [stormy]}
  - {name: quiet, kubeconfig: $work/quiet.kubeconfig, references: [shop]}
references:
  - {name: stormy, path: $work/stormy/metadata.yaml}
  - {name: shop, path: $source_dir/examples/demo/reference/metadata.yaml, component_severity: {web: critical}}
state_dir: $work/state
Y
mkdir -p "$work/state"
start_driftd_ready

generate 2
deferred() { [ "$(metric driftd_records_deferred_current)" -gt 0 ]; }
wait_until 60 "the storm" has_record '.DRIFTD_CLUSTER == "stormy" and .DRIFTD_EVENT == "begin"'
wait_until 60 "most of the storm to wait" deferred
curl -sf --cacert "$quiet_ca" -H "Authorization: Bearer $token" -X DELETE "$quiet/api/v1/namespaces/shop/configmaps/web" -o /dev/null ||
	fail "the object of the quiet cluster cannot be deleted"
wait_until 30 "what is critical elsewhere" begins '.DRIFTD_CLUSTER == "quiet"'
wait_until 10 "the storm to be told of" has_record '.DRIFTD_EVENT == "storm"'
stop driftd KILL || true
start_driftd
begun() { [ "$(distinct '.DRIFTD_CLUSTER == "stormy" and .DRIFTD_EVENT == "begin"')" -eq "$objects" ]; }
wait_until $((60 + objects / 100)) "every begin" begun
wait_until 20 "its summary" has_record '.DRIFTD_EVENT == "storm" and (.MESSAGE | startswith("storm over"))'
check "nothing else of it" test "$(distinct '.DRIFTD_CLUSTER == "stormy" and .DRIFTD_KIND != null')" -eq "$objects"
first=$(usec_of '.DRIFTD_CLUSTER == "stormy" and .DRIFTD_EVENT == "begin"' | sed -n 1p)
last=$(usec_of '.DRIFTD_CLUSTER == "stormy" and .DRIFTD_EVENT == "begin"' | tail -n 1)
critical=$(usec_of '.DRIFTD_CLUSTER == "quiet" and .DRIFTD_EVENT == "begin"' | sed -n 1p)
echo "$objects begins within $(((last - first) / 1000)) ms; the critical one of the other cluster after $(((critical - first) / 1000)) ms"
check "what is critical elsewhere did not wait for the storm" test "$critical" -lt "$last"

# ---- begun and ended before it is told ----

generate 1
ended() { [ "$(distinct '.DRIFTD_CLUSTER == "stormy" and .DRIFTD_EVENT == "end"')" -eq "$objects" ]; }
wait_until $((60 + objects / 100)) "every end" ended
generate 3
wait_until 30 "the next storm to be seen" metric_is 'driftd_objects_drifted{kube_cluster="stormy",severity="warning"}' "$objects"
generate 1
wait_until 30 "its end to be seen" metric_is 'driftd_objects_drifted{kube_cluster="stormy",severity="warning"}' 0
idle() { [ "$(metric driftd_records_deferred_current) $(metric driftd_records_waiting)" = "0 0" ]; }
wait_until $((60 + objects / 100)) "all to be told" idle
merged='.DRIFTD_CLUSTER == "stormy" and .DRIFTD_MERGED == "1"'
check "some were over before they were told" has_record "$merged"
check "with all that there is to say" has_record "$merged and .DRIFTD_EVENT == \"end\" and .PRIORITY == \"4\" and
	.DRIFTD_EXPECTED == \"\\\"1\\\"\" and .DRIFTD_ACTUAL == \"\\\"3\\\"\" and .DRIFTD_DURATION_USEC != null and
	(.MESSAGE | startswith(\"drift began and ended, after \"))"
told=$(records '.DRIFTD_CLUSTER == "stormy" and .DRIFTD_DRIFT_ID != null' | jq -r '[.DRIFTD_DRIFT_ID, .DRIFTD_EVENT] | @tsv' | sort -u)
lives=$(cut -f 1 <<<"$told" | sort -u | wc -l)
check "each life is told whole" test "$lives" -eq $((2 * objects)) -a "$(grep -c 'end$' <<<"$told")" -eq $((2 * objects))
check "suppressed are those alone" test "$(metric 'driftd_journal_records_suppressed_total{reason="merged"}')" -gt 0
stop driftd || fail "driftd did not end cleanly"
