#!/usr/bin/env bash
# The control socket: its permissions, what was left by a killed daemon, who is in its place, a reload that moves it; and sockets that
# systemd passes instead of addresses (needs systemd-socket-activate).
. "$(dirname "$0")/lib.sh"

socket=$work/driftd.sock
control() { curl -sf -m 5 --unix-socket "$socket" "http://localhost$1"; }
mode_is() { [ "$(stat -c %a "$1")" = "$2" ]; }

echo "control_socket: $socket" >"$work/driftd.yaml"
start_driftd
wait_until 5 "the control socket" control /-/healthy
check "its user and group have it, others do not" mode_is "$socket" 660
kill -KILL "${pid[driftd]}"
wait "${pid[driftd]}" 2>/dev/null || true
check "it stays when the daemon is killed" test -S "$socket"
start_driftd
check "the next one takes its place" control /-/healthy

: "${web_port_2:=$(free_port)}"
mkdir "$work/second"
"$bin/driftd" run -c "$work/driftd.yaml" -o json --web.listen-address "127.0.0.1:$web_port_2" >>"$work/second/records" 2>&1 &
pid[second]=$!
told() { grep -q "another process listens there; tried again every second" "$work/second/records"; }
wait_until 20 "the second daemon to tell that the socket is taken" told
check "the first one keeps it" control /-/healthy
stop second
check "and after the other has gone" control /-/healthy

echo "control_socket: $work/moved.sock" >"$work/driftd.yaml"
kill -HUP "${pid[driftd]}"
wait_until 10 "the socket at its new place" curl -sf --unix-socket "$work/moved.sock" http://localhost/-/healthy
check "the old one is gone" test ! -e "$socket"
echo "control_socket: ''" >"$work/driftd.yaml"
kill -HUP "${pid[driftd]}"
gone() { [ ! -e "$work/moved.sock" ]; }
wait_until 10 "the socket to be given up" gone
echo "precious" >"$work/file.sock"
echo "control_socket: $work/file.sock" >"$work/driftd.yaml"
kill -HUP "${pid[driftd]}"
no_socket() { grep -q "a file that is not a socket is there" "$work/records"; }
wait_until 10 "the file to be told" no_socket
check "the file is as it was" grep -qx precious "$work/file.sock"
stop driftd
echo "control_socket: relative.sock" >"$work/driftd.yaml"
refused() {
	! "$bin/driftd" check-config -c "$work/driftd.yaml" 2>"$work/refused.txt" &&
		grep -q "driftd.yaml:1:17: .*absolute path" "$work/refused.txt"
}
check "a relative path is a mistake" refused

activate=$(command -v systemd-socket-activate || true)
[ -n "$activate" ] || { echo "without systemd-socket-activate"; exit 0; }
: >"$work/driftd.yaml"
status=0
"$bin/driftd" run -c "$work/driftd.yaml" -o json --web.systemd-socket >"$work/none.txt" 2>&1 || status=$?
check "no socket is passed: not started" test "$status" = 1
passed_port=$(free_port)
start activated "$activate" -l "127.0.0.1:$passed_port" -l "$work/api.sock" --fdname=metrics:api \
	"$bin/driftd" run -c "$work/driftd.yaml" -o json --web.systemd-socket
passed() { curl -sf -m 5 "http://127.0.0.1:$passed_port/metrics" >"$work/passed.txt" && grep -q ^driftd_build_info "$work/passed.txt"; }
wait_until 20 "the address that was passed" passed
check "the control socket that was passed" curl -sf -m 5 --unix-socket "$work/api.sock" -o /dev/null http://localhost/-/healthy
not_default() { ! curl -s -m 2 -o /dev/null http://127.0.0.1:19470/-/healthy; }
check "the addresses of the configuration are not used" not_default
kill -HUP "${pid[activated]}"
reloaded() { grep -q "configuration reloaded" "$work/activated.log"; }
wait_until 10 "a reload" reloaded
check "the sockets outlive a reload" passed
stop activated
check "systemd's socket stays" test -S "$work/api.sock"
