#!/usr/bin/env bash
# Proxies between driftd and the API server: HTTP and SOCKS5, over TLS, with a password; from the kubeconfig and from the environment with
# its exceptions; one that refuses or is down is the reason that is told, without its password.
# In a network of its own: the environment's proxy is never used for 127.0.0.1, so that the loopback device needs another address.
if [ -z "${OWN_NETWORK:-}" ]; then
	unshare -rn true 2>/dev/null || { echo "skipped: no network namespaces"; exit 77; }
	OWN_NETWORK=yes exec unshare -rn "$0"
fi
. "$(dirname "$0")/lib.sh"
for tool in jq tinyproxy stunnel4 microsocks ip; do command -v $tool >/dev/null || skip "no $tool"; done
ip link set lo up
ip address add 198.51.100.7/32 dev lo
unset HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy

start_shop --bind 198.51.100.7
ca_data=$(sed -n 's/.*certificate-authority-data: *//p' "$work/kubeconfig")
password=proxy-secret-7

write_kubeconfig() { # write_kubeconfig [PROXY-URL]
	cat >"$work/kubeconfig.new" <<Y
apiVersion: v1
kind: Config
current-context: e2e
clusters: [{name: e2e, cluster: {server: "$server", certificate-authority-data: $ca_data${1:+, proxy-url: "$1"}}}]
users: [{name: e2e, user: {token: e2e-token}}]
contexts: [{name: e2e, context: {cluster: e2e, user: e2e}}]
Y
	mv "$work/kubeconfig.new" "$work/kubeconfig"
}
listens() { (: <"/dev/tcp/127.0.0.1/$1"); }
start_tinyproxy() { # start_tinyproxy NAME [LINES]: sets $proxy_port; what it does is in NAME.log
	proxy_port=$(free_port)
	cat >"$work/$1.conf" <<C
Port $proxy_port
Listen 127.0.0.1
Timeout 600
LogLevel Connect
MaxClients 100
${2:-}
C
	start "$1" tinyproxy -d -c "$work/$1.conf"
	wait_until 20 "the proxy $1" listens "$proxy_port"
}
tunnels() { grep -c "CONNECT ${server#https://}" "$work/$1.log" || true; } # tunnels NAME: how many it made
uses() { [ "$(tunnels "$1")" -gt 0 ]; }
gap() { has_record "(.DRIFTD_EVENT | IN(\"begin\", \"change\")) and (.MESSAGE | startswith(\"gap\") and contains(\"$1\"))"; }
run_through() { # run_through WHAT [PROXY-URL]: driftd is ready, sees a change, and ends
	: >"$work/records"
	write_kubeconfig "${2:-}"
	start_driftd_ready
	set_team backoffice
	wait_until 30 "drift $1" begins '.DRIFTD_KIND == "Namespace"'
	set_team storefront
	wait_until 30 "its end" ends '.DRIFTD_KIND == "Namespace"'
	stop driftd || fail "driftd did not end cleanly"
}
gap_is_told() { # gap_is_told REASON [PROXY-URL]
	configure "$source_dir/examples/demo/reference"
	write_kubeconfig "${2:-}"
	start_driftd
	wait_until 60 "the gap: $1" gap "$1"
	curl -sf "$web/metrics" >"$work/metrics"
	curl -s "$web/" >"$work/page"
	no_secret "$password" -- "$work/records" "$work/metrics" "$work/page" -- "$work/driftd.err.log"
	stop driftd || fail "driftd did not end cleanly"
}
# told REASON [PROXY-URL]: as the reason of the gap, by a driftd of its own beside the rest, and nothing tells the password
told() { aside "gap-$((++n_told))" gap_is_told "$@"; }
n_told=0

# ---- HTTP ----

start_tinyproxy open
open=http://127.0.0.1:$proxy_port
run_through "through an HTTP proxy" "$open"
check "it made the tunnels" uses open

start_tinyproxy locked "BasicAuth robot $password"
locked=127.0.0.1:$proxy_port
run_through "through an HTTP proxy with a password" "http://robot:$password@$locked"
check "it made the tunnels" uses locked
told "the proxy http://$locked answers 407 (it wants a user and a password, or others)" "http://$locked"
told "the proxy http://$locked answers 401 (it wants a user and a password, or others)" "http://robot:not-$password@$locked"

start_tinyproxy narrow "ConnectPort 443"
told "the proxy http://127.0.0.1:$proxy_port answers 403" "http://127.0.0.1:$proxy_port"

down=127.0.0.1:$(free_port)
told "through the proxy http://$down: get /api: Failed to connect" "http://robot:$password@$down"

# ---- HTTP over TLS: the proxy is verified with the cluster's authority ----

front_port=$(free_port)
cat >"$work/front.conf" <<C
foreground = yes
pid =
[front]
accept = 127.0.0.1:$front_port
connect = ${open#http://}
cert = $work/tls/server.crt
key = $work/tls/server.key
C
start front stunnel4 "$work/front.conf"
wait_until 20 "the TLS front" listens "$front_port"
before=$(tunnels open)
run_through "through a proxy over TLS" "https://127.0.0.1:$front_port"
check "the proxy behind it made the tunnels" test "$(tunnels open)" -gt "$before"
"$bin/apisim" --port 0 --tls-dir "$work/tls-other" >"$work/make.log" 2>&1 &
pid[make]=$!
wait_until 30 "another authority" grep -q listening "$work/make.log"
stop make || true
stop front || true
sed -i "s|$work/tls/|$work/tls-other/|" "$work/front.conf"
start front stunnel4 "$work/front.conf"
wait_until 20 "the TLS front" listens "$front_port"
told "SSL certificate problem" "https://robot:$password@127.0.0.1:$front_port"

# ---- SOCKS5 ----

start_socks() { # start_socks NAME [OPTIONS...]: sets $socks_port
	socks_port=$(free_port)
	start "$1" microsocks -i 127.0.0.1 -p "$socks_port" "${@:2}"
	wait_until 20 "the proxy $1" listens "$socks_port"
}
start_socks socks
run_through "through a SOCKS5 proxy" "socks5://127.0.0.1:$socks_port"
check "it was used" grep -q "connected to ${server#https://}" "$work/socks.log"
open_socks=$socks_port
start_socks socks-locked -u robot -P "$password"
run_through "through a SOCKS5 proxy with a password" "socks5://robot:$password@127.0.0.1:$socks_port"
check "it was used" grep -q "connected to ${server#https://}" "$work/socks-locked.log"
told "through the proxy socks5://127.0.0.1:$socks_port" "socks5://robot:not-$password@127.0.0.1:$socks_port"

# ---- the environment, for driftd only ----

export CURL_HOME=$work
echo 'noproxy = "*"' >"$work/.curlrc"

before=$(tunnels open)
HTTPS_PROXY=$open run_through "through the environment's proxy"
check "it made the tunnels" test "$(tunnels open)" -gt "$before"
before=$(tunnels open)
HTTPS_PROXY=$open NO_PROXY=example.com,198.51.100.0/24 run_through "past the environment's proxy"
HTTPS_PROXY=http://$down run_through "through the kubeconfig's proxy, not the environment's" "socks5://127.0.0.1:$open_socks"
check "none was made" test "$(tunnels open)" = "$before"
NO_PROXY='*' run_through "through the kubeconfig's proxy in spite of NO_PROXY" "$open"
check "the kubeconfig's proxy has no exceptions" test "$(tunnels open)" -gt "$before"
export HTTPS_PROXY=http://robot:$password@$down
told "through the proxy http://$down"
join_parts
