#!/usr/bin/env bash
# Credential plugins: answers that expire or are refused, a plugin that fails, is not there or hangs; what it says too much is not told.
. "$(dirname "$0")/credentials.sh"

# ---- a plugin whose answers expire ----

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
