#!/usr/bin/env bash
# The life of a CustomResourceDefinition while its objects are drifted: deleted, made again, rescoped, a version not served and served
# again, the storage version moved. Always against the modern server: the old one crashes over custom resources.
. "$(dirname "$0")/lib.sh"
set -- modern
. "$(dirname "$0")/control_plane.sh"
command -v jq >/dev/null || skip "no jq"

group=e2e.example.com
schema='{"type":"object","properties":{"spec":{"type":"object","properties":{"size":{"type":"integer"}}}}}'
tools() { crd Namespaced Tool tools $group "$schema" "$@"; } # tools VERSION...: their definition
gauges() { crd "$1" Gauge gauges $group "$schema" v1; }      # gauges SCOPE
tool() { object $group/v1 Tool wonky shop "\"spec\":{\"size\":$1}"; }
gauge() { object $group/v1 Gauge wonky "$1" '"spec":{"size":4}'; } # gauge NAMESPACE
version_path() { echo /apis/$group/$1/namespaces/shop/tools; }     # version_path VERSION
gauges_path() { echo "/apis/$group/v1${1:+/namespaces/$1}/gauges"; } # gauges_path NAMESPACE
define() { # define DEFINITION: creates it and waits until its kind is served
	api POST $crds "$1" setup
	wait_until 30 "the server to know the kind" established "$(jq -r .metadata.name <<<"$1")"
}
established() { [ "$(get "$crds/$1" | jq -r '.status.conditions[]? | select(.type == "Established") | .status')" = True ]; }
undefine() { # undefine NAME: deletes the definition, and its objects with it
	api DELETE "$crds/$1"
	wait_until 30 "the definition to be gone" is_gone "$crds/$1"
}
is_gone() { [ "$(curl -s --cacert "$ca" -H "Authorization: Bearer $token" -o /dev/null -w '%{http_code}' "$server$1")" = 404 ]; }
serve() { # serve VERSION true|false
	local index
	index=$(get $crds/tools.$group | jq "[.spec.versions[].name] | index(\"$1\")")
	request -X PATCH -H 'Content-Type: application/json-patch+json' "$server$crds/tools.$group?fieldManager=setup" \
		-d "[{\"op\":\"replace\",\"path\":\"/spec/versions/$index/served\",\"value\":$2}]" -o "$work/answer.json" ||
		fail "serve $1 $2: no success"
}
answers() { get "$(version_path "$1")"; }
answers_not() { is_gone "$(version_path "$1")"; }
create() { request -H 'Content-Type: application/json' "$server$1?fieldManager=setup" -d "$2" -o "$work/answer.json"; }

# Drift of the tool as version $1 sees it, of the gauge, and what is told of components.
old='.DRIFTD_KIND == "Tool" and .DRIFTD_API_VERSION == "e2e.example.com/v1alpha1"'
new='.DRIFTD_KIND == "Tool" and .DRIFTD_API_VERSION == "e2e.example.com/v1"'
gauge='.DRIFTD_KIND == "Gauge" and (.MESSAGE | startswith("drift "))'
counts() { record_count ".DRIFTD_EVENT == \"$1\" and ($2)" "$3"; } # counts EVENT FILTER NUMBER
silent() { # silent WHAT: nothing was told since $before was counted
	check "no record of $1: $(tail -n 3 "$work/records" | jq -c .MESSAGE)" test "$(wc -l <"$work/records")" -eq "$before"
}

start_control_plane
api POST "$(path_of Namespace)" "$(object v1 Namespace shop "")" setup
define "$(tools v1 v1alpha1)"
define "$(gauges Namespaced)"
wait_until 30 "tools to be taken" create "$(version_path v1)" "$(tool 4)"
wait_until 30 "gauges to be taken" create "$(gauges_path shop)" "$(gauge shop)"
reference "$work/reference" allOf alpha.yaml+ tool.yaml+ gauge.yaml+
template "$work/reference/alpha.yaml" $group/v1alpha1 Tool wonky shop <<<'spec: {size: 3}'
template "$work/reference/tool.yaml" $group/v1 Tool wonky shop <<<'spec: {size: 3}'
{ template /dev/stdout $group/v1 Gauge wonky "" <<<'spec: {size: 3}'; } |
	sed 's/^  name: wonky/&\n  {{- with .metadata.namespace }}\n  namespace: {{ . }}\n  {{- end }}/' >"$work/reference/gauge.yaml"
configure "$work/reference"
start_driftd_ready
wait_until 20 "drift in all three" record_count '.DRIFTD_EVENT == "begin" and .DRIFTD_NAME == "wonky"' 3

# ---- the storage version moves: nothing of it can be seen ----

before=$(wc -l <"$work/records")
request -X PATCH -H 'Content-Type: application/json-patch+json' "$server$crds/tools.$group?fieldManager=setup" -o "$work/answer.json" -d '[
	{"op":"replace","path":"/spec/versions/0/storage","value":true},
	{"op":"replace","path":"/spec/versions/1/storage","value":false}]' || fail "the storage version cannot be moved"
stored() { [ "$(get $crds/tools.$group | jq -c .status.storedVersions)" = '["v1alpha1","v1"]' ]; }
wait_until 20 "the server to store v1" stored
rewrite() { request -X PUT -H 'Content-Type: application/json' "$server$(version_path v1)/wonky?fieldManager=migrator" \
	-d "$(get "$(version_path v1)/wonky")" -o "$work/answer.json"; }
wait_until 20 "the object to be written anew" rewrite
api PATCH "$(version_path v1)/wonky" '{"metadata":{"labels":{"touched":"1"}}}' kubectl-label
sleep 3
silent "a storage version that moved"
api PATCH "$(version_path v1)/wonky" '{"spec":{"size":5}}' kubectl-edit
wait_until 30 "the change in v1alpha1" counts change "$old and .DRIFTD_ACTUAL == \"5\"" 1
wait_until 30 "the change in v1" counts change "$new and .DRIFTD_ACTUAL == \"5\"" 1
check "the tool's drift ends nowhere" counts end '.DRIFTD_KIND == "Tool"' 0

# ---- the definition goes, and its objects with it ----

undefine gauges.$group
wait_until 60 "the drift of an object that was deleted to end" counts end "$gauge and (.MESSAGE | contains(\"object deleted\"))" 1

# ---- it comes back with the same name ----

define "$(gauges Namespaced)"
wait_until 60 "gauges to be taken again" create "$(gauges_path shop)" "$(gauge shop)"
wait_until 60 "drift of the gauge that was made anew" counts begin "$gauge" 2

# ---- the same while driftd looks away: another scope ----

kill -STOP "${pid[driftd]}"
undefine gauges.$group
define "$(gauges Cluster)"
wait_until 60 "gauges of the cluster to be taken" create "$(gauges_path "")" "$(gauge "")"
kill -CONT "${pid[driftd]}"
wait_until 90 "the end of the drift in a namespace" counts end "$gauge and .DRIFTD_NAMESPACE == \"shop\"" 2
wait_until 90 "drift of the cluster's gauge" counts begin "$gauge and .DRIFTD_NAMESPACE == null" 1

# ---- a version is not served for a moment in which driftd looks away: nothing happened ----

before=$(wc -l <"$work/records")
kill -STOP "${pid[driftd]}"
serve v1alpha1 false
wait_until 30 "the server to stop serving v1alpha1" answers_not v1alpha1
serve v1alpha1 true
wait_until 30 "the server to serve v1alpha1 again" answers v1alpha1
kill -CONT "${pid[driftd]}"
api PATCH "$(version_path v1)/wonky" '{"spec":{"size":6}}' kubectl-edit
wait_until 60 "the next change in v1alpha1" counts change "$old and .DRIFTD_ACTUAL == \"6\"" 1
wait_until 60 "the next change in v1" counts change "$new and .DRIFTD_ACTUAL == \"6\"" 1
check "nothing but the two changes" test "$(wc -l <"$work/records")" -eq $((before + 2))

# ---- a version is no longer served: the object is still there ----

missing='.DRIFTD_COMPONENT == "c" and .DRIFTD_PATH == "alpha.yaml"'
serve v1alpha1 false
wait_until 30 "the server to stop serving v1alpha1" answers_not v1alpha1
wait_until 90 "the end in a version that is no longer served" counts end "$old" 1
check "it is not called deleted" counts end "$old and (.MESSAGE | contains(\"deleted\"))" 0
check "it says that the version is no longer served" counts end "$old and (.MESSAGE | contains(\"no longer served\"))" 1
wait_until 30 "the component that needs that version" counts begin "$missing" 1
check "the version that is served is not touched" counts end "$new" 0
check "a kind that is no longer served is no gap" no_gap

serve v1alpha1 true
wait_until 30 "the server to serve v1alpha1 again" answers v1alpha1
wait_until 90 "drift in the version that is served again" counts begin "$old" 2
wait_until 30 "the component to be satisfied again" counts end "$missing" 1
check "the version that was always served: one begin" counts begin "$new" 1
check "no end of it" counts end "$new" 0
stop driftd || fail "driftd did not end cleanly"
said
