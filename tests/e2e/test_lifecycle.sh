#!/usr/bin/env bash
# Restart, reload and state: nothing is said twice, nothing is forgotten.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"

cp -r "$source_dir/examples/demo/reference" "$work/reference"
start_apisim --load "$source_dir/examples/demo/cluster.json"
configure "$work/reference"

# ---- drift that was there before the start is reported at the start, once ----

set_team nobody
start_driftd_ready
wait_until 10 "drift found by the first list" drift_count begin 1
id=$(records '.DRIFTD_EVENT == "begin"' | jq -r .DRIFTD_DRIFT_ID)
stop driftd || fail "driftd did not end cleanly on SIGTERM"
check "the state is on disk" test -s "$work/state/driftd.db"
check "and private" test "$(stat -c %a "$work"/state/driftd.db)" = 600

start_driftd_ready
sleep 1
check "a restart repeats no record" drift_count begin 1
check "the drift is still known" metric_is "driftd_objects_drifted{kube_cluster=\"$cluster\",severity=\"warning\"}" 1

check "nothing was damaged" test -z "$(records '.MESSAGE | contains("damaged")')"

# ---- what ends while driftd is away is noticed when it is back; rows that are none are left out, and counted ----

stop driftd
malformed=2
command -v python3 >/dev/null && python3 - "$work/state/driftd.db" <<'P' || malformed=0
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as db:
    db.execute("INSERT INTO acceptance(id, body) VALUES('x', 'none'), ('y', 'none')")
    db.execute("INSERT INTO finding(id, body) VALUES('x', 'none')")
P
set_team storefront
start_driftd_ready
[ $malformed = 0 ] || wait_until 10 "their count" \
	has_record '.MESSAGE | contains("1 findings are malformed and left out: 2 accepted deviations are malformed and left out")'
wait_until 10 "the end with the id of the beginning" ends ".DRIFTD_DRIFT_ID == \"$id\""
set_team other
wait_until 10 "the next drift" begins '.DRIFTD_ACTUAL == "\"other\""'
version=$(records '.DRIFTD_ACTUAL == "\"other\""' | jq -r .DRIFTD_RESOURCE_VERSION)
set_team storefront
wait_until 10 "its end, with who repaired it" ends '.DRIFTD_MANAGER == "kubectl-label" and (.MESSAGE | contains("by kubectl-label"))'
check "and the version that did" ends ".DRIFTD_MANAGER == \"kubectl-label\" and (.DRIFTD_RESOURCE_VERSION | tonumber) > $version"

# ---- an object that is deleted while driftd is away ----

api PATCH /api/v1/namespaces/shop/configmaps/web '{"data":{"log-level":"debug"}}' kubectl-edit
wait_until 10 "drift of the config map" begins '.DRIFTD_KIND == "ConfigMap"'
stop driftd
api DELETE /api/v1/namespaces/shop/configmaps/web
start_driftd_ready
wait_until 10 "its end" ends '.DRIFTD_KIND == "ConfigMap"'
wait_until 10 "the component it leaves unsatisfied" begins '.DRIFTD_COMPONENT == "web" and .DRIFTD_PATH == "web-config.yaml"'

# ---- reload ----

stat() { get /_apisim/stats | jq "$1"; }
watches() { stat .watchesStarted; } # of which some list first
open_watches() { [ "$(stat .openWatches)" = "$1" ]; }
watched=$(watches)
n=$(wc -l <"$work/records")
kill -HUP "${pid[driftd]}"
wait_until 10 "the reload" has_record '.DRIFTD_EVENT == "reloaded"'
wait_until 20 "driftd to be synced again" all_synced
sleep 1
check "a reload of the same files adds its own record only" test "$(wc -l <"$work/records")" -eq $((n + 1))
check "it keeps every connection" test "$(watches)" = "$watched"
echo 'nonsense: true' >>"$work/driftd.yaml"
kill -HUP "${pid[driftd]}"
wait_until 10 "the refusal with its place" \
	has_record '.DRIFTD_EVENT == "reload-failed" and (.MESSAGE | contains("driftd.yaml:10:1: unknown key"))'
check "the metric says so" metric_is driftd_config_last_reload_successful 0
check "the old configuration goes on" ready
sed -i '$d' "$work/driftd.yaml"
sed -i 's/team: storefront/team: backoffice/' "$work/reference/namespace.yaml"
kill -HUP "${pid[driftd]}"
wait_until 20 "drift from a reference that was changed" begins '.DRIFTD_KIND == "Namespace" and .DRIFTD_EXPECTED == "\"backoffice\""'

# ---- names of a reference that lead nowhere ----

check "nothing to warn of" metric_is driftd_config_warnings 0
cp "$work/reference/metadata.yaml" "$work/metadata.good"
printf 'fieldsToOmit: {defaultOmitRef: all, items: {all: [{include: cluster-compare-bulit-in}, {include: cluster-compare-built-in}]}}\n' \
	>>"$work/reference/metadata.yaml"
kill -HUP "${pid[driftd]}"
wait_until 10 "the warning with its place" has_record \
	'.MESSAGE | test("reference/metadata.yaml:[0-9]+:[0-9]+: reference .* did you mean .cluster-compare-built-in")'
wait_until 20 "the warning to be counted" metric_is driftd_config_warnings 1
wait_until 20 "driftd to be synced again" all_synced
watched=$(watches)
cp "$work/metadata.good" "$work/reference/metadata.yaml"
kill -HUP "${pid[driftd]}"
wait_until 20 "no warning any more" metric_is driftd_config_warnings 0
wait_until 20 "driftd to be synced again" all_synced

# ---- a reload leaves the clusters alone whose configuration is the same ----

reload() {
	local n
	n=$(records '.DRIFTD_EVENT == "reloaded"' | wc -l)
	kill -HUP "${pid[driftd]}"
	wait_until 20 "the reload" record_count '.DRIFTD_EVENT == "reloaded"' $((n + 1))
	wait_until 20 "driftd to be synced again" all_synced
}
wait_until 20 "driftd to be synced" all_synced
open=$(($(watches) - watched)) watched=$(watches) # the reference was changed, so all were made anew
wait_until 10 "the end of the old watches" open_watches "$open"
sed -i "s|^references:|  - {name: $cluster-b, kubeconfig: $work/kubeconfig}\n&|" "$work/driftd.yaml"
reload
ended=$(records '.DRIFTD_EVENT == "end" and .DRIFTD_KIND == "Namespace"' | wc -l)
check "there is something to count" test "$open" -gt 3
check "a second cluster has watches of its own, the first keeps its" test $(($(watches) - watched)) = "$open"
check "all are open" open_watches $((open * 2))
watched=$(watches)
echo "# not another word" >>"$work/kubeconfig"
reload
check "a kubeconfig that says the same changes nothing" test "$(watches)" = "$watched"
sed "s/^    token: .*/&\n    as: someone/" "$work/kubeconfig" >"$work/kubeconfig.b"
sed -i "/$cluster-b/s|$work/kubeconfig|&.b|" "$work/driftd.yaml"
reload
check "another identity restarts that cluster only" test $(($(watches) - watched)) = "$open"
wait_until 10 "the end of its old watches" open_watches $((open * 2))
set_team backoffice
wait_until 10 "both clusters to go on watching" record_count '.DRIFTD_EVENT == "end" and .DRIFTD_KIND == "Namespace"' $((ended + 2))
watched=$(watches)
sed -i "/$cluster-b/d" "$work/driftd.yaml"
reload
check "a cluster that is taken out leaves the other one" test "$(watches)" = "$watched"
wait_until 10 "the end of the other's watches" open_watches "$open"

# ---- state that cannot be read is set aside ----

stop driftd INT || fail "driftd did not end cleanly on SIGINT"
head -c 100000 /dev/zero | tr '\0' x >"$work/state/driftd.db"
start_driftd_ready
wait_until 5 "it to be reported" has_record '.DRIFTD_EVENT == "state-unreadable"'
check "and kept" test -s "$work/state/driftd.db.bad"

# ---- a folder is one daemon's, and not an older one's ----

second() { # a second daemon in the same folder: its exit status
	local s=0
	timeout 20 "$bin/driftd" run -c "$work/driftd.yaml" -o json --web.listen-address 127.0.0.1:0 >"$work/second.log" 2>&1 || s=$?
	echo $s
}
check "two daemons do not share it" test "$(second)" = 1
check "and it is said" grep -q "in use by another driftd" "$work/second.log"
stop driftd
python3 -c 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute("PRAGMA user_version = 99")' "$work/state/driftd.db"
check "a newer driftd's is refused, for good" test "$(second)" = 78
check "and it is said" grep -q "made by a newer driftd" "$work/second.log"
rm "$work"/state/driftd.db*

# ---- exit statuses ----

status() { local s=0; "$@" >/dev/null 2>&1 || s=$?; echo $s; }
check "wrong usage is 2" test "$(status "$bin/driftd" run --nonsense)" = 2
check "an output that does not exist is wrong usage" test "$(status "$bin/driftd" run -o xml)" = 2
echo 'clusters: [' >"$work/bad.yaml"
check "a bad configuration is 78" test "$(status "$bin/driftd" run -c "$work/bad.yaml")" = 78
check "check-config agrees" test "$(status "$bin/driftd" check-config -c "$work/bad.yaml")" = 78
check "a good configuration passes" "$bin/driftd" check-config -c "$work/driftd.yaml"
