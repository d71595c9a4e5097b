#!/usr/bin/env bash
# Told exactly once: kill -9 at any moment; a journal that is stopped, killed or frozen; a full disk.
. "$(dirname "$0")/journal.sh"

kill_driftd() { stop driftd KILL || true; }

of_namespace() { journal "DRIFTD_CLUSTER=$cluster" DRIFTD_KIND=Namespace "$@"; }
told() { [ "$(of_namespace DRIFTD_EVENT="$1" | wc -l)" -eq "$2" ]; } # told EVENT COUNT: of the namespace
# each record has an id of its own, and each finding begins once and ends once, in that order
nothing_wrong() {
	of_namespace | jq -r '[.DRIFTD_RECORD_ID, .DRIFTD_DRIFT_ID, .DRIFTD_EVENT] | @tsv' | awk '
		ids[$1]++ { print "told twice: " $0; wrong = 1 }
		$3 == "begin" && begun[$2]++ { print "begun twice: " $0; wrong = 1 }
		$3 == "end" && (!begun[$2] || ended[$2]++) { print "ended out of order: " $0; wrong = 1 }
		END { exit wrong }'
}
n=0
drift() { n=$((n + 1)); set_team "team-$n"; }
told_begun() { wait_until "${1:-60}" "the begin of drift $n" told begin $n; }
told_ended() { wait_until "${1:-60}" "the end of drift $n" told end $n; }

cat >"$work/rules.yaml" <<'Y'
apiVersion: v1
kind: ConfigMap
namespace: many
rules:
  - rule: "!('bad' in self.data)"
Y
start_journald
start_shop
configure "$source_dir/examples/demo/reference" "validation_rules: [rules.yaml]"
sed -i "s|^state_dir:.*|state_dir: $state|" "$work/driftd.yaml"
start_driftd_ready journal

# ---- kill -9 ----

for i in $(seq 1 "${DURABLE_KILLS:-12}"); do
	drift
	sleep "0.$((RANDOM % 4))$((RANDOM % 10))"
	kill_driftd
	start_driftd journal
	told_begun
	set_team storefront
	sleep "0.$((RANDOM % 4))$((RANDOM % 10))"
	kill_driftd
	start_driftd journal
	told_ended
done
check "after kill -9 every transition is told once" nothing_wrong
check "none was sent a second time" test "$(of_namespace DRIFTD_RESENT=1 | wc -l)" = 0

# ---- the journal is away ----

wait_until 30 "driftd to be ready" ready
for signal in TERM KILL; do
	stop_journald $signal
	drift
	wait_until 20 "the drift" metric_is "$(of_cluster driftd_objects_drifted 'severity="warning"')" 1
	check "the loop goes on" curl -sf "$web/-/healthy"
	wait_until 30 "a gap" eval '! no_gap'
	start_journald
	told_begun
	wait_until 20 "the end of the gap" no_gap
	set_team storefront
	told_ended
done
drift
told_begun
stop_journald KILL
set_team storefront
sleep 1
kill_driftd
start_journald
start_driftd journal
told_ended
check "what a journal that was away missed is told once" nothing_wrong

# one that ends with what it was given, and then nothing happens; or driftd has ended before
kill -STOP "${pid[journald]}"
drift
wait_until 20 "the drift" metric_is "$(of_cluster driftd_objects_drifted 'severity="warning"')" 1
stop_journald KILL
start_journald
told_begun 20
kill -STOP "${pid[journald]}"
set_team storefront
wait_until 20 "no drift" metric_is "$(of_cluster driftd_objects_drifted 'severity="warning"')" 0
stop driftd || true
stop_journald KILL
start_journald
start_driftd journal
told_ended 20
check "what a journal lost is told once" nothing_wrong

# ---- the journal hangs ----

kill -STOP "${pid[journald]}"
drift
for i in $(seq 200); do set_team "team-$n-$i"; done
set_team storefront
wait_until 20 "the loop to go on" metric_is "$(of_cluster driftd_objects_drifted 'severity="warning"')" 0
begun=$SECONDS
stop driftd || true
check "it ends in time" test $((SECONDS - begun)) -le 10
kill -CONT "${pid[journald]}"
start_driftd journal
told_begun
told_ended
check "what a journal that hung has is told once" nothing_wrong

# ---- the disk is full ----

wait_until 30 "driftd to be ready" ready
dd if=/dev/zero of=$state/filler bs=64k 2>/dev/null || true
dd if=/dev/zero of=$state/filler bs=1 count=65536 oflag=append conv=notrunc 2>/dev/null || true
fills() { drift; told_begun; set_team storefront; told_ended; [ -n "$(of_namespace DRIFTD_NOT_DURABLE=1)" ]; }
wait_until 60 "a record that could not be stored" fills
wait_until 20 "a gap" eval '! no_gap'
failures() { [ "$(metric driftd_state_write_failures_total)" -gt 0 ]; }
check "the failures are counted" failures
drift
told_begun
# More than the queue holds: judging pauses, and nothing is dropped.
jq -nc '{apiVersion: "v1", kind: "List", items: [range(10500) | {apiVersion: "v1", kind: "ConfigMap",
	metadata: {name: "m-\(.)", namespace: "many"}, data: {bad: "1"}}]}' >"$work/many.json"
request -X POST "$server/_apisim/load" --data-binary "@$work/many.json" -o /dev/null || fail "load"
paused() { journal "DRIFTD_EVENT=$1" "DRIFTD_CLUSTER=$cluster" | jq -se 'any(.DRIFTD_NAME == "judging pauses")' >/dev/null; }
wait_until 60 "judging to pause" paused begin
check "the loop goes on" curl -sf "$web/-/healthy"
rm $state/filler
wait_until 60 "judging to go on" paused end
violated() { [ "$(curl -sf "$web/metrics" | awk '/^driftd_validation_failures_current/ { n += $NF } END { print n + 0 }')" = 10500 ]; }
wait_until 60 "all to be judged" violated
wait_until 20 "the end of the gap" no_gap
kill_driftd
start_driftd_ready journal
set_team storefront
told_ended
check "what a full disk did not take is told once" nothing_wrong
stop driftd || fail "driftd did not end cleanly"
echo "$n drifts, $(of_namespace | wc -l) records"
