#!/usr/bin/env bash
# Descriptors end with the process: a credential plugin and a diff program have the first three only, whatever driftd and its libraries hold
# and whoever started it left open.
. "$(dirname "$0")/lib.sh"

start_shop
connections() { # connections: the descriptors of driftd that are TCP sockets, and their flags; any of them may be closed meanwhile
	local fd inode flags
	for fd in "/proc/${pid[driftd]}/fd"/*; do
		inode=$(readlink "$fd" | sed -n 's/^socket:\[\(.*\)\]$/\1/p') || continue
		[ -n "$inode" ] && grep -q " $inode " "/proc/${pid[driftd]}/net/tcp" || continue
		flags=$(sed -n 's/^flags:[[:space:]]*//p' "${fd/fd/fdinfo}" 2>/dev/null) || continue
		echo "$fd $flags"
	done
}
start_driftd_ready
connections >"$work/connections.txt"
check "there are connections" test -s "$work/connections.txt"
check "connections are close-on-exec: $(cat "$work/connections.txt")" test -z "$(awk '$2 !~ /^02[0-9]*$/' "$work/connections.txt")"
stop driftd || fail "driftd did not end cleanly"

mkdir "$work/fds"
cat >"$work/plugin" <<P
#!/bin/sh
ls -l /proc/self/fd >$work/fds/plugin.\$\$
soon=\$(date -u -d '+8 seconds' +%FT%TZ)
status='{"token":"e2e-token","expirationTimestamp":"'\$soon'"}'
echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":'\$status'}'
P
cat >"$work/differ" <<P
#!/bin/sh
ls -l /proc/self/fd >$work/fds/differ.\$\$
exit 1
P
chmod +x "$work/plugin" "$work/differ"
sed -i "s|token: .*|exec: {apiVersion: client.authentication.k8s.io/v1, command: $work/plugin, interactiveMode: Never}|" "$work/kubeconfig"
check "the kubeconfig has the plugin" grep -q "command: $work/plugin" "$work/kubeconfig"
exec 9</dev/null # as whoever starts driftd might leave one open
start_driftd_ready
only_three() { # only_three PROGRAM: whenever it ran, but for what ls opens itself
	local held
	held=$(sed -n 's| -> /proc/[0-9]*/fd$|&ls|; /fdls$/!s/.* \([0-9]*\) -> .*/\1/p' "$work/fds/$1".* | sort -u | tr '\n' ' ')
	check "$1 has 0, 1 and 2, not $held: $(cat "$work/fds/$1".*)" test "$held" = "0 1 2 "
}
another_request() { control fault '{"action":"close-watches","resource":"namespaces"}'; } # the watches of other kinds go on
plugin_ran() { [ "$(find "$work/fds" -name 'plugin.*' | wc -l)" -ge "$1" ]; }
wait_until 60 "the plugin to run while watches are open" eval 'another_request; plugin_ran 2'
only_three plugin
stop driftd || fail "driftd did not end cleanly"

set_team nobody
KUBECTL_EXTERNAL_DIFF=$work/differ KUBECONFIG=$work/kubeconfig "$bin/driftd" compare \
	-r "$source_dir/examples/demo/reference/metadata.yaml" >"$work/compare.log" 2>&1 || true
exec 9<&-
only_three differ
