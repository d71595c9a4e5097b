#!/usr/bin/env bash
# The power is cut: what the state folder and the journal have then is of different earlier moments, and the machine boots anew. What may
# have been lost is told, what may come twice is marked; no record is open for ever, and no finding is open without a record.
# test_power_cut.sh [CUTS [SEED]]
. "$(dirname "$0")/journal.sh"
cuts=${1:-20}
RANDOM=${2:-7}
command -v python3 >/dev/null || skip "no python3"
maps=/api/v1/namespaces/shop/configmaps
boots=/var/log/journal

# The kernel's boot id is a file of the test's own in this mount namespace; a journal on disk is what journald flushes to.
new_boot() {
	local id
	id=$(tr -d - </proc/sys/kernel/random/uuid)
	echo "${id:0:8}-${id:8:4}-${id:12:4}-${id:16:4}-${id:20}" >"$work/boot_id"
}
new_boot
mount --bind "$work/boot_id" /proc/sys/kernel/random/boot_id || skip "the boot id cannot be another one"
mkdir -p "$boots/$(cat /etc/machine-id)"
start_persistent() {
	: >/run/systemd/journal/flushed
	start_journald
}
journal() { journalctl -q -o json -D $boots "$@" 2>/dev/null; }

cat >"$work/rules.yaml" <<'Y'
apiVersion: v1
kind: ConfigMap
namespace: shop
rules:
  - rule: "!('bad' in self.data)"
    message: bad
Y
start_persistent
start_shop
configure "$source_dir/examples/demo/reference" "validation_rules: [rules.yaml]"
sed -i "s|^state_dir:.*|state_dir: $state|" "$work/driftd.yaml"

both() { # both SIGNAL
	kill "-$1" "${pid[driftd]}" "${pid[journald]}" 2>/dev/null || true
}
photograph() { # photograph N: what would be there if the power went now
	both STOP
	rm -rf "$work/photo-$1"
	mkdir -p "$work/photo-$1"
	cp -a $state "$work/photo-$1/state"
	cp -a $boots "$work/photo-$1/journal"
	both CONT
}
change() {
	local name=m-$((RANDOM % 6))
	case $((RANDOM % 4)) in
	0) set_team "team-$RANDOM" ;;
	1) set_team storefront ;;
	2) request -X DELETE "$server$maps/$name" -o /dev/null || true ;;
	*) request -H 'Content-Type: application/json' -X POST "$server$maps" -d "$(configmap $name shop '{"bad":"1"}')" -o /dev/null || true ;;
	esac
}
photos=5
power_cut() { # power_cut STATE JOURNAL: the power goes; on disk is what the photographs with these numbers show
	both KILL
	wait "${pid[driftd]}" "${pid[journald]}" 2>/dev/null || true
	unset 'pid[driftd]' 'pid[journald]'
	rm -rf /run/systemd/journal/* /run/log/journal/*
	find $state $boots -mindepth 1 -delete
	cp -a "$work/photo-$1/state/." $state
	cp -a "$work/photo-$2/journal/." $boots
	[ $((RANDOM % 2)) = 0 ] || rm -f $state/driftd.db-shm # the kernel never needs to write it
	new_boot
}
open_findings() { curl -sf "$web/api/v1/findings"; }
settled() { # nothing waits, and what the journal says is open is what driftd says is
	[ "$(metric driftd_records_waiting)" = 0 ] || return 1
	journal "DRIFTD_CLUSTER=$cluster" >"$work/journal.json"
	open_findings >"$work/findings.json"
	python3 "$here/power_ledger.py" "$work/journal.json" "$work/findings.json" >"$work/ledger.log"
}

start_driftd_ready journal
differ=0
for ((i = 1; i <= cuts; i++)); do
	for ((n = 0; n < photos; n++)); do
		change
		[ $((RANDOM % 3)) != 0 ] || sleep "0.$((RANDOM % 10))"
		photograph $n
		change
	done
	s=$((RANDOM % photos)) j=$((RANDOM % photos))
	[ $s = $j ] || differ=$((differ + 1))
	power_cut $s $j
	start_persistent
	if [ $((i % 3)) = 0 ]; then # and it is killed while it settles that
		start_driftd journal
		sleep "0.$((RANDOM % 6))"
		stop driftd KILL 2>/dev/null || true
	fi
	start_driftd_ready journal
	for ((t = 0; t < 100; t++)); do
		! settled || break
		sleep 0.2
	done
	settled || fail "cut $i: state of $s, journal of $j: $(cat "$work/ledger.log")"
	checks=$((checks + 1))
	echo "cut $i: state of $s, journal of $j: $(cat "$work/ledger.log")"
done
check "most were of different moments" test $differ -gt $((cuts / 2))

# ---- the clock was a day ahead when something was last stored ----

change_database() { # change_database SQL: driftd has ended
	python3 -c 'import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); d.execute(sys.argv[2]); d.commit(); d.close()' $state/driftd.db "$1"
}

set_team storefront
wait_until 20 "no drift" eval '! open_findings | grep -q \"Namespace\"'
wait_until 20 "all to be told" settled
photograph 0
set_team in-the-journal
wait_until 20 "the drift" eval '[ -n "$(journal DRIFTD_KIND=Namespace | grep in-the-journal)" ]'
photograph 1
power_cut 0 1
change_database "UPDATE seen SET usec = usec + 86400000000"
start_persistent
start_driftd_ready journal
wait_until 20 "what the database lost and the journal has" settled

# ---- the database is damaged, and the journal says what is open ----

garble_log() { # driftd has ended: what is in its log cannot be read, and it says so
	rm -f $state/driftd.db-shm
	head -c 8192 /dev/urandom >$state/driftd.db-wal
}
begun() { journal DRIFTD_KIND=Namespace DRIFTD_EVENT=begin | jq -r "select(.MESSAGE | contains(\"$1\")) | .DRIFTD_DRIFT_ID"; }
is_open() { open_findings | jq -e --arg id "$1" 'any(.items[]; .id == $id)' >/dev/null; }
ended() { journal DRIFTD_KIND=Namespace DRIFTD_EVENT=end | jq -r .DRIFTD_DRIFT_ID | tail -n 1; }
nothing_waits() { metric_is driftd_records_waiting 0; }

set_team damaged
wait_until 20 "the drift" eval '[ -n "$(journal DRIFTD_KIND=Namespace | grep damaged)" ]'
wait_until 20 "all to be told" settled
stop driftd || fail "driftd did not end cleanly"
change_database "DELETE FROM finding"
garble_log
start_driftd_ready journal
wait_until 20 "what the database lost and the journal has: $(cat "$work/ledger.log")" settled

cp $state/driftd.db* "$work"
set_team storefront
wait_until 20 "no drift" eval '! open_findings | grep -q \"Namespace\"'
wait_until 20 "all to be told" settled
stop driftd || fail "driftd did not end cleanly"
python3 -c '
import sqlite3, sys
d = sqlite3.connect(sys.argv[1])
d.execute("ATTACH ? AS before", (sys.argv[2],))
d.execute("INSERT OR IGNORE INTO finding(id, body) SELECT id, body FROM before.finding")
d.commit()' $state/driftd.db "$work/driftd.db"
garble_log
start_driftd_ready journal
wait_until 20 "what was over not to be there again" settled

set_team lagging # and the journal does not have its end yet when the database is looked at
wait_until 20 "the drift" eval '[ -n "$(journal DRIFTD_KIND=Namespace | grep lagging)" ]'
wait_until 20 "all to be told" settled
kill -STOP "${pid[journald]}"
set_team storefront
wait_until 20 "no drift" eval '! open_findings | grep -q \"Namespace\"'
sleep 0.5
stop driftd KILL 2>/dev/null || true
python3 -c 'import sqlite3, sys; d = sqlite3.connect(sys.argv[1]); d.execute("PRAGMA wal_checkpoint"); d.close()' $state/driftd.db
garble_log
(sleep 1 && kill -CONT "${pid[journald]}") &
start_driftd journal
wait_until 20 "what ended while the journal hung to stay over" settled

# ---- what waits in the database is in the journal under another id ----

photograph 0
stop journald
set_team unheard
wait_until 20 "its begin to wait" eval '! nothing_waits'
stop driftd KILL 2>/dev/null || true
mkdir -p "$work/photo-2" && rm -rf "$work/photo-2/state" && cp -a $state "$work/photo-2/state"
find $state -mindepth 1 -delete
cp -a "$work/photo-0/state/." $state
start_persistent
start_driftd_ready journal
wait_until 20 "it to begin" eval '[ -n "$(begun unheard)" ]'
wait_until 20 "all to be told" settled
photograph 1
power_cut 2 1
start_persistent
start_driftd_ready journal
wait_until 20 "one of them to go on" settled
check "nobody has heard of the other" [ "$(begun unheard | wc -l)" = 1 ]
set_team storefront
wait_until 20 "its end under its id" eval '[ "$(ended)" = "$(begun unheard)" ]'
wait_until 20 "all to be told" settled
photograph 1
power_cut 2 1
start_persistent
start_driftd_ready journal
wait_until 20 "all to be told again" settled
check "nor after its end" [ "$(begun unheard | wc -l)" = 1 ]

# ---- the power is cut once more, and in between the journal was another for a while ----

photograph 0
set_team between-cuts
wait_until 20 "it to begin" eval '[ -n "$(begun between-cuts)" ]'
wait_until 20 "all to be told" settled
stop journald KILL 2>/dev/null || true
set_team storefront
wait_until 20 "its end to wait" eval '! nothing_waits'
start_persistent
wait_until 20 "all to be told" settled
photograph 1
power_cut 1 0
start_persistent
start_driftd_ready journal
wait_until 20 "what the journal lost to be told again" settled
check "its begin too" [ -n "$(begun between-cuts)" ]

# ---- what nobody has heard of is kept, and its records are lost ----

is_stored() { # is_stored TEXT: a record that has it is in the outbox
	python3 -c '
import sqlite3, sys
rows = sqlite3.connect(sys.argv[1]).execute("SELECT 1 FROM outbox WHERE instr(record, CAST(? AS BLOB))", (sys.argv[2],))
sys.exit(not rows.fetchone())' $state/driftd.db "$1" 2>/dev/null
}
lose_waiting() { # lose_waiting TEXT [SQL]: driftd is killed, and what waits, among it this, is lost
	wait_until 20 "its begin to wait" is_stored "$1"
	stop driftd KILL 2>/dev/null || true
	change_database "DELETE FROM told"
	change_database "DELETE FROM outbox"
	[ $# = 1 ] || change_database "$2"
	garble_log
}
lose_untold() { # lose_untold TEAM [SQL]
	stop journald
	set_team "$1"
	lose_waiting "$@"
	start_persistent
	start_driftd_ready journal
	wait_until 20 "it to begin anew" eval "[ -n \"\$(begun $1)\" ]"
	wait_until 20 "all to be told" settled
	set_team storefront
	wait_until 20 "its end under its id" eval "[ \"\$(ended)\" = \"\$(begun $1)\" ]"
}
lose_untold untold
lose_untold unknown "DELETE FROM history WHERE finding IN (SELECT id FROM finding WHERE body LIKE '%\"Namespace\"%')"

# It is the first that happened to its object, and what the history has left is what nobody was told.
stop journald
request -H 'Content-Type: application/json' -X POST "$server$maps" -d "$(configmap known-alone shop '{"bad":"1"}')" -o /dev/null
lose_waiting known-alone "DELETE FROM history WHERE finding NOT IN (SELECT id FROM finding WHERE body LIKE '%known-alone%')"
start_persistent
start_driftd_ready journal
wait_until 20 "it to begin anew" eval '[ -n "$(journal DRIFTD_NAME=known-alone DRIFTD_EVENT=begin)" ]'
wait_until 20 "all to be told" settled
request -X DELETE "$server$maps/known-alone" -o /dev/null
wait_until 20 "its end" eval '[ -n "$(journal DRIFTD_NAME=known-alone DRIFTD_EVENT=end)" ]'

# The journal was given its begin, and hangs for longer than a start waits for one that has nothing to say of what is lost.
kill -STOP "${pid[journald]}"
request -H 'Content-Type: application/json' -X POST "$server$maps" -d "$(configmap hung shop '{"bad":"1"}')" -o /dev/null
wait_until 20 "its begin to wait" is_stored hung
sleep 0.5
python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.setblocking(False)
try:
    while True:
        s.sendto(b"MESSAGE=more than it reads\n", "/run/systemd/journal/socket")
except BlockingIOError:
    sys.exit(0)'
lose_waiting hung
(sleep 12 && kill -CONT "${pid[journald]}") &
start_driftd journal
wait_until 20 "all to be told" settled
request -X DELETE "$server$maps/hung" -o /dev/null
wait_until 20 "its end" eval '[ -n "$(journal DRIFTD_NAME=hung DRIFTD_EVENT=end)" ]'
check "it began once" [ "$(journal DRIFTD_NAME=hung DRIFTD_EVENT=begin | wc -l)" = 1 ]

# It begins and ends while nobody can be told, and its end is lost.
stop journald
set_team ended-untold
wait_until 20 "its begin to wait" eval '! nothing_waits'
set_team storefront
wait_until 20 "no drift" eval '! open_findings | grep -q \"Namespace\"'
sleep 0.5
stop driftd KILL 2>/dev/null || true
change_database "DELETE FROM outbox WHERE instr(record, CAST('drift ends' AS BLOB))"
garble_log
start_persistent
start_driftd_ready journal
wait_until 20 "all to be told" settled
check "nobody hears of what is over" [ -z "$(begun ended-untold)" ]
set_team ended-untold
wait_until 20 "it to begin" eval '[ -n "$(begun ended-untold)" ]'
wait_until 20 "all to be told" settled
check "it begins once" [ "$(begun ended-untold | wc -l)" = 1 ]
set_team storefront
wait_until 20 "its end" eval '[ "$(ended)" = "$(begun ended-untold)" ]'

# ---- the database lost what was written, and the power is cut minutes later ----

photograph 0
set_team half-lost
wait_until 20 "it to begin" eval '[ -n "$(begun half-lost)" ]'
wait_until 20 "all to be told" settled
half_lost=$(begun half-lost)
stop driftd KILL 2>/dev/null || true
change_database "DELETE FROM outbox WHERE instr(record, CAST('half-lost' AS BLOB))"
garble_log
start_driftd_ready journal
set_team storefront
wait_until 20 "its end" eval '[ "$(ended)" = "$half_lost" ]'
wait_until 20 "all to be told" settled
photograph 1
power_cut 1 0
start_persistent
start_driftd_ready journal
wait_until 20 "all to be told again" settled
check "nor the end of what nobody heard the begin of" [ -z "$(journal DRIFTD_DRIFT_ID="$half_lost")" ]

# ---- what could not be stored ----

dd if=/dev/zero of=$state/filler bs=64k 2>/dev/null || true
dd if=/dev/zero of=$state/filler bs=1 count=65536 oflag=append conv=notrunc 2>/dev/null || true
fills() { # fills: one of these cannot be stored
	set_team "forgotten"
	sleep 0.5
	[ -z "$(journal DRIFTD_KIND=Namespace DRIFTD_EVENT=begin DRIFTD_NOT_DURABLE=1 | grep forgotten)" ] || return 0
	set_team storefront
	return 1
}
wait_until 60 "a begin that could not be stored" fills
stop driftd KILL 2>/dev/null || true
rm $state/filler
start_driftd_ready journal
wait_until 20 "it to begin anew" eval '[ "$(begun forgotten | tail -n 1)" != "$(begun forgotten | tail -n 2 | head -n 1)" ]'
wait_until 20 "it to be told" nothing_waits
stop driftd KILL 2>/dev/null || true
find $state -name 'driftd.db*' -delete
start_driftd_ready journal
check "what began last is what is open" is_open "$(begun forgotten | tail -n 1)"
set_team storefront
wait_until 20 "its end" eval '[ "$(ended)" = "$(begun forgotten | tail -n 1)" ]'
wait_until 20 "it to be told" nothing_waits
stop driftd KILL 2>/dev/null || true
find $state -name 'driftd.db*' -delete
start_driftd_ready journal
wait_until 20 "all to be told" nothing_waits
check "what began before the last one, and has no end, is over as well" [ "$(ended)" = "$(begun forgotten | tail -n 1)" ]

# ---- what a journal in memory loses is not told again ----

namespaces() { journal DRIFTD_KIND=Namespace | grep -c "$1" || true; } # namespaces TEXT: records of them that have it
set_team volatile
wait_until 20 "the drift" eval '[ "$(namespaces volatile)" -ge 1 ]'
sleep 1
photograph 0
power_cut 0 0
find $boots -mindepth 1 -delete
start_journald # without the flag it keeps all below /run
journal() { journalctl -q -o json -D /run/log/journal "$@" 2>/dev/null; }
start_driftd_ready journal
set_team after-the-boot
wait_until 20 "what is new to be told" eval '[ "$(namespaces after-the-boot)" = 1 ]'
check "what was lost by design is not told again" test "$(namespaces volatile)" = 0 -a "$(journal DRIFTD_RESENT=1 | wc -l)" = 0
stop driftd || fail "driftd did not end cleanly"
