#!/usr/bin/env bash
# Journals of two hosts, sent by systemd-journal-upload to one systemd-journal-remote, behind the stunnel4 of docs/events.md, which asks for
# certificates: driftd events and driftd drift list over its folder say what both told, with their hosts, each record once, and what is
# open, also when one takes over from the other.
if [ -z "${UTS_INSIDE:-}" ] && unshare -u true 2>/dev/null; then # with names of hosts of its own
	export UTS_INSIDE=1
	exec unshare -u "$0" "$@"
fi
. "$(dirname "$0")/journal.sh"
[ -n "${UTS_INSIDE:-}" ] || skip "no UTS namespace can be made"
remote=/lib/systemd/systemd-journal-remote upload=/lib/systemd/systemd-journal-upload
[ -x $remote ] && [ -x $upload ] || skip "no systemd-journal-remote"
for tool in stunnel4 systemd-socket-activate openssl curl; do command -v $tool >/dev/null || skip "no $tool"; done
gathered=$work/gathered
mkdir "$gathered"

events() { "$bin/driftd" events -D "$gathered" "$@" 2>"$work/events.err.log"; }
drift() { # drift ARGUMENT...: its exit status in $work/status
	local status=0
	"$bin/driftd" drift list -D "$gathered" "$@" 2>"$work/drift.err.log" || status=$?
	echo $status >"$work/status"
}
status_is() { [ "$(cat "$work/status")" = "$1" ]; }
gathered_has() { [ "$(events -o json | jq -r .DRIFTD_RECORD_ID | sort -u | wc -l)" -eq "$1" ]; }
told() { journal SYSLOG_IDENTIFIER=driftd | jq -r .DRIFTD_RECORD_ID | sort -u | wc -l; }

# What journald says of a host it takes from the kernel: each host has its names and its journal, one after the other on the same socket.
host() { # host NAME: from now on the journal is that of this host
	[ -z "${pid[journald]:-}" ] || stop_journald
	rm -rf /run/log/journal/*
	hostname "$1"
	printf '%s' "$1" | md5sum | cut -c1-32 >"$state/machine-id-$1"
	mount --bind "$state/machine-id-$1" /etc/machine-id
	start_journald
}
send() { # send NAME: all that the journal of this host has, to the folder
	journalctl --sync >/dev/null 2>&1 || sleep 1
	start "upload-$1" $upload --url="https://localhost:$port" -D "$(echo /run/log/journal/*)" --save-state="$work/upload-$1" \
		--key="$work/$1.key" --cert="$work/$1.pem" --trust="$work/ca.pem"
}

# ---- the host that gathers, as docs/events.md says ----

authority() { # authority NAME
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=$1" -keyout "$work/$1.key" -out "$work/$1.pem"
}
certificate() { # certificate NAME AUTHORITY
	openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" -keyout "$work/$1.key" -out "$work/$1.csr"
	openssl x509 -req -in "$work/$1.csr" -CA "$work/$2.pem" -CAkey "$work/$2.key" -CAcreateserial -days 2 \
		-extfile <(echo subjectAltName=DNS:localhost) -out "$work/$1.pem"
}
for name in ca otherca; do authority $name 2>>"$work/openssl.log"; done
for name in gathers alpha beta; do certificate $name ca 2>>"$work/openssl.log"; done
certificate stranger otherca 2>>"$work/openssl.log"

documented() { sed -n "/^$1/,/^\`\`\`\$/p" "$source_dir/docs/events.md" | grep -v '^```'; } # documented FIRST-LINE-OF-A-BLOCK
port=$(free_port) inner=$(free_port)
{
	echo "foreground = yes"
	documented '\[journals\]' | sed -e "/^set[ug]id/d; s|^accept = .*|accept = 127.0.0.1:$port|; s|^connect = .*|connect = 127.0.0.1:$inner|" \
		-e "s|= /etc/ssl/.*/journals.pem\$|= $work/gathers.pem|; s|^key = .*|key = $work/gathers.key|; s|^CAfile = .*|CAfile = $work/ca.pem|"
} >"$work/front.conf"
check "no place of the documentation is left" eval '! grep -q "/etc/" "$work/front.conf"'
command=$(documented '\[Service\]' | sed -n "s|^ExecStart=\(/.*\) --output=.*|\1|p")
check "the receiver that is documented" test "${command%% *}" = $remote
# shellcheck disable=SC2086
start remote systemd-socket-activate -l "127.0.0.1:$inner" $command --output="$gathered"
start front stunnel4 "$work/front.conf"

printf '__REALTIME_TIMESTAMP=1700000000000000\n__MONOTONIC_TIMESTAMP=1\n_BOOT_ID=%032d\nMESSAGE=forged\n\n' 1 >"$work/forged"
post() { # post [CURL-ARGUMENT...]: an entry
	curl -sf --cacert "$work/ca.pem" -H 'Content-Type: application/vnd.fdo.journal' --data-binary @"$work/forged" "$@" \
		"https://localhost:$port/upload"
}
wait_until 10 "journal-remote behind stunnel4" post --key "$work/alpha.key" --cert "$work/alpha.pem"
check "who has no certificate is refused" eval '! post'
check "nor is one of another authority taken" eval '! post --key "$work/stranger.key" --cert "$work/stranger.pem"'

# ---- the first host ----

host alpha
start_shop
start_driftd_ready journal
set_team one
wait_until 30 "the begin" eval '[ -n "$(journal DRIFTD_EVENT=begin DRIFTD_KIND=Namespace)" ]'
open=$(journal DRIFTD_EVENT=begin DRIFTD_KIND=Namespace | jq -r .DRIFTD_DRIFT_ID)
stop driftd || fail "driftd did not end cleanly"
alpha=$(told)
send alpha
wait_until 30 "the records of alpha" gathered_has "$alpha"
drift >"$work/list"
check "it is open" grep -Eq "^SEVERITY +TYPE +HOST .*" "$work/list"
check "as it was told" grep -Eq "^warning +drift +alpha +.*shop .*${open:0:8}" "$work/list"
check "something is" status_is 1
check "its driftd has ended" grep -q "driftd of alpha .*ended at .* and has not started again" "$work/drift.err.log"
check "from when the journal is" grep -q "the journal is from 20.* to 20" "$work/drift.err.log"
stop upload-alpha || true

# ---- the second one, which goes on with what the first one knew ----

"$bin/driftd" state export --state-dir "$work/state" -o "$work/alpha.state" 2>/dev/null || fail "export"
host beta
rm -rf "$work/state" && mkdir "$work/state"
"$bin/driftd" state import --state-dir "$work/state" "$work/alpha.state" 2>/dev/null || fail "import"
start_driftd_ready journal
api POST /api/v1/namespaces "$(object v1 Namespace other '')" setup
set_team two
wait_until 30 "the change" eval '[ -n "$(journal DRIFTD_EVENT=change DRIFTD_KIND=Namespace)" ]'
check "under the id that it had" test "$(journal DRIFTD_EVENT=change DRIFTD_KIND=Namespace | jq -r .DRIFTD_DRIFT_ID)" = "$open"
check "it is not begun again" test -z "$(journal DRIFTD_EVENT=begin DRIFTD_KIND=Namespace)"
beta=$(told)
send beta
wait_until 30 "the records of both" gathered_has $((alpha + beta))
drift -o json >"$work/list.json"
check "one drift of two hosts" test "$(jq -c '[.items[] | [.id, .host, .type]]' "$work/list.json")" = "[[\"$open\",\"beta\",\"drift\"]]"
check "both hosts are named" test "$(events | grep -cE ' alpha ')" -ge 1 -a "$(events | grep -cE ' beta ')" -ge 1
times() { events -o json | jq -r .__REALTIME_TIMESTAMP; }
check "in the order of time" test "$(times)" = "$(times | sort -n)"
check "the ids by name" test "$(drift -o name)" = "$open"
check "of another namespace nothing" test -z "$(drift -n nowhere -o name)"
check "of a type nothing" test -z "$(drift --type gap -o name)"
check "by kind" test "$(drift namespaces shop -o name)" = "$open"
at=$(events --event drift-begin -o json | jq -r .__REALTIME_TIMESTAMP)
moment() { echo "@${1:0:-6}.${1: -6}"; } # moment MICROSECONDS: the second host may be there within the same second
check "before it began nothing" test -z "$(drift --until "$(moment $((at - 1)))" -o name)"
drift --until "$(moment "$at")" -o json >"$work/list.json"
check "as it was then" test "$(jq -r '.items[0].host' "$work/list.json")" = alpha

# Records that are sent twice are shown and counted once.
stop upload-beta || true
rm -f "$work/upload-beta"
send beta
sleep 3
check "each record once" gathered_has $((alpha + beta))
check "also in the list" test "$(events | wc -l)" -eq $((alpha + beta))

set_team storefront
wait_until 30 "the end" eval '[ -n "$(journal DRIFTD_EVENT=end DRIFTD_KIND=Namespace)" ]'
wait_until 30 "the end to arrive" eval '[ "$(events --event drift-end | wc -l)" -eq 1 ]'
drift >"$work/list"
check "nothing is open" test ! -s "$work/list"
check "alpha may know more" status_is 3
check "one begin and one end" test "$(events --id "$open" -o json | jq -r .DRIFTD_EVENT | tr '\n' ' ')" = "begin change end "

# What others write counts only when that is wanted.
python3 - "$open" <<'P'
import os, socket, struct, sys
os.setuid(65534)
fields = {"SYSLOG_IDENTIFIER": "driftd", "MESSAGE_ID": "089938918e834a77b3539e496fd132e4", "DRIFTD_EVENT": "begin",
          "DRIFTD_DRIFT_ID": "e" * 32, "DRIFTD_SEVERITY": "critical", "DRIFTD_NAME": "forged", "MESSAGE": "drift begins: forged"}
data = b"".join(n.encode() + b"\n" + struct.pack("<Q", len(v)) + v.encode() + b"\n" for n, v in fields.items())
socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(data, "/run/systemd/journal/socket")
P
wait_until 30 "what somebody forged" eval 'grep -q eeee < <(drift --any-user -o name)'
check "it does not count" test -z "$(drift -o name)"
check "it is said" grep -q "1 records that others wrote do not count" "$work/drift.err.log"
check "no such folder" eval 'drift -o name -D "$work/none"; status_is 2'
stop driftd || fail "driftd did not end cleanly"
