#!/usr/bin/env bash
# "driftd status" and "driftd drift" over the control socket: a cluster with a finding of every kind, filters, forms of output, exit
# statuses, hostile texts, a refused reload. DRIFT_SHOW=1 prints each command with what it says; DRIFT_MANY: findings that stream.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"
many=${DRIFT_MANY:-3000}
maps=/api/v1/namespaces/shop/configmaps
export DRIFTD_SOCKET=$work/control.sock

ask() { # ask STATUS ARGUMENTS: driftd ends with STATUS; output in $work/out and $work/err
	local wanted=$1 status=0
	shift
	"$bin/driftd" "$@" >"$work/out" 2>"$work/err" || status=$?
	if [ "${DRIFT_SHOW:-}" ]; then # on standard error, which check shows
		{ printf '$ driftd %s; echo $?\n' "$*"; cat "$work/out" "$work/err"; echo "$status"; } >&2
	fi
	[ "$status" -eq "$wanted" ]
}
says() { grep -qF -- "$1" "$work/out"; } # says TEXT
ids() { "$bin/driftd" drift list -o name "$@" | wc -l; }
open() { [ "$(ids --type "$1")" -ge 1 ]; } # open TYPE

check "without driftd: the status says so" ask 2 status
check "and how to mend it" grep -qF "does driftd run?" "$work/err"

cat >"$work/rules.yaml" <<'Y'
apiVersion: v1
kind: ConfigMap
namespace: shop
rules:
  - rule: "!('bad' in self.data)"
---
apiVersion: v1
kind: Service
rules:
  - rule: "true"
Y
mkdir "$work/reference"
cp "$source_dir"/examples/demo/reference/* "$work/reference"
cat >>"$work/reference/web-config.yaml" <<'Y'
{{ if index (.data | default dict) "broken" }}{{ fail (printf "broken: %s" .data.broken) }}{{ end }}
Y
for t in a b out; do # two that are as near as each other, and one that never is
	cat >"$work/reference/tie-$t.yaml" <<-Y
		{{ \$name := index (.metadata | default dict) "name" }}
		{{ if and \$name (not (hasPrefix "tie-" \$name)) }}{{ doNotMatch "only for ties" }}{{ end }}
		{{ if and \$name (eq "$t" "out") }}{{ doNotMatch "not for ties" }}{{ end }}
		apiVersion: v1
		kind: ConfigMap
		metadata: {name: {{ \$name }}, namespace: shop}
		data: {size: "$t"}
	Y
done
add_part ties anyOf tie-a.yaml tie-b.yaml tie-out.yaml
start_shop
configure "$work/reference" "validation_rules: [rules.yaml]
control_socket: $DRIFTD_SOCKET"
start_driftd_ready
check "nothing is open" ask 0 drift list
check "which is said beside the data" grep -qF "nothing is open" "$work/err"
check "all is well" ask 0 status
check "the cluster is synced" says "synced"

set_team one
api POST $maps "$(configmap rule shop '{"bad":"1"}')" setup
api PATCH $maps/web '{"data":{"broken":"1"}}' kubectl-test
api DELETE /api/v1/namespaces/shop/services/web
control fault '{"status":503,"verb":"watch","resource":"deployments","count":-1}'
control fault '{"action":"close-watches","resource":"deployments"}'
for type in drift component error validation; do wait_until 30 "an open finding: $type" open $type; done
wait_until 70 "an open finding: gap" open gap
# Soon: what fails for longer than evidence may be old is not known, and then the status is 1.
check "the status counts them" ask 0 status
check "watches" ask 0 status -o wide
check "the one that fails, and why" grep -q "deployments.apps.*failing.*503" "$work/out"
check "status as JSON" ask 0 status -o json
check "with counts by severity" jq -e '.clusters[0].open | .gap.error + .gap.critical + .gap.warning >= 1' "$work/out"

check "the list" ask 1 drift list
for text in SEVERITY team validation component gap kubectl-label; do check "it has $text" says "$text"; done
check "wide" ask 1 drift list -o wide
check "with the rule" says "'bad' in self.data"
check "JSON" ask 1 drift list -o json
check "of its kind" jq -e '.kind == "FindingList" and .apiVersion == "driftd/v1" and (.items | length) == .count' "$work/out"
check "worst first" jq -e '[.items[].severity] | . == sort_by({critical: 2, error: 3, warning: 4, notice: 5, info: 6}[.])' "$work/out"
check "who wrote it" jq -e '.items | any(.paths == ["metadata.labels.team"] and .manager == "kubectl-label")' "$work/out"
check "YAML" ask 1 drift list -o yaml
check "as a document" says "kind: FindingList"
check "by kind" ask 1 drift list namespaces shop
check "only it" test "$(grep -c . "$work/out")" -eq 2
check "by its other names" test "$(ids Namespace)" -eq "$(ids namespaces)"
check "by namespace and type" test "$(ids -n shop --type validation)" -eq 1
check "by severity: nothing is critical, all is known but for the gap" test "$(ids --severity critical)" -eq 0
check "by name: none" test "$(ids configmaps nowhere)" -eq 0
check "without headings" ask 1 drift list --no-headers
check "none there" test "$(grep -c SEVERITY "$work/out")" -eq 0
id=$("$bin/driftd" drift list -o name --type drift || true)
check "one of them" ask 0 drift show "${id:0:8}"
check "in full" says "$id"
id=$("$bin/driftd" drift list -o name namespaces shop || true)
check "a drift" ask 0 drift show "$id"
for text in "Object:      namespaces shop" "Reference:" "kubectl-label (Update) at" "metadata.labels.team" "found     \"one\"" \
	"+++ cluster" "History:" "drift begins: namespaces shop"; do
	check "it says: $text" says "$text"
done
check "as JSON" ask 0 drift show "$id" -o json
check "with values" jq -e '.changes | any(.path == "metadata.labels.team" and .found == "\"one\"")' "$work/out"
check "the diff" jq -e '.diff | contains("team: one")' "$work/out"
check "and the history" jq -e '.history | length == 1 and .[0].event == "begin" and (.[0].message | contains("team"))' "$work/out"
curl -sf "$web/api/v1/findings/$id" >"$work/out"
check "over TCP without values" jq -e '.paths == ["metadata.labels.team"] and (.changes, .diff, .message | not)' "$work/out"
check "nor in its history" jq -e '.history == [{time: .history[0].time, event: "begin", severity: .severity}]' "$work/out"
rule=$("$bin/driftd" drift list -o name --type validation || true)
check "a rule" ask 0 drift show "$rule"
for text in "Rule:        !('bad' in self.data)" "It says:"; do check "it says: $text" says "$text"; done
for type in component error gap; do
	check "a finding: $type" ask 0 drift show "$("$bin/driftd" drift list -o name --type $type | sed -n 1p)"
	check "what was told of it" says "History:"
done
check "a wrong id" ask 2 drift show 00000000
check "said" grep -qF "no open finding has that id" "$work/err"
check "too short an id" ask 2 drift show 1
for wrong in "drift" "drift list a b c" "drift show" "drift list --type nothing" "drift list --severity nothing" "drift list -o nothing" \
	"status extra" "drift nothing"; do
	# shellcheck disable=SC2086
	check "wrong usage: driftd $wrong" ask 2 $wrong
done
# The watch goes on.
control fault '{"action":"recover"}'
watched() { ask 0 status && ! open gap; }
wait_until 60 "the gap to end" watched

# Why: a match, a tie, an object that no template is for, objects that are not there.
check "explain a match" ask 0 explain namespaces shop
for text in "namespaces shop in cluster" "reference ref: drifted" "template    namespace.yaml" "because     it is the only candidate" \
	"differing   1 field" "omitted     metadata.creationTimestamp" "apiVersion kind metadata.name" "open        "; do
	check "it says: $text" says "$text"
done
api POST $maps "$(configmap tie-one shop '{"size":"1"}')" setup
tied() { ask 0 explain ConfigMap shop/tie-one && says "a tie: "; }
wait_until 20 "a tie" tied
check "explained" ask 0 explain ConfigMap shop/tie-one
check "with its scores" grep -qE '^  \* +tie-a.yaml +apiVersion kind metadata.namespace +matched +[1-9][0-9]*' "$work/out"
check "and the other" grep -qE '^    +tie-b.yaml .* matched +[1-9][0-9]*' "$work/out"
check "and who is out" grep -qE '^    +tie-out.yaml .* excluded +not for ties' "$work/out"
check "as JSON" ask 0 explain configmaps tie-one -n shop -o json
check "with one chosen" jq -e '[.items[0].explanations[0].candidates[] | select(.chosen) | .template] == ["tie-a.yaml"]' "$work/out"
check "as YAML" ask 0 explain configmaps tie-one -o yaml
check "a list" says "kind: ExplanationList"
api POST /api/v1/namespaces/default/services "$(object v1 Service alone default '"spec":{}')" setup
unmatched() { ask 0 explain Service default/alone && says "no template of the reference is for it"; }
wait_until 20 "an object that no template is for" unmatched
check "explained too" ask 0 explain Service default/alone
check "what is near" grep -qE 'nearest +.*wants .*metadata.namespace shop' "$work/out"
check "what is not watched" ask 1 explain pods web
check "is said" grep -qF "no reference and no rule is about 'pods': it is not watched" "$work/err"
check "what is not there" ask 1 explain configmaps nowhere
check "is said too" grep -qF "there is no such object among the watched configmaps, of which are watched: shop" "$work/err"
check "another cluster" ask 1 explain configmaps web --cluster nowhere
for wrong in "explain" "explain configmaps" "explain a b c" "explain a b -o wide"; do
	# shellcheck disable=SC2086
	check "wrong usage: driftd $wrong" ask 2 $wrong
done
code() { curl -s -o /dev/null -w '%{http_code}' "$@"; }
check "not over TCP" test "$(code "$web/api/v1/explain?cluster=$cluster&apiVersion=v1&kind=Namespace&name=shop&reference=ref")" = 403
check "nor who is there" test "$(code "$web/api/v1/objects?kind=ConfigMap&name=web")" = 403
for wrong in "kind=a" "kind=a&name=b&other=c" "kind=a&kind=b&name=c"; do
	check "a bad request: $wrong" test "$(code --unix-socket "$DRIFTD_SOCKET" "http://localhost/api/v1/objects?$wrong")" = 400
done

# A tenant's texts do not reach the terminal.
api PATCH $maps/web '{"data":{"broken":null}}' kubectl-test
jq -nc --arg key "$(printf 'spec\033[2J\r\n\u202Eevil')" '{data: {($key): "1\u202eevil"}}' >"$work/hostile.json"
api PATCH $maps/web "$(cat "$work/hostile.json")" kubectl-test
hostile() { ask 1 drift list -o json && jq -e '.items | any(.paths // [] | any(contains("evil")))' "$work/out"; }
wait_until 30 "a hostile key drifts" hostile
check "escaped in documents" grep -q 'u202eevil' "$work/out"
in_order='.MESSAGE | contains("evil") and (test("[\u0001-\u0009\u000b-\u001f\u202a-\u202e]") | not)'
check "nor is it raw in MESSAGE" has_record "$in_order"
check "a document in YAML" ask 1 drift list -o yaml
check "escaped in it" grep -q 'u202Eevil' "$work/out"
check "the list with it" ask 1 drift list configmaps web
check "no control character" test "$(LC_ALL=C tr -d '\n[:print:]' <"$work/out" | wc -c)" -eq 0

# A refused reload.
cp "$work/driftd.yaml" "$work/good.yaml"
echo 'nonsense: 1' >>"$work/driftd.yaml"
kill -HUP "${pid[driftd]}"
refused() { ask 1 status; }
wait_until 20 "the status says that the reload was refused" refused
check "with the mistake" says "nonsense"
cp "$work/good.yaml" "$work/driftd.yaml"
kill -HUP "${pid[driftd]}"
accepted() { ask 0 status -o json && jq -e '.configuration | .lastReloadSuccessful and (.mistakes | not)' "$work/out"; }
wait_until 20 "and no longer" accepted

# Many, while they come and go.
for i in $(seq "$many"); do configmap "many-$i" shop '{"bad":"1"}'; done | jq -sc . >"$work/many.json"
control load "@$work/many.json"
all_open() { [ "$(ids --type validation)" -ge "$many" ]; }
wait_until 120 "all of them are open" all_open
check "a list of them" ask 1 drift list -o json
check "is whole" jq -e --argjson n "$many" '[.items[].id] | length >= $n and length == (unique | length)' "$work/out"
check "over TCP the same, without a value" bash -c "curl -sf '$web/api/v1/findings?type=validation' | jq -e '.count >= $many'"
check "an unknown parameter" test "$(code "$web/api/v1/findings?nonsense=1")" = 400
check "an unknown finding" test "$(code "$web/api/v1/findings/ffffffff")" = 404
check "another method" test "$(code -X DELETE "$web/api/v1/findings/ffffffff")" = 405
stop driftd || fail "driftd did not end cleanly"
