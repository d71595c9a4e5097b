#!/usr/bin/env bash
# To be sourced in place of lib.sh: the test has a journald of its own, in a mount namespace of its own, where /media is a small disk.
if [ -z "${JOURNAL_INSIDE:-}" ]; then
	[ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || { echo "skipped: no mount namespace can be made"; exit 77; }
	export JOURNAL_INSIDE=1
	exec unshare -m --propagation private "$0" "$@"
fi
. "$(dirname "$0")/lib.sh"
for tool in jq journalctl; do command -v $tool >/dev/null || skip "no $tool"; done
journald=/lib/systemd/systemd-journald
[ -x $journald ] || skip "no journald"
[ -s /etc/machine-id ] || skip "no machine-id"

for folder in /run/systemd/journal /run/log/journal /var/log/journal; do
	mkdir -p $folder && mount -t tmpfs tmpfs $folder
done
state=/media
mount -t tmpfs -o size=128M tmpfs $state

start_journald() {
	start journald $journald
	wait_until 10 "journald" test -S /run/systemd/journal/socket
}
stop_journald() { # stop_journald [SIGNAL]: without systemd nobody holds its sockets
	stop journald "${1:-TERM}" || true
	rm -f /run/systemd/journal/*
}
journal() { journalctl -q -o json --file '/run/log/journal/*/*.journal*' "$@" 2>/dev/null; } # journal MATCH...
