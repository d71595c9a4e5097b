#!/usr/bin/env bash
# What users accept at run time, and their inspection rules, outlive the host where they made it: in etcd, where each change is before it is
# answered; also where etcd is away, has lost all, or was put back.
. "$(dirname "$0")/leader.sh"
objects=30
cat >"$work/rules.yaml" <<'Y'
apiVersion: v1
kind: ConfigMap
rules: [{rule: "self.data.v != '9'", message: not nine}]
Y
host_settings="validation_rules: [$work/rules.yaml]"
generate 1
host a
host b
wait_until 120 "both to be ready" eval 'is_ready a && is_ready b'
wait_until 30 "one to lead" one_leads
at() { "$bin/driftd" "${@:2}" --socket "$work/$1.sock"; } # at HOST COMMAND...
accepts() { at "$1" accept configmap "n-$2/m-$2" --path data.v --reason "a test" --owner kim; } # accepts HOST NUMBER
lists() { grep -q "m-$2" < <(at "$1" accept list); }                                            # lists HOST NUMBER
lists_none() { ! grep -q "m-[0-9]" < <(at "$1" accept list); }
began() { # began HOST NUMBER: drift, as this host has told
	grep '"DRIFTD_EVENT":"begin"' "$work/records-$1" | grep -q "\"DRIFTD_NAME\":\"m-$2\""
}
tells() { [ "$(of "$1" 'driftd_leader_phase{phase="telling"}')" = 1 ]; }
change_leader() { # change_leader: killed; the other leads, and the first one comes back and follows
	stop "$leader" KILL || true
	wait_until $((2 * lease + 15)) "the other to tell" tells "$follower"
	old=$leader leader=$follower follower=$old
	: >"$work/records-$follower"
}
come_back() {
	host "$follower"
	wait_until 120 "it to be ready" is_ready "$follower"
	wait_until 30 "it to follow" status_says "$follower" "the leader is $leader"
}
ask_changes() { # of HOST, as a follower says it
	! at "$1" "${@:2}" >"$work/out" 2>&1 && grep -q "this host is not the leader: ask $leader" "$work/out"
}

# ---- accepted, and killed ----

generate 2 2
wait_until 20 "two drifts" open 2
wait_until 20 "the leader to tell" tells "$leader"
wait_until 30 "the other to follow" status_says "$follower" "the leader is $leader"
check "a host that follows says whom to ask" ask_changes "$follower" accept configmap n-0/m-0 --reason "a test" --owner kim
check "of rules, too" ask_changes "$follower" inspection rule create --actions '[{"op":"log","args":{"msg":"none"}}]'
number=$(accepts "$leader" 0)
wait_until 20 "the drift to end" open 1
wait_until 20 "the follower to know it" lists "$follower" 0
: >"$work/records-$follower"
change_leader
check "it is accepted there" lists "$leader" 0
generate 2 3
wait_until 20 "another drift" began "$leader" 2
check "and no drift" eval '! began "$leader" 0'
come_back
wait_until 20 "it to know what is accepted" lists "$follower" 0

# ---- withdrawn, and killed ----

at "$leader" unaccept "$number"
stop "$leader" KILL || true
wait_until $((2 * lease + 15)) "the other to tell" tells "$follower"
old=$leader leader=$follower follower=$old
wait_until 20 "it to be drift again" eval 'began "$leader" 0 || began "$follower" 0'
check "nothing is accepted" lists_none "$leader"
come_back

# ---- inspection rules ----

rule=11111111-1111-4111-8111-111111111111
later=00000000-0000-4000-8000-000000000000 # of which the key comes first
message='{"op":"log","args":{"msg":"seen {node.metadata.name}","level":"warning"}}'
at "$leader" inspection rule create --uuid $rule --actions "[$message]" >/dev/null
at "$leader" inspection rule create --uuid $later --actions "[{\"op\":\"log\",\"args\":{\"msg\":\"later\"}}]" >/dev/null
at "$leader" inspection rule set $rule --description changed >/dev/null
change_leader
logged() { grep inspection-log "$work/records-$leader" | grep -q "\"DRIFTD_MESSAGE_TEXT\":\"seen m-$1\""; }
rules() { at "$leader" inspection rule list --no-headers | awk '{ print $1 }' | tr '\n' ' '; }
check "the rules are in their order: $(rules)" [ "$(rules)" = "$rule $later " ]
generate 3 1
wait_until 20 "the rule to run" logged 0
come_back
at "$leader" inspection rule delete $rule $later >/dev/null
change_leader
check "no rule is left" [ -z "$(rules)" ]
come_back

# ---- a violation of a rule ----

violated() { grep '"DRIFTD_EVENT":"begin"' "$work/records-$1" | grep '"DRIFTD_NAME":"m-5"' | grep -q 'not nine'; } # violated HOST
lists_rule() { grep -q "m-5 .*rule self.data.v" < <(at "$1" accept list); }                                         # lists_rule HOST
violations() { [ "$({ at "$1" drift list --type validation -o json || true; } | jq '.items | length')" = "$2" ]; } # violations HOST COUNT
generate 9 6
wait_until 20 "a violation" violated "$leader"
wait_until 20 "six of them" violations "$leader" 6
check "a host that follows says whom to ask" ask_changes "$follower" accept configmap n-5/m-5 --rule '*' --reason "a test" --owner kim
at "$leader" accept configmap n-5/m-5 --rule "self.data.v*" --reason "a test" --owner kim >/dev/null
wait_until 20 "the violation to end" violations "$leader" 5
wait_until 20 "the follower to know it" lists_rule "$follower"
change_leader
check "it is accepted there" lists_rule "$leader"
wait_until 20 "what is not to be violated there" violations "$leader" 5
check "and it is no violation" eval '! violated "$leader"'
come_back
wait_until 20 "it to know what is accepted" lists_rule "$follower"

# ---- etcd does not answer: a change waits, and is known everywhere or nowhere ----

kill -STOP "${pid[etcd]}"
accepts "$leader" 1 >"$work/waits.txt" 2>&1 &
waits=$!
sleep 1
kill -CONT "${pid[etcd]}"
status=0
wait $waits || status=$?
wait_until 30 "one to lead" one_leads
wait_until 30 "it to tell" tells "$leader"
[ $status != 0 ] || check "what was answered is accepted" lists "$leader" 1
before=$(at "$leader" accept list)
change_leader
check "what the other knows: $(cat "$work/waits.txt")" [ "$before" = "$(at "$leader" accept list)" ]
come_back
lists "$leader" 1 || accepts "$leader" 1 >/dev/null

# ---- etcd is away: a change is refused ----

stop etcd || true
silent() { ! leads a && ! leads b; }
wait_until $((lease + 5)) "nobody to tell" silent
check "it is refused" eval '! accepts "$leader" 2 >"$work/out" 2>&1'
check "with a reason: $(cat "$work/out")" grep -q "does not lead now, and changes nothing" "$work/out"
start_etcd
wait_until 30 "one to lead" one_leads
wait_until 30 "it to tell" tells "$leader"
check "it is not accepted" eval '! lists "$leader" 2 && lists "$leader" 1'

# ---- etcd is put back to what it was ----

kill -STOP "${pid[etcd]}"
cp -r "$work/etcd" "$work/saved"
kill -CONT "${pid[etcd]}"
wait_until 30 "one to lead" one_leads
wait_until 30 "it to tell" tells "$leader"
accepts "$leader" 2 >/dev/null
stop etcd KILL || true
rm -rf "$work/etcd"
cp -r "$work/saved" "$work/etcd"
start_etcd
makes_known() { grep -q "makes known what it knows" "$work/records-$leader"; }
wait_until $((3 * lease + 10)) "who led last to make known what it knows" makes_known
wait_until 30 "it to lead" leads "$leader"
wait_until 30 "it to tell" tells "$leader"
change_leader
check "what was accepted since is accepted" eval 'lists "$leader" 1 && lists "$leader" 2'
come_back

# ---- etcd has lost all; and all start anew ----

stop etcd || true
wait_until $((lease + 5)) "nobody to tell" silent
start_etcd empty
wait_until $((3 * lease + 15)) "one to lead" one_leads
wait_until 30 "it to tell" tells "$leader"
change_leader
check "all is known to the other" eval 'lists "$leader" 1 && lists "$leader" 2 && lists_rule "$leader"'
stop "$leader" || fail "it did not end cleanly"
host a
host b
wait_until 120 "both to be ready" eval 'is_ready a && is_ready b'
wait_until 30 "one to lead" one_leads
wait_until 30 "it to tell" tells "$leader"
check "and to all after a start" eval 'lists "$leader" 1 && lists "$leader" 2 && lists_rule "$leader"'
stop "$leader" || fail "it did not end cleanly"
stop "$follower" || fail "it did not end cleanly"
