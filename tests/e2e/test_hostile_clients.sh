#!/usr/bin/env bash
# Whatever etcd, a proxy, or the target of an inspection rule's call sends, driftd sees the drift of a cluster, answers who asks it, and
# ends when it shall; and "driftd compare" of a reference from such a server ends when it is told to, and by itself.
# test_hostile_clients.sh [CLIENT/MODE/PROTOCOL...]: a short selection without arguments; CLIENT is etcd, proxy, call or compare. STRICT=1
# demands the figures of test_hostile.sh.
. "$(dirname "$0")/hostile.sh"
strict=${STRICT:-}
selection="etcd/gzip/h1 etcd/unknown/h2 proxy/headers/h1 proxy/body/h1 call/interim/h1 call/extension/h1 compare/gzip/h1 compare/goaway/h2
	etcd/tls-tickets/h2 proxy/tls-key-update/tls call/tls-records/tls"

url() { [ "$1" = h1 ] && echo "http://127.0.0.1:$hostile_port" || echo "https://127.0.0.1:$hostile_port"; } # url PROTOCOL

begin_etcd() {
	hostile_server hostile-1 "$@"
	head -c 32 /dev/urandom >"$work/hash.key"
	configure_clusters "" "leader_election: {endpoints: ['$(url "$2")'], prefix: /test, name: a, lease: 3s, hash_key_file: $work/hash.key,
		ca_file: $work/tls/ca.crt}"
}
begin_proxy() {
	hostile_server hostile-1 "$@" --status 407
	hostile_kubeconfig hostile-1 tls 1 "proxy-url: \"$(url "$2")\""
	configure_clusters hostile-1
}
# Targets of calls are trusted as the system says: for this driftd that is the simulator's authority.
trust_authority() {
	mkdir -p "$work/bin"
	cat >"$work/bin/driftd" <<-S
		#!/bin/sh
		exec unshare -rm sh -c 'mount --bind "\$0" /etc/ssl/certs/ca-certificates.crt && exec "\$@"' "$work/tls/ca.crt" "$program" "\$@"
	S
	chmod +x "$work/bin/driftd"
	bin=$work/bin
}
begin_call() {
	hostile_server hostile-1 "$@"
	[ "$2" = h1 ] || trust_authority
	echo "[{actions: [{op: api-call, args: {url: '$(url "$2")/x', timeout: 30}}]}]" >"$work/rules.yaml"
	configure_clusters "" "inspection_rules: {built_in: $work/rules.yaml, allow_api_call: ['$(url "$2")/']}"
}
healthy_synced() { metric_is 'driftd_cluster_synced{kube_cluster="healthy"}' 1; }

print() { printf '%-26s %9s %9s %9s  %s\n' "$@"; }
row_daemon() { # row_daemon CLIENT MODE PROTOCOL
	local told=record bin=$bin program=$bin/driftd
	[ "$1" != etcd ] || told=metric # nothing is told while no host is chosen to tell it
	rm -rf "$work/state" "$work/records"
	mkdir "$work/state"
	"begin_$1" "$2" "$3"
	start_driftd
	wait_until 60 "the healthy cluster to be synced" healthy_synced
	bounds hostile-1 0 4 "${scrapes:-50}" $told "$([ "$1" != call ] || echo /api/v1/namespaces/shop/configmaps/web)"
	end_servers hostile-1
	set_team storefront
	print "$1/$2/$3" "$(figure .drift_ms)" "$(figure .scrape_ms)" "$(figure .term_ms)" "$(figure .attacked) $(figure '.megabytes[0]') MB"
	check "$1/$2/$3: it was attacked" result .attacked
	result ".drift_ms != null and .scrape_ms != null and .term_ms != null" >/dev/null || missed+=("$1/$2/$3")
	[ -z "$strict" ] || result ".drift_ms <= 1000 and .scrape_ms <= 100 and .term_ms <= 2000" >/dev/null || missed+=("$1/$2/$3")
}

attacked() { jq -e '.attacks > 0' "$work/hostile-1/stats"; }
compare() { # compare PROTOCOL: in the background
	SSL_CERT_FILE=$work/tls/ca.crt start compare env --default-signal=TERM "$bin/driftd" compare -r "$(url "$1")/metadata.yaml" -f "$work/maps"
}
wait_ended() { # wait_ended SECONDS: sets $ended_ms, "-": it has not
	local since
	since=$(date +%s%3N)
	ended_ms=-
	while kill -0 "${pid[compare]}" 2>/dev/null; do
		[ $(($(date +%s%3N) - since)) -lt $(($1 * 1000)) ] || return 0
		sleep 0.01
	done
	ended_ms=$(($(date +%s%3N) - since))
}
row_compare() { # row_compare MODE PROTOCOL
	local signal_ms
	hostile_server hostile-1 "$@"
	touch "$work/hostile-1/attack"
	compare "$2"
	wait_until 20 "compare to be attacked" attacked
	sleep 1
	kill -TERM "${pid[compare]}" 2>/dev/null || true # it may have ended by itself
	wait_ended "$patience"
	signal_ms=$ended_ms
	stop compare KILL 2>/dev/null || true
	unset "pid[compare]"
	compare "$2"
	wait_ended 90
	stop compare KILL 2>/dev/null || true
	unset "pid[compare]"
	end_servers hostile-1
	print "compare/$1/$2" - - "$signal_ms" "by itself after $ended_ms ms: $(tail -n 1 "$work/compare.log" | cut -c1-150)"
	[ "$signal_ms" != - ] && [ "$ended_ms" != - ] || missed+=("compare/$1/$2")
}

start_healthy
rows=("$@")
if [ $# -eq 0 ]; then
	patience=30 scrapes=10
	read -ra rows <<<"$selection"
fi
missed=()
print client/attack drift/ms scrape/ms end/ms ""
for r in "${rows[@]}"; do
	IFS=/ read -r client mode protocol <<<"$r"
	case $client in
	compare) row_compare "$mode" "$protocol" ;;
	*) row_daemon "$client" "$mode" "$protocol" ;;
	esac
done
check "each kept the bounds: ${missed[*]:-all}" test ${#missed[@]} -eq 0
