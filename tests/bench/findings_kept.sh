#!/usr/bin/env bash
# findings_kept.sh [FINDINGS [SECONDS]]: what FINDINGS (50000) open findings cost the real daemon beside as many objects without any: memory
# and the state folder, SECONDS (60) after the last of their records was told, to standard output. DRIFTD_BIN: the programs. TABLES=1: what
# each table takes. ONLY=1: with findings only.
. "$(dirname "$0")/../e2e/lib.sh"
many=${1:-50000} settle=${2:-60}

reference "$work/reference" anyOf map.yaml+
template "$work/reference/map.yaml" v1 ConfigMap "$any_name" many <<<'data: {v: "1"}'
resident() { awk '/^VmRSS/ {print $2}' "/proc/${pid[driftd]}/status"; }
peak() { awk '/^VmHWM/ {print $2}' "/proc/${pid[driftd]}/status"; }
told() { [ "$(metric driftd_records_waiting)" = 0 ] && [ "$(metric driftd_records_deferred_current)" = 0 ]; }
drifted() { [ "$(metric "$(of_cluster driftd_objects_drifted 'severity="warning"')")" = "$1" ]; } # drifted COUNT

run() { # run NAME VALUE FINDINGS
	start_apisim
	control generate "{\"resource\":\"configmaps\",\"namespace\":\"many\",\"prefix\":\"x-\",\"count\":$many,
		\"object\":{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"data\":{\"v\":\"$2\"}}}"
	configure "$work/reference"
	start_driftd
	wait_until 300 "driftd to be ready" ready
	[ "$3" = 0 ] || wait_until 300 "its findings" drifted "$3"
	wait_until 300 "their records" told
	sleep "$settle"
	echo "$1: $(resident) KB resident (at most $(peak)), the state folder $(du -sk "$work/state" | cut -f1) KB:"
	(cd "$work/state" && stat -c '  %n %s' ./*)
	[ -z "${TABLES:-}" ] || sqlite3 "$work/state/driftd.db" \
		'SELECT name, sum(pgsize) / 1024 FROM dbstat GROUP BY name ORDER BY 2 DESC LIMIT 16'
	stop driftd || fail "driftd did not end cleanly"
	stop apisim || true
	rm -rf "$work/state"
}

[ -n "${ONLY:-}" ] || run "without findings" 1 0
run "with $many" 2 "$many"
