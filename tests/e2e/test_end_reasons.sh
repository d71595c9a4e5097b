#!/usr/bin/env bash
# What ends because somebody has changed what is wanted says so, after a reload as after a restart: none of it is said to be deleted, or put
# right.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"

# each wants v: "1" of ConfigMaps
wants() { # wants REFERENCE NAMESPACE NAME...: a reference with a template for each
	local folder=$work/$1 name
	reference "$folder" allOf "${@:3}"
	for name in "${@:3}"; do
		template "$folder/$name" v1 ConfigMap "${name/any/$any_name}" "$2" <<<'data: {v: "1"}'
	done
}
wants away d map.yaml && sed -i 's/name: map.yaml/name: away/' "$work/away/map.yaml"
wants elsewhere d map.yaml && sed -i 's/name: map.yaml/name: elsewhere/' "$work/elsewhere/map.yaml"
wants fewer d dropped kept
wants open e any missing

# before OR after: the configuration
config() {
	cat >"$work/driftd.yaml" <<-Y
		clusters:
		  - {name: main, kubeconfig: $work/kubeconfig, references: [$1]}
		  - {name: second, kubeconfig: $work/kubeconfig, references: [elsewhere]}
		  - {name: third, kubeconfig: $work/kubeconfig, references: [elsewhere]}
		references:
		  - {name: elsewhere, path: $work/elsewhere/metadata.yaml}
		  - {name: fewer, path: $work/fewer/metadata.yaml}
		$2
		validation_rules: [$3]
		state_dir: $work/state
		flapping: {changes: 0}
	Y
}
before() {
	config "away, elsewhere, fewer, open" "  - {name: away, path: $work/away/metadata.yaml}
  - {name: open, path: $work/open/metadata.yaml}" "$work/rules.yaml, $work/more.yaml"
	wants fewer d dropped kept
	cat >"$work/rules.yaml" <<-'Y'
		apiVersion: v1
		kind: Secret
		rules:
		- rule: "!('v' in self.data)"
		- rule: "!('w' in self.data)"
		- rule: "self.nothing == 1"
		---
		apiVersion: v1
		kind: Service
		rules:
		- rule: "self.metadata.name != 'web'"
	Y
	cat >"$work/more.yaml" <<-'Y'
		apiVersion: v1
		kind: ServiceAccount
		rules:
		- rule: "'none' in self.metadata.labels"
	Y
}
after() {
	config "fewer, open" "  - name: open
    path: $work/open/metadata.yaml
    exclude_names: [out]
    exclude_namespaces: [f]
accepted:
  - {kind: ConfigMap, name: taken, reason: a test, until: 2099-01-01}" "$work/rules.yaml"
	sed -i '/name: second/d' "$work/driftd.yaml"
	wants fewer d kept
	sed -i '/self.nothing/d; /w. in/d; s/^kind: Service$/&\nnamespace: d/' "$work/rules.yaml"
}

start_apisim
for namespace in d e f; do api POST /api/v1/namespaces "$(object v1 Namespace $namespace "")" setup; done
for name in away elsewhere dropped kept; do api POST /api/v1/namespaces/d/configmaps "$(configmap $name d '{"v":"2"}')" setup; done
for name in out stays taken; do api POST /api/v1/namespaces/e/configmaps "$(configmap $name e '{"v":"2"}')" setup; done
api POST /api/v1/namespaces/d/secrets "$(secret bad d '{"v":"Mg==","w":"Mg=="}')" setup
api POST /api/v1/namespaces/d/serviceaccounts "$(object v1 ServiceAccount robot d)" setup
for namespace in d e; do
	api POST /api/v1/namespaces/$namespace/services "$(object v1 Service web $namespace '"spec":{"ports":[]}')" setup
done

# what ends, and why: of cluster "main" a filter and the reason, a line each
reasons='.DRIFTD_REFERENCE == "away" and .DRIFTD_NAME == "away" => the reference is no longer configured
.DRIFTD_REFERENCE == "elsewhere" => the reference is no longer for the cluster
.DRIFTD_NAME == "dropped" => no longer in the reference
.DRIFTD_REFERENCE == "open" and .DRIFTD_NAME == "out" => excluded from the reference
.DRIFTD_NAME == "taken" and .DRIFTD_ACCEPTANCE == null => accepted: a test
.DRIFTD_KIND == "Secret" and .DRIFTD_RULE == "!(\u0027w\u0027 in self.data)" => the rule is gone
.DRIFTD_KIND == "Secret" and .DRIFTD_RULE == "self.nothing == 1" => the rule is gone
.DRIFTD_NAME == "robot" => the rule is gone
.DRIFTD_KIND == "Service" and .DRIFTD_NAMESPACE == "e" => no longer watched'
main='.DRIFTD_CLUSTER == "main"'

by_reload() { kill -HUP "${pid[driftd]}"; }
by_restart() {
	stop driftd || fail "driftd did not end cleanly"
	after
	start_driftd_ready
}
for way in reload restart; do
	rm -rf "$work/state" "$work/records"
	mkdir "$work/state"
	before
	start_driftd_ready
	while read -r line; do
		wait_until 20 "what will end: ${line% => *}" begins "$main and ${line% => *}"
	done <<<"$reasons"
	[ $way != reload ] || after
	"by_$way"
	while read -r line; do
		filter="$main and ${line% => *}" reason=${line#* => }
		wait_until 30 "an end by $way: $filter" ends "$filter"
		check "its reason by $way: $reason" ends \
			"$filter and .DRIFTD_END_REASON == \"$reason\" and (.MESSAGE | contains(\"$reason\"))"
	done <<<"$reasons"
	check "nothing else ended by $way" record_count ".DRIFTD_EVENT == \"end\" and $main" "$(wc -l <<<"$reasons")"
	wait_until 20 "the end of what a cluster had" ends '.DRIFTD_CLUSTER == "second"'
	check "and why, by $way" record_count '.DRIFTD_EVENT == "end" and .DRIFTD_CLUSTER == "second" and
		.DRIFTD_END_REASON != "the cluster is no longer configured"' 0
	stop driftd || fail "driftd did not end cleanly"
done
