#!/usr/bin/env bash
# One host with leader_election, killed again and again: what it told before is in its own journal, and nothing is told twice.
. "$(dirname "$0")/journal.sh"
command -v etcd >/dev/null || skip "no etcd"

etcd_url=http://127.0.0.1:$(free_port)
peer=http://127.0.0.1:$(free_port)
start etcd etcd --data-dir "$work/etcd" --listen-client-urls "$etcd_url" --advertise-client-urls "$etcd_url" \
	--listen-peer-urls "$peer" --initial-advertise-peer-urls "$peer" --initial-cluster "default=$peer"
wait_until 20 "etcd" curl -sf "$etcd_url/health"
head -c 32 /dev/urandom >"$work/hash.key"

of_namespace() { journal "DRIFTD_CLUSTER=$cluster" DRIFTD_KIND=Namespace "$@"; }
told() { [ "$(of_namespace "DRIFTD_EVENT=$1" | jq -r .DRIFTD_RECORD_ID | sort -u | wc -l)" -ge "$2" ]; } # told EVENT COUNT
# each record once, and each drift begins once and ends once
nothing_wrong() {
	of_namespace | jq -r '[.DRIFTD_RECORD_ID, .DRIFTD_DRIFT_ID, .DRIFTD_EVENT] | @tsv' | awk '
		ids[$1]++ { print "told twice: " $0; wrong = 1 }
		$3 == "begin" && begun[$2]++ { print "begun twice: " $0; wrong = 1 }
		$3 == "end" && (!begun[$2] || ended[$2]++) { print "ended out of order: " $0; wrong = 1 }
		END { exit wrong }'
}

start_journald
start_shop
configure "$source_dir/examples/demo/reference" "leader_election: {endpoints: [$etcd_url], lease: 3s, hash_key_file: $work/hash.key}"
sed -i "s|^state_dir:.*|state_dir: $state|" "$work/driftd.yaml"
start_driftd_ready journal
n=0
for i in $(seq 1 "${LEADER_KILLS:-6}"); do
	set_team "team-$i"
	sleep "0.$((RANDOM % 8))$((RANDOM % 10))"
	stop driftd KILL || true
	start_driftd journal
	n=$((n + 1))
	wait_until 30 "the begin of drift $n" told begin $n
	set_team storefront
	sleep "0.$((RANDOM % 8))$((RANDOM % 10))"
	stop driftd KILL || true
	start_driftd journal
	wait_until 30 "the end of drift $n" told end $n
done
check "after kill -9 every transition is told once" nothing_wrong
leads() { metric_is driftd_leader 1; }
wait_until 20 "it to lead" leads
started=$SECONDS
stop driftd || fail "driftd did not end cleanly"
start_driftd journal
wait_until 10 "it to lead at once after a clean end" leads
echo "$n drifts, leads $((SECONDS - started)) s after a clean end"
