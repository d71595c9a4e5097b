#!/usr/bin/env bash
# etcd is set back to a backup, the way a cluster is rescued: versions begin again below those that driftd has seen, and what it believes is
# from a past that never was. It must list anew. test_restored_backup.sh [modern]: see control_plane.sh.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/control_plane.sh"
command -v jq >/dev/null || skip "no jq"

maps=/api/v1/namespaces/shop/configmaps
set_value() { api PATCH "$maps/$1" "{\"data\":{\"v\":\"$2\"}}" kubectl-edit; } # set_value NAME VALUE
stop_all() {
	stop apiserver KILL || true
	stop etcd KILL || true
}
revision() { curl -sf "$etcd_url/v3/kv/range" -d '{"key":"AA=="}' | jq -r .header.revision; }
version() { get "$maps/$1" | jq -r .metadata.resourceVersion; }

start_control_plane
api POST "$(path_of Namespace)" "$(object v1 Namespace shop "")" setup
for name in lost kept filler; do api POST $maps "$(configmap $name shop '{"v":"1"}')" setup; done
reference "$work/reference" allOf lost.yaml+ kept.yaml+ filler.yaml+
template "$work/reference/filler.yaml" v1 ConfigMap filler shop </dev/null
for name in lost kept; do template "$work/reference/$name.yaml" v1 ConfigMap $name shop <<<'data: {v: "1"}'; done
configure "$work/reference"
start_driftd_ready
set_value kept 2
wait_until 20 "drift that the backup has" begins '.DRIFTD_NAME == "kept"'
stop_all
cp -r "$work/etcd" "$work/backup"
start_etcd
start_apiserver
for i in 1 2 3 4 5; do set_value filler "$i"; done
set_value lost 2
wait_until 30 "drift that the backup has not" begins '.DRIFTD_NAME == "lost"'
seen=$(version lost)
for i in 6 7 8 9 10; do set_value filler "$i"; done

newest=$(revision)
kill -STOP "${pid[driftd]}"
stop_all
rm -rf "$work/etcd"
mv "$work/backup" "$work/etcd"
start_etcd
start_apiserver
# the object gets the version that driftd has seen it with, and other contents
while [ "$(revision)" -lt $((seen - 1)) ]; do set_value filler again-"$(revision)"; done
set_value lost 3
echo "version $(version lost) of the object, that driftd knows as $seen"
kill -CONT "${pid[driftd]}"
# An old server writes so much at its start that it passes all versions that driftd has seen: then no client can tell, and only the next
# change shows what the object is.
now=3
if [ "$(revision)" -ge "$newest" ]; then
	echo "versions went on from $newest to $(revision) before driftd looked"
	now=4
	sleep 5
	set_value lost 4
fi
wait_until 90 "what the object is now" has_record ".DRIFTD_NAME == \"lost\" and (.DRIFTD_ACTUAL // \"\" | contains(\"$now\"))"
check "drift that was there all the time does not end" record_count '.DRIFTD_NAME == "kept" and .DRIFTD_EVENT == "end"' 0
set_value lost 1
wait_until 30 "its end" ends '.DRIFTD_NAME == "lost"'
stop driftd || fail "driftd did not end cleanly"
