#!/usr/bin/env bash
# Token files and the kubeconfig itself change while driftd runs: it goes on with what is new; what of it is broken is told once.
. "$(dirname "$0")/credentials.sh"

# ---- a token in a mount of Kubernetes ----

mount_token() { # mount_token FOLDER TOKEN: a new version of the mount, put in place in one step
	local version
	version=$(mktemp -d "$1/..v-XXXXXX")
	printf '%s' "$2" >"$version/token"
	cp "$ca" "$version/ca.crt"
	ln -s "$(basename "$version")" "$1/..tmp"
	mv -T "$1/..tmp" "$1/..data"
	ln -sfn ..data/token "$1/token"
	ln -sfn ..data/ca.crt "$1/ca.crt"
}
mkdir "$work/account"
mount_token "$work/account" expired-token
write_kubeconfig '{tokenFile: account/token}'
start_driftd
wait_until 60 "the refusal of the first token" gap_record begin 401
mount_token "$work/account" e2e-token
wait_until 60 "driftd to be synced with the next one" all_synced
still_watches
printf 'half\na token' >"$work/account/half" && mv "$work/account/half" "$(readlink -f "$work/account/token")"
wait_until 60 "the notice of a token that cannot be used" noticed 'stay as they were: token file'
still_watches
check "it is told once" test "$(notices 'stay as they were: token file')" = 1

# ---- the kubeconfig itself ----

anew() { notices 'the kubeconfig changed: the cluster is watched anew'; }
write_kubeconfig '{token: e2e-token}'
wait_until 60 "the cluster to be watched anew" noticed 'watched anew'
wait_until 60 "driftd to be synced again" all_synced
still_watches
begins=$(records '.DRIFTD_EVENT == "begin"' | wc -l)
echo '# not another word' >>"$work/kubeconfig"
echo 'users: [' >"$work/kubeconfig.new" && mv "$work/kubeconfig.new" "$work/kubeconfig"
wait_until 60 "the notice of a kubeconfig that cannot be read" noticed 'the kubeconfig changed, the cluster is watched as before'
still_watches
write_kubeconfig '{token: e2e-token}'
still_watches
check "the same again and a broken one leave the cluster alone" test "$(anew)" = 1
check "nothing was told twice" test "$(records '.DRIFTD_EVENT == "begin"' | wc -l)" = $((begins + 2))
before=$(gaps begin)
write_kubeconfig '{token: wrong-token}'
wait_until 60 "a token that the server refuses" more_gaps begin "$before"
write_kubeconfig '{token: e2e-token}'
wait_until 60 "the end of it" more_gaps end "$before"
still_watches
no_secret wrong-token expired-token 'a token' -- "$work/records" -- "$work/driftd.err.log"
stop_driftd
