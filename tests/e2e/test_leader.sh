#!/usr/bin/env bash
# Two hosts for one cluster: one tells, the other takes over when it dies, hangs or cannot reach etcd; gathered, their records hold each
# transition once. test_leader.sh [OBJECTS]: 5000 by default.
. "$(dirname "$0")/leader.sh"
objects=${1:-5000}
namespaces=$((objects / 50)) # so many that none has a flood
patience=$((60 + objects / 100))
long_turns() { # long_turns HOST: of its loop, from its start on
	curl -sf "http://127.0.0.1:${ports[$1]}/metrics" | awk -F '[" ]' '/^driftd_loop_turn_seconds_bucket/ { n[$2] = $NF; all = $NF }
		END { printf "%d above 0.025 s, %d above 0.05 s, %d above 0.1 s", all - n["0.025"], all - n["0.05"], all - n["0.1"] }'
}
generate 1

# ---- both at once ----

host a
host b
wait_until 120 "both to be ready" eval 'is_ready a && is_ready b'
wait_until 30 "one to lead" one_leads
follows() { grep -q '"DRIFTD_LEADER_STATE":"follows"' "$work/records-$follower"; }
wait_until 10 "the other to say that it follows" follows
check "the status says who leads" status_says "$follower" "the leader is $leader"
phase() { [ "$(of "$1" "driftd_leader_phase{phase=\"$2\"}")" = 1 ]; }
check "it is silent" phase "$follower" silent
wait_until 10 "the other to tell" phase "$leader" telling
check "so does the leader's" status_says "$leader" "this host, $leader, is the leader"
generate 2 20
wait_until 20 "twenty drifts" open 20
generate 1 20
wait_until 20 "their end" open 0
check "the follower tells of no finding" eval '! grep -q DRIFTD_DRIFT_ID "$work/records-$follower"'

# ---- killed in the middle ----

told() { [ "$(grep -c '"DRIFTD_EVENT":"begin"' "$work/records-$leader")" -gt $((objects / 5)) ]; }
generate 2
wait_until 60 "a part of the changes to be told" told
stop $leader KILL || true
killed=$(now_ms)
check "not all was told" eval '! open "$objects"'
wait_until $((lease + 10)) "the other to lead" leads $follower
led=$(now_ms)
wait_until $patience "all to be told" open "$objects"
echo "$objects changes: leads $((led - killed)) ms after the kill, all told after $(($(now_ms) - killed)) ms"
right "killed in the middle"

# ---- the old leader is back, and the second is killed ----

old=$leader leader=$follower follower=$old
host $follower
wait_until 120 "it to be ready" is_ready $follower
sleep 1
check "it follows" eval '! leads $follower'
generate 1 $((objects / 2))
wait_until $patience "half of them to end" open $((objects - objects / 2))
before=$(long_turns $follower)
stop $leader KILL || true
generate 1
wait_until $((lease + 10)) "the first to lead again" leads $follower
wait_until $patience "all to end" open 0
echo "taken over with $((objects - objects / 2)) open findings: turns of $before until then, $(long_turns $follower) with it"
right "back and forth"
old=$leader leader=$follower follower=$old
host $follower
wait_until 120 "it to be ready" is_ready $follower

# ---- stopped for longer than its lease ----

generate 2 500
kill -STOP "${pid[$leader]}"
wait_until $((lease + 10)) "the other to lead" leads $follower
generate 3 500
wait_until 60 "the changes" open 500
kill -CONT "${pid[$leader]}"
wait_until 20 "it to follow" eval '! leads $leader && leads $follower'
generate 1 500
wait_until 60 "the ends" open 0
right "stopped for a while"
old=$leader leader=$follower follower=$old

# ---- etcd is away and comes back ----

stop etcd || true
silent() { ! leads a && ! leads b; }
wait_until $((lease + 5)) "nobody to tell" silent
generate 2 300
sleep 2
check "nothing is told meanwhile" open 0
said() { grep -q "could not renew its lease" "$work/records-$leader"; }
check "it says so" said
both_say() { grep -q "$1" "$work/records-a" && grep -q "$1" "$work/records-b"; }
wait_until 20 "both to say that etcd is away" both_say "etcd cannot be asked"
start_etcd
wait_until 30 "one to lead" one_leads
wait_until 60 "what waited" open 300
wait_until 10 "both to say that it is back" both_say "etcd answers again"
generate 1 300
wait_until 60 "the ends" open 0
right "etcd was away"

# ---- etcd has no room for more ----

alarm() { curl -sf "$etcd_url/v3/maintenance/alarm" -d "{\"action\":\"$1\",\"memberID\":\"$member\",\"alarm\":\"NOSPACE\"}" -o /dev/null; }
member=$(curl -sf "$etcd_url/v3/maintenance/status" -d '{}' | jq -r .header.member_id)
alarm ACTIVATE || fail "alarm"
generate 2 20
wait_until 10 "the status to say why nothing is told" status_says "$leader" "database space exceeded"
check "nothing is told meanwhile" open 0
alarm DEACTIVATE || fail "alarm"
wait_until 20 "the changes" open 20
generate 1 20
wait_until 20 "the ends" open 0
right "etcd had no room"

# ---- etcd comes back empty ----

generate 2 100
wait_until 60 "the changes" open 100
stop etcd || true
wait_until $((lease + 5)) "nobody to tell" silent
generate 2 150
start_etcd empty
wait_until 30 "one to lead" one_leads
wait_until 60 "the changes" open 150
stop $leader KILL || true
wait_until $((lease + 15)) "the other to lead" leads $follower
generate 1
wait_until 60 "the ends" open 0
right "etcd was empty"

# ---- somebody removes all that etcd holds ----

old=$leader leader=$follower follower=$old
host $follower
wait_until 120 "it to be ready" is_ready $follower
generate 2 50
wait_until 60 "the changes" open 50
prefix=$(printf /test/ | base64) after=$(printf /test0 | base64)
curl -sf "$etcd_url/v3/kv/deleterange" -d "{\"key\":\"$prefix\",\"range_end\":\"$after\"}" -o /dev/null || fail "remove"
sleep $((3 * lease)) # nothing is told: no transaction shows it
check "the same host leads" eval 'leads $leader && ! leads $follower'
generate 1
wait_until 60 "the ends" open 0
right "etcd was emptied"
stop $leader || fail "it did not end cleanly"
wait_until $((lease + 10)) "the other to lead" leads $follower

# ---- what keeps a host from taking over is told ----

key=$(printf "/test/findings/%0600d" 0 | base64 -w 0) # longer than any of driftd's
change_key() { curl -sf "$etcd_url/v3/kv/$1" -d "{\"key\":\"$key\"}" -o /dev/null || fail "$1"; }
change_key put
old=$leader leader=$follower follower=$old
host $follower
wait_until 120 "it to be ready" is_ready $follower
stop $leader KILL || true
keeps() { grep -q "what was reported cannot be taken over.*$1" "$work/records-$follower"; }
wait_until $((lease + 30)) "it to say why it does not take over" keeps "a key of which driftd did not ask"
check "so says its status" status_says "$follower" "a key of which"
generate 2 20
change_key deleterange
wait_until 30 "the changes" open 20
last_said() { grep -q "$1" < <(grep '"DRIFTD_EVENT":"leader"' "$work/records-$follower" | tail -n 1); }
wait_until 10 "it to say that this has passed" last_said "this host can take over again"
generate 1 20
wait_until 60 "the ends" open 0
right "a strange key"

# ---- a member that carries out late what went through another one meanwhile ----

late_port=$(free_port)
start late "$here/late_member.py" "$late_port" "$etcd_url" "$work/hold" "$work/late.txt"
wait_until 20 "the late member" eval 'curl -sf "http://127.0.0.1:$late_port/v3/kv/range" -d "{\"key\":\"YQ==\"}"'
old=$leader leader=$follower follower=$old
stop $leader || fail "it did not end cleanly"
endpoints="http://127.0.0.1:$late_port, $etcd_url"
host $leader
wait_until 120 "it to lead" leads $leader
generate 2 20
wait_until 20 "the changes" open 20
touch "$work/hold"
generate 3 20
changed() { [ "$(gathered | grep -c '"DRIFTD_EVENT":"change".*\\"3\\"')" -ge 20 ]; }
wait_until 20 "what is told through the other" changed
generate 1 20
wait_until 20 "the ends" open 0
rm "$work/hold"
wait_until 20 "what was kept back" grep -q late "$work/late.txt"
host $follower
wait_until 120 "it to be ready" is_ready $follower
stop $leader KILL || true
wait_until $((lease + 10)) "the other to lead" leads $follower
knows() { grep -q ": 0 findings are open" < <(grep "leads from now on" "$work/records-$follower" | tail -n 1); }
check "nothing is open again" knows
generate 2 20
wait_until 20 "the changes" open 20
generate 1 20
wait_until 20 "the ends" open 0
right "a late member"

# ---- another key ----

head -c 32 /dev/urandom >"$work/hash.key"
host $leader
wait_until 30 "the other key to be refused" status_says "$leader" "another one than that"
check "it does not lead" eval '! leads $leader'
stop $leader || fail "it did not end cleanly"
stop $follower || fail "it did not end cleanly"
echo "$(gathered | wc -l) records"
