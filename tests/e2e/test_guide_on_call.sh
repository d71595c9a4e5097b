#!/usr/bin/env bash
# docs/guide/on-call.md: each question has its answer, in a shop where somebody changed thirty objects alike, one otherwise, and a label,
# and took a service away.
. "$(dirname "$0")/lib.sh"
. "$here/guide.sh"
for tool in jq curl; do command -v $tool >/dev/null || skip "no $tool"; done
export DRIFTD_SOCKET=$work/control.sock
maps=/api/v1/namespaces/shop/configmaps

sized_reference '{size: "3", mode: "on"}' 'labels: {tier: front}'
start_shop
configure "$work/reference" "control_socket: $DRIFTD_SOCKET"
sized() { # sized NAME SIZE MODE
	configmap "sized-$1" shop "{\"size\":\"$2\",\"mode\":\"$3\"}" | jq -c '.metadata.labels = {tier: "front"}'
}
for ((n = 10; n < 40; n++)); do api POST $maps "$(sized $n 5 on)" helm; done
api POST $maps "$(sized odd 3 off)" kubectl-edit
api DELETE /api/v1/namespaces/shop/services/web
start_driftd_ready
set_team one
count_is() { [ "$("$bin/driftd" drift list -o name | wc -l)" -eq "$1" ]; }
wait_until 60 "33 findings" count_is 33

{
	play_kubectl
	echo "request -X PATCH -H 'Content-Type: application/merge-patch+json' -d '{\"data\":{\"mode\":\"on\"}}' $server$maps/sized-odd"
} >"$work/bin/kubectl"
chmod +x "$work/bin/kubectl"
run_guide "$source_dir/docs/guide/on-call.md" 10
check "one is accepted" test "$("$bin/driftd" drift list --type accepted -o name | wc -l)" -eq 1
stop driftd || fail "driftd did not end cleanly"
