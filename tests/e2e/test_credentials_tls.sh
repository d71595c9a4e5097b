#!/usr/bin/env bash
# Authority, certificate and key files change while driftd runs: it goes on with what is new; what of it is broken is told once. A server
# that is spoken to without TLS gets no credentials.
. "$(dirname "$0")/credentials.sh"
command -v stunnel4 >/dev/null || skip "no stunnel4"

# ---- authority, certificate and key: those of a TLS server in front of the simulator, which keeps its objects ----

make_authority() { # make_authority FOLDER: with certificates of a server and a client
	start make "$bin/apisim" --port 0 --tls-dir "$1"
	wait_until 30 "an authority" test -s "$1/client.key" -a -s "$1/server.key"
	stop make || true
}
front_port=$(free_port)
serve_with() { # serve_with FOLDER: its certificates, and clients that have one of its authority
	cat >"$work/front.conf" <<C
foreground = yes
pid =
[front]
accept = 127.0.0.1:$front_port
connect = 127.0.0.1:$apisim_port
cert = $1/server.crt
key = $1/server.key
CAfile = $1/ca.crt
requireCert = yes
verifyChain = yes
C
	[ -z "${pid[front]:-}" ] || stop front || true
	start front stunnel4 "$work/front.conf"
	wait_until 30 "the server with $(basename "$1")" curl -s --cacert "$1/ca.crt" --cert "$1/client.crt" --key "$1/client.key" \
		"https://127.0.0.1:$front_port/_apisim/stats"
}
plain_apisim() { # plain_apisim OPTIONS...: on the same port, without TLS
	stop apisim
	start apisim "$bin/apisim" --port "$apisim_port" --no-tls "$@"
	server=http://127.0.0.1:$apisim_port
	wait_until 30 "the server without TLS" curl -sf "$server/_apisim/stats"
}
plain_apisim --load "$source_dir/examples/demo/cluster.json"
make_authority "$work/tls-1"
make_authority "$work/tls-2"
serve_with "$work/tls-1"
mkdir "$work/pki"
cp "$work"/tls-1/{ca.crt,client.crt,client.key} "$work/pki/"
(server=https://127.0.0.1:$front_port
	write_kubeconfig '{client-certificate: pki/client.crt, client-key: pki/client.key}' "$work/kubeconfig" \
		'certificate-authority: pki/ca.crt')
start_driftd_ready
still_watches
head -c 300 "$work/tls-1/ca.crt" >"$work/pki/ca.crt"
wait_until 60 "the notice of half an authority" noticed "certificate-authority '$work/pki/ca.crt': its PEM text is damaged or cut off"
still_watches
cp "$work/tls-2/client.crt" "$work/pki/client.crt"
wait_until 60 "the notice of a key of another certificate" noticed 'client-key: it does not belong to the client-certificate'
serve_with "$work/tls-1" # connections are made anew, with what was read before
still_watches
cp "$work/tls-2/client.key" "$work/pki/client.key"
cp "$work/tls-2/ca.crt" "$work/pki/next" && mv "$work/pki/next" "$work/pki/ca.crt"
serve_with "$work/tls-2"
still_watches
check "each is told once" test "$(notices 'stay as they were')" = 2
stop_driftd
stop front || true

# ---- without TLS ----

plain_apisim --token e2e-token
write_kubeconfig '{token: e2e-token}'
: >"$work/records"
start_driftd
wait_until 60 "the warning" noticed 'credentials are left out'
wait_until 60 "the refusal" gap_record begin 401
check "it is told once" test "$(notices 'credentials are left out')" = 1
no_secret e2e-token -- "$work/records"
stop_driftd

# ---- TLS with a server that does not speak it ----

(server=https://127.0.0.1:$apisim_port
	write_kubeconfig '{token: e2e-token}' "$work/kubeconfig")
: >"$work/records"
start_driftd
wait_until 60 "the gap, for another reason" gap_record change 'it does not speak TLS: is the port right, or should it be http://?'
no_secret e2e-token -- "$work/records"
stop_driftd
