#!/usr/bin/env bash
# examples/kubernetes in an API server, and driftd as its pods say: arguments, mounts, account, probes and time to end are read from what
# was applied (pod.py). Nothing runs in a container here; the port is another one. test_container.sh [modern]: see control_plane.sh. The
# older server gives tokens that end with what they are bound to; the modern one has none of its own, and no custom kinds are in the older.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/control_plane.sh"
for tool in jq kubectl python3 unshare mount hostname; do command -v $tool >/dev/null || skip "no $tool"; done
unshare -rmu true 2>/dev/null || skip "no mount namespaces"

. "$here/guide.sh"
take_blocks "$source_dir/docs/guide/container.md"
for block in "$work"/blocks/*.console; do check "commands in $(basename "$block")" bash -n "$block"; done

manifests=$work/kubernetes
cp -r "$source_dir/examples/kubernetes" "$manifests"

# ---- the account ----

groups=system:serviceaccounts,system:serviceaccounts:driftd,system:authenticated
give_token() { # give_token N: the Nth one is mounted, in one step, as a kubelet does it
	local version
	version=$(mktemp -d "$work/account/..v-XXXXXX")
	if [ "$tokens" = static ]; then
		printf 'pod-%s' "$1" >"$version/token"
	else
		k create secret generic "bound-$1" --namespace driftd
		kubectl --kubeconfig "$admin" create token driftd --namespace driftd --bound-object-kind Secret --bound-object-name "bound-$1" \
			>"$version/token" || fail "a token of the service account"
	fi
	cp "$ca" "$version/ca.crt"
	echo driftd >"$version/namespace"
	ln -s "$(basename "$version")" "$work/account/..tmp"
	mv -T "$work/account/..tmp" "$work/account/..data"
	for f in token ca.crt namespace; do ln -sfn "..data/$f" "$work/account/$f"; done
}
end_token() { # end_token N: it is worth nothing from now on
	if [ "$tokens" = static ]; then
		stop apiserver || true
		sed -i "/^pod-$1,/d" "$work/tokens.csv"
		start_apiserver
	else
		k delete secret "bound-$1" --namespace driftd
	fi
}

# ---- pods ----

declare -A port=() pod=()
start_pod() { # start_pod WORKLOAD ORDINAL: as name WORKLOAD-ORDINAL, with its records in records-WORKLOAD-ORDINAL
	local name=$1-$2
	kubectl --kubeconfig "$admin" get deployments,statefulsets,configmaps,secrets -n driftd -o json >"$work/objects.json"
	pod[$name]=$(python3 "$here/pod.py" "$work/objects.json" "$1" "$2" "$work/node" "$work/account") || fail "the pod of $1"
	port[$name]=${port[$name]:-$(free_port)}
	KUBERNETES_SERVICE_HOST=127.0.0.1 KUBERNETES_SERVICE_PORT=$api_port unshare -rmu "$(jq -r .start <<<"${pod[$name]}")" \
		"$bin/driftd" --web.listen-address "127.0.0.1:${port[$name]}" >>"$work/records-$name" 2>>"$work/$name.log" &
	pid[$name]=$!
	wait_until 20 "the startup probe of $name" probe startup "$name"
}
probe() { curl -sf "http://127.0.0.1:${port[$2]}$(jq -r ".$1" <<<"${pod[$2]}")"; } # probe WHICH NAME
end_pod() { # end_pod NAME: as a kubelet does
	local begun=$SECONDS
	stop "$1" || fail "$1 did not end cleanly"
	check "it ends before it would be killed" test $((SECONDS - begun)) -lt "$(jq .grace <<<"${pod[$1]}")"
}
of() { curl -sf "http://127.0.0.1:${port[$1]}/metrics" | awk -v name="$2" '$1 == name { print $2 }'; } # of NAME METRIC
all_records() { cat "$work"/records-*; }
of_web() { # of_web EVENT: what was told of the workload
	all_records | jq -c --arg event "$1" 'select(.DRIFTD_EVENT == $event and .DRIFTD_NAME == "web" and .DRIFTD_RESENT == null)'
}
told() { [ "$(of_web "$1" | wc -l)" -eq "$2" ]; } # told EVENT COUNT
each_once() { # no record is there twice; each finding begins once and ends once
	all_records | jq -se 'map(select(.DRIFTD_RESENT == null)) | (map(.DRIFTD_RECORD_ID) | length == (unique | length)) and
		(map(select(.DRIFTD_EVENT == "begin" or .DRIFTD_EVENT == "end") | .DRIFTD_DRIFT_ID + .DRIFTD_EVENT) | length == (unique | length))'
}
gaps() { all_records | jq -r 'select(.DRIFTD_EVENT == "begin" and (.MESSAGE | startswith("gap"))).MESSAGE'; }

image() { k set image deployment/web "web=registry.example.com/shop/web:$1" --namespace shop; } # image TAG

# ---- a cluster, and what the manifests bring ----

start_control_plane
admin=$work/admin.kubeconfig
mv "$work/kubeconfig" "$admin"
tokens=bound
if has_custom_resources; then
	tokens=static
	stop apiserver || true
	for n in 1 2; do echo "pod-$n,system:serviceaccount:driftd:driftd,pod-$n,\"$groups\"" >>"$work/tokens.csv"; done
	start_apiserver
	for kind in ServiceMonitor PodMonitor PrometheusRule; do
		crd Namespaced $kind ${kind,,}s monitoring.coreos.com '{"type":"object","x-kubernetes-preserve-unknown-fields":true}' v1 \
			>"$work/crd.json"
		k create -f "$work/crd.json"
		wait_until 30 "the kind $kind" get "/apis/monitoring.coreos.com/v1/${kind,,}s"
	done
else
	rm -r "$manifests/monitoring"
	sed -i '/^components:/d' "$manifests"/kustomization.yaml "$manifests"/two-replicas/kustomization.yaml
fi
"$bin/driftd" rbac -c "$manifests/base/driftd.yaml" --in-cluster >"$work/rbac.yaml"
check "the roles are those that driftd asks for" cmp "$work/rbac.yaml" "$manifests/base/rbac.yaml"
"$bin/driftd" rbac -c "$manifests/base/driftd.yaml" --in-cluster --kubeconfig "$admin" >"$work/rbac.yaml"
check "so it does when it has asked the server" cmp "$work/rbac.yaml" "$manifests/base/rbac.yaml"
k apply -k "$manifests"
k get -k "$manifests"
if has_custom_resources; then
	rules=$(sed -n 's/^\$ \((printf .*PrometheusRule.*\)/\1/p' "$source_dir/docs/guide/container.md")
	(cd "$source_dir" && KUBECONFIG=$admin bash -c "$rules") >"$work/rules.log" 2>&1 || fail "the alerts: $(cat "$work/rules.log")"
	sed 's/^components: \[monitoring\]/components: [pod-monitoring]/' "$manifests/kustomization.yaml" >"$work/kustomization.yaml"
	cp -r "$manifests" "$work/by-pods" && cp "$work/kustomization.yaml" "$work/by-pods"
	k apply -k "$work/by-pods"
	check "the pod's port is scraped" jq -e --argjson pod "$(get /apis/apps/v1/namespaces/driftd/deployments/driftd | jq .spec.template)" \
		'.spec | (.selector.matchLabels | to_entries | all(. as $l | $pod.metadata.labels[$l.key] == $l.value)) and
		(.podMetricsEndpoints[0].port as $p | any($pod.spec.containers[].ports[]; .name == $p))' \
		<(get /apis/monitoring.coreos.com/v1/namespaces/driftd/podmonitors/driftd)
	check "the alerts" jq -e '.spec.groups | length > 0' <(get /apis/monitoring.coreos.com/v1/namespaces/driftd/prometheusrules/driftd)
fi

# Nothing here enforces what Pod Security calls "restricted"; so it is compared with what that asks for.
for kind in deployment statefulset; do
	overlay=$manifests
	[ $kind = deployment ] || overlay=$manifests/two-replicas
	kubectl kustomize "$overlay" >"$work/$kind.yaml"
	kubectl create --dry-run=client -o json -f "$work/$kind.yaml" --kubeconfig "$admin" 2>>"$work/kubectl.log" |
		jq -s 'map(.items // [.]) | flatten' >"$work/$kind.json"
	check "the $kind asks for no right" jq -e --arg kind $kind '.[] | select((.kind | ascii_downcase) == $kind).spec.template.spec |
		.securityContext.runAsNonRoot and .securityContext.runAsUser != 0 and
		.securityContext.seccompProfile.type == "RuntimeDefault" and ([.hostNetwork, .hostPID, .hostIPC] | any | not) and
		all(.containers[].securityContext; .allowPrivilegeEscalation == false and .readOnlyRootFilesystem and
			.capabilities == {drop: ["ALL"]}) and
		all(.volumes[]; has("projected") or has("emptyDir") or has("persistentVolumeClaim"))' "$work/$kind.json"
done
user=$(jq -r '.[] | select(.kind == "Deployment").spec.template.spec.securityContext.runAsUser' "$work/deployment.json")
check "it is the user of the image" grep -q "uid=$user\$" "$source_dir/scripts/build-image"

k create namespace shop
kubectl create deployment web --image registry.example.com/shop/web:1 --namespace shop --dry-run=client -o yaml >"$work/web.yaml"
k apply -f "$work/web.yaml"

# ---- a pod ----

mkdir "$work/account" "$work/node"
give_token 1
start_pod driftd 0
wait_until 60 "the readiness probe" probe readiness driftd-0
check "the liveness probe" probe liveness driftd-0
image 2
wait_until 30 "drift" told begin 1
check "all may be read: no gap, and not: $(gaps)" test -z "$(gaps)"

give_token 2
sleep 1
end_token 1
image 1
wait_until 60 "the end, seen with the next token" told end 1

end_pod driftd-0
check "the state is in the claim" test -s "$work/node/claims/driftd-state/driftd.db"
image 3
start_pod driftd 0
wait_until 60 "drift that began while it was away" told begin 2
stop driftd-0 KILL || true
image 1
start_pod driftd 0
wait_until 60 "an end while it was away" told end 2
image 4
wait_until 60 "the next drift" told begin 3
stop driftd-0 KILL || true
start_pod driftd 0
wait_until 60 "the readiness probe" probe readiness driftd-0
image 1
wait_until 60 "its end" told end 3
check "each was told once" each_once
check "no other begin" told begin 3
end_pod driftd-0
no_secret "$(cat "$work/account/token")" -- "$work/records-driftd-0" -- "$work/driftd-0.log"

# ---- two replicas ----

cat >"$manifests/two-replicas/leader.yaml" <<Y
leader_election: {endpoints: ["$etcd_url"], hash_key_file: /etc/driftd/leader/hash.key, lease: 3s}
Y
head -c 32 /dev/urandom >"$work/hash.key"
for f in ca.crt tls.crt tls.key; do echo "not used without TLS" >"$work/$f.none"; done
k delete deployment driftd --namespace driftd
k create secret generic driftd-leader --namespace driftd --from-file="$work/hash.key" --from-file="ca.crt=$work/ca.crt.none" \
	--from-file="tls.crt=$work/tls.crt.none" --from-file="tls.key=$work/tls.key.none"
k apply -k "$manifests/two-replicas"
leads() { [ "$(of "$1" driftd_leader)" = 1 ]; }
one_leads() { leads driftd-0 && leader=driftd-0 other=driftd-1 || { leads driftd-1 && leader=driftd-1 other=driftd-0; }; }
rm "$work"/records-*
for n in 0 1; do start_pod driftd $n; done
for n in 0 1; do wait_until 60 "the readiness probe of $n" probe readiness driftd-$n; done
wait_until 60 "one to lead" one_leads
check "each has a state of its own" test -s "$work/node/claims/state-driftd-0/driftd.db" -a -s "$work/node/claims/state-driftd-1/driftd.db"
image 5
wait_until 60 "drift" told begin 1
stop $leader KILL || true
wait_until 60 "the other to lead" leads $other
image 1
wait_until 60 "its end, told by the other" told end 1
start_pod driftd "${leader#driftd-}"
wait_until 60 "the readiness probe" probe readiness $leader
image 6
wait_until 60 "the next drift" told begin 2
check "each was told once" each_once
for n in 0 1; do end_pod driftd-$n; done
