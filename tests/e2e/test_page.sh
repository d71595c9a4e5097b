#!/usr/bin/env bash
# The status page, read by a headless Chromium: every kind of finding, hostile names, what is shown to whom, narrow screens, light and dark.
# PAGE_SHOTS=FOLDER: screenshots are written there.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"
command -v chromium >/dev/null && command -v chromedriver >/dev/null || skip "no chromium with chromium-driver (scripts/install-deps test)"
maps=/api/v1/namespaces/shop/configmaps
socket=$work/control.sock
cluster=prod-eu
mkdir "$work/browser"

look() { # look PART [ARGUMENTS...]: that part of page.py, with the browser
	check "the page: $*" python3 "$here/page.py" "$work/browser" "$web" "$@"
}
over_socket() { curl -sf --unix-socket "$socket" "http://localhost$1"; } # over_socket PATH
open() { [ "$(curl -sf "$web/api/v1/findings?type=$1" | jq .count)" -ge "${2:-1}" ]; } # open TYPE [COUNT]
header() { grep -qi "^$1" < <(curl -s -o /dev/null -D - "${@:2}" | tr -d '\r'); }   # header BEGINNING CURL-ARGUMENTS...

cat >"$work/rules.yaml" <<'Y'
apiVersion: v1
kind: ConfigMap
namespace: shop
rules:
  - rule: "!('bad' in self.data)"
    message: data may not have bad
Y
mkdir "$work/reference"
cp "$source_dir"/examples/demo/reference/* "$work/reference"
cat >>"$work/reference/web-config.yaml" <<'Y'
{{ if index (.data | default dict) "broken" }}{{ fail "broken" }}{{ end }}
Y
start_shop --no-watch-list
sed "s/:$apisim_port/:$(free_port)/" "$work/kubeconfig" >"$work/kubeconfig-away"
configure "$work/reference" "validation_rules: [rules.yaml]
control_socket: $socket"
sed -i "s|^references:|  - {name: staging-eu, kubeconfig: $work/kubeconfig-away}\n&|" "$work/driftd.yaml"
sed -i "s|^    path: .*/metadata.yaml|&\n    component_severity: {no-admins: critical, web: error}|" "$work/driftd.yaml"
start_driftd_ready
wait_until 30 "the unreachable cluster's gap" open gap

# What drifts has a value that no page may show to everybody.
mark=canary$RANDOM$RANDOM
set_team "$mark"
web_deployment=/apis/apps/v1/namespaces/shop/deployments/web
get $web_deployment | jq -c --arg image registry.example.com/shop/web:1.9.0-rc1 \
	'{spec: (.spec | .template.spec.containers[0].image = $image)}' >"$work/patch.json"
api PATCH $web_deployment "$(cat "$work/patch.json")" kubectl-edit
api POST /apis/rbac.authorization.k8s.io/v1/clusterrolebindings '{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding",
	"metadata":{"name":"everyone-is-admin"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"cluster-admin"},
	"subjects":[{"kind":"Group","apiGroup":"rbac.authorization.k8s.io","name":"system:authenticated"}]}' setup
api POST $maps "$(configmap rule shop '{"bad":"1"}')" setup
api DELETE /api/v1/namespaces/shop/services/web
for i in $(seq 9); do api POST $maps "$(configmap "cart-$i" shop '{"bad":"1"}')" helm; done # of one cause with that
for type in drift component; do wait_until 30 "an open finding: $type" open $type; done
wait_until 30 "all that is not valid" open validation 10
look shots "${PAGE_SHOTS:-$work}"
for i in $(seq 9); do api DELETE "$maps/cart-$i"; done
one_is_left() { [ "$(curl -sf "$web/api/v1/findings?type=validation" | jq .count)" = 1 ]; }
wait_until 30 "the others to end" one_is_left

# Everybody's page, and those of whom driftd knows.
id=$(curl -sf "$web/api/v1/findings?type=drift&kind=namespaces" | jq -r '.items[0].id')
for path in / "/findings/$id"; do
	curl -sf "$web$path" >"$work/open.${path//\//-}"
	over_socket "$path" >"$work/socket.${path//\//-}"
done
no_secret "$mark" -- "$work"/open.*
check "the control socket shows the value" grep -qF "$mark" "$work/socket.-findings-$id"
check "in the diff too" grep -qF "<span class=\"added\">+" "$work/socket.-findings-$id"
check "well-formed, as everybody sees them" python3 "$here/page.py" wellformed "$work"/open.* "$work"/socket.*
check "status.json is the status" test "$(curl -sf "$web/status.json" | jq -r .kind)" = Status
check "a finding that is none" test "$(curl -s -o "$work/none" -w '%{http_code}' "$web/findings/ffffffff")" = 404
check "is a page too" grep -qF "<h1>Not found</h1>" "$work/none"
check "a wrong filter" test "$(curl -s -o /dev/null -w '%{http_code}' "$web/?severity=nothing")" = 400
for path in / "/findings/$id" /style.css; do
	check "$path for a foreign host" test "$(curl -s -o /dev/null -w '%{http_code}' -H "Host: evil.example" "$web$path")" = 421
done
for line in "content-security-policy: default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'" "cache-control: no-store" \
	"referrer-policy: no-referrer" "x-content-type-options: nosniff"; do
	check "header $line" header "$line" "$web/"
done
tag=$(curl -s -o /dev/null -D - "$web/style.css" | tr -d '\r' | sed -n 's/^etag: //Ip')
check "the style is not sent again" test "$(curl -s -o /dev/null -w '%{http_code}' -H "If-None-Match: $tag" "$web/style.css")" = 304

# Each alert and each finding has its section, at the same anchor as in the file.
curl -sf "$web/runbook" >"$work/runbook.html"
check "well-formed" python3 "$here/page.py" wellformed "$work/runbook.html"
for anchor in $(grep -oh 'runbook#[a-z]*' "$source_dir"/examples/prometheus/*.rules.yaml | cut -d'#' -f2 | sort -u) accepted-deviations \
	$(grep -o '"Driftd[A-Za-z]*"' "$source_dir/daemon/findings/runbook.c" | tr -d '"' | tr '[:upper:]' '[:lower:]'); do
	check "a section $anchor" grep -qF "<h2 id=\"$anchor\">" "$work/runbook.html"
done
look runbook "$source_dir/docs/guide/runbook.md"

# Since when is one thing, wherever it stands, and outlives the process.
look since "$work/since"

# Hostile texts: names, keys, values, field managers.
names=$here/data/hostile-names.json
stop driftd || fail "driftd did not end cleanly"
api POST $maps "$(configmap stand-in shop '{}')" setup
# Between the maps "rule" and "web".
jq -c --arg mark "$mark" '{action: "item", resource: "configmaps", verb: "list", at: 1, count: -1, text: (to_entries | map({
	data: {bad: $mark}, metadata: {name: .value, namespace: "shop", uid: "hostile-\(.key)", resourceVersion: "2"}} | tojson) |
	join(","))}' "$names" >"$work/fault.json"
control fault "@$work/fault.json"
start_driftd_ready
look since "$work/since"
wait_until 30 "hostile names" open validation "$(($(jq length "$names") + 1))"
jq -c --arg mark "$mark" '{data: ([.[] | {key: .[0:200], value: "</pre><script>hacked=1</script>\($mark)"}] | from_entries)}' \
	"$names" >"$work/patch.json"
api PATCH $maps/web "$(cat "$work/patch.json")" '%3Cb%3E%22bold%22%3C%2Fb%3E'
hostile_key() { curl -sf "$web/api/v1/findings?kind=configmaps&name=web" | jq -e '.items | any(.paths // [] | any(contains("onerror")))'; }
wait_until 30 "hostile keys" hostile_key
look hostile "$names" "$mark"
over_socket "/findings/$(curl -sf "$web/api/v1/findings?kind=configmaps&name=web" | jq -r '.items[0].id')" >"$work/hostile.html"
check "well-formed" python3 "$here/page.py" wellformed "$work/hostile.html"
check "values of hostile keys" grep -qF "$mark" "$work/hostile.html"

# A cluster that is blind in part, a template that fails, a reload that is refused.
api PATCH $maps/web '{"data":{"broken":"1"}}' kubectl-test
control fault '{"status":503,"verb":"watch","resource":"deployments","count":-1}'
control fault '{"action":"close-watches","resource":"deployments"}'
wait_until 30 "an object that cannot be judged" open error
echo 'nonsense<script>: 1' >>"$work/driftd.yaml"
kill -HUP "${pid[driftd]}"
refused() { grep -qF "The last reload was refused;" < <(curl -sf "$web/"); }
wait_until 20 "the page says that the reload was refused" refused
look trouble
sed -i '/^nonsense/d' "$work/driftd.yaml"

# More than a page shows.
for i in $(seq 1200); do configmap "many-$i" shop '{"bad":"1"}'; done | jq -sc . >"$work/many.json"
before=$(curl -sf "$web/api/v1/findings?type=validation" | jq .count)
control load "@$work/many.json"
wait_until 120 "many findings" open validation $((before + 1200)) # all of them: the browser counts
look many
stop driftd || fail "driftd did not end cleanly"

# Users who are known see the values.
hash=$(python3 -W ignore -c 'import crypt; print(crypt.crypt("horse", "$2b$04$abcdefghijklmnopqrstuu"))')
printf 'basic_auth_users:\n  alice: %s\n' "$hash" >"$work/web.yaml"
start driftd "$bin/driftd" run -c "$work/driftd.yaml" -o json --web.listen-address "127.0.0.1:$web_port" --web.config.file "$work/web.yaml"
known() { curl -sf -u alice:horse "$web/-/ready"; }
wait_until 60 "driftd with users" known
check "nobody else sees a page" test "$(curl -s -o /dev/null -w '%{http_code}' "$web/findings/$id")" = 401
web=http://alice:horse@127.0.0.1:$web_port
look known "$mark" "${PAGE_SHOTS:-$work}"
stop driftd || fail "driftd did not end cleanly"
