#!/usr/bin/env bash
# The bundle of examples/kubegen watched: its two environments are judged apart, and whatever file of a module changes counts at a reload.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"

begins() { record_count '.DRIFTD_EVENT == "begin"'" and ($1)" "$2"; } # begins FILTER COUNT
ends() { record_count '.DRIFTD_EVENT == "end"'" and ($1)" "$2"; }
reload() { kill -HUP "${pid[driftd]}"; }
staging='tostring | contains("staging")'

cp -r "$source_dir/examples/kubegen" "$work/bundle"
chmod -R u+w "$work/bundle"
"$bin/driftd" kubegen bundle "$work/bundle/shop.yml" -s -o json >"$work/objects.json"
start_apisim --load "$work/objects.json"
configure "$work/bundle"
sed -i 's|bundle/metadata.yaml|bundle/shop.yml|' "$work/driftd.yaml"
start_driftd_ready
check "what was generated makes no record" begins true 0

api PATCH /apis/apps/v1/namespaces/shop-production/deployments/web '{"spec":{"replicas":5}}'
wait_until 10 "production to drift" begins '.DRIFTD_NAMESPACE == "shop-production"' 1
sed -i 's/replicas: 3/replicas: 5/' "$work/bundle/shop.yml"
reload
wait_until 10 "the drift to end when the bundle wants it" ends true 1
check "nothing is said about staging" begins "$staging" 0

cp "$work/bundle/modules/shop/files/shop.ini" "$work/shop.ini"
echo 'more = yes' >>"$work/bundle/modules/shop/files/shop.ini"
reload
wait_until 10 "both environments to drift from a file that their module reads" begins '.DRIFTD_NAME == "settings"' 2
cp "$work/shop.ini" "$work/bundle/modules/shop/files/shop.ini"
reload
wait_until 10 "both drifts to end" ends '.DRIFTD_NAME == "settings"' 2

echo 'broken: [' >>"$work/bundle/modules/shop/web.yml"
reload
wait_until 10 "a module with a mistake to be told" grep -q 'web.yml.*cannot parse' "$work/records"
api DELETE /apis/networking.k8s.io/v1/namespaces/shop-staging/networkpolicies/web
wait_until 10 "the bundle as it was to be watched on" begins "$staging" 2
