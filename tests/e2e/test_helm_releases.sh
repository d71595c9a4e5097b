#!/usr/bin/env bash
# Releases of Helm as a reference of the daemon: what somebody changes by hand is told once, with the revision; an upgrade, a rollback and
# an uninstallation are no drift; a release that failed, cannot be read or claims what is not its own is said. Releases are written by
# helm_release.py, from Helm's public format: no helm is run.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/helm.sh"
command -v jq >/dev/null || skip "no jq"
export DRIFTD_SOCKET=$work/control.sock

maps() { echo "/api/v1/namespaces/$1/configmaps"; }
# What changes by another watch may come before it is known that Helm changes it: here driftd knows first.
is_held() { "$bin/driftd" explain configmaps -n shop "$1" >"$work/held" && grep -q 'is being changed' "$work/held"; } # is_held NAME
held() { wait_until 20 "the release of $1 to be held" is_held "$1"; }
set_value() { api PATCH "$(maps shop)/$1" "{\"data\":{\"v\":\"$2\"}}" "${3:-kubectl-edit}"; } # set_value NAME VALUE [MANAGER]

start_apisim
for namespace in shop evil platform; do api POST /api/v1/namespaces "$(object v1 Namespace $namespace "")" setup; done
for name in a b; do api POST "$(maps shop)" "$(configmap $name shop '{"v":"1"}')" helm; done
manifest a 1 b 1 | revision shop web 1 deployed
mkdir -p "$work/state"
cat >"$work/driftd.yaml" <<Y
clusters: [{name: prod, kubeconfig: $work/kubeconfig}]
references: [{name: helm, helm_releases: {trusted_namespaces: [platform]}}]
state_dir: $work/state
control_socket: $DRIFTD_SOCKET
flapping: {changes: 0}
Y
"$bin/driftd" check-config -c "$work/driftd.yaml" >"$work/checked" 2>&1 || fail "$(cat "$work/checked")"
start_driftd_ready
check "nothing is told of what is as it was installed: $(said)" drift_count begin 0

set_value a 2
wait_until 20 "what was changed by hand" begins '.DRIFTD_NAME == "a" and .DRIFTD_COMPONENT == "shop/web" and .DRIFTD_PATH == "data.v"'
check "the revision is said" begins '.DRIFTD_NAME == "a" and .DRIFTD_TEMPLATE == "revision 1"'

# an upgrade, as Helm makes it
manifest a 3 b 3 c 3 | revision shop web 2 pending-upgrade
held b
set_value b 3 helm
set_value a 3 helm
api POST "$(maps shop)" "$(configmap c shop '{"v":"3"}')" helm
manifest a 1 b 1 | revision shop web 1 superseded
manifest a 3 b 3 c 3 | revision shop web 2 deployed
wait_until 20 "the end of what the upgrade has repaired" ends '.DRIFTD_NAME == "a"'
set_value c 4
wait_until 20 "drift of what the upgrade has brought" begins '.DRIFTD_NAME == "c" and .DRIFTD_TEMPLATE == "revision 2"'
check "the upgrade itself is no drift: $(said)" drift_count begin 2
set_value c 3

# one that fails, and a rollback
manifest a 5 b 5 | revision shop web 3 pending-upgrade
held b
set_value b 5 helm
manifest a 5 b 5 | revision shop web 3 failed
wait_until 20 "that an upgrade has failed" begins '.DRIFTD_COMPONENT == "shop/web" and (.MESSAGE | contains("3, has failed"))'
wait_until 20 "what it has left" begins '.DRIFTD_NAME == "b" and .DRIFTD_TEMPLATE == "revision 2"'
manifest a 3 b 3 c 3 | revision shop web 4 pending-rollback
held b
set_value b 3 helm
manifest a 3 b 3 c 3 | revision shop web 2 superseded
manifest a 3 b 3 c 3 | revision shop web 4 deployed
wait_until 20 "its end" ends '.DRIFTD_NAME == "b"'
wait_until 20 "the end of the failure" ends '.MESSAGE | startswith("error ends: helm/shop/web ")'

api DELETE "$(maps shop)/c"
wait_until 20 "what is missing" begins '.DRIFTD_COMPONENT == "shop/web" and (.MESSAGE | contains("Missing"))'
api POST "$(maps shop)" "$(configmap c shop '{"v":"3"}')" kubectl-create
wait_until 20 "its end" ends '.DRIFTD_COMPONENT == "shop/web" and (.MESSAGE | startswith("component"))'

# an object that comes before the Secret which says that Helm changes it: it waits for two seconds
api POST "$(maps shop)" "$(configmap early shop '{"v":"1"}')" helm
manifest early 1 | revision shop early 1 deployed
settled() { [ "$("$bin/driftd" helm list -o json | jq -r ".items[] | select(.name == \"$1\") | .state")" = "in force" ]; }
wait_until 20 "another release to be in force" settled early
set_value early 2 helm
manifest early 2 | revision shop early 2 pending-upgrade
held early
sleep 3
manifest early 1 | revision shop early 1 superseded
manifest early 2 | revision shop early 2 deployed
wait_until 20 "it to be in force" settled early
check "the upgrade is no drift: $(said)" record_count '.DRIFTD_NAME == "early"' 0
set_value early 3
manifest early 4 | revision shop early 3 pending-upgrade
held early
manifest early 4 | revision shop early 3 failed
wait_until 20 "what was changed before an upgrade that failed" begins '.DRIFTD_NAME == "early" and .DRIFTD_TEMPLATE == "revision 2"'
manifest early 2 | revision shop early 4 pending-upgrade
held early
manifest early 2 | revision shop early 2 superseded
manifest early 2 | revision shop early 4 deployed
listed() { [ "$("$bin/driftd" drift list -o json configmaps "$1" | jq -r '.items[0].template')" = "$2" ]; } # listed NAME TEMPLATE
wait_until 20 "the list to say the revision that wants the same" listed early "revision 4"
check "which is no news: $(said)" record_count '.DRIFTD_NAME == "early"' 1
set_value early 2
wait_until 20 "its end" ends '.DRIFTD_NAME == "early" and .DRIFTD_TEMPLATE == "revision 4"'
wait_until 20 "the end of the failure" ends '.DRIFTD_COMPONENT == "shop/early" and (.MESSAGE | startswith("error "))'
before=$(wc -l <"$work/records")

# what a tenant forges speaks for its own namespace only
{
	manifest mine 1
	printf -- '---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop}\ndata: {v: forged}\n'
	printf -- '---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: admin}\nrules: []\n'
	printf -- '---\napiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {p: CanaryOfSecret}\n'
} | revision evil forged 1 deployed
wait_until 20 "its own object, which is missing" begins '.DRIFTD_COMPONENT == "evil/forged" and (.MESSAGE | contains("mine"))'
check "nothing of others: $(said)" test "$(wc -l <"$work/records")" -eq $((before + 1))
# a trusted one has what another has too: it counts
printf -- '---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop}\ndata: {v: "3"}\n' | revision platform base 1 deployed
wait_until 20 "two that claim an object" begins '.DRIFTD_COMPONENT == "shop/web" and (.MESSAGE | contains("of release platform/base"))'
set_value a 9
wait_until 20 "drift from the trusted one" begins '.DRIFTD_NAME == "a" and .DRIFTD_COMPONENT == "platform/base"'
set_value a 3
wait_until 20 "its end" ends '.DRIFTD_NAME == "a" and .DRIFTD_COMPONENT == "platform/base"'
forget platform base 1
wait_until 20 "the end of the claim" record_count '.MESSAGE | startswith("error ends: helm/shop/web ")' 2

# uninstalled while its object is missing: that is over too
forget evil forged 1
wait_until 20 "the end of what is not wanted any more" ends \
	'.DRIFTD_COMPONENT == "evil/forged" and (.MESSAGE | contains("no longer in the reference"))'

# what cannot be read is said, and not quoted
echo 'kind: ConfigMap: CanaryOfText' | revision shop broken 1 deployed
wait_until 20 "one that cannot be read" begins '.DRIFTD_COMPONENT == "shop/broken" and (.MESSAGE | contains("cannot be read"))'
forget shop broken 1
wait_until 20 "its end" ends '.DRIFTD_COMPONENT == "shop/broken"'

# a restart says nothing again
stop driftd || fail "driftd did not end cleanly"
before=$(grep -c '"DRIFTD_EVENT":"begin"' "$work/records")
start_driftd_ready
set_value b 7
wait_until 20 "drift after a restart" begins '.DRIFTD_NAME == "b" and .DRIFTD_TEMPLATE == "revision 4"'
cp "$work/records" "$work/records.before"
check "and nothing else: $(said)" test "$(grep -c '"DRIFTD_EVENT":"begin"' "$work/records")" -eq $((before + 1))

# a rehearsal judges by what is in force, a reload too
sed -i 's/name: helm,/name: helm, exclude_names: [nobody],/' "$work/driftd.yaml"
"$bin/driftd" reload --dry-run >"$work/rehearsed" 2>&1 || fail "$(cat "$work/rehearsed")"
check "nothing would begin or end: $(cat "$work/rehearsed")" test "$(grep -c 'shop/' "$work/rehearsed")" = 0
"$bin/driftd" reload
wait_until 20 "the cluster to be listed anew" all_synced
check "a reload tells nothing: $(said)" test "$(grep -c '"DRIFTD_EVENT":"\(begin\|end\|change\)"' "$work/records")" -eq "$(grep -c \
	'"DRIFTD_EVENT":"\(begin\|end\|change\)"' "$work/records.before")"
"$bin/driftd" explain configmaps -n shop b >"$work/explained"
check "explain names the release: $(cat "$work/explained")" grep -q shop/web "$work/explained"
"$bin/driftd" rbac -c "$work/driftd.yaml" >"$work/roles"
check "the role reads Secrets" grep -q secrets "$work/roles"

# nobody knows which releases there are: what was told stays open, and is not told again
stop driftd || fail "driftd did not end cleanly"
cp "$work/records" "$work/records.before"
for verb in list watch; do control fault "{\"status\":403,\"resource\":\"secrets\",\"verb\":\"$verb\",\"count\":-1}"; done
start_driftd
wait_until 60 "that releases cannot be seen" begins '(.MESSAGE | startswith("gap")) and .DRIFTD_KIND == "Secret"'
set_value c 8
sleep 3
check "nothing is said of objects: $(said)" test "$(grep -c '"MESSAGE":"\(drift \|component \|error \)' "$work/records")" -eq "$(grep -c \
	'"MESSAGE":"\(drift \|component \|error \)' "$work/records.before")"
control fault '{"action":"recover"}'
wait_until 90 "what was changed meanwhile" begins '.DRIFTD_NAME == "c" and .DRIFTD_ACTUAL == "\"8\""'
set_value c 3
before=$((before + 2)) # the gap, and what was changed

# an object goes, and a release comes in whose objects are before it, before either is looked at
kill -STOP "${pid[driftd]}"
api DELETE "$(maps shop)/c"
manifest d 1 | revision shop app 1 deployed
kill -CONT "${pid[driftd]}"
wait_until 20 "the object that is missing" begins '.DRIFTD_COMPONENT == "shop/web" and (.MESSAGE | contains("shop/c (revision 4)"))'
wait_until 20 "what the release lacks" begins '.DRIFTD_COMPONENT == "shop/app"'
forget shop app 1
wait_until 20 "its end" ends '.DRIFTD_COMPONENT == "shop/app"'
api POST "$(maps shop)" "$(configmap c shop '{"v":"3"}')" kubectl-create
wait_until 20 "its end" record_count '.MESSAGE | startswith("component unsatisfied ends: helm/shop/web ")' 2
before=$((before + 2))

# uninstalled
manifest a 3 b 3 c 3 | revision shop web 4 uninstalling
held b
for name in a b c; do api DELETE "$(maps shop)/$name"; done
for n in 1 2 3 4; do forget shop web "$n"; done
wait_until 20 "the end of what was open" ends '.DRIFTD_NAME == "b" and .DRIFTD_COMPONENT == "shop/web"'
sleep 3
check "it is no drift: $(said)" test "$(grep -c '"DRIFTD_EVENT":"begin"' "$work/records")" -eq $((before + 1))
no_secret canary-of-a-release CanaryOf -- "$work/records" "$work/checked" -- "$work/driftd.err.log"
stop driftd || fail "driftd did not end cleanly"
