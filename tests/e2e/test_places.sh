#!/usr/bin/env bash
# Places in lists have names: what swaps places neither ends a violation nor keeps it from lasting; what was stored under a number goes on
# under its name without a record; a key that stands twice hides nothing from a rule for it.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"

deployments=/apis/apps/v1/namespaces/shop/deployments
pod() { echo "{\"template\":{\"spec\":{\"containers\":[$1]}}}"; }
front='{"name":"web","image":"nginx:latest","env":[{"name":"FOO","value":"1"}]}' side='{"name":"log","image":"log:1"}'
reference "$work/reference" anyOf t.yaml
template "$work/reference/t.yaml" apps/v1 Deployment web shop <<<"spec: $(pod "$front,$side")"
cat >"$work/rules.yaml" <<'Y'
apiVersion: apps/v1
kind: Deployment
for: 4s
at: .spec.template.spec.containers[*]
rules:
  - rule: "!self.image.endsWith(':latest')"
    message: latest is no version
Y
cat >"$work/events.yaml" <<'Y'
rules:
- {type: ignore, path: spec.template.spec.containers}
- {type: error, path: spec.template.spec.containers.*.env.FOO}
Y

deployment web shop "$(pod "$front,$side")" >"$work/web.json"
start_apisim --load "$work/web.json"
configure "$work/reference" "validation_rules: [rules.yaml]
event_rules: [{name: e, path: $work/events.yaml}]"
sed -i "s#path: .*/metadata.yaml#&\n    event_rules: e#" "$work/driftd.yaml"
start_driftd_ready

# ---- two containers that swap places ----

become() { api PATCH $deployments/web "{\"spec\":$(pod "$1")}" "$2"; } # become CONTAINERS WRITER
v='(.MESSAGE | startswith("rule violation"))'
violation() { has_record "$v and .DRIFTD_EVENT == \"$1\""; }
place='spec.template.spec.containers[name="web"]'
turn=0
swap() {
	turn=$((1 - turn))
	if [ $turn = 1 ]; then become "$side,$front" swapper
	else become "$front,$side" swapper; fi
}
swap_until_told() { swap && violation begin; }
wait_until 30 "a violation that lasts while containers swap places" swap_until_told
check "its place is the container's name" test "$(records "$v" | jq -r .DRIFTD_PATH)" = "$place"
check "it is one" record_count "$v" 1
id=$(records "$v" | jq -r .DRIFTD_DRIFT_ID)

# ---- stored under a number ----

[ $turn = 0 ] || swap
stop driftd || fail "driftd did not end cleanly"
python3 - "$work/state/driftd.db" <<'P'
import json, sqlite3, sys
db, n = sqlite3.connect(sys.argv[1]), 0
for key, text in db.execute("SELECT id, body FROM finding").fetchall():
    old = text.replace('[name=\\"web\\"]', "[0]")
    n += old != text
    db.execute("UPDATE finding SET body = ? WHERE id = ?", (old, key))
db.commit()
sys.exit(n != 1)
P
start_driftd_ready
check "no record tells of its new place" record_count "$v" 1
swap
become "$side,${front/latest/1.2}" repairer
wait_until 10 "its end" violation end
check "it was the same finding, at its new place" has_record "$v and .DRIFTD_EVENT == \"end\" and .DRIFTD_DRIFT_ID == \"$id\" and
	.DRIFTD_PATH == \"${place//\"/\\\"}\""
check "nothing else was told of it" record_count "$v" 2

# ---- a key that stands twice ----

check "no drift until now" record_count '.DRIFTD_EVENT == "begin" and (.MESSAGE | startswith("drift"))' 0
twice=${front/\"1\"\}/\"1\"\},{\"name\":\"FOO\",\"value\":\"evil\"\}}
become "$twice,$side" attacker
wait_until 10 "the drift of the second FOO" has_record '.DRIFTD_EVENT == "begin" and (.MESSAGE | startswith("drift begins")) and
	.DRIFTD_PATH == "spec.template.spec.containers[name=\"web\"].env[name=\"FOO\"#2]" and .DRIFTD_SEVERITY == "error"'
