#!/usr/bin/env bash
# The roles that "driftd rbac" prints are enough, and each of their rules is needed. test_rbac.sh [modern]: see control_plane.sh.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/control_plane.sh"
for tool in jq kubectl; do command -v $tool >/dev/null || skip "no $tool"; done

# Which reference, and how many of the rules are taken away, one after the other: evenly spread, 0 for all of them.
reference=${RBAC_REFERENCE:-$source_dir/examples/demo/reference}
tried=${RBAC_TRIED:-3}

start_with_account
create_shop
configure "$reference" 'watch: [{apiVersion: batch/v1, kind: Job}, {apiVersion: v1, kind: Endpoints, namespaces: [shop]}]'

# Custom kinds that the templates are for: "plural group kind version", as far as their first lines say it.
custom_kinds() {
	find -L "$reference" -name '*.yaml' -print0 | xargs -0 -n 1 awk '
		{gsub(/["\r]/, "")}
		/^apiVersion: [a-z0-9.-]*\.[a-z.]*\/[a-z0-9]+ *$/ && !v {split($2, p, "/"); g = p[1]; v = p[2]}
		/^kind: [A-Za-z]+ *$/ && !k {k = $2}
		END {
			l = tolower(k)
			plural = l ~ /s$/ ? l "es" : l ~ /y$/ ? substr(l, 1, length(l) - 1) "ies" : l "s"
			if (v && k && g !~ /(^|\.)k8s\.io$/) print plural, g, k, v
		}' | sort -u
}
define_kinds() {
	custom_kinds | awk '{k = $1 " " $2 " " $3; v[k] = v[k] " " $4} END {for (k in v) print k v[k]}' |
		while read -r plural group kind versions; do
			# shellcheck disable=SC2086 # each version is an argument
			crd Namespaced "$kind" "$plural" "$group" '{"type":"object","x-kubernetes-preserve-unknown-fields":true}' \
				$versions >"$work/crd.json"
			k create -f "$work/crd.json"
		done
}
[ -z "${RBAC_REFERENCE:-}" ] || define_kinds

gaps() { records '.DRIFTD_EVENT == "begin" and (.MESSAGE | startswith("gap begins"))' | jq -r .MESSAGE; }
findings() { records '.DRIFTD_EVENT == "begin" and (.MESSAGE | startswith("gap") | not)' | wc -l; }
watch_once() { # a driftd that remembers nothing
	rm -rf "$work/state" "$work/records"
	mkdir "$work/state"
	start_driftd_ready
}
without_gap() { # without_gap WHAT
	watch_once
	sleep 2
	check "$1: no gap, and not: $(gaps)" test -z "$(gaps)"
	told=$(findings)
	check "$1: everything is known" metric_is "driftd_cluster_synced{kube_cluster=\"$cluster\"}" 1
	stop driftd || fail "driftd did not end cleanly"
}

# ---- one ClusterRole ----

"$bin/driftd" rbac -c "$work/driftd.yaml" --kubeconfig "$admin" >"$work/roles.yaml" || fail "driftd rbac"
check "what the server knows is not guessed" test "$(grep -c guessed "$work/roles.yaml")" -le "$(grep -c '\.[a-z]*"' "$work/roles.yaml")"
for resource in jobs endpoints; do
	check "the role has $resource, which only the setting watch names" grep -qF "\"$resource\"" "$work/roles.yaml"
done
k create -f "$work/roles.yaml"
without_gap "with the role"

kubectl --kubeconfig "$admin" get clusterrole driftd -o json | jq 'del(.metadata.resourceVersion, .metadata.uid)' >"$work/role.json"
rules=$(jq '.rules | length' "$work/role.json")
[ "$tried" -gt 0 ] && [ "$tried" -lt "$rules" ] || tried=$rules
for ((i = 0; i < tried; i++)); do
	rule=$((i * rules / tried))
	resource=$(jq -r ".rules[$rule] | .resources[0] + (if .apiGroups[0] == \"\" then \"\" else \".\" + .apiGroups[0] end)" "$work/role.json")
	jq "del(.rules[$rule])" "$work/role.json" >"$work/less.json"
	k replace -f "$work/less.json"
	watch_once
	wait_until 20 "a gap when $resource may not be read" has_record '.DRIFTD_EVENT == "begin" and (.MESSAGE | startswith("gap begins"))'
	sleep 1
	while read -r gap; do
		check "the gap is that of $resource: $gap" grep -qF ": $resource" <<<"$gap"
	done < <(gaps)
	check "what cannot be read brings no finding" test "$(findings)" -le "$told"
	stop driftd || fail "driftd did not end cleanly"
done
k replace -f "$work/role.json"
k delete -f "$work/roles.yaml"

# ---- a Role in each namespace ----

"$bin/driftd" rbac -c "$work/driftd.yaml" --per-namespace --kubeconfig "$admin" >"$work/roles.yaml" || fail "driftd rbac --per-namespace"
grep -E '^  namespace: ' "$work/roles.yaml" | sort -u | sed 's/.*"\(.*\)"/\1/' | while read -r namespace; do
	kubectl --kubeconfig "$admin" get namespace "$namespace" >/dev/null 2>&1 || k create namespace "$namespace"
done
k create -f "$work/roles.yaml"
without_gap "with a role in each namespace"
