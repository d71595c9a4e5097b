#!/usr/bin/env bash
# CEL validation rules: of CRDs, live, and of the administrator's files.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"

reference "$work/reference" anyOf widget.yaml
template "$work/reference/widget.yaml" e2e.example.com/v1 Widget never "" </dev/null
cat >"$work/rules.yaml" <<'Y'
# rules of this site
apiVersion: v1
kind: ConfigMap
namespace: shop
labelSelector: tier in (front)
at: .data.*
rules:
  - rule: self.size() <= 5
    messageExpression: "'long value ' + self"
    severity: critical
---
apiVersion: v1
kind: Secret
at: .data
rules:
  - rule: "!('password' in self)"
    messageExpression: "'found ' + self.password"
    reason: FieldValueForbidden
---
apiVersion: e2e.example.com/*
kind: "*"
rules:
  - rule: self.spec.color != 'grey'
    message: no grey
Y

crd_with() { # crd_with RULES: the definition with these rules at its spec
	widget_crd '{"type":"object","x-kubernetes-validations":['"$1"'],"properties":{"max":{"type":"integer"},"color":{"type":"string"},
		"size":{"type":"integer","x-kubernetes-validations":[{"rule":"self >= oldSelf","message":"size never shrinks"}]}}}'
}
rule_size='{"rule":"self.size <= self.max","fieldPath":".size",
	"messageExpression":"\"size %d is over %d\".format([self.size, self.max])"}'
rule_bad='{"rule":"self.nonsense > 3"}'
rule_color='{"rule":"self.color in [\"red\",\"grey\"]","message":"only red","reason":"FieldValueForbidden"}'
coloured() { widget "$1" "{\"size\":$2,\"max\":$3,\"color\":\"$4\"}"; } # coloured NAME SIZE MAX COLOR

start_apisim
api POST $crds "$(crd_with "$rule_size,$rule_bad")" setup
wait_until 10 "the kind" get $widgets
api POST $widgets "$(coloured old 9 5 blue)" kubectl-create
api POST $widgets "$(coloured fine 1 5 red)" kubectl-create
configure "$work/reference" "validation_rules: [rules.yaml]"
start_driftd_ready

# ---- stored before, violating; a rule that does not compile; repair ----

v='(.MESSAGE | startswith("rule violation"))'
violation() { has_record "$v and .DRIFTD_EVENT == \"$1\" and ($2)"; } # violation begin|end FILTER
wait_until 10 "the stored violation" violation begin '
	.DRIFTD_NAME == "old" and .DRIFTD_MESSAGE_TEXT == "size 9 is over 5" and .DRIFTD_PATH == "spec.size" and
	.DRIFTD_RULE == "self.size <= self.max" and .DRIFTD_REASON == "FieldValueInvalid" and .DRIFTD_RULE_SOURCE == "crd" and
	.DRIFTD_SEVERITY == "warning" and .DRIFTD_MANAGER == "kubectl-create"'
check "nothing else is violated" record_count "$v" 1
check "the rule that does not compile is an error, once" record_count '.DRIFTD_EVENT == "begin" and
	.DRIFTD_RULE == "self.nonsense > 3" and (.MESSAGE | contains("cannot be evaluated")) and
	(.DRIFTD_MESSAGE_TEXT | contains("undefined field"))' 1
m="kube_cluster=\"$cluster\",source"
failures() { # failures SOURCE REASON SEVERITY COUNT
	metric_is "$(of_cluster driftd_validation_failures_current "source=\"$1\",reason=\"$2\",severity=\"$3\"")" "$4"
}
check "metric of failures" failures crd FieldValueInvalid warning 1
check "metric of invalid rules" metric_is "driftd_validation_rules_invalid{$m=\"crd\"}" 1
check "metric of rules" metric_is "driftd_validation_rules{$m=\"crd\"}" 2
check "metric of the files' rules" metric_is "driftd_validation_rules{$m=\"file\"}" 3
id=$(records "$v and .DRIFTD_EVENT == \"begin\"" | jq -r .DRIFTD_DRIFT_ID)

# ---- a restart says nothing again ----

stop driftd || fail "driftd did not end cleanly"
start_driftd_ready
sleep 1
check "a restart repeats no record" record_count "$v or .DRIFTD_EVENT == \"end\"" 1

# ---- CRDs that may not be read: what is known of their rules stays, everything else goes on ----

stop driftd || fail "driftd did not end cleanly"
control fault '{"status":403,"resource":"customresourcedefinitions.apiextensions.k8s.io","count":4,
	"reason":"Forbidden","message":"not for you"}'
start_driftd_ready
wait_until 40 "the gap" begins '(.MESSAGE | startswith("gap begins") and contains("customresourcedefinitions"))'
check "nothing ended" record_count "$v and .DRIFTD_EVENT == \"end\" and .DRIFTD_RULE == \"self.size <= self.max\"" 0
check "the violation is still known" failures crd FieldValueInvalid warning 1
wait_until 90 "the end of the gap" ends '(.MESSAGE | startswith("gap ends"))'
wait_until 10 "the rules" metric_is "driftd_validation_rules{$m=\"crd\"}" 2
check "nothing is said twice" record_count "$v" 1

api PATCH $widgets/old '{"spec":{"max":20}}' kubectl-edit
wait_until 10 "its repair" violation end ".DRIFTD_DRIFT_ID == \"$id\" and .DRIFTD_PATH == \"spec.size\""
check "metric of failures" failures crd FieldValueInvalid warning 0

# ---- a transition rule ----

api PATCH $widgets/old '{"spec":{"size":3}}' kubectl-scale
wait_until 10 "the transition" violation begin '.DRIFTD_RULE == "self >= oldSelf" and .DRIFTD_OLD == "9" and .DRIFTD_ACTUAL == "3" and
	.DRIFTD_MESSAGE_TEXT == "size never shrinks" and .DRIFTD_MANAGER == "kubectl-scale"'
stop driftd || fail "driftd did not end cleanly"
start_driftd_ready
sleep 1
check "it lasts over a restart" record_count "$v and .DRIFTD_EVENT == \"end\" and .DRIFTD_RULE == \"self >= oldSelf\"" 0
api PATCH $widgets/old '{"metadata":{"labels":{"a":"b"}}}' kubectl-label
wait_until 10 "its end with the next update" violation end '.DRIFTD_RULE == "self >= oldSelf"'

# ---- the CRD gets another rule, and the bad one goes ----

api GET $crds/widgets.e2e.example.com
version=$(jq -r .metadata.resourceVersion "$work/answer.json")
api PUT $crds/widgets.e2e.example.com "$(crd_with "$rule_size,$rule_color" | jq -c ".metadata.resourceVersion = \"$version\"")" setup
wait_until 20 "the old object under the new rule" violation begin '
	.DRIFTD_NAME == "old" and .DRIFTD_REASON == "FieldValueForbidden" and .DRIFTD_MESSAGE_TEXT == "only red" and .DRIFTD_PATH == "spec"'
wait_until 10 "the end of the error" ends '.DRIFTD_RULE == "self.nonsense > 3"'
check "metric of invalid rules" metric_is "driftd_validation_rules_invalid{$m=\"crd\"}" 0
check "metric by reason" failures crd FieldValueForbidden warning 1

# ---- the administrator's rules ----

api POST $widgets "$(coloured dull 1 5 grey)" kubectl-create
wait_until 10 "a rule for any kind of a group" \
	violation begin '.DRIFTD_NAME == "dull" and .DRIFTD_RULE_SOURCE == "file" and .DRIFTD_MESSAGE_TEXT == "no grey"'
api POST /api/v1/namespaces "$(object v1 Namespace shop "")" setup
tiered() { # tiered NAME TIER: a config map
	configmap "$1" shop '{"a":"b","log.level":"verbose"}' | jq -c --arg tier "$2" '.metadata.labels.tier = $tier'
}
api POST /api/v1/namespaces/shop/configmaps "$(tiered back back)" setup
api POST /api/v1/namespaces/shop/configmaps "$(tiered front front)" kubectl-apply
wait_until 10 "a rule on a built-in kind" violation begin '
	.DRIFTD_KIND == "ConfigMap" and .DRIFTD_NAME == "front" and .DRIFTD_SEVERITY == "critical" and .PRIORITY == "2" and
	.DRIFTD_MESSAGE_TEXT == "long value verbose" and (.DRIFTD_PATH | contains("log.level")) and
	.DRIFTD_ACTUAL == "\"verbose\"" and .DRIFTD_MANAGER == "kubectl-apply"'
check "the label selector is heeded" record_count '.DRIFTD_NAME == "back"' 0
check "metric of the files' rules" failures file FieldValueInvalid warning 1
check "metric of those that are critical" failures file FieldValueInvalid critical 1

api POST /api/v1/namespaces/shop/secrets "$(secret key shop '{"password":"aHVudGVyMg=="}')" setup
wait_until 10 "a rule on secrets" \
	violation begin '.DRIFTD_KIND == "Secret" and .DRIFTD_REASON == "FieldValueForbidden" and .DRIFTD_ACTUAL == "(hidden)"'
no_secret aHVudGVyMg hunter2 -- "$work/records" -- "$work/driftd.err.log"
api DELETE /api/v1/namespaces/shop/secrets/key
wait_until 10 "its end with the object" violation end '.DRIFTD_KIND == "Secret" and .DRIFTD_END_REASON == "object deleted"'

# ---- the CRD goes: so do the rules and the objects ----

api DELETE $crds/widgets.e2e.example.com
wait_until 60 "no violations of the CRD's rules" failures crd FieldValueForbidden warning 0
check "no rules of it" metric_is "driftd_validation_rules{$m=\"crd\"}" 0
stop driftd || fail "driftd did not end cleanly"

# ---- files that are refused ----

cat >"$work/rules.yaml" <<'Y'
apiVersion: v1
kind: ConfigMap
rules:
  - rule: self.data.size( > 3
  - rule: "true"
    severety: error
Y
status=0
"$bin/driftd" check-config -c "$work/driftd.yaml" 2>"$work/refused.log" || status=$?
check "a bad rule file is a bad configuration" test $status = 78
check "with the place of a mistake" grep -q 'rules.yaml:6:5: unknown key .severety' "$work/refused.log"
sed -i '$d' "$work/rules.yaml"
"$bin/driftd" check-config -c "$work/driftd.yaml" 2>"$work/refused.log" || true
check "and of a rule that does not compile" \
	grep -q 'rules.yaml:4:11: rule: compilation failed: ERROR: <input>:1:1[0-9]: Syntax error' "$work/refused.log"

# ---- the commands ----

status() { local s=0; "$@" >"$work/command.out" 2>"$work/command.log" || s=$?; echo $s; }
crd_with "$rule_size" >"$work/crd.yaml"
coloured a 9 5 red >"$work/big.yaml"
coloured a 2 5 red >"$work/small.yaml"
check "an object that passes" test "$(status "$bin/driftd" validate -f "$work/crd.yaml" -f "$work/small.yaml")" = 0
check "one that does not" test "$(status "$bin/driftd" validate -f "$work/crd.yaml" -f "$work/big.yaml")" = 1
check "is named" grep -qx 'Widget a: spec.size: size 9 is over 5 (FieldValueInvalid)' "$work/command.out"
check "an update" test "$(status "$bin/driftd" validate -f "$work/crd.yaml" -f "$work/small.yaml" --old "$work/big.yaml" -o json)" = 1
check "as JSON" test "$(jq -r '.failures[0].rule' "$work/command.out")" = "self >= oldSelf"
check "no change is a warning only" \
	test "$(status "$bin/driftd" validate -f "$work/crd.yaml" -f "$work/big.yaml" --old "$work/big.yaml")" = 0
configmap other shop '{"a":"b"}' >"$work/other.yaml"
crd_with '{"rule":"self.color.matches(self.color)","message":"m"}' >"$work/dear.yaml"
check "a rule that may cost too much for a server" test "$(status "$bin/driftd" validate -f "$work/dear.yaml" -f "$work/small.yaml")" = 2
check "is told in its words" grep -q "dear.yaml: rule of selfType.spec: Forbidden: estimated rule cost exceeds" "$work/command.log"
jq '.metadata.uid = "1"' "$work/dear.yaml" >"$work/taken.yaml"
check "not of a definition that a server has" test "$(status "$bin/driftd" validate -f "$work/taken.yaml" -f "$work/small.yaml")" = 0
check "an object that no rule is for is no pass" test "$(status "$bin/driftd" validate -f "$work/crd.yaml" -f "$work/other.yaml")" = 2
check "which is said" grep -q "nothing was judged" "$work/command.log"
check "a bad rule file" test "$(status "$bin/driftd" validate -f "$work/rules.yaml" -f "$work/big.yaml")" = 2
check "an expression" test "$("$bin/driftd" cel 'self.spec.size * 2' --self "$work/big.yaml")" = 18
check "one that fails" test "$(status "$bin/driftd" cel 'self.spec.none' --self "$work/big.yaml")" = 1
check "one that does not compile" test "$(status "$bin/driftd" cel 'self.spec.none' --self "$work/big.yaml" --schema "$work/crd.yaml")" = 2
check "with its place and a caret" grep -q '^ERROR: <input>:1:10: undefined field' "$work/command.log"
check "wrong usage" test "$(status "$bin/driftd" cel)" = 2
