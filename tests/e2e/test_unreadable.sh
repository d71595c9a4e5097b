#!/usr/bin/env bash
# Objects that nobody can read, among others that everybody can: each is an error under its own name, and costs no other anything.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"

reference "$work/reference" allOf map.yaml good.yaml
template "$work/reference/map.yaml" v1 ConfigMap "$any_name" d <<<'data: {v: "1"}'
template "$work/reference/good.yaml" v1 Secret good d </dev/null
start_apisim --no-watch-list
api POST /api/v1/namespaces "$(object v1 Namespace d "")" setup
api POST /api/v1/namespaces/d/secrets "$(object v1 Secret good d)" setup
for name in bad good gone; do api POST /api/v1/namespaces/d/configmaps "$(configmap $name d '{"v":"1"}')" setup; done
deep=$(printf '[%.0s' $(seq 3000))$(printf ']%.0s' $(seq 3000))
meta() { get "/api/v1/namespaces/d/configmaps/$1" | jq -c .metadata; }
broken() { # broken KIND-OF-DAMAGE: the text of object "bad"
	local body
	case $1 in
	deep) body="\"data\":$deep" ;;
	nul) body='"data":{"a\u0000b":"1"}' ;;
	key) body="\"data\":{\"$(head -c 1200000 /dev/zero | tr '\0' k)\":\"1\"}" ;;
	syntax) body='"data":{"v":tru}' ;;
	esac
	echo "{\"metadata\":$(meta bad),$body}"
}
fault() { # fault VERB KIND-OF-DAMAGE
	jq -nc --arg verb "$1" --rawfile text <(broken "$2" | tr -d '\n') '{action: "item", resource: "configmaps", verb: $verb,
		name: "bad", count: -1, text: $text}' >"$work/fault.json"
	curl -sf --cacert "$ca" -X POST "$server/_apisim/fault" -d @"$work/fault.json" -o /dev/null || fail "fault $1 $2"
}
error='.DRIFTD_NAME == "bad" and (.MESSAGE | contains("error"))'

configure "$work/reference"
for damage in deep nul syntax; do
	: >"$work/records"
	rm -rf "$work/state"
	mkdir "$work/state"
	fault list $damage
	start_driftd_ready
	wait_until 20 "$damage in a list: an error under its name" begins "$error"
	check "$damage: every kind is known" metric_is "driftd_cluster_synced{kube_cluster=\"$cluster\"}" 1
	check "$damage: no gap" metric_is "driftd_watch_gaps_current{kube_cluster=\"$cluster\"}" 0
	check "$damage: it is not missing" record_count '.DRIFTD_EVENT == "begin" and (.MESSAGE | startswith("component"))' 0
	api PATCH /api/v1/namespaces/d/configmaps/good '{"data":{"v":"2"}}' kubectl-edit
	wait_until 20 "$damage: the others are watched" begins '.DRIFTD_NAME == "good" and .DRIFTD_ACTUAL == "\"2\""'
	api PATCH /api/v1/namespaces/d/configmaps/good '{"data":{"v":"1"}}' kubectl-edit
	control fault '{"action":"recover"}'
	api PATCH /api/v1/namespaces/d/configmaps/bad "{\"data\":{\"v\":\"$damage\"}}" kubectl-edit
	wait_until 20 "$damage: readable again, and drift" begins ".DRIFTD_NAME == \"bad\" and .DRIFTD_ACTUAL == \"\\\"$damage\\\"\""
	wait_until 10 "$damage: the end of the error" ends "$error"
	api PATCH /api/v1/namespaces/d/configmaps/bad '{"data":{"v":"1"}}' kubectl-edit
	wait_until 10 "$damage: the end of the drift" ends ".DRIFTD_NAME == \"bad\" and (.MESSAGE | contains(\"drift ends\"))"
	stop driftd || fail "driftd did not end cleanly"
done

# A key that is too long for a path can be read, and is a difference like any other.
: >"$work/records"
rm -rf "$work/state"
mkdir "$work/state"
fault list key
start_driftd_ready
wait_until 20 "a long key: both differences count" begins '.DRIFTD_NAME == "bad" and .DRIFTD_PATH_COUNT == "2" and .DRIFTD_PATH == "data.v"'
control fault '{"action":"recover"}'
api PATCH /api/v1/namespaces/d/configmaps/bad '{"data":{"v":"key"}}' kubectl-edit
wait_until 20 "a long key: it is gone" changes '.DRIFTD_NAME == "bad" and .DRIFTD_PATH_COUNT == "1" and .DRIFTD_ACTUAL == "\"key\""'
check "a long key: no error" record_count "$error" 0
stop driftd || fail "driftd did not end cleanly"
