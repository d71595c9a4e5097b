#!/usr/bin/env bash
# driftd events: filters, times, forms, following over a rotation, gathered journals; records that others forge; names that speak to
# terminals.
. "$(dirname "$0")/journal.sh"
command -v setpriv >/dev/null || skip "no setpriv"

drift_begin=089938918e834a77b3539e496fd132e4
id=0123456789abcdef0123456789abcdef
events() { "$bin/driftd" events "$@" 2>"$work/events.err.log"; }
ends_with() { # ends_with STATUS COMMAND...
	local status=0
	"${@:2}" >"$work/out" 2>"$work/err" || status=$?
	[ $status = "$1" ] || { echo "status $status instead of $1: ${*:2}" >&2; cat "$work/err" >&2; return 1; }
}
shows() { [ "$(events "${@:2}" | wc -l)" -eq "$1" ]; } # shows COUNT ARGUMENTS...: so many lines
says() { local all; all=$(cat "$2"); [[ $all == *"$1"* ]]; } # says TEXT FILE
send() { # send FIELD=VALUE...: as a record of driftd's, by the native protocol: any byte may be in a value
	python3 - "SYSLOG_IDENTIFIER=driftd" "PRIORITY=4" "$@" <<'P'
import os, socket, struct, sys
os.setuid(int(os.environ.get("SENDER", "0")))
data = b""
for field in map(os.fsencode, sys.argv[1:]):
    name, _, value = field.partition(b"=")
    data += name + b"\n" + struct.pack("<Q", len(value)) + value + b"\n"
socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(data, "/run/systemd/journal/socket")
P
}
nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)

start_journald
start_shop
start_driftd_ready journal
set_team one
wait_until 30 "the begin" eval '[ -n "$(journal DRIFTD_EVENT=begin DRIFTD_KIND=Namespace)" ]'
set_team storefront
wait_until 30 "the end" eval '[ -n "$(journal DRIFTD_EVENT=end DRIFTD_KIND=Namespace)" ]'
stop driftd || fail "driftd did not end cleanly"
all=$(journal SYSLOG_IDENTIFIER=driftd | wc -l)

# ---- filters ----

check "all are shown" shows "$all"
check "of a kind" shows 2 namespace
check "of a resource" shows 2 namespaces shop
check "of no such object" shows 0 namespaces shops
check "of an event" shows 1 namespaces --event begin
check "of one kind of record" shows 1 namespaces --event drift-end
check "of several" shows 2 namespaces --event begin --event end
check "of a cluster" shows 2 namespaces --cluster "$cluster"
check "of no such cluster" ends_with 1 events --cluster other
check "as bad" shows 2 namespaces --severity warning
check "worse" ends_with 1 events namespaces --severity error
drift_id=$(events namespaces --event begin -o json | jq -r .DRIFTD_DRIFT_ID)
check "by id" shows 2 --id "$drift_id"
check "by the beginning of one" shows 2 --id "${drift_id:0:12}"
check "the last" test "$(events --lines 2 -o json | jq -r .MESSAGE_ID | tr '\n' ' ')" = \
	"$(events -o json | tail -n 2 | jq -r .MESSAGE_ID | tr '\n' ' ')"
check "more than there are" shows "$all" --lines 1000
check "the other way round" test "$(events --reverse)" = "$(events | tac)"
check "the newest" test "$(events --reverse --lines 1)" = "$(events --lines 1)"

# ---- times ----

at=$(events namespaces --event end -o json | jq -r '.__REALTIME_TIMESTAMP')
check "since" test "$(events namespaces --since "@${at:0:-6}.${at: -6}" -o json | jq -r .DRIFTD_EVENT)" = end
check "until" test "$(events namespaces --until "@${at:0:-6}.${at: -6}" -o json | jq -r .DRIFTD_EVENT | tr '\n' ' ')" = "begin end "
check "before" test "$(events namespaces --until "$(date -u -d "@$((${at:0:-6} - 1))" +%FT%TZ)" -o json | jq -r .DRIFTD_EVENT)" != end
check "an hour" shows 2 namespaces --since -1h --until now
check "long ago" ends_with 1 events --until "2001-01-01 00:00"
check "the last until then" test "$(events namespaces --until "@${at:0:-6}.${at: -6}" --lines 1 -o json | jq -r .DRIFTD_EVENT)" = end
check "no time" ends_with 2 events --since noon
check "in the wrong order" ends_with 2 events --since now --until -1h
check "no such option" ends_with 2 events --sinse now
check "no such event" ends_with 2 events --event bogus
check "nothing to follow" ends_with 2 events --follow --file x

# ---- forms ----

events namespaces --event begin >"$work/short.txt"
check "a line for people" grep -Eq '^20[0-9-]{8} [0-9:]{8} warning  drift-begin +drift begins: .*namespaces shop' "$work/short.txt"
events namespaces --event begin -o wide >"$work/wide.txt"
check "what differs" grep -Fq '    metadata.labels.team: expected "storefront", found "one"' "$work/wide.txt"
check "who" grep -Eq '^    by kubectl-label \(' "$work/wide.txt"
check "the diff" grep -Eq '^      \+.*team: one' "$work/wide.txt"
same_fields() {
	diff <(events namespaces -o json | jq -S 'with_entries(select(.key | test("^__(MONO|CURSOR)") | not))') \
		<(journal DRIFTD_KIND=Namespace | jq -S 'with_entries(select(.key | test("^__(MONO|CURSOR)") | not))')
}
check "json is what journalctl says" same_fields
check "yaml is the same" python3 - <<P
import json, subprocess, yaml
def run(form): return subprocess.run(["$bin/driftd", "events", "-o", form], stdout=subprocess.PIPE, check=True).stdout
assert list(yaml.safe_load_all(run("yaml"))) == [json.loads(l) for l in run("json").splitlines()]
P

# ---- several paths: the journal keeps neither order nor repetitions ----

start_driftd_ready journal
api PATCH /apis/apps/v1/namespaces/shop/deployments/web \
	'{"spec":{"replicas":50,"template":{"spec":{"automountServiceAccountToken":true}}}}' kubectl-edit
wait_until 30 "a drift in two fields" eval '[ -n "$(journal DRIFTD_EVENT=begin DRIFTD_KIND=Deployment DRIFTD_PATH_COUNT=2)" ]'
events deployments --lines 1 -o wide >"$work/wide.txt"
check "one with its values" grep -Eq '^    spec.replicas: expected "should be between 2 and 10", found 50$' "$work/wide.txt"
check "the other with its values" grep -Eq '^    spec.template.spec.automountServiceAccountToken: expected false, found true$' \
	"$work/wide.txt"
stop driftd || fail "driftd did not end cleanly"

# ---- what others write, and what driftd says twice ----

SENDER=65534 send MESSAGE_ID=$drift_begin MESSAGE=forged DRIFTD_KIND=Forged DRIFTD_EVENT=begin
forged() { [ -n "$(journal DRIFTD_KIND=Forged)" ]; }
wait_until 10 "the forged record" forged
check "what a stranger wrote is not shown" ends_with 1 "$bin/driftd" events Forged
check "but counted" says "1 records that others wrote are not shown" "$work/err"
check "and shown when asked for" shows 1 Forged --any-user

send MESSAGE_ID=$drift_begin MESSAGE=once DRIFTD_KIND=Twice DRIFTD_RECORD_ID=$id
send MESSAGE_ID=$drift_begin MESSAGE=once DRIFTD_KIND=Twice DRIFTD_RECORD_ID=$id DRIFTD_RESENT=1
wait_until 10 "both" eval '[ "$(journal DRIFTD_KIND=Twice | wc -l)" = 2 ]'
check "a repetition is shown once" shows 1 Twice
check "a repetition is shown once, back" shows 1 Twice -r
check "a repetition does not count" shows 1 Twice --lines 2

send MESSAGE_ID=$drift_begin DRIFTD_KIND=Hostile "MESSAGE=a"$'\e[2J\e]0;x\a\r\u202e\u009b\xff'"b" DRIFTD_PATH=$'\e[1m\n\u2066' \
	DRIFTD_DIFF=$'-\e[8m\n+x' PRIORITY=$'\e' "DRIFTD_RULE=$(printf 'x%.0s' {1..20000})" DRIFTD_PATH_COUNT=99999999999999999999 \
	DRIFTD_SEVERITY=$'\xff' _UID=0
send MESSAGE_ID=$drift_begin DRIFTD_KIND=Hostile
wait_until 10 "both" eval '[ "$(journal DRIFTD_KIND=Hostile | wc -l)" = 2 ]'
for form in short wide json yaml; do
	events Hostile -o $form >"$work/hostile.txt" || fail "$form of hostile records"
	check "$form has something" test -s "$work/hostile.txt"
	check "nothing of $form speaks to the terminal" python3 - "$work/hostile.txt" <<'P'
import sys, unicodedata
text = open(sys.argv[1], encoding="utf-8").read()
assert not [c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")]
P
done
check "long fields are whole" test "$(events Hostile -o json | jq -r '.DRIFTD_RULE // empty | length')" = 20000
check "colours on a terminal" script -qec "$bin/driftd events Twice" "$work/typescript"
check "are there" grep -q $'\e\\[1;33m' "$work/typescript"
NO_COLOR=1 script -qec "$bin/driftd events Twice" "$work/typescript" >/dev/null
check "unless not wanted" eval '! grep -q $'"'\\e'"' "$work/typescript"'

# ---- gathered journals, and those that cannot be read ----

mkdir -p "$work/gathered" "$work/empty"
cp /run/log/journal/*/*.journal "$work/gathered"
check "a folder of journals" test "$(events -D "$work/gathered" -o json)" = "$(events -o json)"
check "a file" test "$(events --file "$(ls "$work"/gathered/system*.journal)" -o json)" = "$(events -o json)"
check "its host" says " $(uname -n) " <(events -D "$work/gathered")
check "an empty folder" ends_with 2 events -D "$work/empty"
check "no such folder" ends_with 2 events -D "$work/none"
head -c 100000 "$work/gathered/system.journal" >"$work/empty/system.journal"
check "half a journal" ends_with 2 events -D "$work/empty"
if "${nobody[@]}" test -x "$bin/driftd"; then
	check "a user who may not" ends_with 2 "${nobody[@]}" "$bin/driftd" events
	check "is told who may" says systemd-journal "$work/err"
fi

# ---- following ----

follow() { # follow NAME ARGUMENTS...
	"$bin/driftd" events --follow "${@:2}" >"$work/$1.txt" 2>"$work/$1.log" &
	pid[$1]=$!
}
told() { send MESSAGE_ID=$drift_begin "MESSAGE=told-$1" DRIFTD_KIND=Follow; }
told 1
told 2
follow all Follow
wait_until 10 "what there is" says told-2 "$work/all.txt"
follow last Follow --lines 1
follow new Follow --lines 0
wait_until 10 "the last" says told-2 "$work/last.txt"
sleep 0.5
told 3
wait_until 10 "what comes" says told-3 "$work/new.txt"
kill -USR2 "${pid[journald]}"
wait_until 10 "a rotation" eval 'ls /run/log/journal/*/system@*.journal'
told 4
wait_until 10 "what comes after a rotation" says told-4 "$work/new.txt"
kill -USR2 "${pid[journald]}"
told 5
for name in all last new; do
	wait_until 10 "what comes after another" says told-5 "$work/$name.txt"
	check "a signal ends it" stop $name INT
done
messages() { sed "s/.*told-//" "$work/$1.txt" | tr -d "\n"; }
check "nothing twice, nothing missed" test "$(messages all) $(messages last) $(messages new)" = "12345 2345 345"

follow until Follow --until +2s --lines 1
wait "${pid[until]}" || fail "it does not end with its time"
unset "pid[until]"
mkfifo "$work/pipe"
"$bin/driftd" events --follow Follow >"$work/pipe" 2>"$work/pipe.log" &
pid[pipe]=$!
read -r line <"$work/pipe"
wait_until 10 "its end without a reader" eval '! kill -0 ${pid[pipe]}'
wait "${pid[pipe]}" || fail "it ends badly without a reader"
unset "pid[pipe]"
check "it says nothing of it" test ! -s "$work/pipe.log"
