#!/usr/bin/env bash
# "for": what ends sooner is not told, and what is held survives kill -9.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"

cat >"$work/rules.yaml" <<'Y'
apiVersion: v1
kind: ConfigMap
namespace: shop
for: 4s
rules:
  - rule: "!('bad' in self.data)"
    message: bad
Y
start_shop
configure "$source_dir/examples/demo/reference" "validation_rules: [rules.yaml]"
sed -i 's|^    path: .*|&\n    for: 4s|' "$work/driftd.yaml"
maps=/api/v1/namespaces/shop/configmaps
findings() { record_count '.DRIFTD_DRIFT_ID != null' "$1"; }
drifted() { metric_is "$(of_cluster driftd_objects_drifted 'severity="warning"')" "$1"; }

start_driftd_ready
set_team short
wait_until 10 "the drift to be seen" drifted 1
set_team storefront
wait_until 10 "its end to be seen" drifted 0
sleep 5
check "what ended soon is not told" findings 0

begun=$(date +%s%3N)
set_team long
wait_until 15 "what lasts to be told" begins '.DRIFTD_ACTUAL == "\"long\""'
check "and not sooner" test $(($(date +%s%3N) - begun)) -ge 4000
set_team storefront
wait_until 10 "its end, at once" ends '.DRIFTD_KIND == "Namespace"'

set_team kept
wait_until 10 "the next drift to be seen" drifted 1
set_team changed
sleep 1
stop driftd KILL || true
start_driftd_ready
wait_until 15 "what was held, told once" begins '.DRIFTD_ACTUAL == "\"kept\""'
wait_until 10 "and what happened to it meanwhile" changes '.DRIFTD_ACTUAL == "\"changed\""'
set_team storefront
wait_until 10 "its end" drift_count end 2

api POST $maps "$(configmap rule shop '{"bad":"1"}')" setup
wait_until 15 "the rule's failure" begins '.DRIFTD_RULE != null'
check "nothing else" findings 6

# What is held is told in time, whatever the wall clock does.
set_clock() { python3 -c 'import struct, sys; open(sys.argv[1], "r+b").write(struct.pack("q", int(sys.argv[2])))' "$work/clock" "$1"; }
stop driftd || fail "driftd did not end cleanly"
truncate -s 8 "$work/clock"
set_clock 86400
export LD_PRELOAD="$bin/model_clock_jump.so" CLOCK_JUMP_FILE="$work/clock" ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0"
start_driftd_ready
set_team back
wait_until 10 "the drift to be seen" drifted 1
set_clock 0
wait_until 15 "what was held when the clock was set back" begins '.DRIFTD_ACTUAL == "\"back\""'
set_team storefront
wait_until 10 "its end" drifted 0
set_clock 86400
set_team earlier
wait_until 10 "the drift to be seen" drifted 1
sleep 1
stop driftd KILL || true
set_clock 0
start_driftd_ready
wait_until 15 "what was held when the clock was set back meanwhile" begins '.DRIFTD_ACTUAL == "\"earlier\""'
set_team storefront
wait_until 10 "its end" drifted 0
begun=$(date +%s%3N)
set_team forward
wait_until 10 "the drift to be seen" drifted 1
set_clock 86400
wait_until 15 "what was held when the clock was set forward" begins '.DRIFTD_ACTUAL == "\"forward\""'
check "and not sooner" test $(($(date +%s%3N) - begun)) -ge 4000
stop driftd || fail "driftd did not end cleanly"
