#!/usr/bin/env bash
# Credentials that change while driftd runs: token, authority and certificate files, the kubeconfig itself, plugins whose answers expire;
# what of it is broken is told once; and a server that is spoken to without TLS gets none.
. "$(dirname "$0")/lib.sh"
for tool in jq stunnel4; do command -v $tool >/dev/null || skip "no $tool"; done

start_shop
cp "$work/kubeconfig" "$work/kubeconfig.good"
ca_data=$(sed -n 's/.*certificate-authority-data: *//p' "$work/kubeconfig")

write_kubeconfig() { # write_kubeconfig USER [FILE [CLUSTER-FIELDS]]: renamed into place, as editors do
	cat >"$work/kubeconfig.new" <<Y
apiVersion: v1
kind: Config
current-context: e2e
clusters: [{name: e2e, cluster: {server: "$server", ${3:-certificate-authority-data: $ca_data}}}]
users: [{name: e2e, user: $1}]
contexts: [{name: e2e, context: {cluster: e2e, user: e2e}}]
Y
	mv "$work/kubeconfig.new" "${2:-$work/kubeconfig}"
}
notices() { records ".DRIFTD_EVENT == \"notice\" and (.MESSAGE | contains(\"$1\"))" | wc -l; }
noticed() { [ "$(notices "$1")" -ge 1 ]; }
gaps() { records ".DRIFTD_EVENT == \"$1\" and (.MESSAGE | startswith(\"gap\"))" | wc -l; }
more_gaps() { [ "$(gaps "$1")" -gt "$2" ]; } # more_gaps EVENT THAN
stop_driftd() { stop driftd || fail "driftd did not end cleanly"; }

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
: >"$work/records"
drifts=0
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

# ---- a plugin whose answers expire ----

stop apisim
start_shop
cat >"$work/plugin" <<'P'
#!/bin/sh
# A credential plugin: its answer is good for $LIFE seconds; it does what the file "mood" says.
echo run >>"$FOLDER/runs"
env >"$FOLDER/env"
sleep 1000 & # a helper that it forgets
echo $! >>"$FOLDER/helpers"
. "$FOLDER/mood"
printf '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"%s","expirationTimestamp":"%s"}}' \
	"$TOKEN" "$(date -u -d "+$LIFE seconds" +%Y-%m-%dT%H:%M:%SZ)"
P
chmod +x "$work/plugin"
echo ': quite well' >"$work/mood"
runs() { wc -l <"$work/runs"; }
ran() { [ "$(runs)" -gt "$1" ]; }
plugin_user() { # plugin_user LIFE
	echo "{exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin, interactiveMode: Never, provideClusterInfo: true,
  env: [{name: FOLDER, value: '$work'}, {name: LIFE, value: '$1'}, {name: TOKEN, value: e2e-token}]}}"
}
audience='extensions: [{name: client.authentication.k8s.io/exec, extension: {audience: e2e, hours: 12}}]'
write_kubeconfig "$(plugin_user 8)" "$work/kubeconfig" "certificate-authority: tls/ca.crt, $audience"
: >"$work/records"
drifts=0
export NOTIFY_SOCKET=$work/no-socket LISTEN_FDS=0
start_driftd_ready
unset NOTIFY_SOCKET LISTEN_FDS
check "the plugin ran" ran 0
check "it knows the cluster's configuration" grep -q '"config":{"audience":"e2e","hours":12}' "$work/env"
check "it cannot speak for driftd" test "$(grep -cE '^(NOTIFY_SOCKET|LISTEN_FDS)=' "$work/env")" = 0
before=$(runs)
asked_again() { control fault '{"action":"close-watches"}' && ran "$before"; }
wait_until 60 "the plugin to be asked before its answer expires" asked_again
still_watches
check "no gap was told" record_count '.DRIFTD_EVENT == "begin" and (.MESSAGE | startswith("gap"))' 0
no_helper() { for p in $(cat "$work/helpers"); do [ ! -e "/proc/$p" ] || grep -q '^State:.Z' "/proc/$p/status" || return 1; done; }
wait_until 30 "the end of what the plugin left behind" no_helper

# Refused: asked once more, and the request is sent again.
write_kubeconfig "$(plugin_user 86400)" "$work/kubeconfig" "certificate-authority: tls/ca.crt, $audience"
wait_until 60 "the cluster to be watched anew" noticed 'watched anew'
wait_until 60 "driftd to be synced" all_synced
before=$(runs)
control fault '{"status":401,"path":"/api/v1/namespaces","count":1}'
control fault '{"action":"close-watches","path":"/api/v1/namespaces"}'
wait_until 60 "the plugin to be asked after a refusal" ran "$before"
still_watches
check "no gap was told" record_count '.DRIFTD_EVENT == "begin" and (.MESSAGE | startswith("gap"))' 0

# It fails, and says too much.
echo 'echo "not logged in: eyJhbGciOiJub25lIn0.e30." >&2; exit 7' >"$work/mood"
write_kubeconfig "$(plugin_user 86401)" "$work/kubeconfig" "certificate-authority: tls/ca.crt, $audience"
wait_until 60 "the gap" gap_record begin 'ended with status 7'
echo ': well again' >"$work/mood"
wait_until 120 "the end of it" gap_record end ''
check "one notice of it" test "$(notices 'ended with status 7')" = 1
no_secret e2e-token eyJhbGciOiJub25lIn0 -- "$work/records" -- "$work/driftd.err.log"

# It is not there.
write_kubeconfig "{exec: {apiVersion: client.authentication.k8s.io/v1, command: driftd-no-plugin, interactiveMode: Never,
  installHint: 'The package plugins has it.', env: [{name: PATH, value: '/nowhere:/usr/none'}]}}" "$work/kubeconfig" \
	"certificate-authority: tls/ca.crt, $audience"
absent="credential plugin 'driftd-no-plugin': it is in no folder of PATH (/nowhere:/usr/none). The package plugins has it."
wait_until 60 "the gap" gap_record begin "$absent"
ended=$(gaps end)
write_kubeconfig "$(plugin_user 86403)" "$work/kubeconfig" "certificate-authority: tls/ca.crt, $audience"
wait_until 120 "the end of it" more_gaps end "$ended"

# It hangs: with driftd ends also what it started.
echo 'wait' >"$work/mood"
before=$(runs)
write_kubeconfig "$(plugin_user 86402)" "$work/kubeconfig" "certificate-authority: tls/ca.crt, $audience"
wait_until 60 "the plugin to hang" ran "$before"
stop_driftd
wait_until 30 "the end of the plugin's helper" no_helper

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
