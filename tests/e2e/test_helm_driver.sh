#!/usr/bin/env bash
# Releases that Helm keeps in ConfigMaps, for a reference with driver: configmap: followed as those in Secrets are, with no right to read
# these; and a release in the objects of the other driver is none. Beside it a reference of those in Secrets.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/helm.sh"
command -v jq >/dev/null || skip "no jq"
export DRIFTD_SOCKET=$work/control.sock

states() { "$bin/driftd" helm list -o json | jq -r '.items[] | "\(.reference) \(.name) \(.state) \(.inForce)"' | sort; }
are() { [ "$(states)" = "$1" ]; } # are STATES
is_held() { "$bin/driftd" helm show "shop/$1" >"$work/shown" && grep -q 'State: *being changed' "$work/shown"; }
set_value() { api PATCH "/api/v1/namespaces/shop/configmaps/$1" "{\"data\":{\"v\":\"$2\"}}" "$3"; } # set_value NAME VALUE MANAGER

start_apisim
api POST /api/v1/namespaces "$(object v1 Namespace shop "")" setup
for name in mapped kept; do api POST /api/v1/namespaces/shop/configmaps "$(configmap $name shop '{"v":"1"}')" helm; done
manifest mapped 1 | driver=configmap revision shop mapped 1 deployed
manifest kept 1 | revision shop kept 1 deployed
mkdir -p "$work/state"
cat >"$work/driftd.yaml" <<Y
clusters: [{name: prod, kubeconfig: $work/kubeconfig}]
references:
  - {name: maps, helm_releases: {driver: configmap}}
state_dir: $work/state
control_socket: $DRIFTD_SOCKET
flapping: {changes: 0}
Y
"$bin/driftd" rbac -c "$work/driftd.yaml" >"$work/roles"
check "no right to Secrets is asked for" test "$(grep -c secrets "$work/roles")" = 0
start_driftd_ready
check "what is in ConfigMaps is known: $(states)" are "maps mapped in force 1"
set_value mapped 2 kubectl-edit
wait_until 20 "what was changed by hand" begins '.DRIFTD_NAME == "mapped" and .DRIFTD_TEMPLATE == "revision 1"'
manifest mapped 2 | driver=configmap revision shop mapped 2 pending-upgrade
wait_until 20 "the release to be held" is_held mapped
manifest mapped 1 | driver=configmap revision shop mapped 1 superseded
manifest mapped 2 | driver=configmap revision shop mapped 2 deployed
wait_until 20 "the end: it is wanted so" ends '.DRIFTD_NAME == "mapped"'
check "two records: $(said)" test "$(grep -c '"DRIFTD_NAME":"mapped"' "$work/records")" = 2
stop driftd || fail "driftd did not end cleanly"

# both, and kinds that leave ConfigMaps out
cat >"$work/references" <<Y
references:
  - {name: maps, helm_releases: {driver: configmap, kinds: [Deployment.apps]}}
  - {name: secrets, helm_releases: {}}
Y
sed -i -e "/^references:/r $work/references" -e '/^references:/d' -e '/name: maps, helm_releases: {driver: configmap}}/d' \
	"$work/driftd.yaml"
start_driftd_ready
check "each has its own: $(states)" are $'maps mapped in force 2\nsecrets kept in force 1'
set_value kept 2 kubectl-edit
wait_until 20 "an edit" begins '.DRIFTD_NAME == "kept" and .DRIFTD_REFERENCE == "secrets"'
stop driftd || fail "driftd did not end cleanly"

# ConfigMaps of releases alone, by their label
sed -i '/name: secrets/d' "$work/driftd.yaml"
start_driftd_ready
check "what is known by the label: $(states)" are "maps mapped in force 2"
check "is not kept" test "$("$bin/driftd" status -o json | jq '.clusters[0].objects')" = 0
driver=configmap forget shop mapped 1
driver=configmap forget shop mapped 2
wait_until 20 "the release to be gone" are ""
sed -i 's/driver: configmap/driver: sql/' "$work/driftd.yaml"
"$bin/driftd" check-config -c "$work/driftd.yaml" >"$work/checked" 2>&1 && fail "a driver that driftd does not know"
check "it is said: $(cat "$work/checked")" grep -q "driftd.yaml:3:.*'sql' is neither secret nor configmap" "$work/checked"
stop driftd || fail "driftd did not end cleanly"
