# To be sourced in place of lib.sh: driftd with one healthy cluster, and others whose servers become hostile (tests/hostile/server.py).
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
for tool in jq python3; do command -v $tool >/dev/null || skip "no $tool"; done
hostile_dir=$source_dir/tests/hostile
patience=${PATIENCE:-10} # seconds for each thing that is measured; what takes longer is "-"

hostile_server() { # hostile_server NAME MODE PROTOCOL [OPTIONS...]: in $work/NAME; sets $hostile_port
	rm -rf "${work:?}/$1"
	mkdir "$work/$1"
	start "$1" nice -n 5 python3 "$hostile_dir/server.py" "$2" "$3" "$work/$1" --tls-dir "$work/tls" "${@:4}"
	wait_until 20 "the server $1" test -s "$work/$1/port"
	hostile_port=$(cat "$work/$1/port")
}
hostile_kubeconfig() { # hostile_kubeconfig NAME PROTOCOL SERVER-PORT [MEMBERS-OF-CLUSTER]
	local scheme=https
	[ "$2" != h1 ] || scheme=http
	cat >"$work/$1.kubeconfig" <<Y
apiVersion: v1
kind: Config
current-context: c
clusters: [{name: c, cluster: {server: "$scheme://127.0.0.1:$3", certificate-authority: $work/tls/ca.crt${4:+, $4}}}]
users: [{name: c, user: {token: secret-of-$1}}]
contexts: [{name: c, context: {cluster: c, user: c}}]
Y
}
start_healthy() { # the shop of the demo, whose API server does what it should
	start_apisim --load "$source_dir/examples/demo/cluster.json"
	reference "$work/maps" anyOf map.yaml+
	template "$work/maps/map.yaml" v1 ConfigMap "$any_name" default <<<'data: {v: "1"}'
	mkdir -p "$work/state"
}
# configure_clusters NAMES [EXTRA-LINES]: the healthy cluster, and those of these names
configure_clusters() {
	local name
	{
		echo "clusters:"
		echo "  - {name: healthy, kubeconfig: $work/kubeconfig, references: [shop]}"
		for name in $1; do echo "  - {name: $name, kubeconfig: $work/$name.kubeconfig, references: [maps]}"; done
		cat <<-Y
			references:
			  - {name: shop, path: $source_dir/examples/demo/reference/metadata.yaml}
			$([ -z "$1" ] || echo "  - {name: maps, path: $work/maps/metadata.yaml}")
			state_dir: $work/state
			evidence_max_age: 10s
			flapping: {changes: 0}
		Y
		echo "${2:-}"
	} >"$work/driftd.yaml"
}
# bounds NAMES GAP-PATIENCE [CHANGES [SCRAPES [record|metric [PROVOKE]]]]: attacks, measures and ends driftd; the result is
# $work/result.json
bounds() {
	local name folders=()
	for name in $1; do folders+=("$work/$name"); done
	jq -n --arg web "$web" --arg records "$work/records" --arg server "$server" --arg ca "$ca" --arg token "$token" \
		--argjson pid "${pid[driftd]}" --argjson patience "$patience" --argjson gap_patience "$2" \
		--argjson changes "${3:-4}" --argjson scrapes "${4:-50}" --arg told "${5:-record}" --arg provoke "${6:-}" \
		'$ARGS.named + {hostile: $ARGS.positional}' --args "${folders[@]}" >"$work/bounds.json"
	python3 "$hostile_dir/bounds.py" "$work" >"$work/result.json" || fail "the measuring of $1"
	if [ "$(jq .term_ms "$work/result.json")" = null ]; then
		stop driftd KILL 2>/dev/null || true
	else
		driftd_status=0
		wait "${pid[driftd]}" || driftd_status=$?
		unset "pid[driftd]"
	fi
}
end_servers() { # end_servers NAMES
	local name
	for name in $1; do stop "$name" KILL 2>/dev/null || true; done
}
result() { jq -e "$1" "$work/result.json"; }
figure() { jq -r "$1 // \"-\"" "$work/result.json"; }
