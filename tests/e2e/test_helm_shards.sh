#!/usr/bin/env bash
# Releases of Helm that several processes share: together they tell what one tells, each transition once, over edits, upgrades, one that
# fails, forged releases, an uninstallation and a restart.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/helm.sh"
command -v jq >/dev/null || skip "no jq"

names=(one shard0 shard1)
declare -A port=()
run() { # run NAME
	local options=()
	[ "$1" = one ] || options=(--shard "${1#shard}" --total-shards 2)
	"$bin/driftd" run -c "$work/$1.yaml" -o json --control-socket "$work/$1.sock" --web.listen-address "127.0.0.1:${port[$1]}" \
		"${options[@]}" >>"$work/records.$1" 2>>"$work/$1.err.log" &
	pid[$1]=$!
}
is_up() { curl -sf "http://127.0.0.1:${port[$1]}/-/ready"; }
run_all() {
	local name
	for name in "${names[@]}"; do run "$name"; done
	for name in "${names[@]}"; do wait_until 60 "$name to be ready" is_up "$name"; done
}
# What these told of findings but gaps, a line each, without what differs from process to process, sorted.
said() {
	cat "${@/#/$work/records.}" | jq -r 'select(.DRIFTD_DRIFT_ID and (.MESSAGE | startswith("gap") | not)) |
		[.DRIFTD_EVENT, .DRIFTD_COMPONENT, .DRIFTD_TEMPLATE, .DRIFTD_KIND, .DRIFTD_NAME, (.DRIFTD_PATH | tostring), .DRIFTD_MANAGER,
		(.MESSAGE | gsub(" after [0-9.]+ (ms|s|min)( [0-9.]+ s)?|; between [^ ]+ and [^ ]+"; ""))] | map(. // "-") | join(" ")' | sort
}
alike() {
	said one >"$work/said.one"
	said shard0 shard1 >"$work/said.all"
	cmp -s "$work/said.one" "$work/said.all" && [ "$(wc -l <"$work/said.one")" -ge "$1" ]
}
agree() { # agree RECORDS WHEN: at least so many
	wait_until 60 "both shards to tell what one process tells $2: $(diff "$work/said.one" "$work/said.all" 2>&1)" alike "$1"
}
set_value() { api PATCH "/api/v1/namespaces/$1/configmaps/$2" "{\"data\":{\"v\":\"$3\"}}" "$4"; } # set_value NAMESPACE NAME VALUE MANAGER
# What changes by another watch may come before it is known that Helm changes it: here all know first.
knows() { # knows NAME NAMESPACE RELEASE REVISION
	[ "$("$bin/driftd" helm show "$2/$3" --socket "$work/$1.sock" -o json | jq '.items[0].revision')" = "$4" ]
}
all_know() { # all_know NAMESPACE RELEASE REVISION
	local name
	for name in "${names[@]}"; do wait_until 20 "$name to know revision $3 of $1/$2" knows "$name" "$@"; done
}
upgrade() { # upgrade NAMESPACE RELEASE NUMBER VALUE ENDING: of its two objects
	manifest "$2-a" "$4" "$2-b" "$4" | revision "$1" "$2" "$3" pending-upgrade
	all_know "$1" "$2" "$3"
	set_value "$1" "$2-a" "$4" helm
	[ "$5" = failed ] || set_value "$1" "$2-b" "$4" helm
	[ "$5" = failed ] || manifest "$2-a" 1 "$2-b" 1 | revision "$1" "$2" $(($3 - 1)) superseded
	manifest "$2-a" "$4" "$2-b" "$4" | revision "$1" "$2" "$3" "$5"
}

start_apisim
mkdir -p "$work/states"
for namespace in shop team; do
	api POST /api/v1/namespaces "$(object v1 Namespace $namespace "")" setup
	for release in r1 r2 r3 r4; do
		for name in a b; do api POST "/api/v1/namespaces/$namespace/configmaps" "$(configmap $release-$name $namespace '{"v":"1"}')" helm; done
		manifest $release-a 1 $release-b 1 | revision $namespace $release 1 deployed
	done
done
for name in "${names[@]}"; do
	port[$name]=$(free_port)
	cat >"$work/$name.yaml" <<-Y
		clusters: [{name: prod, kubeconfig: $work/kubeconfig}]
		references: [{name: helm, helm_releases: {}}]
		state_dir: $work/states/$name
		flapping: {changes: 0}
	Y
	mkdir "$work/states/$name"
done
run_all

for namespace in shop team; do
	for release in r1 r2 r3 r4; do set_value $namespace $release-a 2 kubectl-edit; done
	api DELETE /api/v1/namespaces/$namespace/configmaps/r4-b
done
agree 10 "of edits and of what is missing"
for namespace in shop team; do
	upgrade $namespace r1 2 3 deployed
	upgrade $namespace r2 2 3 failed
done
agree 16 "of upgrades" # two drifts end, two change, two upgrades fail
{
	manifest r3-a 9
	printf -- '---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: r1-a, namespace: shop}\ndata: {v: forged}\n'
} | revision team aforged 1 deployed
echo 'kind: ConfigMap: nothing' | revision shop broken 1 deployed
agree 19 "of forged releases"
for name in "${names[@]}"; do stop "$name" || fail "$name did not end cleanly"; done
before=$(said one | wc -l)
run_all
sleep 3
agree "$before" "after a restart"
check "which tells nothing again" test "$(said one | wc -l)" -eq "$before"
manifest r4-a 1 r4-b 1 | revision shop r4 1 uninstalling
for name in "${names[@]}"; do
	is_held() { "$bin/driftd" helm show shop/r4 --socket "$work/$1.sock" >"$work/shown" && grep -q 'being changed' "$work/shown"; }
	wait_until 20 "$name to hold what is uninstalled" is_held "$name"
done
api DELETE /api/v1/namespaces/shop/configmaps/r4-a
forget shop r4 1
agree $((before + 2)) "of an uninstallation"
answers=0
for name in shard0 shard1; do
	"$bin/driftd" helm list --socket "$work/$name.sock" --no-headers >"$work/list" || true
	answers=$((answers + $(wc -l <"$work/list")))
done
check "each shard knows all nine releases: $answers" test $answers = 18
for name in "${names[@]}"; do stop "$name" || fail "$name did not end cleanly"; done
