#!/usr/bin/env bash
# driftd check-config --connect: what a start would meet. The server must know roles, which today's of control_plane.sh does not.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/control_plane.sh"
for tool in jq kubectl; do command -v $tool >/dev/null || skip "no $tool"; done

preflight() { # preflight STATUS [OPTIONS...]: its table in $work/table, its rows as JSON in $work/rows
	local status=0 wanted=$1
	shift
	"$bin/driftd" check-config -c "$work/driftd.yaml" --connect "$@" >"$work/table" 2>"$work/said" || status=$?
	check "check-config --connect $* ends with $wanted, and not $status: $(cat "$work/said" "$work/table")" test $status = "$wanted"
	"$bin/driftd" check-config -c "$work/driftd.yaml" --connect -o json "$@" 2>/dev/null | jq -c '.checks[]' >"$work/rows" ||
		[ "$wanted" != 0 ] || fail "no JSON"
}
row() { # row CLUSTER CHECK RESULT DETAIL: there is one, with this in its detail
	check "$1: $2 is $3: $4; and not: $(cat "$work/rows")" jq -se --arg c "$1" --arg w "$2" --arg r "$3" --arg d "$4" \
		'any(.[]; .cluster == $c and .check == $w and .result == $r and (.detail | contains($d)))' "$work/rows"
}
no_row() { # no_row RESULT
	check "nothing is $1: $(cat "$work/rows")" jq -se --arg r "$1" 'all(.[]; .result != $r)' "$work/rows"
}

# ---- a real server, which knows roles ----

start_with_account
cluster=prod
configure "$source_dir/examples/demo/reference" 'watch: [{apiVersion: batch/v1, kind: Job, namespaces: [shop]},
  {apiVersion: extensions/v1beta1, kind: Deployment}, {apiVersion: example.com/v1, kind: Nothing}]'
version=$(kubectl --kubeconfig "$admin" get --raw /version | jq -r .gitVersion)

preflight 1
row prod server ok "$server: version $version"
row prod token ok "in the kubeconfig: it does not say when it ends"
row prod "certificate authority" warning "$work/ca.crt: it ends "
row prod "jobs.batch in namespace shop" failed 'batch/v1 Job may not be listed and watched: grant verbs [list, watch] on '
row prod "example.com/v1 Nothing" warning "no such kind"
row prod "extensions/v1beta1 Deployment" warning "not served in this version, but in apps/v1"
check "the command that prints roles is named" grep -q "driftd rbac -c $work/driftd.yaml" "$work/said"

"$bin/driftd" rbac -c "$work/driftd.yaml" --kubeconfig "$admin" >"$work/roles.yaml" || fail "driftd rbac"
k create -f "$work/roles.yaml"
preflight 0
row prod "jobs.batch in namespace shop" ok "may be listed and watched"
row prod "customresourcedefinitions.apiextensions.k8s.io" ok "may be listed and watched"
no_row failed
check "each collection that driftd watches has a row" test "$(grep -c 'may be listed' "$work/rows")" -ge 8

kubectl --kubeconfig "$admin" get clusterrole driftd -o json |
	jq 'del(.metadata.resourceVersion, .metadata.uid)
		| .rules |= map(if .resources == ["jobs"] then .verbs = ["list"] else . end)' >"$work/less.json"
k replace -f "$work/less.json"
preflight 1
row prod "jobs.batch in namespace shop" failed 'may not be watched: grant verbs [watch] on resource "jobs"'

# ---- credentials, and servers that cannot be reached ----

base64url() { base64 -w0 | tr -d = | tr '/+' '_-'; }
jwt() { printf '%s.%s.%s' "$(printf '{"alg":"none"}' | base64url)" "$(printf '{"sub":"x?>~","exp":%d}' "$1" | base64url)" c2ln; }
sed "s/token: account/token: $(jwt $(($(date +%s) + 7200)))/" "$work/kubeconfig" >"$work/soon"
sed "s/token: account/token: $(jwt $(($(date +%s) - 7200)))/" "$work/kubeconfig" >"$work/ended"
sed "s|https://127.0.0.1:[0-9]*|https://127.0.0.1:1|" "$work/kubeconfig" >"$work/nowhere"
cat >"$work/plugin" <<'S'
#!/bin/sh
cat <<'J'
{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
 "status": {"token": "account", "expirationTimestamp": "2999-01-01T00:00:00Z"}}
J
S
chmod 755 "$work/plugin"
sed 's/{token: account}/{exec: {apiVersion: client.authentication.k8s.io\/v1, command: .\/plugin, interactiveMode: Never}}/' \
	"$work/kubeconfig" >"$work/by-plugin"
cat >"$work/driftd.yaml" <<Y
clusters:
- {name: soon, kubeconfig: soon}
- {name: ended, kubeconfig: ended}
- {name: nowhere, kubeconfig: nowhere}
- {name: by-plugin, kubeconfig: by-plugin}
references: [{name: shop, path: $source_dir/examples/demo/reference/metadata.yaml}]
Y
preflight 1
row soon token warning " UTC, in "
row ended token failed "it ended "
row nowhere server failed "https://127.0.0.1:1: "
row by-plugin "credential plugin" ok "what it gives ends 2999-01-01 00:00:00 UTC"
row by-plugin server ok "version $version"
check "no token is shown" test "$(grep -cF "$(jwt 0 | cut -c 1-12)" "$work/table" "$work/rows" | grep -c ':0$')" = 2

# ---- references that are no file of their own ----

mkdir "$work/manifests"
cp "$source_dir"/examples/manifests/shop/*.yaml "$work/manifests"
cat >"$work/driftd.yaml" <<'Y'
clusters: [{name: prod, kubeconfig: admin.kubeconfig}]
references:
  - {name: helm, helm_releases: {}}
  - {name: applied, last_applied: {kinds: [ConfigMap]}}
  - {name: shop, manifests: manifests}
Y
preflight 0
row "" files ok ": all can be read"
no_row failed

# ---- the account of the service ----

[ "$(id -u)" = 0 ] || exit 0
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 # it cannot trace a process that gave up root
chmod 755 "$work"
printf 'clusters: [{name: prod, kubeconfig: kubeconfig}]\nreferences: [{name: shop, path: ref/metadata.yaml}]\n' >"$work/driftd.yaml"
cp -r "$source_dir/examples/demo/reference" "$work/ref"
chmod -R a+rX "$work/ref"
chmod 644 "$work/driftd.yaml" "$work/kubeconfig" "$work/ca.crt"
preflight 0 --user nobody
row "" account ok "checked as user nobody"
row "" configuration warning "driftd.service does not see it: PrivateTmp=yes"
row prod server ok "version $version"
chmod 600 "$work/kubeconfig" "$work/ref/web-config.yaml"
preflight 1 --user nobody
row prod kubeconfig failed "nobody cannot read it: it, or a folder on the way, forbids it (owner root, group root, mode 0600)"
chmod 644 "$work/kubeconfig"
preflight 1 --user nobody
row "" configuration failed "web-config.yaml"

# ---- what Alertmanager and etcd ask for ----

cp "$work/driftd.yaml" "$work/plain.yaml"
echo "a password of Alertmanager" >"$work/password"
cat >>"$work/driftd.yaml" <<Y
alertmanager: {urls: ["http://127.0.0.1:1"], auth: {username: driftd, password_file: password}}
leader_election: {endpoints: ["https://127.0.0.1:1"], ca_file: ca.crt, hash_key_file: hash.key}
Y
chmod 600 "$work/password"
preflight 1 --user nobody
row "" "password for Alertmanager" failed "nobody cannot read it"
row "" "key of the hashes" failed "No such file or directory"
check "the password is not shown" test "$(cat "$work/table" "$work/rows" | grep -c 'a password of')" = 0
mv "$work/plain.yaml" "$work/driftd.yaml"

status=0
"$bin/driftd" check-config -c "$work/driftd.yaml" --user no-such-user >"$work/table" 2>"$work/said" || status=$?
check "a user who does not exist is told" grep -q "there is no user 'no-such-user'" "$work/said"
check "and ends with 1" test $status = 1
