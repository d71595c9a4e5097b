#!/usr/bin/env bash
# Files that a cluster needs are missing at the start or at a reload: it is a gap and not dropped, and begins when they are there.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"

up() { metric_is "$(of_cluster driftd_cluster_up)" "$1"; }
is_synced() { metric_is "$(of_cluster driftd_cluster_synced)" "$1"; }

start_shop
set_team wrong
base64 -d <<<"$(sed -n 's/.*certificate-authority-data: //p' "$work/kubeconfig")" >"$work/shop-ca.crt"
sed -i "s#certificate-authority-data: .*#certificate-authority: $work/shop-ca.crt#; s#token: .*#tokenFile: $work/token#" "$work/kubeconfig"
(cat "$work/driftd.yaml" && echo "ouput: json") >"$work/mistaken.yaml"
for file in kubeconfig shop-ca.crt token; do
	[ $file = token ] && echo e2e-token >"$work/token"
	mv "$work/$file" "$work/aside"
	check "check-config names $file" grep -q "$work/$file'" <("$bin/driftd" check-config -c "$work/driftd.yaml" 2>&1 || true)
	"$bin/driftd" check-config -c "$work/mistaken.yaml" >"$work/said" 2>&1 && fail "check-config finds nothing"
	check "beside another mistake too" grep -q "$work/$file'" "$work/said"
	check "which is named as well" grep -q "unknown key 'ouput'" "$work/said"
	: >"$work/records"
	rm -rf "$work/state"
	mkdir "$work/state"
	start_driftd
	wait_until 20 "the gap while $file is missing" gap_record begin "$work/$file"
	check "the cluster is down" up 0
	check "and not synced" is_synced 0
	wait_until 10 "readiness with a gap" ready
	[ $file = token ] || echo e2e-token >"$work/token"
	mv "$work/aside" "$work/$file"
	wait_until 30 "the cluster, when $file is there" is_synced 1
	wait_until 10 "the end of the gap" gap_record end "after"
	wait_until 10 "drift that was there before" begins '.DRIFTD_ACTUAL == "\"wrong\""'
	check "nothing is called missing" record_count '.DRIFTD_EVENT == "begin" and .DRIFTD_COMPONENT != "namespace" and
		(.MESSAGE | startswith("gap") | not)' 0
	stop driftd || fail "driftd did not end cleanly"
done

# A reload that would begin the cluster anew, while it could not begin: the old one goes on.
: >"$work/records"
start_driftd_ready
mv "$work/token" "$work/aside"
sed -i 's/^references:/sensitive_fields: [pin]\nreferences:/' "$work/driftd.yaml"
kill -HUP "${pid[driftd]}"
wait_until 10 "the refusal" has_record '.MESSAGE | contains("configuration refused")'
set_team storefront
wait_until 10 "what the old one sees" ends '.DRIFTD_KIND == "Namespace"'
mv "$work/aside" "$work/token"
kill -HUP "${pid[driftd]}"
wait_until 10 "the reload" has_record '.MESSAGE | contains("configuration reloaded")'
wait_until 20 "the cluster anew" is_synced 1

# A cluster that a reload removes leaves nothing open. The other one has a kubeconfig of its own, or it would be the same under a new name.
set_team wrong
wait_until 10 "drift" metric_is "driftd_objects_drifted{kube_cluster=\"$cluster\",severity=\"warning\"}" 1
cp "$work/kubeconfig" "$work/other.kubeconfig"
sed -i "s/name: $cluster/name: other/; s#kubeconfig: $work/kubeconfig#kubeconfig: $work/other.kubeconfig#" "$work/driftd.yaml"
kill -HUP "${pid[driftd]}"
wait_until 20 "the end of what was open" ends \
	".DRIFTD_CLUSTER == \"$cluster\" and .DRIFTD_END_REASON == \"the cluster is no longer configured\""
wait_until 20 "the same under the new name" begins '.DRIFTD_CLUSTER == "other" and .DRIFTD_KIND == "Namespace"'
stop driftd || fail "driftd did not end cleanly"

echo 'clusters: []' >"$work/empty.yaml"
status=0
"$bin/driftd" check-config -c "$work/empty.yaml" >"$work/said" 2>&1 || status=$?
check "an empty configuration is a mistake" test $status = 78
check "that is said" grep -q "no cluster is configured" "$work/said"
cp "$work/empty.yaml" "$work/driftd.yaml"
start_driftd
check "the daemon starts with it and says so" grep -q "no cluster is configured" <(curl -sf "$web/-/ready")
stop driftd || fail "driftd did not end cleanly"
