#!/usr/bin/env bash
# What the API takes and is another thing than the reference wants is told: random objects with keys that stand twice, lists that are
# atomic or sets, and maps within these, against the API server of today (lists_property.py). EDITS=1000 SEED=n by hand.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
set -- modern
source "$here/control_plane.sh"
text='{"type":"string"}'
items() { echo "{\"type\":\"array\",\"items\":$1,\"x-kubernetes-list-type\":$2}"; } # items SCHEMA TYPE-AND-MORE
pair='{"type":"object","required":["id"],
	"properties":{"id":{"type":"string"},"side":{"type":"string","default":"left"},"n":{"type":"integer"}}}'
schema="{\"type\":\"object\",\"properties\":{\"spec\":{\"type\":\"object\",\"properties\":{
	\"set\":$(items "$text" '"set"'),\"atomic\":$(items "$pair" '"atomic"'),\"plain\":{\"type\":\"array\",\"items\":$pair},
	\"keyed\":$(items "$pair" '"map","x-kubernetes-list-map-keys":["id","side"]'),
	\"maps\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"object\",\"additionalProperties\":$text}},
	\"whole\":{\"type\":\"object\",\"x-kubernetes-map-type\":\"atomic\",\"additionalProperties\":$text},
	\"lists\":{\"type\":\"array\",\"items\":{\"type\":\"array\",\"items\":$text}},
	\"any\":{\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true}}}}}"
start_control_plane
api POST $crds "$(crd Namespaced Thing things e2e.example.com "$schema" v1)" setup
things=/apis/e2e.example.com/v1/namespaces/default/things
wait_until 30 "the objects of the kind to be served" get $things
cat >"$work/keep.yaml" <<'Y'
rules:
- {type: error, path: spec.template.spec.containers.main.env.FOO}
- {type: warn, path: '*'}
Y
cat >"$work/only.yaml" <<'Y'
rules:
- {type: error, path: spec.template.spec.containers.main.env.FOO}
- {type: ignore, path: '*'}
Y
property() { python3 "$here/lists_property.py" "$server" "$ca" "$token" "$work" "${EDITS:-150}" "${SEED:-1}" "$@"; }
property prepare >"$work/property.log" || fail "$(cat "$work/property.log")"
configure "$work/reference" "event_rules: [{name: keep, path: $work/keep.yaml}, {name: only, path: $work/only.yaml}]"
with() { echo "  - {name: $1, path: $work/reference/metadata.yaml, event_rules: $1}"; }
sed -i "/^    path: /r /dev/stdin" "$work/driftd.yaml" < <(with keep; with only)
start_driftd_ready
property run >"$work/property.log" || fail "$(cat "$work/property.log")"
check "edits were made: $(cat "$work/property.log")" grep -q ' edits: ' "$work/property.log"
cat "$work/property.log"
