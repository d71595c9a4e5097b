#!/usr/bin/env bash
# One record of each MESSAGE_ID as the journal has it, explained by the catalog with nothing left open. RECORDS_SHOW=1 prints them.
. "$(dirname "$0")/journal.sh"

catalog=$source_dir/systemd/driftd.catalog
of_kind() { # of_kind NOUN EVENT
	[ -n "$(journal "DRIFTD_EVENT=$2" "DRIFTD_CLUSTER=$cluster" | jq -r "select(.MESSAGE | startswith(\"$1 \")) | .MESSAGE_ID")" ]
}
told() { wait_until 70 "the record: $1 $2" of_kind "$1" "$2"; } # told NOUN EVENT
patch() { api PATCH "$1" "$2" kubectl-test; }                  # patch PATH JSON
maps=/api/v1/namespaces/shop/configmaps

cat >"$work/rules.yaml" <<'Y'
apiVersion: v1
kind: ConfigMap
namespace: shop
rules:
  - rule: "!('bad' in self.data)"
    messageExpression: "'bad: ' + self.data.bad"
---
apiVersion: example.com/v1
kind: Nowhere
rules:
  - rule: "true"
Y
mkdir "$work/reference"
cp "$source_dir"/examples/demo/reference/* "$work/reference"
cat >>"$work/reference/web-config.yaml" <<'Y'
{{ if index (.data | default dict) "broken" }}{{ fail (printf "broken: %s" .data.broken) }}{{ end }}
Y
start_journald
start_shop
configure "$work/reference" "validation_rules: [rules.yaml]"
sed -i "s|^state_dir:.*|state_dir: $state|" "$work/driftd.yaml"
export DRIFTD_SOCKET=$work/control.sock
echo "control_socket: $DRIFTD_SOCKET" >>"$work/driftd.yaml"
echo "inspection_rules: {allow_api_call: ['http://127.0.0.1:1/']}" >>"$work/driftd.yaml"
echo "no database" >$state/driftd.db
start_driftd_ready journal

set_team one
told drift begin
set_team two
told drift change
set_team storefront
told drift end

accept() { check "accepted" "$bin/driftd" accept namespace shop --path metadata.labels.team --reason "a test" --owner kim "$@"; }
accept
set_team one
told "accepted deviation" accepted
set_team two
told "accepted deviation" change
set_team storefront
told "accepted deviation" end
accept --until "$(date -u -d "@$(($(date +%s) + 5))" +%Y-%m-%dT%H:%M:%SZ)"
set_team one
told "accepted deviation" expired
set_team storefront

api POST $maps "$(configmap rule shop '{"bad":"1"}')" setup
told "rule violation" begin
patch $maps/rule '{"data":{"bad":"2"}}'
told "rule violation" change
patch $maps/rule '{"data":{"bad":null}}'
told "rule violation" end

"$bin/driftd" inspection rule create --conditions '[{"op":"is-true","args":["{node.data.look}"]}]' --actions '[{"op":"log","args":["seen"]},
	{"op":"api-call","args":{"url":"http://127.0.0.1:1/","retries":0}},{"op":"fail","args":["look {node.data.look}"]}]' >"$work/uuid"
patch $maps/rule '{"data":{"look":"yes"}}'
told "inspection failure" begin
patch $maps/rule '{"data":{"look":"true"}}'
told "inspection failure" change
patch $maps/rule '{"data":{"look":null}}'
told "inspection failure" end
wait_until 20 "what a rule logs" eval '[ -n "$(journal DRIFTD_EVENT=inspection-log)" ]'
wait_until 20 "a call that fails" eval '[ -n "$(journal DRIFTD_EVENT=api-call-failed)" ]'

patch $maps/web '{"data":{"broken":"1"}}'
told error begin
patch $maps/web '{"data":{"broken":"2"}}'
told error change
patch $maps/web '{"data":{"broken":null}}'
told error end

get $maps/web >"$work/web.json"
get /api/v1/namespaces/shop/services/web >"$work/service.json"
api DELETE $maps/web
told "component unsatisfied" begin
api DELETE /api/v1/namespaces/shop/services/web
told "component unsatisfied" change
api POST $maps "$(jq -c 'del(.metadata.resourceVersion, .metadata.uid)' "$work/web.json")" setup
api POST /api/v1/namespaces/shop/services "$(jq -c 'del(.metadata.resourceVersion, .metadata.uid)' "$work/service.json")" setup
told "component unsatisfied" end

control fault '{"status":503,"verb":"watch","resource":"services","count":-1}'
control fault '{"action":"close-watches","resource":"services"}'
told gap begin
control fault '{"action":"recover"}'
control fault '{"status":403,"verb":"watch","resource":"services","count":-1,"reason":"Forbidden"}'
control fault '{"action":"close-watches","resource":"services"}'
told gap change
control fault '{"action":"recover"}'
told gap end

for i in $(seq 150); do
	configmap "many-$i" shop '{"bad":"1"}'
done | jq -sc . >"$work/many.json"
control load "@$work/many.json"

kill -HUP "${pid[driftd]}"
wait_until 20 "the reload" eval '[ -n "$(journal DRIFTD_EVENT=reloaded)" ]'
echo "nonsense: 1" >>"$work/driftd.yaml"
kill -HUP "${pid[driftd]}"
wait_until 20 "the reload that fails" eval '[ -n "$(journal DRIFTD_EVENT=reload-failed)" ]'
wait_until 20 "the storm" eval '[ -n "$(journal DRIFTD_EVENT=storm)" ]'
stop driftd || fail "driftd did not end cleanly"
wait_until 10 "the last record" eval '[ -n "$(journal DRIFTD_EVENT=stopped)" ]'

# A published reference, which comes into force.
git init -q -b main "$work/published"
cp -r "$work/reference" "$work/published"
git -C "$work/published" add -A
git -C "$work/published" -c user.name=Kim -c user.email=kim@example.com commit -qm "The shop"
mkdir "$work/conf.d"
cat >"$work/conf.d/published.yaml" <<Y
sources_dir: $work/store
references: [{name: published, source: {git: "file://$work/published", path: reference}}]
Y
sed -i '/^nonsense:/d' "$work/driftd.yaml"
start_driftd journal
wait_until 20 "what is to be fetched" test -s $state/sources.json
"$bin/driftd-fetch" --request $state/sources.json --store "$work/store" 2>"$work/fetch.log" || fail "driftd-fetch"
wait_until 40 "the published reference" eval '[ -n "$(journal DRIFTD_EVENT=reference -n 1)" ]'
stop driftd || fail "driftd did not end cleanly"
rm -r "$work/conf.d"

# Nobody answers there.
head -c 32 /dev/urandom >"$work/leader.key"
printf 'leader_election: {endpoints: ["http://127.0.0.1:%s"], lease: 3s, hash_key_file: %s}\n' \
	"$(free_port)" "$work/leader.key" >>"$work/driftd.yaml"
start_driftd journal
wait_until 40 "the leader election" eval '[ -n "$(journal DRIFTD_EVENT=leader -n 1)" ]'
stop driftd || fail "driftd did not end cleanly"

# ---- all of them ----

for id in $(sed -n 's/^-- //p' "$catalog"); do
	journal "MESSAGE_ID=$id" -n 1 >"$work/record.json"
	check "there is a record of $id" test -s "$work/record.json"
	check "it is whole" jq -e '.MESSAGE and .PRIORITY and .DRIFTD_EVENT and (.DRIFTD_RECORD_ID | test("^[0-9a-f]{32}$"))
		and .SYSLOG_IDENTIFIER == "driftd"' "$work/record.json"
	[ -z "${RECORDS_SHOW:-}" ] || jq -c 'with_entries(select(.key | startswith("_") | not))' "$work/record.json"
	# what journalctl -x does: each @FIELD@ gives way to the record's field
	text=$(sed -n "/^-- $id/,/^-- /p" "$catalog")
	for name in $(grep -o '@[A-Z_]*@' <<<"$text" | tr -d @ | sort -u); do
		check "the catalog's $name is in a record of $id" jq -e --arg name "$name" '.[$name]' "$work/record.json"
	done
done
