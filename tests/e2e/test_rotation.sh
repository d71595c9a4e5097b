#!/usr/bin/env bash
# A real API server whose tokens, serving certificate and authority are replaced: driftd follows its files, for client certificates too
# where the server knows them. test_rotation.sh [modern]: see control_plane.sh.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/control_plane.sh"
command -v jq >/dev/null || skip "no jq"

# The server's own authority is the one of its clients too.
options=()
"$assets/kube-apiserver" --help >"$work/help" 2>&1 || true
! grep -q -- --client-ca-file "$work/help" || options=(--client-ca-file "$work/ca.crt")
restart() { # with the files as they are now
	stop apiserver KILL || true # in order it would wait a minute for driftd's watches
	start_apiserver "${options[@]}"
}
put() { # put NAME: standard input as this file of driftd's, in one step
	cat >"$work/files/..next"
	mv "$work/files/..next" "$work/files/$1"
}
allow() { # allow TOKEN: for driftd
	printf '%s\n' "$token,admin,admin,system:masters" "$1,driftd,driftd,system:masters" >"$work/tokens.csv"
}
client_certificate() { # of the authority as it is now: in $work/client.crt and client.key
	openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /O=system:masters/CN=driftd -keyout "$work/client.key" \
		-out "$work/client.csr" 2>>"$work/openssl.log"
	openssl x509 -req -in "$work/client.csr" -CA "$work/ca.crt" -CAkey "$work/ca.key" -CAcreateserial -days 2 -out "$work/client.crt" \
		2>>"$work/openssl.log"
}
write_kubeconfig() { # write_kubeconfig USER
	cat >"$work/kubeconfig.new" <<Y
apiVersion: v1
kind: Config
current-context: e2e
clusters: [{name: e2e, cluster: {server: "$server", certificate-authority: files/ca.crt}}]
users: [{name: e2e, user: $1}]
contexts: [{name: e2e, context: {cluster: e2e, user: e2e}}]
Y
	mv "$work/kubeconfig.new" "$work/kubeconfig"
}

start_control_plane
create_shop
mkdir "$work/files"
allow first-token
restart
put token <<<first-token
put ca.crt <"$ca"
write_kubeconfig '{tokenFile: files/token}'
configure "$source_dir/examples/demo/reference"
start_driftd_ready
still_watches

# ---- another token ----

allow second-token
restart
# Where the server was away for long before, the gap has begun, and changes.
refused() { has_record '(.DRIFTD_EVENT | IN("begin", "change")) and (.MESSAGE | startswith("gap") and contains("401"))'; }
wait_until 90 "the refusal of the old token" refused
put token <<<second-token
wait_until 90 "the end of the gap" ends '(.MESSAGE | startswith("gap"))'
still_watches

# ---- a client certificate instead, then another authority for the server and for clients ----

if [ ${#options[@]} -gt 0 ]; then
	client_certificate
	put client.crt <"$work/client.crt"
	put client.key <"$work/client.key"
	write_kubeconfig '{client-certificate: files/client.crt, client-key: files/client.key}'
	wait_until 60 "the cluster to be watched anew" has_record '.MESSAGE | contains("watched anew")'
	wait_until 60 "driftd to be ready" ready
	still_watches
else
	echo "not run: client certificates, this server has no --client-ca-file"
fi
(make_certificates) >"$work/openssl.log" 2>&1
client_certificate
put ca.crt <"$ca"
put client.crt <"$work/client.crt"
put client.key <"$work/client.key"
restart
still_watches
no_secret first-token second-token 'PRIVATE KEY' -- "$work/records" -- "$work/driftd.err.log"
stop driftd || fail "driftd did not end cleanly"
