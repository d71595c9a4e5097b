#!/usr/bin/env bash
# Inspection rules in the daemon: what they do at events, over dependents, restarts, reloads and deletions.
# test_inspection.sh: with the simulator; test_inspection.sh modern: with the API server that control_plane.sh names.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"
export DRIFTD_SOCKET=$work/control.sock
cluster=inspected
maps=/api/v1/namespaces/shop/configmaps
if [ "${1:-}" = modern ]; then
	. "$(dirname "$0")/control_plane.sh"
	start_control_plane
	api POST /api/v1/namespaces "$(object v1 Namespace shop "")"
else
	start_apisim
	control load "$(object v1 Namespace shop "")"
fi

rule() { "$bin/driftd" inspection rule "$@"; }
logs() { jq -r 'select(.DRIFTD_EVENT == "inspection-log") | .DRIFTD_MESSAGE_TEXT' "$work/records" | grep -c "^$1" || true; }
logged() { [ "$(logs "$1")" = "$2" ]; } # logged PREFIX TIMES
inspection() { echo "(.MESSAGE | startswith(\"inspection failure\")) and ($1)"; }
change() { api PATCH "$maps/$1" "$2" someone; } # change NAME JSON

reference "$work/ref" anyOf map.yaml+
template "$work/ref/map.yaml" v1 ConfigMap '{{ .metadata.name }}' shop <<'Y'
data:
  mode: "on"
Y
sed -i 's/{{ .metadata.name }}/"&"/' "$work/ref/map.yaml"
mkdir -p "$work/state"
configured() { # configured EXTRA-LINES
	cat >"$work/driftd.yaml" <<-Y
		clusters: [{name: $cluster, kubeconfig: kubeconfig}]
		references: [{name: ref, path: ref/metadata.yaml, inspection_scope: maps}]
		watch: [{apiVersion: v1, kind: Secret, namespaces: [shop]}]
		inspection_rules:
		  built_in: built-in.yaml
		  supported_interfaces: '^v1/(ConfigMap|Secret)$'
		$1
		state_dir: $work/state
		control_socket: $DRIFTD_SOCKET
		flapping: {changes: 0}
	Y
}
cat >"$work/built-in.yaml" <<'Y'
- description: a mode that nobody may set
  conditions: [{op: eq, args: ["{node.data.mode}", forbidden]}]
  actions: [{op: fail, args: {msg: "{node.metadata.name} has a forbidden mode"}}]
- description: tests may switch it off
  phase: preprocess
  conditions: [{op: eq, args: ["{node.metadata.labels.test}", "true"]}]
  actions: [{op: set-attribute, args: {path: /data/mode, value: "on"}}]
Y
configured ""
check "the configuration" "$bin/driftd" check-config -c "$work/driftd.yaml"
sed 's/fail/fall/' "$work/built-in.yaml" >"$work/wrong.yaml"
sed 's/built-in.yaml/wrong.yaml/' "$work/driftd.yaml" >"$work/wrong-driftd.yaml"
"$bin/driftd" check-config -c "$work/wrong-driftd.yaml" 2>"$work/out" && fail "a mistake of the rule file is found"
check "with its place" grep -q "wrong.yaml:3:.*unsupported action 'fall'" "$work/out"
api POST "$maps" "$(configmap first shop '{"mode":"on"}')" setup
start_driftd_ready
check "nothing fails" metric_is "$(of_cluster driftd_inspection_failures_current 'severity="error"')" 0
check "it was inspected while it was listed" test "$(metric "$(of_cluster driftd_arrivals_total 'outcome="speculated"')")" -ge 1
check "once" test "$(metric driftd_inspections_total)" = 1

# Failures begin once, and end.
change first '{"data":{"mode":"forbidden"}}'
wait_until 10 "a failure" begins "$(inspection '.DRIFTD_NAME == "first" and .DRIFTD_PHASE == "main" and .PRIORITY == "3"')"
check "with the rule" has_record '.DRIFTD_RULE == "00000000-0000-0000-0000-000000000000" and
	.DRIFTD_MESSAGE_TEXT == "first has a forbidden mode"'
change first '{"metadata":{"annotations":{"a":"b"}}}'
sleep 1
check "begins once" record_count ".DRIFTD_EVENT == \"begin\" and $(inspection true)" 1
check "and is counted" metric_is "$(of_cluster driftd_inspection_failures_current 'severity="error"')" 1
check "in its phase" test "$(metric 'driftd_inspection_failures_total{phase="main"}')" -ge 2
change first '{"data":{"mode":"on"}}'
wait_until 10 "its end" ends "$(inspection '.DRIFTD_NAME == "first"')"

# What is compared is what the rules made of it.
api POST "$maps" "$(configmap tested shop '{"mode":"off"}' | jq -c '.metadata.labels.test = "true"')" setup
change tested '{"metadata":{"labels":{"test":"false"}}}'
wait_until 10 "without its label it drifts" begins '.DRIFTD_NAME == "tested" and .DRIFTD_PATH == "data.mode"'
change tested '{"metadata":{"labels":{"test":"true"}}}'
wait_until 10 "with it it does not" ends '.DRIFTD_NAME == "tested"'

# A rule that comes over the socket takes effect on the next event, and no longer when it is gone.
rule create --uuid 11111111-1111-1111-1111-111111111111 --scope maps \
	--actions '[{"op":"log","args":{"msg":"{inventory[event]} {node.metadata.name}","level":"warning"}}]' >/dev/null
sleep 3
check "not before" logged "" 0
change first '{"data":{"n":"1"}}'
wait_until 10 "the log of a change" logged "modified first" 1
check "as a warning, with its object" has_record '.DRIFTD_EVENT == "inspection-log" and .PRIORITY == "4" and .DRIFTD_NAME == "first" and
	.DRIFTD_NAMESPACE == "shop" and .DRIFTD_RULE == "11111111-1111-1111-1111-111111111111" and .DRIFTD_CLUSTER == "inspected"'
api POST "$maps" "$(configmap second shop '{"mode":"on"}')" setup
wait_until 10 "of a new object" logged "added second" 1
api DELETE "$maps/second"
wait_until 10 "of its end" logged "deleted second" 1
rule delete 11111111-1111-1111-1111-111111111111
change first '{"data":{"n":"2"}}'
sleep 2
check "a rule that is gone does nothing" logged "" 3
check "nor is it listed" test "$(rule list -o json | jq '[.inspection_rules[] | select(.built_in | not)] | length')" = 0

# Dependents.
rule create --uuid 22222222-2222-2222-2222-222222222222 --conditions '[{"op":"eq","args":["{node.kind}","ConfigMap"]},
	{"op":"eq","args":["{item.kind}","Secret"],"loop":"{ports}","multiple":"any"}]' \
	--actions '[{"op":"fail","args":{"msg":"{node.metadata.name} owns {port_groups.Secret[0].metadata.name}"}}]' >/dev/null
uid=$(get "$maps/first" | jq -r .metadata.uid)
owned() { # owned NAME OWNER-UID
	secret "$1" shop '{"key":"dG9wc2VjcmV0"}' |
		jq -c --arg uid "$2" '.metadata.ownerReferences = [{apiVersion: "v1", kind: "ConfigMap", name: "first", uid: $uid}]'
}
api POST /api/v1/namespaces/shop/secrets "$(owned keys "$uid")" setup
wait_until 10 "a dependent" begins "$(inspection '.DRIFTD_MESSAGE_TEXT == "first owns keys"')"
api DELETE /api/v1/namespaces/shop/secrets/keys
wait_until 10 "its end" ends "$(inspection '.DRIFTD_RULE == "22222222-2222-2222-2222-222222222222"')"
rule delete --all

# What holds a secret is not shown, whatever it is called.
api POST /api/v1/namespaces/shop/secrets "$(secret plain shop '{"key":"dG9wc2VjcmV0"}')" setup
rule create --actions '[{"op":"log","args":{"msg":"secret {node}"}},
	{"op":"log","args":{"msg":"raw {inventory[raw][data][key]}"}}]' --conditions '[{"op":"eq","args":["{node.kind}","Secret"]}]' >/dev/null
api PATCH /api/v1/namespaces/shop/secrets/plain '{"metadata":{"annotations":{"x":"y"}}}' someone
wait_until 10 "what looks like a Secret is hidden" logged "(hidden: it holds what may not be shown)" 1
check "a masked value is" logged "raw \*\*\*" 1
rule delete --all

# A restart repeats nothing; what changed meanwhile is told.
rule create --actions '[{"op":"log","args":{"msg":"{inventory[event]} {node.metadata.name}"}},{"op":"fail","args":{"msg":"always"}}]' \
	--conditions '[{"op":"eq","args":["{node.kind}","ConfigMap"]}]' >/dev/null
wait_until 10 "the objects that there are fail" begins "$(inspection '.DRIFTD_NAME == "tested" and .DRIFTD_MESSAGE_TEXT == "always"')"
change first '{"data":{"n":"3"}}'
change tested '{"data":{"n":"3"}}'
wait_until 10 "a log of each" logged "modified tested" 1
sleep 1
before=$(grep -c . "$work/records")
stop driftd || fail "driftd did not end cleanly"
change tested '{"data":{"n":"4"}}'
start_driftd_ready
wait_until 10 "what changed meanwhile" logged "synced tested" 1
check "and nothing else" logged "synced" 1
again=$(tail -n +"$((before + 1))" "$work/records" | jq -c 'select(.MESSAGE | startswith("inspection failure"))' | wc -l)
check "no failure again" test "$again" = 0

# So does a reload that watches the cluster anew; a setting changes what is inspected.
configured "  severity: critical"
"$bin/driftd" reload --dry-run >"$work/out" && fail "a rehearsal says what changes"
check "of each failure" grep -qF "0 begin, 2 change, 0 end" "$work/out"
check "in silence" logged "synced" 1
"$bin/driftd" reload
wait_until 20 "another severity" changes "$(inspection '.DRIFTD_NAME == "tested" and .PRIORITY == "2"')"
check "without another log" logged "synced" 1

# A crash may repeat effects, and loses none.
kill -KILL "${pid[driftd]}"
wait "${pid[driftd]}" || true
unset "pid[driftd]"
start_driftd_ready
wait_until 10 "after a crash they are told again" logged "synced first" 1
check "rules are still there" test "$(rule list -o json | jq '[.inspection_rules[] | select(.built_in | not)] | length')" = 1
rule delete --all
wait_until 10 "without the rule its failures end" metric_is "$(of_cluster driftd_inspection_failures_current 'severity="critical"')" 0

# Calls: only below the prefixes.
python3 -c '
import http.server, sys
class H(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(204 if "good" in self.path else 500); self.end_headers()
    def log_message(self, *a):
        print(self.path, self.headers.get("X-Name", "-"), flush=True)
s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), H)
print(s.server_port, flush=True)
s.serve_forever()' >"$work/hook.log" 2>&1 &
pid[hook]=$!
wait_until 10 "the web hook" test -s "$work/hook.log"
call=".DRIFTD_RULE == \"33333333-3333-3333-3333-333333333333\""
hook=http://127.0.0.1:$(head -n 1 "$work/hook.log")
rule create --uuid 33333333-3333-3333-3333-333333333333 --conditions '[{"op":"eq","args":["{node.kind}","ConfigMap"]}]' --actions \
	"[{\"op\":\"api-call\",\"args\":{\"url\":\"$hook/{node.data.to}\",\"retries\":1,
	\"headers\":{\"X-Name\":\"{node.metadata.name}\"}}}]" >/dev/null
change first '{"data":{"to":"good/1"}}'
wait_until 10 "calls are not allowed" begins "$(inspection '.DRIFTD_MESSAGE_TEXT | endswith("not allowed by the configuration")')"
configured "  allow_api_call: ['$hook/good', '$hook/bad']"
"$bin/driftd" reload
wait_until 20 "now they are" ends "$(inspection '.DRIFTD_NAME == "first" and .DRIFTD_RULE == "33333333-3333-3333-3333-333333333333"')"
change first '{"data":{"to":"good/2"}}'
wait_until 10 "a call" grep -q "^/good/2 first" "$work/hook.log"
change first '{"data":{"to":"bad/1"}}'
wait_until 20 "a call that fails" has_record '.DRIFTD_EVENT == "api-call-failed" and
	.DRIFTD_RULE == "33333333-3333-3333-3333-333333333333"'
check "was tried twice" test "$(grep -c "^/bad/1" "$work/hook.log")" = 2
check "is counted" metric_is driftd_api_call_failures_total 1
check "as are all" metric_is driftd_api_calls_total 2
change first '{"data":{"to":"good/../elsewhere"}}'
wait_until 10 "a way out is refused" begins "$(inspection ".DRIFTD_NAME == \"first\" and $call")"
check "it was not called" test "$(grep -c elsewhere "$work/hook.log")" = 0
check "a failed call is no failed inspection" test "$(grep -c "" "$work/hook.log")" = 4
rule delete --all

# A rule that does too much is cut short, and that is told.
configured "  effects_per_minute: 5"
"$bin/driftd" reload
rule create --actions '[{"op":"log","args":{"msg":"noise"}}]' >/dev/null
for i in 1 2 3 4 5 6 7 8; do
	change first "{\"data\":{\"i\":\"$i\"}}"
	sleep 0.3
done
wait_until 10 "some to be dropped" test "$(metric 'driftd_inspection_effects_dropped_total{effect="log"}')" -ge 1
check "the others are there" logged noise 5
check "which is told" record_count '.MESSAGE | contains("more than 5 log entries and calls a minute")' 1
no_secret topsecret dG9wc2VjcmV0 -- "$work/records" "$work/state" -- "$work/driftd.err.log"
stop driftd || fail "driftd did not end cleanly"
