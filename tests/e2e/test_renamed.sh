#!/usr/bin/env bash
# Names of the configuration that change: findings go over with their ids, and nothing ends or begins, at a reload and over a restart;
# acceptances go with them; what is not known for sure ends and begins.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"
export DRIFTD_SOCKET=$work/control.sock

write_config() { # write_config CLUSTER REFERENCE [LINES]
	cluster=$1
	cat >"$work/driftd.yaml" <<Y
clusters:
  - {name: $1, kubeconfig: $work/kubeconfig}
references:
  - {name: $2, path: $work/reference/metadata.yaml}
  - {name: $3, manifests: $work/manifests}
state_dir: $work/state
control_socket: $work/control.sock
flapping: {changes: 0}
accepted:
  - {kind: Namespace, name: shop, cluster: $1, path: metadata.labels.team, reason: a test}
Y
}
reloads() { records '.DRIFTD_EVENT == "reloaded"' | wc -l; }
reload() { # and until all is judged again
	local n
	n=$(reloads)
	kill -HUP "${pid[driftd]}"
	reloaded() { [ "$(reloads)" -gt "$n" ]; }
	wait_until 30 "the reload" reloaded
	wait_until 60 "driftd to be ready" ready
	wait_until 60 "all lists" all_synced
}
open() { "$bin/driftd" drift list -o json >"$work/open.json" 2>"$work/open.err" || [ $? -eq 1 ]; }
ids() { # of what is open, with what it is
	open || fail "no list: $(cat "$work/open.err")"
	jq -r '.items[] | [.id, .type, .kind, .namespace, .name] | map(. // "-") | join(" ")' "$work/open.json" | sort
}
settled() { [ "$(ids | wc -l)" -eq 5 ] && no_gap; }
stays() { # stays WHAT: the same ids as at first, and nothing ended or began
	wait_until 30 "all of it, $1" settled
	ids >"$work/ids.now"
	check "the same findings, $1" diff "$work/ids" "$work/ids.now"
	check "nothing ended, $1" drift_count end 0
	check "nothing began, $1" record_count '.DRIFTD_EVENT == "begin" or .DRIFTD_EVENT == "accepted"' 5
}
told() { has_record ".MESSAGE | startswith(\"renamed: \") and contains(\"$1\")"; }
of_names() { # of_names CLUSTER REFERENCE: all that is open is
	ids >/dev/null
	jq -e --arg c "$1" --arg r "$2" '[.items[]] | all(.cluster == $c) and any(.reference == $r)' "$work/open.json" >/dev/null
}

cp -r "$source_dir/examples/demo/reference" "$work/reference"
mkdir "$work/manifests" "$work/state"
for name in one two; do
	printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, namespace: shop}\ndata: {a: b}\n' $name >"$work/manifests/$name.yaml"
done
start_apisim --load "$source_dir/examples/demo/cluster.json"
write_config first ref texts
api PATCH /api/v1/namespaces/shop '{"metadata":{"labels":{"team":"sales","pod-security.kubernetes.io/enforce":"privileged"}}}' kubectl-label
api DELETE /apis/networking.k8s.io/v1/namespaces/shop/networkpolicies/default-deny
start_driftd_ready
wait_until 30 "all that is wrong" settled
ids >"$work/ids"

# ---- templates and manifests ----

mv "$work/reference/namespace.yaml" "$work/reference/the-namespace.yaml"
mv "$work/reference/default-deny.yaml" "$work/reference/deny.yaml"
sed -i 's/path: namespace.yaml/path: the-namespace.yaml/; s/path: default-deny.yaml/path: deny.yaml/' "$work/reference/metadata.yaml"
reload
stays "with templates in other files"
mv "$work/manifests/one.yaml" "$work/manifests/first.yaml"
reload
stays "with a manifest in another file"
check "which is said" told "manifests are in other files; findings that go over: 1"

# ---- references and clusters, at a reload ----

write_config first reference texts
"$bin/driftd" reload --dry-run -o json >"$work/dry.json" || [ $? -eq 1 ]
check "a dry run says that nothing ends or begins" jq -e '.begin == 0 and .end == 0' "$work/dry.json"
reload
stays "under another reference"
check "which is said of the reference" told "reference ref is reference now; findings that go over: "
check "they name it" of_names first reference
write_config first reference words
reload
stays "of manifests under another reference"
made=$("$bin/driftd" accept namespace shop --path 'metadata.labels.*' --cluster first --reason more --owner kim)
write_config second reference words
"$bin/driftd" reload --dry-run -o json >"$work/dry.json" || [ $? -eq 1 ]
check "a dry run says so of a cluster, too" jq -e '.begin == 0 and .end == 0' "$work/dry.json"
# What is made covers the other label of the namespace.
wait_until 10 "what was made" record_count '.DRIFTD_EVENT == "accepted" and .DRIFTD_REASON == "more"' 1
reload
wait_until 30 "all of it under the new name" of_names second reference
check "the cluster is said" told "cluster first is second now; findings that go over: 5"
check "one began" record_count '.DRIFTD_EVENT == "begin" or .DRIFTD_EVENT == "accepted"' 6
check "one ended, by the acceptance" record_count '.DRIFTD_EVENT == "end"' 1
"$bin/driftd" accept list -o json >"$work/accepted.json"
check "what was made goes over, too" jq -e --arg old "$made" '[.items[] | select(.source == "command")] | length == 1 and
	.[0].accepted.cluster == "second" and .[0].id != $old and .[0].state == "holds"' "$work/accepted.json"
ids >"$work/ids"

# ---- over restarts ----

restarted() { # restarted WHAT
	start_driftd_ready
	wait_until 60 "all lists" all_synced
	wait_until 30 "all of it, $1" settled
	ids >"$work/ids.now"
	check "the same findings, $1" diff "$work/ids" "$work/ids.now"
	check "no other began, $1" record_count '.DRIFTD_EVENT == "begin" or .DRIFTD_EVENT == "accepted"' 6
	check "no other ended, $1" record_count '.DRIFTD_EVENT == "end"' 1
}
stop driftd || fail "driftd did not end cleanly"
write_config third renamed others
mv "$work/manifests/two.yaml" "$work/manifests/second.yaml"
fails() { # to listen where the simulator does
	local status=0
	"$bin/driftd" run -c "$work/driftd.yaml" -o json --web.listen-address "127.0.0.1:$apisim_port" >"$work/failed" 2>&1 || status=$?
	[ $status -eq 1 ]
}
check "a start that fails" fails
restarted "while it was away"
check "they are of it" of_names third renamed
stop driftd KILL || true
restarted "after kill -9"
"$bin/driftd" accept list -o json >"$work/accepted.json"
check "what was made is stored" jq -e '[.items[] | select(.source == "command")] | length == 1 and .[0].accepted.cluster == "third"' \
	"$work/accepted.json"

# ---- what is not known for sure ----

sed -i "s|^  - {name: third, .*|&\n  - {name: other, kubeconfig: $work/kubeconfig, references: [renamed]}|" "$work/driftd.yaml"
reload
sed -i 's/name: third,/name: fourth,/; s/cluster: third/cluster: fourth/' "$work/driftd.yaml"
reload
wait_until 30 "ends where two clusters are one place" ends '.DRIFTD_CLUSTER == "third" and .DRIFTD_END_REASON != null'
wait_until 30 "and begins" begins '.DRIFTD_CLUSTER == "fourth"'
