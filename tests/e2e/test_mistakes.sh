#!/usr/bin/env bash
# Sixty mistakes and more, and every word that driftd says of them.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip "no python3"
check "sixty mistakes" test "$(grep -c '^== ' "$source_dir/tests/data/mistakes/table.txt")" -gt 60
status=0
python3 "$here/mistakes.py" "$bin/driftd" "$source_dir/tests/data/mistakes/table.txt" >"$work/told" || status=$?
check "each is told as tests/data/mistakes has it: $(cat "$work/told")" test $status = 0

# What can be started with and cannot be meant is told by the daemon too, again after a reload that does not mend it.
printf 'apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]\n%s\n' \
	'contexts: [{name: c, context: {cluster: c}}]' 'current-context: c' >"$work/kubeconfig"
mkdir "$work/reference"
template "$work/reference/pod.yaml" v1 Pod p shop </dev/null
cat >"$work/reference/metadata.yaml" <<'Y'
apiVersion: v2
parts:
- name: shop
  components:
  - {name: pods, anyOf: [{path: pod.yaml, config: {ignore-unspecified-field: true}}]}
Y
configure "$work/reference"
warnings() { records '.MESSAGE | contains("did you mean '\''ignore-unspecified-fields'\''?")'; }
start_driftd
wait_until 20 "a warning at the start" has_record '.MESSAGE | contains("metadata.yaml:5:52: reference '\''ref'\'': nothing reads the key")'
check "it is told once" test "$(warnings | wc -l)" = 1
kill -HUP "${pid[driftd]}"
wait_until 20 "a reload" has_record '.MESSAGE | startswith("configuration reloaded")'
check "it is told after the reload" test "$(warnings | wc -l)" = 2
stop driftd || fail "driftd did not end cleanly"
