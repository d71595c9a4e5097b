#!/usr/bin/env bash
# What is kept is damaged, gone, cut short or another, before the start or while driftd runs: it comes up, says so, goes on, and repeats
# nothing in silence. test_damaged.sh [DATABASES [FIRST]]: how many have a damaged part at the start, and from which one on.
. "$(dirname "$0")/lib.sh"
databases=${1:-12} first=${2:-0}
command -v python3 >/dev/null || skip "no python3"
maps=/api/v1/namespaces/shop/configmaps

cat >"$work/rules.yaml" <<'Y'
apiVersion: v1
kind: ConfigMap
namespace: shop
rules:
  - rule: "!('bad' in self.data)"
    message: bad
---
apiVersion: v1
kind: ConfigMap
namespace: shop
for: 1h
rules:
  - rule: "!('late' in self.data)"
    message: late
Y
start_shop
configure "$source_dir/examples/demo/reference" "validation_rules: [rules.yaml]"
for ((i = 0; i < 25; i++)); do api POST $maps "$(configmap "bad-$i" shop '{"bad":"1"}')" setup; done
for ((i = 0; i < 5; i++)); do api POST $maps "$(configmap "late-$i" shop '{"late":"1"}')" setup; done

transitions() {
	jq -r 'select(.DRIFTD_DRIFT_ID and .DRIFTD_KIND != "(driftd)") | [.DRIFTD_EVENT, .DRIFTD_KIND, .DRIFTD_NAME] | join(" ")' "$work/records"
}
some_transitions() { head -n 3 < <(transitions); }
said_damaged() { grep -q '"DRIFTD_EVENT":"state-unreadable"' "$work/records"; }
begun() { [ "$(transitions | grep -c '^begin ConfigMap bad-')" -ge "$1" ]; }
keep() { rm -rf "$work/kept-$1" && cp -a "$work/state" "$work/kept-$1"; }
restore() { rm -rf "$work/state" && cp -a "$work/kept-$1" "$work/state" && : >"$work/records"; }

start_driftd_ready
wait_until 30 "the findings" begun 25
set_team away
wait_until 30 "a drift" begins '.DRIFTD_KIND == "Namespace"'
sleep 1
kill -STOP "${pid[driftd]}"
keep log # as kill -9 leaves it
kill -CONT "${pid[driftd]}"
stop driftd || fail "driftd did not end cleanly"
keep clean

# ---- before the start ----

restore log
start_driftd_ready
check "nothing is repeated" test -z "$(transitions)"
check "and what is whole is not called damaged" eval '! said_damaged'
stop driftd KILL 2>/dev/null || true

said=0
for ((i = first; i < first + databases; i++)); do
	restore "$([ $((i % 3)) = 0 ] && echo log || echo clean)"
	how=$(python3 "$here/damage.py" "$work/state" "$i")
	start_driftd_ready
	wait_until 20 "database $i ($how): all to be written" metric_is driftd_records_waiting 0
	check "database $i ($how): it is set aside once" test ! -e "$work/state/driftd.db.bad-2"
	if said_damaged; then
		said=$((said + 1))
	else
		check "database $i ($how): nothing is repeated in silence: $(some_transitions)" test -z "$(transitions)"
	fi
	check "database $i ($how): it is watched" curl -sf "$web/-/healthy"
	stop driftd KILL 2>/dev/null || true
done
[ "$databases" -lt 10 ] || check "most were said to be damaged" test $said -gt $((databases / 3))
echo "$said of $databases were said to be damaged"

# ---- while it runs ----

renewed() { [ "$(metric driftd_state_renewals_total)" -ge "$1" ]; }
in_place() { metric_is 'driftd_state_step_stuck{step="files"}' 0; }
away() { metric_is 'driftd_state_step_stuck{step="files"}' 1; }
told=0
goes_on() { # goes_on WHAT: what is new is told, and after kill -9 nothing is repeated
	told=$((told + 1))
	api POST $maps "$(configmap "new-$told" shop '{"bad":"1"}')" setup
	wait_until 20 "what is new after $1" begins ".DRIFTD_NAME == \"new-$told\""
	sleep 0.5
	stop driftd KILL 2>/dev/null || true
	: >"$work/records"
	start_driftd_ready
	sleep 0.5
	check "after $1 nothing is repeated: $(some_transitions)" test -z "$(transitions)"
}
restore clean
start_driftd_ready

rm -r "$work/state"
wait_until 10 "a folder that is gone to be noticed" away
wait_until 10 "the gap" gap_record begin "state folder"
check "/-/ready says it" grep -q 'stuck: files' < <(curl -sf "$web/-/ready")
check "and so does the status" jq -e '.records.steps[] | select(.name == "files") | .state == "stuck"' < <(curl -sf "$web/api/v1/status")
mkdir "$work/state"
wait_until 15 "one that is there again" renewed 1
wait_until 10 "all to be in its place" in_place
wait_until 10 "the end of the gap" gap_record end "state folder"
goes_on "the folder was gone"
check "the key is there again" test -s "$work/state/hash.key"

mv "$work/state" "$work/elsewhere" && mkdir "$work/state"
wait_until 15 "another folder" renewed 1
goes_on "the folder was another"

rm "$work/state/driftd.db"
wait_until 15 "a database that is gone" renewed 1
goes_on "the database was gone"

api POST $maps "$(configmap "in-the-log" shop '{"bad":"1"}')" setup
wait_until 20 "what is in the log" begins '.DRIFTD_NAME == "in-the-log"'
sleep 0.5
truncate -s 0 "$work/state/driftd.db-wal"
wait_until 15 "a log that is cut" renewed 1
goes_on "the log was cut"

truncate -s 4096 "$work/state/driftd.db"
wait_until 15 "a database that is cut" renewed 1
goes_on "the database was cut"

rm "$work/state/hash.key"
wait_until 15 "the key to be written again" test -s "$work/state/hash.key"
goes_on "the key was gone"
stop driftd || fail "driftd did not end cleanly"

# ---- the key is lost between two starts ----

rm "$work/state/hash.key"
: >"$work/records"
start_driftd_ready
check "it is said" eval 'grep -q "hash.key in state_dir is lost" "$work/records"'
check "no finding changes: $(some_transitions)" test -z "$(transitions)"
goes_on "the key was lost"
stop driftd || fail "driftd did not end cleanly"

# ---- a folder that cannot be opened at the start ----

mv "$work/state" "$work/elsewhere-2"
: >"$work/state" # a file
start_driftd_ready
wait_until 10 "it to be told" away
check "what it finds is told" begins '.DRIFTD_NAME == "bad-1"'
rm "$work/state" && mv "$work/elsewhere-2" "$work/state"
wait_until 15 "it to be used again" renewed 1
goes_on "the folder could not be opened"
stop driftd || fail "driftd did not end cleanly"
