#!/usr/bin/env bash
# kill -9 while a folder of manifests changes and is read again: what the daemon says in the end is what "driftd compare" says of the folder
# as it is then, and nothing is told twice without a mark. ROUNDS=100 SEED=n by hand.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"
export DRIFTD_SOCKET=$work/control.sock KUBECONFIG=$work/kubeconfig
RANDOM=${SEED:-7} cluster=killed n_maps=12
mkdir -p "$work/maps" "$work/state"
manifest() { # manifest NUMBER VALUE: its file, in one step
	printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: map-%s}\ndata: {a: "%s"}\n' "$1" "$2" >"$work/next"
	mv "$work/next" "$work/maps/$1.yaml"
}
cat >"$work/driftd.yaml" <<-Y
	clusters: [{name: killed, kubeconfig: kubeconfig}]
	references: [{name: maps, manifests: maps, namespace: shop}]
	state_dir: $work/state
	control_socket: $DRIFTD_SOCKET
	flapping: {changes: 0}
Y
start_apisim
api POST /api/v1/namespaces "$(object v1 Namespace shop "")"
for ((i = 0; i < n_maps; i++)); do
	manifest $i 0
	control load "$(configmap map-$i shop '{"a":"0"}')"
done

start_driftd_ready
for ((round = 0; round < ${ROUNDS:-12}; round++)); do
	for ((i = 0; i < 4; i++)); do
		manifest $((RANDOM % n_maps)) $((RANDOM % 3))
		sleep 0.$((RANDOM % 5))
	done
	sleep $((RANDOM % 2)).$((RANDOM % 10)) # before it is quiet, while it is read, or when it is in force
	stop driftd KILL || true
	start_driftd_ready
done
manifest 0 9

differing() { # by a command that looks once
	local status=0
	"$bin/driftd" compare --manifests "$work/maps" --namespace shop -o json >"$work/out" 2>"$work/err" || status=$?
	[ $status -le 1 ] && jq -r '.Diffs[] | select(.DiffOutput != "") | .CRName' "$work/out" | sed 's/.*_//' | sort
}
open_now() { # by the records
	jq -r 'select(.DRIFTD_DRIFT_ID and .DRIFTD_KIND == "ConfigMap") | [.DRIFTD_NAME, .DRIFTD_EVENT] | @tsv' "$work/records" |
		awk '{ last[$1] = $2 } END { for (n in last) if (last[n] != "end") print n }' | sort
}
agrees() { [ "$(differing)" = "$(open_now)" ] && [ -n "$(differing)" ]; }
wait_until 30 "the records to say what the folder says" agrees
repeated() { jq -r 'select(.DRIFTD_RECORD_ID and (.DRIFTD_RESENT | not)) | .DRIFTD_RECORD_ID' "$work/records" | sort | uniq -d; }
check "nothing comes twice without a mark: $(repeated)" test -z "$(repeated)"
begun_twice() {
	jq -r 'select(.DRIFTD_EVENT == "begin" and (.DRIFTD_RESENT | not)) | .DRIFTD_DRIFT_ID' "$work/records" | sort | uniq -d
}
check "nothing begins twice: $(begun_twice)" test -z "$(begun_twice)"
stop driftd
