#!/usr/bin/env bash
# Whatever the API server of one cluster sends, driftd tells of another cluster's drift, answers who asks it, and ends when it shall, while
# that goes on; and the hostile cluster is a gap with a reason.
# test_hostile.sh: a selection at once, without bounds of time that a busy machine could miss.
# test_hostile.sh all | MODE/PROTOCOL...: one after the other, as a table (tests/hostile/attacks.py prints what there is).
# HOSTILE=5: so many such servers at once. STRICT=1: a drift is told within 1 s, a scrape takes 100 ms, the end 2 s; there is a gap, and
# there are ten connections a second at most.
. "$(dirname "$0")/hostile.sh"
hostile=${HOSTILE:-1}
strict=${STRICT:-}
selection="unknown/h2 empty-data/h2 window/h2 continuation/h2 gzip/h2 extension/h1 trailers/tls interim/tls gzip/h1 pages/tls goaway/h2
	body/tls tls-key-update/h2 tls-tickets/tls tls-hello-requests/tls"

begin() { # begin MODE/PROTOCOL...: a driftd whose clusters are hostile-1, hostile-2, ... sets $names
	local attack n=0
	names=
	for attack; do
		n=$((n + 1))
		names+="${names:+ }hostile-$n"
		hostile_server "hostile-$n" "${attack%/*}" "${attack#*/}"
		hostile_kubeconfig "hostile-$n" "${attack#*/}" "$hostile_port"
	done
	rm -rf "$work/state" "$work/records"
	mkdir "$work/state"
	configure_clusters "$names"
	start_driftd
	wait_until 60 "all clusters to be synced" all_synced
}
row() { # row MODE/PROTOCOL
	local i attacks=()
	for ((i = 0; i < hostile; i++)); do attacks+=("$1"); done
	begin "${attacks[@]}"
	bounds "$names" 30
	end_servers "$names"
	set_team storefront
	printf '%-24s %9s %9s %9s %4s %6s %8s  %s\n' "$1" "$(figure .drift_ms)" "$(figure .scrape_ms)" "$(figure .term_ms)" \
		"$(figure '.gaps | length')" "$(figure '.connections_per_second | max')" "$(figure '.megabytes | add | round')" \
		"$(figure '.gaps["hostile-1"]' | cut -c1-150)"
	[ -z "$strict" ] || result ".drift_ms != null and .drift_ms <= 1000 and .scrape_ms != null and .scrape_ms <= 100 and .term_ms != null and
		.term_ms <= 2000 and (.gaps | length) == $hostile and (.connections_per_second | max) <= 10" >/dev/null || missed+=("$1")
}

start_healthy
if [ $# -gt 0 ]; then
	[ "$1" != all ] || mapfile -t rows < <(python3 "$hostile_dir/attacks.py" | tr ' ' /)
	[ "$1" = all ] || rows=("$@")
	missed=()
	printf '%-24s %9s %9s %9s %4s %6s %8s  %s\n' attack drift/ms scrape/ms end/ms gaps conn/s MB "the first gap"
	for r in "${rows[@]}"; do row "$r"; done
	[ ${#missed[@]} -eq 0 ] || fail "beyond the bounds: ${missed[*]}"
	exit 0
fi

patience=30
read -rd '' -a attacks <<<"$selection" || true
begin "${attacks[@]}"
bounds "$names" 60 2 10
jq -c . "$work/result.json"
check "all were attacked" result .attacked
check "the drift of the healthy cluster, and its end, is told meanwhile" result '.drift_ms != null'
check "who asks is answered meanwhile" result '.scrape_ms != null'
check "every hostile cluster is a gap" result ".gaps | length == ${#attacks[@]}"
check "driftd ends when it shall" result '.term_ms != null'
check "in order" test "${driftd_status:-1}" -eq 0
end_servers "$names"
