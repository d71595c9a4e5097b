#!/usr/bin/env bash
# kill -9 while several clients write, change and delete inspection rules: what was acknowledged is there, what was not is there or not, but
# whole; the order of creation stays; the database is sound.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"
socket=$work/control.sock
start_shop
echo "control_socket: $socket" >>"$work/driftd.yaml"
up() { curl -sf --unix-socket "$socket" http://localhost/-/healthy; }
run() {
	"$bin/driftd" run -c "$work/driftd.yaml" -o json --web.listen-address 127.0.0.1:0 >>"$work/records" 2>>"$work/driftd.err.log" &
	pid[driftd]=$!
	wait_until 20 "the socket" up
}
sound() {
	python3 -c 'import sqlite3, sys
d = sqlite3.connect(sys.argv[1])
assert d.execute("PRAGMA integrity_check").fetchall() == [("ok",)]' "$work/state/driftd.db"
}
run
logs=()
for i in 1 2 3 4; do logs+=("$work/client$i.jsonl"); done
for round in $(seq "${CRASH_ROUNDS:-20}"); do
	for i in 1 2 3 4; do start "writer$i" python3 "$here/inspection_api.py" "$socket" write "${logs[i - 1]}" "client$i"; done
	for i in 2 3 4; do wait_until 10 "client $i to write" test -s "${logs[i - 1]}"; done
	sleep "0.$((RANDOM % 6))$((RANDOM % 10))"
	stop driftd KILL || true
	for i in 1 2 3 4; do
		wait "${pid[writer$i]}" || fail "client $i"
		unset "pid[writer$i]"
	done
	check "the database is sound after crash $round" sound
	run
	python3 "$here/inspection_api.py" "$socket" compare "$work/order.json" "${logs[@]}" >>"$work/compare.log" 2>&1 || fail "round $round"
	checks=$((checks + 1))
done
cat "$work/compare.log"
check "rules were written in each round" test "$(grep -vc '^0 requests' "$work/compare.log")" = "${CRASH_ROUNDS:-20}"
stop driftd || fail "driftd did not end cleanly"
run
check "the same after a clean end" python3 "$here/inspection_api.py" "$socket" compare "$work/order.json" "${logs[@]}"
check "nothing is left out" test -z "$(jq -r 'select(.MESSAGE | contains("malformed")) | .MESSAGE' "$work/records")"
stop driftd
