#!/usr/bin/env bash
# Objects that a reference is not for (exclude_namespaces, exclude_names): no record, no count, and "explain" says why; a reload
# brings them in.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"
export DRIFTD_SOCKET=$work/control.sock

explained() { "$bin/driftd" explain ConfigMap "$1" >"$work/out" 2>&1 && grep -qF -- "$2" "$work/out"; } # explained NS/NAME TEXT

configured() { # configured LINES-OF-THE-REFERENCE
	cat >"$work/driftd.yaml" <<-Y
		clusters:
		  - {name: exclude, kubeconfig: kubeconfig}
		references:
		  - name: ref
		    path: ref/metadata.yaml
		    $1
		state_dir: $work/state
		control_socket: $DRIFTD_SOCKET
	Y
}

cluster=exclude
mkdir -p "$work/state"
start_apisim
reference "$work/ref" anyOf map.yaml
template "$work/ref/map.yaml" v1 ConfigMap "$any_name" "$any_namespace" <<<'data: {size: "1"}'
for ns in shop kube-system; do
	for name in web lock-1; do control load "$(configmap $name $ns '{"size":"2"}')"; done
done
configured 'exclude_namespaces: kube-*
    exclude_names: [lock-*]'
start_driftd_ready json
wait_until 20 "the drift of what is not excluded" begins '.DRIFTD_NAMESPACE == "shop" and .DRIFTD_NAME == "web"'
wait_until 20 "the cluster to be synced" metric_is "$(of_cluster driftd_cluster_synced)" 1
check "one record" record_count '.DRIFTD_EVENT == "begin" and .DRIFTD_KIND == "ConfigMap"' 1
check "nothing is unmatched" metric_is "$(of_cluster driftd_objects_unmatched)" 0
check "the namespace is why" explained kube-system/web "the configuration excludes it from the reference (exclude_namespaces)"
check "the state" grep -qF "reference ref: excluded" "$work/out"
check "the name is why" explained shop/lock-1 "the configuration excludes it from the reference (exclude_names)"
check "the name is asked first" explained kube-system/lock-1 "(exclude_names)"

configured 'exclude_names: [web]'
rehearsed() { "$bin/driftd" reload --dry-run >"$work/out" 2>&1 || [ $? -eq 1 ]; }
check "a rehearsal" rehearsed
check "says what would begin" grep -q "begins: configmaps kube-system/lock-1" "$work/out"
check "a reload" "$bin/driftd" reload
wait_until 20 "what is excluded no longer" begins '.DRIFTD_NAMESPACE == "kube-system" and .DRIFTD_NAME == "lock-1"'
wait_until 20 "the other one" begins '.DRIFTD_NAMESPACE == "shop" and .DRIFTD_NAME == "lock-1"'
wait_until 20 "the end of what is now" ends '.DRIFTD_NAMESPACE == "shop" and .DRIFTD_NAME == "web"'
check "which says why" has_record '.DRIFTD_EVENT == "end" and (.MESSAGE | contains("excluded from the reference"))'
stop driftd
