#!/usr/bin/env bash
# Who wrote what drifts stays known when something else of the object is accepted, or is not any more: nobody writes to it then.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"
export DRIFTD_SOCKET=$work/control.sock
namespace='.DRIFTD_KIND == "Namespace" and .DRIFTD_NAME == "shop"'
by() { # by EVENT MANAGER PATH-COUNT
	has_record ".DRIFTD_EVENT == \"$1\" and $namespace and .DRIFTD_MANAGER == \"$2\" and .DRIFTD_PATH_COUNT == \"$3\""
}
label() { api PATCH /api/v1/namespaces/shop "{\"metadata\":{\"labels\":{\"$1\":\"$2\"}}}" "$3"; } # label NAME VALUE MANAGER

start_shop
echo "control_socket: $work/control.sock" >>"$work/driftd.yaml"
start_driftd_ready
label team sales alice
label pod-security.kubernetes.io/enforce privileged bob
wait_until 10 "both fields to drift" has_record "$namespace and .DRIFTD_PATH_COUNT == \"2\""
: >"$work/records"
number=$("$bin/driftd" accept namespace shop --path metadata.labels.team --reason "a test" --owner kim)
wait_until 10 "the other field by who wrote it" by change bob 1
wait_until 10 "the accepted one by who wrote that" has_record ".DRIFTD_EVENT == \"accepted\" and .DRIFTD_MANAGER == \"alice\""
"$bin/driftd" drift list >"$work/list.txt" || true # its status says that there is some
check "and the list says so: $(cat "$work/list.txt")" grep -qE "drift .* bob " "$work/list.txt"
: >"$work/records"
"$bin/driftd" unaccept "$number"
wait_until 10 "both again, by the one who wrote last" has_record ".DRIFTD_EVENT == \"change\" and $namespace and
	.DRIFTD_MANAGER != null and .DRIFTD_PATH_COUNT == \"2\""
