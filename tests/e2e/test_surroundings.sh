#!/usr/bin/env bash
# Whoever starts driftd may have closed descriptors, left few of them, limited files, or send signals before it is there for them: it works,
# or one line says why not.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"

start_shop
run() { "$bin/driftd" run -c "${1:-$work/driftd.yaml}" -o json --web.listen-address "127.0.0.1:$web_port"; }
web_port=$(free_port) web=http://127.0.0.1:$web_port
one_line() { [ "$(wc -l <"$work/err")" -eq 1 ] && grep -qE "$1" "$work/err"; } # one_line PATTERN
ended() { ! kill -0 "$1" 2>/dev/null; }

# ---- signals that come before it is there for them: it reads a configuration that nobody writes yet ----

held() { [ $((0x$(sed -n 's/^SigBlk:[[:space:]]*//p' "/proc/${pid[driftd]}/status") & 0x4003)) -eq $((0x4003)) ]; }
early() { # early SIGNAL...: sent to a driftd that reads its configuration, and can go on then
	rm -f "$work/slow.yaml"
	mkfifo "$work/slow.yaml"
	"$bin/driftd" run -c "$work/slow.yaml" -o json --web.listen-address "127.0.0.1:$web_port" >"$work/records" 2>"$work/err" &
	pid[driftd]=$!
	wait_until 20 "signals to be held" held
	exec 8>"$work/slow.yaml" # it waits for what is written here
	local signal
	for signal; do kill "-$signal" "${pid[driftd]}"; done
	cp "$work/driftd.yaml" "$work/next.yaml"
	mv "$work/next.yaml" "$work/slow.yaml" # for a reload
	cat "$work/driftd.yaml" >&8
	exec 8>&-
}
early HUP USR1 USR2 PIPE
wait_until 60 "driftd to be ready after signals that came early" ready
wait_until 20 "the reload that was asked for early" has_record '.DRIFTD_EVENT == "reloaded"'
kill -USR1 "${pid[driftd]}"
check "a signal that asks for nothing ends nothing" ready
stop driftd || fail "driftd did not end cleanly"
early HUP TERM
status=0
wait "${pid[driftd]}" || status=$?
unset "pid[driftd]"
check "SIGTERM that came early ends it in good order: $status" test $status -eq 0
check "with its last record" has_record '.DRIFTD_EVENT == "stopped"'

# ---- closed descriptors ----

for arguments in version --version help "check-config -c $work/driftd.yaml" "cel 1" "compare --help" "rbac -c $work/driftd.yaml"; do
	status=0
	# shellcheck disable=SC2086 # several arguments
	"$bin/driftd" $arguments <&- >&- 2>"$work/err" || status=$?
	check "driftd $arguments says that it could not: $(cat "$work/err")" test $status -ne 0
	check "driftd $arguments: $(cat "$work/err")" one_line "Bad file descriptor|bad file descriptor"
	"$bin/driftd" $arguments <&- >"$work/out" 2>&- || fail "driftd $arguments without the other two"
	check "driftd $arguments has said it" test -s "$work/out"
done
status=0
run <&- >&- 2>"$work/err" || status=$?
check "records have to go somewhere" test $status -eq 1
check "which is said: $(cat "$work/err")" one_line "standard output, which is closed"
"$bin/driftd" run -c "$work/driftd.yaml" -o json --web.listen-address "127.0.0.1:$web_port" <&- >"$work/records" 2>&- &
pid[driftd]=$!
wait_until 60 "driftd to be ready without the other two" ready
for fd in 0 2; do check "nothing else became descriptor $fd" test "$(readlink "/proc/${pid[driftd]}/fd/$fd")" = /dev/null; done
stop driftd || fail "driftd did not end cleanly"

# ---- few files, and small ones ----

for n in 8 16 32 63; do # with fewer the linker has no room for the libraries
	status=0
	(ulimit -n $n && run) >/dev/null 2>"$work/err" || status=$?
	check "$n open files are too few: $status" test $status -eq 2
	check "which is said of $n: $(cat "$work/err")" one_line "$n open files are too few"
done
for arguments in "status" "compare -r x -f y"; do
	status=0
	# shellcheck disable=SC2086
	(ulimit -n 8 && exec "$bin/driftd" $arguments) >/dev/null 2>"$work/err" || status=$?
	check "driftd $arguments with 8: $(cat "$work/err")" one_line "8 open files are too few"
	check "driftd $arguments could not be done" test $status -eq 2
done
at_port=(run -c "$work/driftd.yaml" -o json --web.listen-address "127.0.0.1:$web_port")
(ulimit -S -n 16 && exec "$bin/driftd" "${at_port[@]}") >"$work/records" 2>>"$work/driftd.err.log" &
pid[driftd]=$!
wait_until 60 "driftd to be ready with what it may take" ready
stop driftd || fail "driftd did not end cleanly"
mkfifo "$work/pipe"
cat "$work/pipe" >"$work/records" &
pid[reader]=$!
rm -rf "$work/state"
mkdir "$work/state"
(ulimit -f 1 && exec "$bin/driftd" "${at_port[@]}") >"$work/pipe" 2>>"$work/driftd.err.log" &
pid[driftd]=$!
wait_until 60 "driftd to be ready where files may not grow" ready
wait_until 20 "that nothing is kept to be said" has_record '.MESSAGE | contains("state database")'
stop driftd KILL || true
wait "${pid[reader]}" || true
unset "pid[reader]"

# ---- no inotify watches ----

unshare --user --map-root-user sh -c 'echo 0 >/proc/sys/user/max_inotify_watches' 2>/dev/null || skip "no user namespaces"
: >"$work/records"
rm -rf "$work/state"
mkdir "$work/state"
configure "$source_dir/examples/demo/reference"
unshare --user --map-root-user sh -c "echo 0 >/proc/sys/user/max_inotify_watches && exec '$bin/driftd' run -c '$work/driftd.yaml' -o json \
	--web.listen-address 127.0.0.1:$web_port" >"$work/records" 2>>"$work/driftd.err.log" &
pid[driftd]=$!
wait_until 60 "driftd to be ready" ready
wait_until 20 "that it looks by time" record_count '.MESSAGE | contains("the kernel watches no more folders for driftd")' 1
sed 's/^current-context: .*/current-context: nowhere/' "$work/kubeconfig" >"$work/kubeconfig.new"
mv "$work/kubeconfig.new" "$work/kubeconfig"
wait_until 20 "a kubeconfig that changed to be seen" has_record '.MESSAGE | contains("the kubeconfig changed")'
check "it was said once" record_count '.MESSAGE | contains("the kernel watches no more folders for driftd")' 1
stop driftd || fail "driftd did not end cleanly"
