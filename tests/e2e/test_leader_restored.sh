#!/usr/bin/env bash
# etcd is put back to what it was some time ago, while two hosts run: whoever led last knows better, and tells etcd; nothing is told twice.
. "$(dirname "$0")/leader.sh"
objects=30
generate 1
host a
host b
wait_until 120 "both to be ready" eval 'is_ready a && is_ready b'
wait_until 30 "one to lead" one_leads

save() { # what etcd has on its disk at a moment
	kill -STOP "${pid[etcd]}"
	rm -rf "$work/saved"
	cp -r "$work/etcd" "$work/saved"
	kill -CONT "${pid[etcd]}"
}
restore() {
	stop etcd KILL || true
	rm -rf "$work/etcd"
	cp -r "$work/saved" "$work/etcd"
	start_etcd
}
published() { [ "$(gathered | grep -c "makes known what it knows")" -eq "$1" ]; } # published TIMES
go_on() { # some have ended since, and others begun
	generate 2 30
	wait_until 20 "what began since" open 30
	generate 1 10
	wait_until 20 "what ended since" open 20
}
knows_all() { # whoever takes over knows what is open, and ends it
	wait_until $((2 * lease + 10)) "the other to lead" leads "$follower"
	check "it knows what is open" grep -q ": 20 findings are open" < <(grep "leads from now on" "$work/records-$follower" | tail -n 1)
	generate 1
	wait_until 20 "the ends" open 0
}

# ---- the same host led then, and does so still ----

generate 2 20
wait_until 20 "the changes" open 20
save
go_on
restore
wait_until $((2 * lease + 10)) "it to say so" published 2
wait_until 10 "who led last to lead" leads "$leader"
save
kill -STOP "${pid[$leader]}"
knows_all
kill -CONT "${pid[$leader]}"
right "restored"

# ---- the other one led then ----

old=$leader leader=$follower follower=$old
go_on
restore
wait_until $((3 * lease + 10)) "it to say so" published 3
wait_until 10 "who led last to lead" leads "$leader"
stop "$leader" KILL || true
knows_all
right "restored to another's time"
check "it was said once each time" published 3

# ---- who led last is killed, and etcd is put back before it is there again ----

host "$leader"
wait_until 60 "it to be ready" is_ready "$leader"
last=$follower other=$leader
stop "$other" || fail "it did not end cleanly"
save
go_on
stop "$last" KILL || true
restore
host "$last"
wait_until $((3 * lease + 20)) "it to say so" published 4
wait_until 10 "it to lead" leads "$last"
generate 1
wait_until 20 "the ends" open 0
right "restored while nobody ran"
stop "$last" || fail "it did not end cleanly"
