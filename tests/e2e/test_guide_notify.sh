#!/usr/bin/env bash
# docs/guide/notify.md: its commands do what it says, with a real journal and Alertmanager's amtool; kubectl is played. systemd finds no
# mistake in the unit.
. "$(dirname "$0")/journal.sh"
. "$here/guide.sh"
command -v amtool >/dev/null || skip "no amtool"

if command -v systemd-analyze >/dev/null; then
	sed 's|/usr/local/bin/driftd-notify|/bin/true|; s|^EnvironmentFile=|&-|' "$source_dir/examples/notify/driftd-notify.service" \
		>"$work/driftd-notify.service"
	systemd-analyze verify "$work/driftd-notify.service" >"$work/verify.log" 2>&1 || fail "systemd-analyze verify driftd-notify.service"
	check "nothing is said of the unit: $(head -c 300 "$work/verify.log")" test ! -s "$work/verify.log"
fi
start_journald
start_cluster --load "$source_dir/examples/demo/cluster.json"
configure "$source_dir/examples/demo/reference"
sed -i 's/  - name: ref/&\n    severity: error/' "$work/driftd.yaml"
start_driftd_ready journal
run_guide "$source_dir/docs/guide/notify.md" 3 EXAMPLES="$source_dir/examples"
stop driftd || fail "driftd did not end cleanly"

# ---- what the unit runs for a record ----

port=$(free_port)
start hook python3 -u "$here/data/hook.py" "$port" "$work/posted.json"
command=$(sed -n "s/^ExecStart=.* -c '\(.*\)'\$/\1/p" "$source_dir/examples/notify/driftd-notify.service")
check "the unit has a command" test -n "$command"
posts() { jq -nc --arg text "$1" '{MESSAGE: $text}' | HOOK=http://127.0.0.1:$port sh -c "$command"; } # posts MESSAGE
wait_until 10 "what it tells to be posted" posts 'drift begins: "web"'
check "as a chat wants it" test "$(jq -r .text "$work/posted.json")" = 'drift begins: "web"'
stop hook || true
check "a hook that is away is a failure" eval '! posts again 2>/dev/null'
