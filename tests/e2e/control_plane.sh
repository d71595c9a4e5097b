# A real kube-apiserver and etcd: sourced behind lib.sh. They are those of $KUBEBUILDER_ASSETS, or when the script has the argument "modern"
# those of $KUBEBUILDER_ASSETS_MODERN. start_control_plane sets $server, $ca, $token and writes $work/kubeconfig; start_apiserver starts the
# API server again after it was stopped.
variable=KUBEBUILDER_ASSETS
[ "${1:-}" != modern ] || variable=KUBEBUILDER_ASSETS_MODERN
assets=${!variable:-}
[ -n "$assets" ] && [ -x "$assets/kube-apiserver" ] && [ -x "$assets/etcd" ] || skip "$variable names no kube-apiserver and etcd"
PATH=$PATH:$assets # its kubectl, where the machine has none
command -v openssl >/dev/null || skip "no openssl"

make_certificates() {
	cd "$work"
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=e2e-ca -keyout ca.key -out ca.crt
	openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=kube-apiserver -keyout server.key -out server.csr
	openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -out server.crt \
		-extfile <(echo subjectAltName=IP:127.0.0.1,DNS:localhost)
	openssl genrsa -out sa.key 2048
}

# Held until all are chosen: one after the other may give the same port twice.
three_ports() {
	python3 -c 'import socket; s = [socket.create_server(("127.0.0.1", 0)) for i in range(3)]; print(*(x.getsockname()[1] for x in s))'
}

launch_apiserver() { # launch_apiserver [OPTIONS...]: of kube-apiserver, behind those that every test needs; does not wait for it
	start "${apiserver_name:-apiserver}" "$assets/kube-apiserver" --etcd-servers "$etcd_url" --secure-port "$api_port" \
		--bind-address 127.0.0.1 \
		--tls-cert-file "$work/server.crt" --tls-private-key-file "$work/server.key" --token-auth-file "$work/tokens.csv" \
		--authorization-mode RBAC --disable-admission-plugins ServiceAccount --service-account-issuer https://kubernetes.default.svc \
		--service-account-key-file "$work/sa.key" --service-account-signing-key-file "$work/sa.key" --service-cluster-ip-range 10.99.0.0/24 "$@"
}

start_apiserver() { # start_apiserver [OPTIONS...]
	launch_apiserver "$@"
	wait_until 90 "the API server" get /readyz
}

start_etcd() {
	start etcd "$assets/etcd" --data-dir "$work/etcd" --listen-client-urls "$etcd_url" --advertise-client-urls "$etcd_url" \
		--listen-peer-urls "http://127.0.0.1:$peer_port" --initial-advertise-peer-urls "http://127.0.0.1:$peer_port" \
		--initial-cluster "default=http://127.0.0.1:$peer_port"
}

start_control_plane() { # start_control_plane [OPTIONS...]: of kube-apiserver
	local etcd_port
	read -r etcd_port peer_port api_port < <(three_ports)
	etcd_url=http://127.0.0.1:$etcd_port
	(make_certificates) >"$work/openssl.log" 2>&1
	token=e2e-token ca=$work/ca.crt server=https://127.0.0.1:$api_port
	echo "$token,admin,admin,system:masters" >"$work/tokens.csv"
	echo "nobody,nobody,nobody" >>"$work/tokens.csv"
	start_etcd
	start_apiserver "$@"
	cat >"$work/kubeconfig" <<Y
apiVersion: v1
kind: Config
current-context: e2e
clusters: [{name: e2e, cluster: {server: "$server", certificate-authority: ca.crt}}]
users: [{name: e2e, user: {token: $token}}, {name: nobody, user: {token: nobody}}]
contexts: [{name: e2e, context: {cluster: e2e, user: e2e}}, {name: nobody, context: {cluster: e2e, user: nobody}}]
Y
}

# compact: etcd forgets every revision but the newest, so that no watch can be resumed from before
compact() {
	local revision
	revision=$(curl -sf "$etcd_url/v3/kv/range" -d '{"key":"AA=="}' | jq -r .header.revision)
	curl -sf "$etcd_url/v3/kv/compaction" -d "{\"revision\":\"$revision\",\"physical\":true}" -o "$work/answer.json" ||
		fail "etcd does not compact at $revision"
}

# Whether the server evaluates CEL rules of CRDs. An older one (1.20, what Debian's sources give) crashes when it decodes a custom resource.
has_custom_resources() { [ "$(get /version | jq -r '.minor | gsub("[^0-9]"; "") | tonumber')" -ge 25 ]; }

apply() { # apply PATH JSON FIELD-MANAGER: on the server's side, against other managers too
	request -X PATCH -H 'Content-Type: application/apply-patch+yaml' "$server$1?fieldManager=$3&force=true" -d "$2" \
		-o "$work/answer.json" || fail "apply $1: no success"
}

# at_once METHOD [STATUS]: a request for each line "PATH<tab>JSON" of standard input, many at a time; fails when one does, unless it is
# answered with STATUS. HTTP/1.1, or a GOAWAY would fail them.
at_once() {
	local type=application/json
	[ "$1" != PATCH ] || type=application/merge-patch+json
	jq -Rr --arg server "$server" --arg method "$1" --arg type "$type" --arg token "$token" --arg ca "$ca" 'split("\t") |
		"next", "url = \"\($server)\(.[0])\"", "request = \($method)", "cacert = \"\($ca)\"", "user-agent = driftd-e2e/1",
		"header = \"Authorization: Bearer \($token)\"", "header = \"Content-Type: \($type)\"", "write-out = \"%{http_code}\\n\"",
		"http1.1", (if (.[1] // "") == "" then empty else "data = \(.[1] | tojson)" end), "silent", "output = /dev/null"' |
		sed 1d | curl -Z --parallel-max 20 -K - 2>/dev/null |
		awk -v also="${2:-none}" '!/^2/ && $0 != also { bad = 1 } END { exit bad || !NR }'
}

path_of() { # path_of KIND: where objects of this kind are created
	case $1 in
	Namespace) echo /api/v1/namespaces ;;
	Service) echo /api/v1/namespaces/shop/services ;;
	ConfigMap) echo /api/v1/namespaces/shop/configmaps ;;
	Deployment) echo /apis/apps/v1/namespaces/shop/deployments ;;
	StatefulSet) echo /apis/apps/v1/namespaces/shop/statefulsets ;;
	NetworkPolicy) echo /apis/networking.k8s.io/v1/namespaces/shop/networkpolicies ;;
	ClusterRoleBinding) echo /apis/rbac.authorization.k8s.io/v1/clusterrolebindings ;;
	esac
}

create_shop() { # the objects of the sample shop; needs jq
	jq -c '.[] | del(.spec.clusterIP)' "$source_dir/examples/demo/cluster.json" | while read -r object; do
		api POST "$(path_of "$(jq -r .kind <<<"$object")")" "$object" setup
	done
}

# A control plane for tests of roles: $admin may do everything, $work/kubeconfig is that of the service account driftd/driftd, which may do
# nothing yet.
start_with_account() {
	start_control_plane
	admin=$work/admin.kubeconfig
	mv "$work/kubeconfig" "$admin"
	stop apiserver || true
	echo 'account,system:serviceaccount:driftd:driftd,account,"system:serviceaccounts,system:authenticated"' >>"$work/tokens.csv"
	start_apiserver
	sed 's/token: e2e-token/token: account/' "$admin" >"$work/kubeconfig"
	k create namespace driftd
}
k() { kubectl --kubeconfig "$admin" "$@" >>"$work/kubectl.log" 2>&1 || fail "kubectl $*: $(tail -n 3 "$work/kubectl.log")"; }
