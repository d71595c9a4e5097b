#!/usr/bin/env bash
# A real Prometheus scrapes driftd; promtool agrees with every line.
. "$(dirname "$0")/lib.sh"
for tool in prometheus promtool jq; do command -v $tool >/dev/null || skip "no $tool"; done

start_shop
start_driftd_ready

scrape() { curl -sf -H "Accept: $1" "$web/metrics" >"$work/metrics.txt"; }
no_complaint() { # of promtool, about a page that is there
	[ -s "$work/metrics.txt" ] && promtool check metrics <"$work/metrics.txt" >"$work/promtool.log" 2>&1 && [ ! -s "$work/promtool.log" ]
}
check "the metrics" scrape text/plain
check "promtool check metrics is silent" no_complaint
check "the metrics as OpenMetrics" scrape 'application/openmetrics-text; version=1.0.0'
check "they end as they should" test "$(tail -n 1 "$work/metrics.txt")" = "# EOF"
check "HEAD is answered" curl -sfI "$web/metrics"
check "POST is refused with 405" test "$(curl -s -o /dev/null -w '%{http_code}' -X POST "$web/metrics")" = 405
check "an unknown page is 404" test "$(curl -s -o /dev/null -w '%{http_code}' "$web/nothing")" = 404
check "the landing page links to the metrics" sh -c "curl -sf $web/ | grep -q 'href=\"/metrics\"'"

port=$(free_port)
cat >"$work/prometheus.yml" <<Y
global: {scrape_interval: 500ms, scrape_timeout: 400ms}
scrape_configs: [{job_name: driftd, static_configs: [{targets: ["127.0.0.1:$web_port"]}]}]
Y
start prometheus prometheus --config.file "$work/prometheus.yml" --storage.tsdb.path "$work/tsdb" \
	--web.listen-address "127.0.0.1:$port" --log.level=warn
query() { curl -sfG "http://127.0.0.1:$port/api/v1/query" --data-urlencode "query=$1" | jq -r '.data.result[0].value[1] // "none"'; }
query_is() { [ "$(query "$1")" = "$2" ]; }
wait_until 30 "Prometheus to scrape" query_is 'up{job="driftd"}' 1
wait_until 10 "no drift" query_is 'sum(driftd_objects_drifted)' 0
check "the cluster is synced" query_is 'driftd_cluster_synced' 1

set_team nobody
wait_until 10 "the drift in Prometheus" query_is 'driftd_objects_drifted{severity="warning"}' 1
wait_until 10 "its transition" query_is 'driftd_drift_transitions_total{transition="begin",severity="warning"}' 1
check "its beginning is now" test "$(query 'time() - driftd_oldest_drift_timestamp_seconds < bool 60')" = 1
set_team storefront
wait_until 10 "no drift again" query_is 'sum(driftd_objects_drifted)' 0
stop driftd || fail "driftd did not end cleanly"
