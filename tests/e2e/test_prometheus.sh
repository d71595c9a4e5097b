#!/usr/bin/env bash
# A real Prometheus scrapes driftd; promtool agrees with every line; what two driftds say, each scraped by a Prometheus of its own and
# gathered by federation, adds up.
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
check "the landing page links to the metrics" eval 'grep -qF "href=\"/metrics\"" < <(curl -sf "$web/")'

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

# ---- two of them, gathered ----

# The second watches the same cluster under another name, with a drift of its own.
sed "s|name: $cluster|name: second|; s|state_dir:.*|state_dir: $work/second|" "$work/driftd.yaml" >"$work/second.yaml"
mkdir "$work/second"
second_web=$(free_port)
start second "$bin/driftd" run -c "$work/second.yaml" -o json --web.listen-address "127.0.0.1:$second_web"
wait_until 60 "the second driftd" curl -sf "http://127.0.0.1:$second_web/-/ready"
second_port=$(free_port) all_port=$(free_port)
cat >"$work/second-prometheus.yml" <<Y
global: {scrape_interval: 500ms, scrape_timeout: 400ms}
scrape_configs: [{job_name: driftd, static_configs: [{targets: ["127.0.0.1:$second_web"]}]}]
Y
cat >"$work/all-prometheus.yml" <<Y
global: {scrape_interval: 500ms, scrape_timeout: 400ms}
scrape_configs:
  - job_name: federate
    honor_labels: true
    metrics_path: /federate
    params: {"match[]": ['{job="driftd"}']}
    static_configs: [{targets: ["127.0.0.1:$port", "127.0.0.1:$second_port"]}]
Y
for name in second all; do
	listen=${name}_port
	start "prometheus-$name" prometheus --config.file "$work/$name-prometheus.yml" --storage.tsdb.path "$work/tsdb-$name" \
		--web.listen-address "127.0.0.1:${!listen}" --log.level=warn
done
of_all() { # of_all QUERY VALUE: of the one that gathers
	[ "$(port=$all_port query "$1")" = "$2" ]
}
of_both() { # of_both FAMILY: the sum of what both pages say
	{ curl -sf "$web/metrics" && curl -sf "http://127.0.0.1:$second_web/metrics"; } |
		awk -v f="$1{" 'index($0, f) == 1 { n += $NF } END { print n + 0 }'
}
adds_up() { of_all "sum($1)" "$(of_both "$1")"; } # adds_up FAMILY
wait_until 30 "both to be gathered" of_all 'count(up{job="driftd"} == 1)' 2
wait_until 30 "no drift anywhere" of_all 'sum(driftd_objects_drifted)' 0
set_team both
wait_until 30 "the drift of both" of_all 'sum without(instance, kube_cluster)(driftd_objects_drifted{severity="warning"})' 2
wait_until 30 "that of one" of_all 'sum without(instance)(driftd_objects_drifted{severity="warning", kube_cluster="second"})' 1
wait_until 30 "begins of both, the second one's first" of_all \
	'sum without(instance, kube_cluster)(driftd_drift_transitions_total{transition="begin", severity="warning"})' 3
for family in driftd_objects driftd_objects_drifted driftd_objects_unmatched \
	driftd_drift_transitions_total driftd_watch_gaps_current; do
	wait_until 30 "the sum of $family" adds_up "$family"
done
set_team storefront
wait_until 30 "no drift anywhere again" of_all 'sum(driftd_objects_drifted)' 0
stop second || fail "the second driftd did not end cleanly"
wait_until 30 "one of them to be missed" of_all 'count(up{job="driftd"} == 1)' 1
stop driftd || fail "driftd did not end cleanly"
