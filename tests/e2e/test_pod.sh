#!/usr/bin/env bash
# In a pod: without a kubeconfig the mounted service account is used, and followed when Kubernetes renews it; IPv6 too.
. "$(dirname "$0")/lib.sh"
for tool in jq unshare mount; do command -v $tool >/dev/null || skip "no $tool"; done
unshare -rm true 2>/dev/null || skip "no mount namespaces"

mount_account() { # mount_account TOKEN: a new version of the volume, put in place in one step
	local version
	version=$(mktemp -d "$work/account/..v-XXXXXX")
	printf '%s' "$1" >"$version/token"
	cp "$ca" "$version/ca.crt"
	echo shop >"$version/namespace"
	ln -s "$(basename "$version")" "$work/account/..tmp"
	mv -T "$work/account/..tmp" "$work/account/..data"
	for f in token ca.crt namespace; do ln -sfn "..data/$f" "$work/account/$f"; done
}
# The account is mounted where Kubernetes mounts it, for driftd alone.
cat >"$work/in-pod" <<'P'
#!/bin/sh
# in-pod ACCOUNT COMMAND...
set -e
mount -t tmpfs none /run
mkdir -p /run/secrets/kubernetes.io/serviceaccount
mount --bind "$1" /run/secrets/kubernetes.io/serviceaccount
shift
exec "$@"
P
chmod +x "$work/in-pod"
pod() { # pod COMMAND...: instead of this shell, in a pod of the simulator's cluster
	local host=${server#https://}
	host=${host%:*} host=${host#[}
	exec env -u KUBECONFIG HOME="$work/nowhere" KUBERNETES_SERVICE_HOST="${host%]}" KUBERNETES_SERVICE_PORT="${server##*:}" \
		unshare -rm "$work/in-pod" "$work/account" "$@"
}
start_in_pod() {
	: "${web_port:=$(free_port)}"
	web=http://127.0.0.1:$web_port
	pod "$bin/driftd" run -c "$work/driftd.yaml" -o json --web.listen-address "127.0.0.1:$web_port" >>"$work/records" \
		2>>"$work/driftd.err.log" &
	pid[driftd]=$!
	wait_until 20 "driftd's HTTP server" curl -sf "$web/-/healthy"
}

start_shop
sed -i '/kubeconfig:/d' "$work/driftd.yaml"
mkdir "$work/account"
mount_account expired-token
[ -d /run/secrets/kubernetes.io/serviceaccount ] || [ -e /var/run/secrets ] ||
	check "without the variables this is not a pod" grep -q 'this is not a pod' <(
		env -u KUBECONFIG -u KUBERNETES_SERVICE_HOST HOME="$work/nowhere" \
			"$bin/driftd" check-config -c "$work/driftd.yaml" 2>&1)
start_in_pod
wait_until 60 "the refusal of an old token" gap_record begin 401
mount_account e2e-token
wait_until 60 "driftd to be ready with the new one" ready
check "the cluster has the name of the configuration" test -n "$(metric "driftd_cluster_up{kube_cluster=\"$cluster\"}")"
set_team backoffice
wait_until 30 "drift" begins '.DRIFTD_KIND == "Namespace"'
no_secret expired-token e2e-token -- "$work/records" -- "$work/driftd.err.log"
stop driftd || fail "driftd did not end cleanly"

grep -q '^00000000000000000000000000000001 ' /proc/net/if_inet6 2>/dev/null || { echo "not run: IPv6, this machine has none"; exit 0; }
stop apisim
apisim_port=0
start_shop --bind ::1
sed -i '/kubeconfig:/d' "$work/driftd.yaml"
mount_account e2e-token
: >"$work/records"
start_in_pod
wait_until 60 "driftd to be ready over IPv6" ready
stop driftd || fail "driftd did not end cleanly"
