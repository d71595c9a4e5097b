#!/usr/bin/env bash
# Accepted deviations: what is accepted is told as such and nothing else is hidden by it; an acceptance holds, expires, is no longer
# needed, over restarts and reloads; a component that wants an object.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"
export DRIFTD_SOCKET=$work/control.sock

drifted() { metric_is "$(of_cluster driftd_objects_drifted 'severity="warning"')" "$1"; }
accepted() { metric_is "$(of_cluster driftd_accepted_deviations)" "$1"; }
told() { # told EVENT FILTER
	has_record ".DRIFTD_EVENT == \"$1\" and ($2)"
}
transitions() { record_count '.DRIFTD_DRIFT_ID != null' "$1"; }
in_seconds() { date -u -d "@$(($(date +%s) + $1))" +%Y-%m-%dT%H:%M:%SZ; }
write_accepted() { # write_accepted LINES: of the entries of accepted:
	sed -i '/^accepted:/,$d' "$work/driftd.yaml"
	printf 'accepted:\n%s\n' "$1" >>"$work/driftd.yaml"
}
reload() { # as SIGHUP does it, and until it is done
	local n
	n=$(records '.MESSAGE | startswith("configuration re")' | wc -l)
	kill -HUP "${pid[driftd]}"
	reloaded() { [ "$(records '.MESSAGE | startswith("configuration re")' | wc -l)" -gt "$n" ]; }
	wait_until 20 "the reload" reloaded
}

cluster=e2e-accepted
start_shop
echo "control_socket: $work/control.sock" >>"$work/driftd.yaml"
team='  - {kind: Namespace, name: shop, path: metadata.labels.team, value: sales, reason: a test, owner: kim'
write_accepted "$team}"
check "the configuration is in order" "$bin/driftd" check-config -c "$work/driftd.yaml"
start_driftd_ready
check "nothing is accepted yet" accepted 0

# ---- one path of several ----

set_team sales
wait_until 10 "the acceptance to hold" told accepted '.DRIFTD_PATH == "metadata.labels.team" and .DRIFTD_ACTUAL == "\"sales\""'
check "with who and why" told accepted '.DRIFTD_OWNER == "kim" and .DRIFTD_REASON == "a test" and (.DRIFTD_ACCEPTANCE | length) == 16 and
	.DRIFTD_MANAGER == "kubectl-label" and .PRIORITY == "6" and .DRIFTD_KIND == "Namespace" and .DRIFTD_CLUSTER == "e2e-accepted"'
check "it is counted as such" accepted 1
check "and is no drift" drifted 0
api PATCH /api/v1/namespaces/shop '{"metadata":{"labels":{"pod-security.kubernetes.io/enforce":"privileged"}}}' kubectl-label
wait_until 10 "the other path drifts" begins '.DRIFTD_PATH == "metadata.labels[\"pod-security.kubernetes.io/enforce\"]" and
	.DRIFTD_PATH_COUNT == "1" and .DRIFTD_SEVERITY == "warning"'
check "it is drift" drifted 1
check "the accepted one is still told as such" accepted 1
api PATCH /api/v1/namespaces/shop '{"metadata":{"labels":{"pod-security.kubernetes.io/enforce":"restricted"}}}' kubectl-label
wait_until 10 "its end" ends '.MESSAGE | startswith("drift ends")'
set_team other
wait_until 10 "another value is drift" begins '.DRIFTD_ACTUAL == "\"other\""'
wait_until 10 "the acceptance is not needed" told end '.DRIFTD_ACCEPTANCE and .DRIFTD_END_REASON == "no longer needed"'
check "nothing is accepted" accepted 0
set_team sales
wait_until 10 "it holds again" record_count '.DRIFTD_EVENT == "accepted"' 2
wait_until 10 "and ends the drift" ends '.DRIFTD_END_REASON == "accepted: a test"'
check "seven transitions" transitions 7

# ---- lives of driftd, and reloads ----

stop driftd KILL || true
start_driftd_ready
wait_until 10 "it is counted after kill -9" accepted 1
stop driftd || fail "driftd did not end cleanly"
start_driftd_ready
wait_until 10 "it is counted after a restart" accepted 1
reload
check "none of them makes a record" transitions 7

write_accepted "$team, until: $(in_seconds 3600)}"
rehearsed() { "$bin/driftd" reload --dry-run -o json >"$work/dry" || [ $? -eq 1 ]; }
check "a dry run" rehearsed
check "says that it changes" jq -e '.change == 1 and .begin == 0 and .end == 0' "$work/dry"
reload
wait_until 10 "a new end is a change" changes '.DRIFTD_UNTIL != null'
write_accepted "$team, until: $(in_seconds 4)}"
reload # which a slow machine may end after that time: it is no change then, but an end
wait_until 10 "it expires" told expired '.DRIFTD_ACCEPTANCE and .DRIFTD_REASON == "a test"'
wait_until 10 "and the drift begins" record_count '.DRIFTD_EVENT == "begin" and .DRIFTD_ACTUAL == "\"sales\""' 1
check "nothing is accepted any more" accepted 0
check "it is drift again" drifted 1
stop driftd || fail "driftd did not end cleanly"
start_driftd_ready
check "each is told once" record_count '.DRIFTD_DRIFT_ID != null and .DRIFTD_EVENT != "change"' 9

write_accepted "$team}"
stop driftd || fail "driftd did not end cleanly"
start_driftd_ready
wait_until 10 "one of a restart holds" record_count '.DRIFTD_EVENT == "accepted"' 3
sed -i '/^accepted:/,$d' "$work/driftd.yaml"
stop driftd || fail "driftd did not end cleanly"
start_driftd_ready
wait_until 10 "one that the configuration has no more ends" told end '.DRIFTD_END_REASON == "no longer accepted"'
wait_until 10 "the drift begins" record_count '.DRIFTD_EVENT == "begin" and .DRIFTD_ACTUAL == "\"sales\""' 2

# ---- whole objects, deletion ----

write_accepted "  - {kind: namespaces, name: 'sh*', cluster: 'e2e-*', reference: ref, reason: all of it}"
reload
wait_until 10 "an object as a whole" told accepted '.DRIFTD_REASON == "all of it"'
wait_until 10 "is no drift" drifted 0
set_team storefront
wait_until 10 "until it is as it should be" record_count '.DRIFTD_END_REASON == "no longer needed"' 2

# ---- components ----

missing='.DRIFTD_COMPONENT == "network"'
api DELETE /apis/networking.k8s.io/v1/namespaces/shop/networkpolicies/default-deny
wait_until 10 "a component that wants an object" begins "$missing"
write_accepted '  - {component: shop/network, template: default-deny.yaml, reason: the mesh does it}'
reload
wait_until 10 "is accepted" told accepted "$missing and .DRIFTD_REASON == \"the mesh does it\""
wait_until 10 "is not unsatisfied" ends "$missing and .DRIFTD_END_REASON == \"accepted: the mesh does it\""
check "is counted" accepted 1
stop driftd KILL || true
start_driftd_ready
wait_until 10 "is counted after a restart" accepted 1
sed -i '/^accepted:/,$d' "$work/driftd.yaml"
reload
wait_until 10 "is told when it is accepted no more" record_count ".DRIFTD_EVENT == \"begin\" and $missing" 2
wait_until 10 "and nothing is accepted" accepted 0
api POST /apis/networking.k8s.io/v1/namespaces/shop/networkpolicies \
	"$(jq -c '.. | objects | select(.kind? == "NetworkPolicy" and .metadata.name == "default-deny")' "$source_dir/examples/demo/cluster.json")"
wait_until 10 "the component is satisfied again" record_count '.MESSAGE | startswith("component unsatisfied ends")' 2

# ---- over the control socket ----

run_driftd() { # run_driftd STATUS ARGUMENTS: driftd ends with STATUS; output in $work/out and $work/err
	local wanted=$1 status=0
	shift
	"$bin/driftd" "$@" >"$work/out" 2>"$work/err" || status=$?
	[ "$status" -eq "$wanted" ]
}
ask() { # ask STATUS METHOD PATH [JSON [TYPE]]: over the socket; the answer in $work/answer
	local status
	status=$(curl -s --unix-socket "$DRIFTD_SOCKET" -o "$work/answer" -w '%{http_code}' -X "$2" "http://localhost/api/v1$3" \
		${4:+-H "Content-Type: ${5:-application/json}" -d "$4"})
	[ "$status" = "$1" ] || fail "$2 $3: $status, not $1: $(cat "$work/answer")"
	checks=$((checks + 1))
}
by_socket='.DRIFTD_OWNER == "kim@example.com"'
accept() { run_driftd 0 accept "$@" --reason "a sale" --owner kim@example.com; }

set_team sales
wait_until 10 "a drift" drifted 1
check "a list with a drift" run_driftd 1 drift list
check "it is accepted" accept namespace shop --path metadata.labels.team --value sales --cluster 'e2e-*'
id=$(cat "$work/out")
check "its id is printed" test ${#id} -eq 16
wait_until 10 "the acceptance holds" told accepted "$by_socket"
wait_until 10 "the drift is over" drifted 0
check "it is listed" run_driftd 0 accept list
line="^holds +e2e-\* +namespace shop +metadata.labels.team=sales +a sale +kim@example.com +command +${id:0:8}"
check "with what it is" grep -qE "$line" "$work/out"
check "a list without drift" run_driftd 0 drift list
check "shows what is accepted" grep -qE '^info +accepted +namespaces +shop +metadata.labels.team ' "$work/out"
finding=$(awk '/accepted/ {print $NF}' "$work/out")
check "one is shown" run_driftd 0 drift show "$finding"
check "with reason and owner" grep -q 'a sale' "$work/out"
check "why is explained" run_driftd 0 explain namespace shop
check "with what is accepted" grep -qE '^ +accepted +metadata.labels.team: a sale$' "$work/out"
check "the status counts it" run_driftd 0 status -o json
check "apart" jq -e '.clusters[0].open | .accepted == {"info": 1} and .drift == {}' "$work/out"
page() { curl -s "$web/$1" >"$work/page"; }
check "the page" page ""
check "counts it apart" grep -Eq 'Accepted deviations</dt><dd><a href="[^"]*type=accepted[^"]*">1<' "$work/page"
check "and shows it as such" grep -q 'accepted <code>metadata.labels.team' "$work/page"
check "nothing else is open" grep -q 'Everything is as it should be' "$work/page"
check "its own page" page "findings/$(jq -r .DRIFTD_DRIFT_ID <<<"$(records ".DRIFTD_EVENT == \"accepted\" and $by_socket")")"
check "says by whom" grep -q 'kim@example.com' "$work/page"
check "it is counted" accepted 1
stop driftd KILL || true
start_driftd_ready
wait_until 10 "it survives kill -9" accepted 1
check "and is told once" record_count ".DRIFTD_EVENT == \"accepted\" and $by_socket" 1
check "and the drift began once" drifted 0

check "the same with an end" accept namespace shop --path metadata.labels.team --value sales --cluster 'e2e-*' --until "$(in_seconds 4)"
check "is the same one" test "$(cat "$work/out")" = "$id"
wait_until 10 "it changes" changes "$by_socket"
wait_until 15 "it expires" told expired "$by_socket"
wait_until 10 "and is drift" drifted 1
check "it is listed all the same" run_driftd 0 accept list -o json
check "as expired" jq -e '.items | length == 1 and .[0].state == "expired"' "$work/out"
check "it is taken back" run_driftd 0 unaccept "${id:0:6}"
check "and listed no more" run_driftd 0 accept list
check "at all" grep -q 'nothing is accepted' "$work/err"
check "the whole object" accept namespaces 'sho*'
id=$(cat "$work/out")
wait_until 10 "is no drift" drifted 0
check "until it is taken back" run_driftd 0 unaccept "$id"
wait_until 10 "then it is" drifted 1
check "why is said" told end "$by_socket and .DRIFTD_END_REASON == \"no longer accepted\""
check "a component" accept --component 'shop/*' --template x.yaml
check "not needed" run_driftd 0 accept list -o json
check "says so" jq -e '.items[0].state == "not needed"' "$work/out"
check "an object that one should not have" accept namespaces 'sho*' --component 'shop/*'
check "is listed" run_driftd 0 accept list
check "with the component" grep -qE '^not needed +\* +component shop/\* namespaces sho\* ' "$work/out"
check "and taken back" run_driftd 0 unaccept "$(awk '/namespaces sho/ { print $NF }' "$work/out")"
check "all are told" record_count '.MESSAGE | startswith("acceptance ")' 8

# ---- mistakes ----

object='"kind":"Namespace","name":"shop"'
ask 400 POST /accepted "{$object,\"owner\":\"o\"}"
check "what is wrong is said" grep -q "it gives no reason" "$work/answer"
ask 400 POST /accepted "{$object,\"reason\":\"r\"}"
check "no owner" grep -q "it has no owner" "$work/answer"
ask 400 POST /accepted "{$object,\"reason\":\"r\",\"owner\":\"o\",\"until\":\"2020-01-01\"}"
ask 400 POST /accepted "{$object,\"reason\":\"r\",\"owner\":\"o\",\"x\":\"y\"}"
ask 400 POST /accepted "{"
ask 400 POST /accepted "{$object,\"reason\":\"$(printf 'r%.0s' {1..2000})\",\"owner\":\"o\"}"
ask 413 POST /accepted "{$object,\"reason\":\"$(printf 'r%.0s' {1..70000})\",\"owner\":\"o\"}"
ask 415 POST /accepted
ask 415 POST /accepted "{$object,\"reason\":\"r\",\"owner\":\"o\"}" application/json-seq
ask 404 DELETE /accepted/0123456789abcdef
ask 404 DELETE /accepted/0
ask 405 PUT /accepted
status=$(curl -s -o "$work/answer" -w '%{http_code}' -X POST -H 'Content-Type: application/json' "$web/api/v1/accepted" \
	-d "{$object,\"reason\":\"r\",\"owner\":\"o\"}")
check "nobody accepts over the network" test "$status" = 403
write_accepted "  - {$(sed 's/"//g; s/:/: /g; s/,/, /' <<<"$object"), reason: r}"
reload
ask 409 POST /accepted "{$object,\"reason\":\"r\",\"owner\":\"o\"}"
ask 200 GET /accepted
configured=$(jq -r '.items[] | select(.source == "configuration").id' "$work/answer")
ask 409 DELETE "/accepted/$configured"
check "wrong usage" run_driftd 2 accept namespace
check "of unaccept" run_driftd 2 unaccept

sed '/^accepted:/,$d' "$work/driftd.yaml" >"$work/wrong.yaml"
lines=$(wc -l <"$work/wrong.yaml")
cat >>"$work/wrong.yaml" <<'Y'
accepted:
  - {kind: Pod, name: a, path: "a[", reason: r}
  - {kind: Pod, name: a, until: soon, reason: r}
  - {kind: Pod, name: a}
  - {kind: Pod, name: b, reason: r}
  - {kind: Pod, name: b, reason: other}
  - {kind: Pod, name: c, resaon: r}
  - {kind: Pod, name: d, reason: r, cluster: 'x*'}
  - {kind: Pod, name: e, reason: r, reference: x}
Y
check "mistakes" run_driftd 78 check-config -c "$work/wrong.yaml"
for place in 2:32 3:33 4:5 6:5 7:26 8:5 9:5; do
	check "a mistake at $place" grep -q "wrong.yaml:$((${place%:*} + lines)):${place#*:}: " "$work/err"
done
