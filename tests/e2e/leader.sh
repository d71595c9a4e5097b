# To be sourced in place of lib.sh: an etcd, and several hosts (each a driftd of its own) for one cluster of ConfigMaps. With shares_key=1
# the hosts agree over etcd, which then has TLS, on the key of hashes; otherwise they all have $work/hash.key.
. "$(dirname "$0")/lib.sh"
for tool in jq etcd python3; do command -v $tool >/dev/null || skip "no $tool"; done
namespaces=100 # so many that none has a flood
lease=3

etcd_curl() { curl -sf "${etcd_curl_options[@]}" "$@"; }
start_etcd() { # start_etcd [FOLDER]
	start etcd etcd --data-dir "$work/${1:-etcd}" --listen-client-urls "$etcd_url" --advertise-client-urls "$etcd_url" \
		--listen-peer-urls "http://127.0.0.1:$peer_port" --initial-advertise-peer-urls "http://127.0.0.1:$peer_port" \
		--initial-cluster "default=http://127.0.0.1:$peer_port" --log-level error "${etcd_options[@]}"
	wait_until 20 "etcd" etcd_curl "$etcd_url/health"
}
generate() { # generate VALUE [COUNT]: the first of the objects, all at once
	jq -nc --argjson n "${2:-$objects}" --argjson spaces $namespaces --arg v "$1" '{apiVersion: "v1", kind: "List", items: [range($n) |
		{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "m-\(.)", namespace: "n-\(. % $spaces)"}, data: {v: $v}}]}' \
		>"$work/objects.json"
	request -X POST "$server/_apisim/load" --data-binary "@$work/objects.json" -o /dev/null || fail "load"
}

declare -A ports=()
host() { # host NAME: a driftd of its own; $host_settings: more lines of its configuration
	ports[$1]=${ports[$1]:-$(free_port)}
	mkdir -p "$work/state-$1"
	cat >"$work/$1.yaml" <<Y
clusters: [{name: shared, kubeconfig: $work/kubeconfig}]
references: [{name: ref, path: $work/reference/metadata.yaml}]
state_dir: $work/state-$1
control_socket: $work/$1.sock
flapping: {changes: 0}
leader_election:
  endpoints: [$endpoints]
  prefix: /test
  name: $1
  lease: ${lease}s
  $hash_key
${host_settings:-}
Y
	"$bin/driftd" run -c "$work/$1.yaml" -o json --web.listen-address "127.0.0.1:${ports[$1]}" \
		>>"$work/records-$1" 2>>"$work/$1.err.log" &
	pid[$1]=$!
}
of() { curl -sf "http://127.0.0.1:${ports[$1]}/metrics" | awk -v name="$2" '$1 == name { print $2 }'; } # of HOST METRIC
leads() { [ "$(of "$1" driftd_leader)" = 1 ]; }
is_ready() { curl -sf "http://127.0.0.1:${ports[$1]}/-/ready"; }
one_leads() { leads a && ! leads b && leader=a follower=b || { leads b && ! leads a && leader=b follower=a; }; }
gathered() { cat "$work"/records-*; }
open() { # open COUNT: so many drifts have begun and not ended, as gathered
	grep -qx "$1" < <(python3 "$here/gathered.py" "$work" count 2>/dev/null)
}
status_says() { grep -q "$2" < <("$bin/driftd" status --socket "$work/$1.sock"); } # status_says HOST PATTERN
right() { python3 "$here/gathered.py" "$work" check "$@"; }
now_ms() { date +%s%3N; }

reference "$work/reference" anyOf map.yaml+
template "$work/reference/map.yaml" v1 ConfigMap "$any_name" "$any_namespace" <<<'data: {v: "1"}'
etcd_url=http://127.0.0.1:$(free_port) etcd_options=() etcd_curl_options=() hash_key="hash_key_file: $work/hash.key"
head -c 32 /dev/urandom >"$work/hash.key"
if [ "${shares_key:-}" ]; then
	command -v openssl >/dev/null || skip "no openssl"
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=etcd -addext "subjectAltName=IP:127.0.0.1" \
		-keyout "$work/etcd.key" -out "$work/etcd.crt" 2>"$work/openssl.log"
	etcd_url=https://${etcd_url#http://} etcd_options=(--cert-file "$work/etcd.crt" --key-file "$work/etcd.key")
	etcd_curl_options=(--cacert "$work/etcd.crt") hash_key="ca_file: $work/etcd.crt"
fi
endpoints=$etcd_url
peer_port=$(free_port)
start_etcd
start_apisim
