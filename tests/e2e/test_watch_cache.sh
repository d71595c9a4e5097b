#!/usr/bin/env bash
# A version that the server has forgotten: by its watch cache, begun anew, and by etcd, compacted. The same is told with streaming lists
# and without them, with a watch cache and without. test_watch_cache.sh [modern]: see control_plane.sh.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/control_plane.sh"
command -v jq >/dev/null || skip "no jq"

maps=/api/v1/namespaces/shop/configmaps
set_value() { api PATCH "$maps/$1" "{\"data\":{\"v\":\"$2\"}}" kubectl-edit; } # set_value NAME VALUE
relists() { metric "$(of_cluster driftd_relists_total "reason=\"expired\"")"; }
relisted() { [ "$(relists)" -ge 1 ]; }
lists_asked() { metric "$(of_cluster driftd_kube_requests_total "verb=\"list\"")"; }

# What is told of objects: how long a server was away, and so whether that was a gap, is a matter of the machine.
drifts_told() {
	records '.MESSAGE | startswith("drift ")' >"$work/drifts"
	said "$work/drifts"
}

# live NAME [OPTIONS]: one life of driftd against a server with these options; what it told is in said.NAME
live() {
	local life=$1 name
	shift
	if [ "${pid[apiserver]:-}" ]; then
		stop apiserver KILL || true
		start_apiserver "$@"
	else
		start_control_plane "$@"
		api POST "$(path_of Namespace)" "$(object v1 Namespace shop "")" setup
	fi
	for name in stays changes goes again; do api POST $maps "$(configmap $name shop '{"v":"1"}')" setup; done
	rm -rf "$work/state"
	: >"$work/records"
	cluster=
	configure "$work/reference"
	start_driftd_ready
	set_value stays 2
	set_value goes 2
	set_value again 2
	wait_until 20 "drift of three objects ($life)" drift_count begin 3

	# driftd sees nothing of this, and the server can no longer tell it what happened
	kill -STOP "${pid[driftd]}"
	stop apiserver KILL || true
	start_apiserver "$@"
	set_value changes 2
	api DELETE $maps/goes
	api DELETE $maps/again
	api POST $maps "$(configmap again shop '{"v":"3"}')" kubectl-create
	api POST $maps "$(configmap new shop '{"v":"2"}')" kubectl-create
	set_value stays 3
	set_value stays 2
	compact
	stop apiserver KILL || true
	start_apiserver "$@"
	kill -CONT "${pid[driftd]}"

	wait_until 60 "drift that began in the gap ($life)" begins '.DRIFTD_NAME == "changes"'
	wait_until 60 "drift of an object made in the gap ($life)" begins '.DRIFTD_NAME == "new"'
	wait_until 60 "drift of an object made anew in the gap ($life)" begins '.DRIFTD_NAME == "again" and .DRIFTD_ACTUAL == "\"3\""'
	wait_until 60 "the end of a deleted object's drift ($life)" ends '.DRIFTD_NAME == "goes" and
		(.MESSAGE | contains("object deleted"))'
	check "the list was taken anew ($life)" relisted
	wait_until 30 "no gap ($life)" no_gap
	set_value stays 1
	wait_until 20 "the end of drift that lasted ($life)" ends '.DRIFTD_NAME == "stays"'
	echo "$life: lists asked for $(lists_asked), relists because of an expired version $(relists)"
	asked=$(lists_asked)

	# etcd forgets what a watch that stands has already told
	compact
	set_value changes 1
	wait_until 20 "the end after a compaction ($life)" ends '.DRIFTD_NAME == "changes"'
	for name in stays changes again new; do api DELETE $maps/$name; done
	wait_until 20 "the end of all ($life)" drift_count end 6
	stop driftd || fail "driftd did not end cleanly"
	drifts_told | sort >"$work/said.$life"
	mv "$work/records" "$work/records.$life"
}
like_before() { # like_before NAME: told what "default" told
	diff "$work/said.default" "$work/said.$1" >&2 || fail "$1 told something else than the server's defaults"
	checks=$((checks + 1))
}

reference "$work/reference" anyOf configmap.yaml+
template "$work/reference/configmap.yaml" v1 ConfigMap "$any_name" shop <<<'data: {v: "1"}'
live default
streams=$([ "$asked" = 0 ] && echo 1 || true)
live uncached --watch-cache=false
like_before uncached
if [ "$streams" ]; then
	live pages --feature-gates=WatchList=false
	check "without streaming lists there are others" test "$asked" -gt 0
	like_before pages
fi
check "the modern server streams lists, and only that one" test "$streams" = "$([ "$variable" = KUBEBUILDER_ASSETS ] || echo 1)"
cat "$work/said.default"
