#!/usr/bin/env bash
# Accepted violations of validation rules: told as accepted, and as violations again once the acceptance expires, is taken back or does
# not say it; what is accepted as drift hides none; transition rules, which cannot be asked again.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"
export DRIFTD_SOCKET=$work/control.sock

told() { has_record ".DRIFTD_EVENT == \"$1\" and .DRIFTD_NAME == \"${3:-one}\" and ($2)"; } # told EVENT FILTER [NAME]
count() { record_count ".DRIFTD_EVENT == \"$1\" and .DRIFTD_NAME == \"one\" and ($2)" "$3"; } # count EVENT FILTER COUNT
accepted() { metric_is "$(of_cluster driftd_accepted_deviations)" "$1"; }
violations() { [ "$({ "$bin/driftd" drift list --type validation -o json 2>/dev/null || true; } | jq '.items | length')" = "$1" ]; }
in_seconds() { date -u -d "@$(($(date +%s) + $1))" +%Y-%m-%dT%H:%M:%SZ; }
write_accepted() { # write_accepted LINES: of the entries of accepted:
	sed -i '/^accepted:/,$d' "$work/driftd.yaml"
	printf 'accepted:\n%s\n' "$1" >>"$work/driftd.yaml"
}
reload() { check "a reload" "$bin/driftd" reload; }
spec() { api PATCH $widgets/one "{\"spec\":$1}" "${2:-kubectl-edit}"; }
restart() { # restart [KILL]
	stop driftd "$@" || [ "${1:-}" = KILL ] || fail "driftd did not end cleanly"
	start_driftd_ready
}
accept() { "$bin/driftd" accept "$@" --reason "a sale" --owner kim >"$work/out" 2>"$work/err"; }

reference "$work/reference" anyOf widget.yaml+
template "$work/reference/widget.yaml" e2e.example.com/v1 Widget one "" <<<'spec: {color: red}'
start_apisim
api POST $crds "$(widget_crd '{"type":"object","x-kubernetes-validations":[
	{"rule":"self.size >= 5 &&\nself.size < 14","fieldPath":".size","message":"not in range"},
	{"rule":"self.color != \"grey\"","message":"no grey"}],
	"properties":{"color":{"type":"string"},"size":{"type":"integer","x-kubernetes-validations":[
		{"rule":"self >= oldSelf","message":"size never shrinks"}]}}}')" setup
wait_until 10 "the kind" get $widgets
api POST $widgets "$(widget one '{"size":1,"color":"grey"}')" setup
configure "$work/reference" "control_socket: $work/control.sock"
write_accepted "  - {kind: Widget, name: one, reason: what drifts}"
start_driftd_ready

range='(.DRIFTD_RULE | tostring | startswith("self.size >= 5"))'
grey='.DRIFTD_RULE == "self.color != \"grey\""'
shrinks='.DRIFTD_RULE == "self >= oldSelf"'
because='.DRIFTD_REASON == "a sale"'
wait_until 10 "a violation" told begin "$range"
wait_until 10 "another" told begin "$grey"
wait_until 10 "the drift is accepted" told accepted '.DRIFTD_REASON == "what drifts" and .DRIFTD_PATH == "spec.color"'
check "and hides no violation" violations 2

# ---- by the id of a finding ----

id=$({ "$bin/driftd" drift list --type validation -o json || true; } | jq -r '.items[] | select(.paths == ["spec.size"]).id')
check "a violation is accepted" accept "${id:0:12}" --for 1h
acceptance=$(cat "$work/out")
wait_until 10 "it is told as such" told accepted "$range and $because and .DRIFTD_OWNER == \"kim\" and .DRIFTD_UNTIL != null and
	.DRIFTD_PATH == \"spec.size\" and .DRIFTD_SEVERITY == \"info\" and
	(.MESSAGE | contains(\"not in range; accepted: a sale, by kim, until\"))"
wait_until 10 "the violation ends by that" told end "$range and .DRIFTD_END_REASON == \"accepted: a sale\" and .DRIFTD_ACCEPTANCE == null"
check "the other does not" violations 1
check "both are counted" accepted 2
"$bin/driftd" accept list >"$work/out"
check "it is listed with its rule" grep -qE '^holds .*Widget one +spec.size rule self.size >= 5 &&\*self.size < 14 +a sale' "$work/out"
"$bin/driftd" drift list >"$work/out" || true
check "and shown as accepted" grep -qE '^info +accepted .*not in range; accepted: a sale' "$work/out"
spec '{"size":2}'
restart KILL
wait_until 10 "both are counted after kill -9" accepted 2
restart
wait_until 10 "both are counted after a restart" accepted 2
check "neither makes a record" count accepted "$range" 1
check "nor of the violation" count begin "$range" 1
spec '{"size":5}'
wait_until 10 "it is not needed" told end "$range and $because and .DRIFTD_END_REASON == \"no longer needed\""
spec '{"size":14}'
wait_until 10 "and is again" count accepted "$range" 2
check "it is taken back" "$bin/driftd" unaccept "$acceptance"
wait_until 10 "and over" told end "$range and .DRIFTD_END_REASON == \"no longer accepted\""
wait_until 10 "the violation begins" count begin "$range" 2

# ---- of the configuration, by value, and for a time; two for one violation ----

write_accepted "  - {kind: Widget, name: 'o*', rule: '*', path: spec.size, value: 14, reason: a dozen}
  - {kind: Widget, name: 'o*', rule: 'self.size*', reason: any}"
"$bin/driftd" reload --dry-run -o json >"$work/dry" || true
check "a dry run says that it is accepted, and what is not any more" jq -e '.begin == 2 and .end == 2 and .change == 0' "$work/dry"
reload
wait_until 10 "the first takes it" told accepted "$range and .DRIFTD_REASON == \"a dozen\""
check "the drift is one again" told begin '.DRIFTD_PATH == "spec.color" and .DRIFTD_RULE == null'
spec '{"size":15}'
wait_until 10 "the second takes another value" told accepted "$range and .DRIFTD_REASON == \"any\""
wait_until 10 "for which the first is not needed" told end "$range and .DRIFTD_REASON == \"a dozen\" and
	.DRIFTD_END_REASON == \"no longer needed\""
check "it was never a violation" count begin "$range" 2
write_accepted "  - {kind: Widget, name: one, rule: '*', reason: soon over, until: '$(in_seconds 5)'}"
reload
wait_until 15 "that expires" told expired "$range and .DRIFTD_REASON == \"soon over\""
wait_until 10 "both are violations again" violations 2
wait_until 10 "which is told" count begin "$range" 3

# ---- a transition rule: what it said last stands, whoever accepts that ----

spec '{"size":13}' kubectl-scale
wait_until 10 "a violation of one" told begin "$shrinks"
check "it is accepted" accept Widget one --rule 'self >= old*' --until "$(in_seconds 3600)"
wait_until 10 "which is told" told accepted "$shrinks and $because and .DRIFTD_PATH == \"spec.size\" and .DRIFTD_ACTUAL == \"13\" and
	.DRIFTD_MESSAGE_TEXT == \"size never shrinks\""
wait_until 10 "as it ends" told end "$shrinks and .DRIFTD_END_REASON == \"accepted: a sale\""
restart
wait_until 10 "it is counted after a restart" accepted 1
check "it is to expire while driftd is stopped" accept Widget one --rule 'self >= old*' --until "$(in_seconds 3)"
stop driftd || fail "driftd did not end cleanly"
sleep 4 # the end of the acceptance is the time that passes here
start_driftd_ready
wait_until 10 "so it does" told expired "$shrinks"
wait_until 10 "and is a violation" count begin "$shrinks" 2
spec '{"color":"red"}'
wait_until 10 "until the next change" count end "$shrinks and .DRIFTD_ACCEPTANCE == null" 2
wait_until 10 "which ends the other" told end "$grey and .DRIFTD_ACCEPTANCE == null and .DRIFTD_END_REASON == null"

# ---- more than are told one by one; the end of the object, and of the rules ----

api PATCH $widgets/one '{"spec":{"size":14,"color":"grey"}}' kubectl-edit
wait_until 10 "two violations" violations 2
write_accepted "  - {kind: widgets.e2e.example.com, name: one, rule: '*', reason: all of it}"
reload
wait_until 10 "all are accepted" accepted 2
api DELETE $widgets/one
wait_until 10 "to the end of the object" told end "$grey and .DRIFTD_REASON == \"all of it\" and .DRIFTD_END_REASON == \"object deleted\""
wait_until 10 "nothing is accepted then" accepted 0
api POST $widgets "$(widget one '{"size":14,"color":"grey"}')" setup
wait_until 10 "one that is made again is" accepted 2
api DELETE $crds/widgets.e2e.example.com
wait_until 10 "all is over with the kind" accepted 0
check "nothing began since" count begin "$grey" 3
