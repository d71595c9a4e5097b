#!/usr/bin/env bash
# "driftd reload" waits for what comes of it: in force, refused with its mistakes, or not known in time, each with a status of its own;
# what others ask for at the same time, a daemon that ends, and one that does not answer, never make a refused configuration look like one
# in force.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"
export DRIFTD_SOCKET=$work/control.sock

ask() { # ask STATUS ARGUMENTS: driftd ends with STATUS; output in $work/out and $work/err
	local wanted=$1 status=0
	shift
	"$bin/driftd" "$@" >"$work/out" 2>"$work/err" || status=$?
	[ "$status" -eq "$wanted" ]
}
configuration() { { "$bin/driftd" status -o json || true; } | jq -e ".configuration | $1"; } # configuration FILTER
good() { cp "$work/good.yaml" "$work/driftd.yaml"; }
bad() { cp "$work/bad.yaml" "$work/driftd.yaml"; }
severity() { sed -i -E "s/^(    severity: ).*/\1$1/" "$work/good.yaml"; } # which watches the cluster anew
open_there() { metric_is "driftd_objects_drifted{kube_cluster=\"$cluster\",severity=\"$1\"}" 1; }
connections() { awk -v path="$DRIFTD_SOCKET" '$NF == path && $6 != "01"' /proc/net/unix | wc -l; } # to the socket; 01: it listens
connected() { [ "$(connections)" -ge "$1" ]; }
declare -A reload_waiter=()
aside_reload() { # aside_reload NAME OPTIONS...: in the background, with patience; what it says in NAME.said
	"$bin/driftd" reload --timeout 10m "${@:2}" >"$work/$1.said" 2>&1 &
	reload_waiter[$1]=$!
}
ended() { # ended NAME STATUS
	local status=0
	wait "${reload_waiter[$1]}" || status=$?
	check "$1 ends with $2, not $status: $(head -c 300 "$work/$1.said")" test "$status" -eq "$2"
}

start_shop
set_team nobody
configure "$source_dir/examples/demo/reference" "control_socket: $DRIFTD_SOCKET"
sed -i 's/^    path:.*/&\n    severity: warning/' "$work/driftd.yaml"
cp "$work/driftd.yaml" "$work/good.yaml"
{ cat "$work/good.yaml"; echo 'nonsense: 1'; } >"$work/bad.yaml"
start_driftd_ready
wait_until 20 "the drift" open_there warning

# ---- in force, refused ----

severity critical
good
check "a reload" ask 0 reload
check "which says nothing" test ! -s "$work/out" -a ! -s "$work/err"
check "it is in force" configuration '.state == "settled" and .lastReloadSuccessful'
wait_until 20 "what it changes" open_there critical

bad
check "one that is refused" ask 1 reload
check "it says so" grep -F "driftd reload: the configuration is refused, the old one stays in force" "$work/err"
check "and why" grep -E '^[^ ]*driftd\.yaml:[0-9]+:1: .*nonsense' "$work/err"
mistake=$(tail -n 1 "$work/err" | jq -R .)
wait_until 20 "the record, in the same words" has_record ".DRIFTD_EVENT == \"reload-failed\" and (.MESSAGE | endswith($mistake))"
check "the old one is in force" configuration '.state == "settled" and (.lastReloadSuccessful | not) and (.mistakes | length) == 1'
sed 's/name: ref/name: [/' "$work/bad.yaml" >"$work/driftd.yaml"
check "another mistake" ask 1 reload --timeout 10m
check "is not the one before" test "$(grep -c nonsense "$work/err")" = 0
good
check "the right one again" ask 0 reload
check "is in force" configuration .lastReloadSuccessful

bad
check "who does not wait" ask 0 reload --no-wait
refused() { configuration '.lastReloadSuccessful | not'; }
wait_until 20 "the status to say what came of it" refused
good
check "in force again" ask 0 reload

# ---- what was asked for meanwhile is answered by what was read since ----

# A rehearsal of so many objects goes on for a while, in which others can ask.
seq 4000 | jq -c '{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "many-\(.)", namespace: "shop"}, data: {size: "1"}}' |
	jq -sc . >"$work/many.json"
control load "@$work/many.json"
sed -i 's/^flapping:/watch: [{apiVersion: v1, kind: ConfigMap}]\n&/' "$work/good.yaml" "$work/bad.yaml"
good
check "the objects are watched" ask 0 reload --timeout 10m
wait_until 60 "all of them" all_synced
under_way() { [ "$(curl -sf "$web/status.json" | jq -r .configuration.state)" != settled ]; }
until_under_way() { until under_way || ! kill -0 "${reload_waiter[first]}" 2>/dev/null; do :; done; }
seen=0
for i in $(seq 12); do
	[ $((i % 2)) = 0 ] && severity warning || severity critical
	good
	aside_reload first
	until_under_way
	! under_way || seen=$((seen + 1))
	bad # the first one reads either
	check "after $i reloads: the mistake is seen" ask 1 reload --timeout 10m
	aside_reload second
	good
	check "after $i reloads: that it is mended is seen" ask 0 reload --timeout 10m
	for name in first second; do
		status=0
		wait "${reload_waiter[$name]}" || status=$?
		check "the $name of $i ends with $status" test "$status" -le 1
	done
done
echo "$seen of $i were asked for while another one was under way"

# Both are there before the daemon sees either.
kill -STOP "${pid[driftd]}"
n=$(connections)
bad
for name in one two three; do aside_reload $name; done
wait_until 20 "all of them to be connected" connected $((n + 6)) # each looks first whether somebody listens
kill -CONT "${pid[driftd]}"
for name in one two three; do
	ended $name 1
	check "$name names the mistake" grep nonsense "$work/$name.said"
done
kill -STOP "${pid[driftd]}"
n=$(connections)
good
for name in one two three; do aside_reload $name; done
wait_until 20 "all of them to be connected" connected $((n + 6))
kill -CONT "${pid[driftd]}"
for name in one two three; do ended $name 0; done

# One that leaves takes nothing with it.
kill -STOP "${pid[driftd]}"
n=$(connections)
for name in leaves stays; do aside_reload $name; done
wait_until 20 "both to be connected" connected $((n + 4))
kill "${reload_waiter[leaves]}"
wait "${reload_waiter[leaves]}" || true
kill -CONT "${pid[driftd]}"
ended stays 0

# ---- over HTTP ----

post() { curl -s --unix-socket "$DRIFTD_SOCKET" -o "$work/answer.json" -w '%{http_code}' -X POST "http://localhost/api/v1/reload$1"; }
check "POST" test "$(post "")" = 202
check "it is no more than asked for" jq -e '.kind == "Reload" and .inForce == false' "$work/answer.json"
check "POST, and wait" test "$(post "?wait=true")" = 200
check "it is in force" jq -e '.kind == "Reload" and .inForce' "$work/answer.json"
bad
check "POST of what has mistakes" test "$(post "?wait=true")" = 422
check "names them" jq -e '.kind == "Error" and .code == 422 and (.mistakes | length) == 1 and (.mistakes[0] | contains("nonsense"))' \
	"$work/answer.json"
good
check "and wait for a dry run" test "$(post "?wait=true&dryRun=All")" = 400
check "and wait maybe" test "$(post "?wait=1")" = 400
check "over TCP" test "$(curl -s -o /dev/null -w '%{http_code}' -X POST "$web/api/v1/reload?wait=true")" = 403

# ---- a socket that the reload moves ----

for to in $work/other.sock $work/control.sock; do
	sed -i "s|^control_socket:.*|control_socket: $to|" "$work/good.yaml"
	good
	check "the socket moves to $(basename "$to")" ask 0 reload
	export DRIFTD_SOCKET=$to
	wait_until 10 "the socket to be there" test -S "$to"
	check "where it is asked from then on" ask 0 reload
done

# ---- not in time, not at all ----

kill -STOP "${pid[driftd]}"
check "a daemon that does not answer" ask 2 reload --timeout 300ms
check "it is said" grep -F "whether the configuration is in force is not known" "$work/err"
kill -CONT "${pid[driftd]}"
wait_until 20 "it to answer again" ask 0 reload
for arguments in "--timeout soon" "--timeout 0s" "--dry-run --no-wait" "--dry-run --timeout 1s" "--no-wait --timeout 1s" now; do
	# shellcheck disable=SC2086
	check "wrong usage: $arguments" ask 2 reload $arguments
done

kill -STOP "${pid[driftd]}"
n=$(connections)
aside_reload killed
wait_until 20 "it to be connected" connected $((n + 2))
stop driftd KILL || true
ended killed 2
check "what came of it is not known" grep -F "is not known" "$work/killed.said"
check "nobody is there" ask 2 reload
check "which is said" grep -F "does driftd run?" "$work/err"

start_driftd_ready
kill -STOP "${pid[driftd]}"
n=$(connections)
aside_reload stopped
wait_until 20 "it to be connected" connected $((n + 2))
kill "${pid[driftd]}"
kill -CONT "${pid[driftd]}"
status=0
wait "${reload_waiter[stopped]}" || status=$?
check "one that ends meanwhile: in force, or not known" test "$status" = 0 -o "$status" = 2
wait "${pid[driftd]}" || fail "driftd did not end cleanly"
unset "pid[driftd]"
