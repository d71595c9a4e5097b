#!/usr/bin/env bash
# Nothing is not well: a configuration that is about nothing, and a filter that names what nobody knows, are said, and are no success.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"

socket=$work/driftd.sock
drift() { # drift STATUS OPTIONS...: what it says in $work/said
	local status=0
	"$bin/driftd" drift list --socket "$socket" "${@:2}" >"$work/said" 2>&1 || status=$?
	[ $status -eq "$1" ]
}
says() { grep -qF -- "$1" "$work/said"; }
asked() { # asked PATH STATUS: the answer in $work/said
	[ "$(curl -s -o "$work/said" -w '%{http_code}' "$web$1")" = "$2" ]
}

# ---- filters ----

start_shop
configure "$source_dir/examples/demo/reference" "control_socket: $socket"
start_driftd_ready
wait_until 30 "the cluster to be synced" metric_is "$(of_cluster driftd_cluster_synced)" 1
check "all is well" drift 0
check "which is said" says "nothing is open"
check "names that are known are no mistake" drift 0 Deployments -n shop --reference ref --cluster "$cluster"
while IFS='|' read -r status option value words; do
	check "$option $value: $(cat "$work/said")" drift "$status" ${option:+"$option"} "$value"
	check "$option $value says so: $(cat "$work/said")" says "$words"
done <<-E
	3|--namespace|sohp|no namespace with watched objects 'sohp' is known; did you mean 'shop'?
	2|--cluster|${cluster}x|no cluster '${cluster}x' is known; did you mean '$cluster'?; there is $cluster
	2|--reference|rfe|no reference 'rfe' is known; did you mean 'ref'?; there is ref
	2||Namespaec|no watched kind 'Namespaec' is known; did you mean 'Namespace'?
E
set_team other
wait_until 20 "a drift" begins '.DRIFTD_NAME == "shop"'
check "a kind of something that is open" drift 1 namespaces
check "another of nothing" drift 0 deployments
stop driftd || fail "driftd did not end cleanly"

# ---- configurations ----

# What to begin with, in $work/lines: five lines, or those that are missing.
references() {
	cat <<-Y
		references:
		  - {name: helm, helm_releases: {}}
		  - {name: applied, last_applied: {kinds: [Deployment.apps, ConfigMap, Service]}}
	Y
}
five_lines() { # five_lines NAME KUBECONFIG
	printf 'clusters:\n  - {name: %s, kubeconfig: %s}\n' "$@"
	references
}
shown_lines() { sed -n '/<pre class="lines"/,/<\/pre>/p' | sed 's/.*<pre class="lines"[^>]*>//; /<\/pre>/d'; }
nothing_is() { # nothing_is WORDS READY-STATUS: the configuration as it is is about nothing
	local status=0
	"$bin/driftd" check-config -c "$work/driftd.yaml" >"$work/said" 2>&1 || status=$?
	check "check-config refuses: $(cat "$work/said")" test $status -eq 78
	check "check-config says: $1" says "$1"
	rm -f "$work/records"
	start_driftd
	check "a start says: $1" has_record ".PRIORITY == \"4\" and (.MESSAGE | contains(\"$1\"))"
	check "and what to begin with" has_record \
		"(.MESSAGE | contains(\"$1\")) and (.MESSAGE | contains($(jq -Rs 'rtrimstr("\n")' <"$work/lines")))"
	check "no finding is no success" drift 3
	check "drift list says: $1" says "$1"
	status=0
	"$bin/driftd" status --socket "$socket" >"$work/said" 2>&1 || status=$?
	check "status is no success" test $status -eq 1
	check "status says: $1" says "$1"
	check "status says what to begin with: $(cat "$work/said")" grep -qxF -f "$work/lines" "$work/said"
	grep -xF -f "$work/lines" "$work/said" >"$work/shown" || true
	check "each of its lines: $(cat "$work/said")" cmp "$work/lines" "$work/shown"
	check "and where that is explained" says "five-lines.md"
	check "the page" asked / 200
	check "the page says: $1" says "$1"
	check "so does its title" says "<title>nothing is watched · driftd</title>"
	check "and its heading" says "<h1>Nothing is watched</h1>"
	for words in "all well" "as it should be" "nothing open" "Nothing is open" "is synced" "are synced"; do
		check "the page does not say: $words" test "$(grep -cF -- "$words" "$work/said")" = 0
	done
	shown_lines <"$work/said" >"$work/shown"
	check "the page shows what to begin with: $(cat "$work/shown")" cmp "$work/lines" "$work/shown"
	check "what it answers to who asks whether it is ready" asked /-/ready "$2"
	check "and says: $1" says "$1"
	stop driftd || fail "driftd did not end cleanly"
}
cat >"$work/driftd.yaml" <<-Y
	clusters: []
	references: []
	state_dir: $work/state
	control_socket: $socket
Y
five_lines prod prod.kubeconfig >"$work/lines"
nothing_is "no cluster is configured: nothing is watched" 200
cp "$work/kubeconfig" "$work/west-1.kubeconfig"
five_lines west-1 west-1.kubeconfig >"$work/lines"
nothing_is "no cluster is configured: nothing is watched" 200
cat >"$work/driftd.yaml" <<-Y
	clusters: [{name: $cluster, kubeconfig: $work/kubeconfig}]
	validation_rules: []
	state_dir: $work/state
	control_socket: $socket
Y
references >"$work/lines"
nothing_is "no reference, no rules and no kinds to watch are configured: nothing is watched" 503

# ---- what it says to begin with is a beginning ----

five_lines west-1 west-1.kubeconfig >"$work/driftd.yaml"
check "the lines are configuration" "$bin/driftd" check-config -c "$work/driftd.yaml"
cat >>"$work/driftd.yaml" <<-Y
	state_dir: $work/state
	control_socket: $socket
Y
start_driftd_ready
check "with which something is watched" metric_is 'driftd_cluster_synced{kube_cluster="west-1"}' 1
