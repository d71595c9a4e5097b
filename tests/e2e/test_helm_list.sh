#!/usr/bin/env bash
# driftd helm list and show, and the page's part on releases: one that is as it was deployed, one that drifts, one with an object that is
# missing, one that has failed, one that is being changed and one that cannot be read; where no reference is about releases that is said.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/helm.sh"
command -v jq >/dev/null || skip "no jq"
export DRIFTD_SOCKET=$work/control.sock

helm() { # helm STATUS ARGUMENTS...: of driftd helm, into $work/helm
	local status=0
	"$bin/driftd" helm "${@:2}" >"$work/helm" 2>"$work/helm.err" || status=$?
	check "driftd helm ${*:2} ends with $1: $status, $(cat "$work/helm.err")" [ "$status" = "$1" ]
}
row() { # row RELEASE WORD...: the line of the release has these, in this order
	check "$1: ${*:2}: $(cat "$work/helm")" grep -Eq "^[a-z]+ +$1 +$(printf '%s +' "${@:2}" | sed 's/ +$//')( |\$)" "$work/helm"
}

start_apisim
for namespace in shop other; do api POST /api/v1/namespaces "$(object v1 Namespace $namespace "")" setup; done
for name in fine drifts failing moving; do
	api POST /api/v1/namespaces/shop/configmaps "$(configmap $name shop '{"v":"1"}')" helm
	manifest $name 1 | revision shop $name 1 deployed
done
manifest gone 1 | revision other gone 1 deployed
echo 'kind: ConfigMap: canary-of-a-release' | revision other broken 1 deployed
manifest failing 2 | revision shop failing 2 failed
{
	manifest mine 1
	printf -- '---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: fine, namespace: shop}\n'
	printf -- '---\napiVersion: e2e.example.com/v1\nkind: Nothing\nmetadata: {name: thing}\n'
} | revision other part 1 deployed
api POST /api/v1/namespaces/other/configmaps "$(configmap mine other '{"v":"1"}')" helm
mkdir -p "$work/state"
cat >"$work/driftd.yaml" <<Y
clusters: [{name: prod, kubeconfig: $work/kubeconfig}]
references: [{name: helm, helm_releases: {}}]
state_dir: $work/state
control_socket: $DRIFTD_SOCKET
Y
start_driftd_ready
manifest moving 2 | revision shop moving 2 pending-upgrade
api PATCH /api/v1/namespaces/shop/configmaps/drifts '{"data":{"v":"9"}}' kubectl-edit
wait_until 20 "what was changed by hand" begins '.DRIFTD_NAME == "drifts"'
wait_until 20 "the release to be held" sh -c "'$bin/driftd' helm show shop/moving | grep 'being changed'"

helm 1 list
row fine 1 deployed '[0-9a-z]+' 'in force: 1' 1 0
row drifts 1 deployed '[0-9a-z]+' 'in force: 1' 1 1 warning
row failing 2 failed '[0-9a-z]+' 'in force: 1' 1 1 warning
row moving 2 pending-upgrade '[0-9a-z]+' 'being changed: 1' 1 0
row gone 1 deployed '[0-9a-z]+' 'in force: 1' 1 1 warning
row broken 1 deployed '[0-9a-z]+' 'not in force' 0 1 warning
check "seven, in order: $(cat "$work/helm")" test "$(awk 'NR > 1 { print $1 "/" $2 }' "$work/helm" | paste -sd' ')" = \
	"other/broken other/gone other/part shop/drifts shop/failing shop/fine shop/moving"
helm 1 list -o wide
check "why: $(cat "$work/helm")" grep -q 'broken.*cannot be read' "$work/helm"
helm 1 list -n shop --no-headers -o json
check "only of that namespace" test "$(jq -r '[.items[].namespace] | unique[]' "$work/helm")" = shop
helm 3 list -n nowhere
check "there is none: $(cat "$work/helm.err")" grep -q 'no such release' "$work/helm.err"

helm 0 show shop/drifts
for line in '^Release: +shop/drifts$' '^Revision: +1, deployed since 20' '^State: +in force: .* revision 1$' \
	'ConfigMap +v1 +shop +drifts +drifted' \
	'^ +1 +deployed' 'warning +drift +configmaps +shop +drifts +data.v .* kubectl-edit'; do
	check "show has $line: $(cat "$work/helm")" grep -Eq "$line" "$work/helm"
done
helm 0 show gone
check "what is missing: $(cat "$work/helm")" grep -Eq 'ConfigMap +v1 +other +gone +missing' "$work/helm"
helm 0 show -n other part
check "what is left out: $(cat "$work/helm")" grep -Eq '^Left out: +1 of kinds that are not watched, 1 outside its namespace' \
	"$work/helm"
helm 0 show shop/failing -o yaml
check "its revisions: $(cat "$work/helm")" test "$(grep -c 'status: failed' "$work/helm")" -ge 1
helm 0 show shop/moving
check "its objects are held: $(cat "$work/helm")" grep -Eq 'ConfigMap +v1 +shop +moving +held' "$work/helm"
helm 1 show shop/nobody
for words in "" "list x" "show" "show a b" "what"; do
	# shellcheck disable=SC2086
	helm 2 $words
done
"$bin/driftd" drift list --component shop/drifts -o json >"$work/drift" || true
check "findings by component: $(cat "$work/drift")" test "$(jq -c '[.count, .items[0].name]' "$work/drift")" = '[1,"drifts"]'
status=0
"$bin/driftd" drift list --component shop/drift >"$work/drift" 2>&1 || status=$?
check "one that nobody knows: $(cat "$work/drift")" grep -q "no component 'shop/drift' is known; did you mean 'shop/drifts'" "$work/drift"
check "is not known" test $status = 3

curl -sf "$web/" >"$work/page.html"
check "the page is well-formed" python3 "$here/page.py" wellformed "$work/page.html"
check "the page counts releases" grep -q \
	'2 of 7 releases are as they were deployed; 4 with open findings, 1 being changed' "$work/page.html"
check "and leads to what is open" grep -q 'component=shop%2Fdrifts' "$work/page.html"
curl -sf "$web/?reference=helm&component=shop%2Fdrifts" >"$work/page.html"
check "the page of a release" grep -q 'component' "$work/page.html"
curl -sf "$web/api/v1/releases" >"$work/releases.json"
no_secret canary-of-a-release -- "$work/releases.json" "$work/page.html" -- "$work/records"

stop driftd || fail "driftd did not end cleanly"
sed -i 's/^references:.*/references: [{name: applied, last_applied: {kinds: [ConfigMap]}}]/' "$work/driftd.yaml"
start_driftd_ready
helm 3 list
check "no reference is about releases: $(cat "$work/helm.err")" grep -q \
	'no reference of the configuration has helm_releases' "$work/helm.err"
curl -sf "$web/" >"$work/page.html"
check "nor is the page" test "$(grep -c 'Helm releases' "$work/page.html")" = 0
