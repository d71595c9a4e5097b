#!/usr/bin/env bash
# What docs/guide/inspection-rules.md says of inspection rules beyond one run of driftd: stops, crashes, no database, built-in rules over
# reloads, who may ask, proxies, and what explain says.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"
export DRIFTD_SOCKET=$work/control.sock
cluster=inspected
maps=/api/v1/namespaces/shop/configmaps
start_apisim
control load "$(object v1 Namespace shop "")"

rule() { "$bin/driftd" inspection rule "$@"; }
n_rules() { [ "$(rule list -o json | jq '.inspection_rules | length')" = "$1" ]; }
logged() { # logged PATTERN TIMES: it is all of what a rule logged
	[ "$(jq -r 'select(.DRIFTD_EVENT == "inspection-log") | .DRIFTD_MESSAGE_TEXT' "$work/records" | grep -c "^$1$")" = "$2" ]
}
failure() { echo "(.MESSAGE | startswith(\"inspection failure\")) and .DRIFTD_NAME == \"$1\""; }
change() { api PATCH "$maps/$1" "$2" someone; } # change NAME JSON

reference "$work/ref" anyOf map.yaml+
template "$work/ref/map.yaml" v1 ConfigMap web shop <<'Y'
data:
  mode: "on"
Y
mkdir -p "$work/state"
configured() { # configured STATE-LINE [EXTRA-LINES-OF-RULES]
	cat >"$work/driftd.yaml" <<-Y
		clusters: [{name: $cluster, kubeconfig: kubeconfig}]
		references: [{name: ref, path: ref/metadata.yaml}]
		watch: [{apiVersion: v1, kind: ConfigMap, namespaces: [shop]}]
		inspection_rules:
		  built_in: built-in.yaml
		${2:-}
		$1
		control_socket: $DRIFTD_SOCKET
		flapping: {changes: 0}
	Y
}
cat >"$work/built-in.yaml" <<'Y'
- priority: -5
  conditions: [{op: eq, args: ["{node.data.bad}", "yes"]}]
  actions: [{op: fail, args: [bad]}]
Y
api POST "$maps" "$(configmap web shop '{"mode":"on"}')" setup
api POST "$maps" "$(configmap other shop '{"bad":"yes"}')" setup

# Without a database rules are there until driftd ends, and every start is as the first one.
configured ""
start_driftd_ready
wait_until 10 "a built-in rule to fail" begins "$(failure other)"
check "built-in rules are listed" n_rules 1
check "who is not known may not ask" test "$(curl -s -o /dev/null -w '%{http_code}' "$web/v1/inspection_rules")" = 403
rule create --actions '[{"op":"log","args":["{inventory[event]} {node.metadata.name}"]}]' >/dev/null
sleep 3
check "a rule that comes does nothing" logged "synced web" 0
change web '{"data":{"n":"1"}}'
wait_until 10 "its log of a change" logged "modified web" 1
id=$(rule list -o json | jq -r '.inspection_rules[] | select(.built_in) | .uuid')
rule delete "$id" 2>"$work/out" && fail "a built-in rule is deleted"
rule set "$id" --priority 7 2>>"$work/out" && fail "a built-in rule is changed"
check "both say why" test "$(grep -c . "$work/out")" = 2
stop driftd || fail "driftd did not end cleanly"
start_driftd_ready
check "without a database the rule is gone" n_rules 1
stop driftd || fail "driftd did not end cleanly"

# With one: the first start tells of all objects, later ones of what changed meanwhile; what was deleted meanwhile ends.
configured "state_dir: $work/state"
: >"$work/records"
start_driftd_ready
rule create --actions '[{"op":"log","args":["{inventory[event]} {node.metadata.name}"]}]' >/dev/null
stop driftd || fail "driftd did not end cleanly"
api DELETE "$maps/other"
start_driftd_ready
wait_until 10 "the end of a failure whose object went meanwhile" ends "$(failure other)"
check "nobody saw it go" logged "deleted other" 0
check "and the rest is as it was" logged "synced web" 0
kill -KILL "${pid[driftd]}"
wait "${pid[driftd]}" || true
unset "pid[driftd]"
start_driftd_ready
wait_until 10 "after a crash all is told again" logged "synced web" 1

# A reload reads no built-in rules, and tells of nothing that did not happen.
sed -i 's/bad/worse/' "$work/built-in.yaml"
configured "state_dir: $work/state" "  severity: critical"
"$bin/driftd" reload
api POST "$maps" "$(configmap late shop '{"worse":"yes"}')" setup
wait_until 10 "the log of a new object" logged ".* late" 1
check "the built-in rules are as they were" test -z "$(records "$(failure late)")"
check "what was there is not told again" logged "synced web" 1
rule delete --all
check "built-in rules stay" n_rules 1

# What explain says goes by what is compared.
change web '{"data":{"mode":"off"}}'
wait_until 10 "a drift" begins '.DRIFTD_NAME == "web"'
rule create --phase preprocess --actions '[{"op":"set-attribute","args":["data.mode","on"]}]' \
	--conditions '[{"op":"eq","args":["{node.metadata.name}","web"]}]' >/dev/null
wait_until 10 "its end by a rule alone" ends '.DRIFTD_NAME == "web" and (.MESSAGE | startswith("drift"))'
"$bin/driftd" explain configmaps shop/web -o json >"$work/explained.json"
check "it is compliant" grep -q '"compliant"' "$work/explained.json"
rule delete --all

# A proxy must be allowed as well.
proxy=http://127.0.0.1:$(free_port)
configured "state_dir: $work/state" "  allow_api_call: ['http://hooks.example.com/a']"
"$bin/driftd" reload
rule create --actions '[{"op":"api-call","args":{"url":"http://hooks.example.com/a/b?token=topsecret",
	"proxies":{"http":"'"$proxy"'"}}}]' >/dev/null
change web '{"data":{"n":"2"}}'
wait_until 10 "a refused proxy" has_record '.DRIFTD_EVENT == "api-call-failed" and (.MESSAGE | contains("proxy"))'
no_secret topsecret -- "$work/records" -- "$work/driftd.err.log"
stop driftd || fail "driftd did not end cleanly"
