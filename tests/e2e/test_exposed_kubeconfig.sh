#!/usr/bin/env bash
# A kubeconfig that every user of the machine can read is warned of, once for each file; one behind a closed folder is not.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"
[ $(($(stat -c 0%a "$(dirname "$work")") & 1)) = 1 ] || skip "the temporary folder is closed to others"

said() {
	"$bin/driftd" check-config -c "$work/driftd.yaml" 2>&1 >"$work/out.log" |
		grep -c "warning: the kubeconfig '$work/kubeconfig' can be read"
}
start_shop
sed -i "s|^references:|  - {name: $cluster-again, kubeconfig: $work/kubeconfig}\n&|" "$work/driftd.yaml"
for row in "755 644 1" "755 640 0" "700 644 0" "711 604 1" "755 600 0"; do
	read -r folder file warnings <<<"$row"
	chmod "$folder" "$work"
	chmod "$file" "$work/kubeconfig"
	check "folder $folder, file $file: $warnings warnings" test "$(said || true)" = "$warnings"
	check "check-config passes all the same" grep -qxF "$work/driftd.yaml: ok" "$work/out.log"
done

warned() { records '.DRIFTD_EVENT == "notice" and (.MESSAGE | contains("can be read by everyone"))' | wc -l; }
warnings_are() { [ "$(warned)" = "$1" ]; }
start_driftd_ready
check "nothing to warn of" test "$(warned)" = 0
chmod 644 "$work/kubeconfig"
kill -HUP "${pid[driftd]}"
wait_until 20 "the warning" warnings_are 1
stop driftd || fail "driftd did not end cleanly"
