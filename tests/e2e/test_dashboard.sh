#!/usr/bin/env bash
# examples/grafana and examples/prometheus: a real Prometheus with that configuration scrapes driftd over TLS and evaluates every alert;
# all queries of the dashboard have data while there is drift, a cluster that cannot be reached, and a start not long ago.
. "$(dirname "$0")/lib.sh"
for tool in prometheus promtool jq openssl python3; do command -v $tool >/dev/null || skip "no $tool"; done

start_apisim --load "$source_dir/examples/demo/cluster.json"
mkdir "$work/state" "$work/prometheus"
echo 'rules: [{type: warn, path: metadata}]' >"$work/events.yaml"
sed "s/:$apisim_port/:$(free_port)/" "$work/kubeconfig" >"$work/away.kubeconfig"
cat >"$work/driftd.yaml" <<Y
clusters: [{name: shop, kubeconfig: kubeconfig}, {name: away, kubeconfig: away.kubeconfig}]
references:
  - {name: ref, path: $source_dir/examples/demo/reference/metadata.yaml, event_rules: usual}
  - {name: published, source: {git: "https://git.example.com/base.git"}}
event_rules: [{name: usual, path: events.yaml}]
flapping: {changes: 0}
metrics: {by_namespace: true}
state_dir: $work/state
Y
cd "$work/prometheus"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout server.key -out driftd-ca.crt -days 2 -subj /CN=driftd \
	-addext subjectAltName=IP:127.0.0.1 2>"$work/openssl.log"
echo "right horse" >driftd.password
hash=$(python3 -W ignore -c 'import crypt; print(crypt.crypt("right horse", "$2b$04$abcdefghijklmnopqrstuu"))')
printf 'tls_server_config: {cert_file: driftd-ca.crt, key_file: server.key}\nbasic_auth_users: {prometheus: %s}\n' "$hash" >web.yaml

web_port=$(free_port)
run_driftd() {
	start driftd "$bin/driftd" run -c "$work/driftd.yaml" -o text --web.listen-address "127.0.0.1:$web_port" --web.config.file web.yaml
}
told() { [ "$(grep -c "$1" "$work/driftd.log")" -ge "${2:-1}" ]; } # told TEXT [TIMES]
run_driftd
wait_until 20 "it to start" told " started: "
set_team nobody
wait_until 20 "drift" told "drift begins: shop: namespaces shop"

# ---- Prometheus, with the example's files and other addresses ----

port=$(free_port)
cp "$source_dir"/examples/prometheus/* .
check "promtool takes the configuration" promtool check config prometheus.yaml
sed -i -e "s/: 15s/: 500ms/" -e "s/admin-1.example.com:19470/127.0.0.1:$web_port/" -e "s/localhost:9093/127.0.0.1:$(free_port)/" \
	-e "/^  - job_name: driftd\$/,/^\$/d" prometheus.yaml
start prometheus prometheus --config.file prometheus.yaml --storage.tsdb.path "$work/tsdb" --log.level=warn \
	--web.listen-address "127.0.0.1:$port"
api_v1() { curl -sfG "http://127.0.0.1:$port/api/v1/$1" "${@:2}"; }
scraped() { api_v1 query --data-urlencode 'query=sum(driftd_objects_drifted{job="driftd"})' | jq -e '.data.result[0].value[1] == "1"'; }
wait_until 30 "Prometheus to see the drift" scraped
evaluated() { [ "$(api_v1 rules | jq '[.data.groups[].rules[] | select(.type == "alerting" and .health == "ok")] | length')" -eq "$1" ]; }
wait_until 20 "every alert to be evaluated" evaluated "$(cat driftd.rules.yaml driftd-findings.rules.yaml | grep -c 'alert:')"

# ---- the dashboard ----

set_team somebody
wait_until 20 "a change" told "drift changes: shop: namespaces shop"
sleep 1 # a scrape
wait_until 30 "a gap, as a cluster is away" told "gap begins: away"
stop driftd || fail "driftd did not end cleanly"
run_driftd
wait_until 20 "it to start again" told " started: " 2
set_team everybody
wait_until 20 "another change" told "drift changes: shop: namespaces shop" 2
dashboard() { python3 "$here/data/dashboard.py" "$source_dir/examples/grafana/driftd.json" "http://127.0.0.1:$port"; }
answered() { dashboard >"$work/dashboard.log" 2>&1 && [ ! -s "$work/dashboard.log" ]; }
wait_until 30 "data for every query; dashboard.log says which have none" answered
stop driftd || fail "driftd did not end cleanly"
