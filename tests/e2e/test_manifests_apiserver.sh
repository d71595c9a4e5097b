#!/usr/bin/env bash
# A chart's manifests, applied by kubectl to a real API server: nothing is told; then ten changes by ten managers, and each is told with its
# place and who made it. Then a definition of custom resources. test_manifests_apiserver.sh [modern]: see control_plane.sh.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/control_plane.sh"
for tool in jq kubectl; do command -v $tool >/dev/null || skip "no $tool"; done

start_control_plane
chart=${CHART:-$source_dir/examples/manifests/shop}
cp -r "$chart" "$work/shop"
old=''
# An older server has some of the kinds in other versions.
if [ "$(get /version | jq -r '.minor | gsub("[^0-9]"; "") | tonumber')" -lt 25 ]; then
	sed -i 's#autoscaling/v2$#autoscaling/v2beta2#' "$work"/shop/*.yaml
	sed -i '/^apiVersion: batch\/v1$/{N;s#batch/v1\nkind: CronJob#batch/v1beta1\nkind: CronJob#}' "$work"/shop/*.yaml
	old=1
	cronjobs=/apis/batch/v1beta1 autoscaling=/apis/autoscaling/v2beta2
else
	cronjobs=/apis/batch/v1 autoscaling=/apis/autoscaling/v2
fi
cluster=chart
mkdir -p "$work/state"
cat >"$work/driftd.yaml" <<-Y
	clusters: [{name: chart, kubeconfig: kubeconfig}]
	references: [{name: shop, manifests: shop, namespace: shop, orphans: {labels: app.kubernetes.io/instance=shop}}]
	state_dir: $work/state
	flapping: {changes: 0}
Y
export KUBECONFIG=$work/kubeconfig
api POST /api/v1/namespaces "$(object v1 Namespace shop "")" setup
kubectl apply --namespace shop --recursive --validate=false -f "$work/shop" >"$work/kubectl.log" 2>&1 ||
	fail "kubectl apply: $(cat "$work/kubectl.log")"

# ---- what the server makes of them is as they want it ----

start_driftd_ready
wait_until 60 "the cluster to be synced" metric_is "$(of_cluster driftd_cluster_synced)" 1
check "all manifests have their object: $(said)" drift_count begin 0
applied=$(kubectl get --namespace shop deploy,svc,ing,hpa,cj,cm,netpol,sa,role,rolebinding --selector app.kubernetes.io/instance=shop \
	-o name 2>>"$work/kubectl.log" | wc -l)
check "nothing is drift, of ten objects and more" test "$applied" -ge 10

# ---- ten changes by ten managers ----

ns=/namespaces/shop
strategic() { # strategic PATH JSON MANAGER
	request -X PATCH -H 'Content-Type: application/strategic-merge-patch+json' "$server$1?fieldManager=$3" -d "$2" -o "$work/answer.json" ||
		fail "patch $1: no success"
}
told=0
drifts() { # drifts WHAT KIND PATH MANAGER: one more record begins, about that
	told=$((told + 1))
	wait_until 30 "$1" begins ".DRIFTD_KIND == \"$2\" and ([.DRIFTD_PATH] | flatten | index(\"$3\")) and .DRIFTD_MANAGER == \"$4\""
	check "$1: nothing else" drift_count begin $told
}
strategic /apis/apps/v1$ns/deployments/web '{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"shop:2"}]}}}}' ci
drifts "an image" Deployment 'spec.template.spec.containers[name=\"web\"].image' ci
api PATCH /api/v1$ns/configmaps/web '{"data":{"greeting":"Hi"}}' kubectl-edit
drifts "a value" ConfigMap data.greeting kubectl-edit
if [ "$old" ]; then # to it a selector is no whole: an apply leaves a label that somebody added
	api PATCH /api/v1$ns/services/web '{"spec":{"selector":{"app.kubernetes.io/name":"other"}}}' alice
	drifts "a label of a selector" Service 'spec.selector[\"app.kubernetes.io/name\"]' alice
else
	api PATCH /api/v1$ns/services/web '{"spec":{"selector":{"tier":"front"}}}' alice
	drifts "a label that a selector has besides" Service spec.selector.tier alice
fi
api PATCH $autoscaling$ns/horizontalpodautoscalers/web '{"spec":{"maxReplicas":99}}' tuner
drifts "a limit" HorizontalPodAutoscaler spec.maxReplicas tuner
api PATCH $cronjobs$ns/cronjobs/report '{"spec":{"schedule":"* * * * *"}}' nightshift
drifts "a schedule" CronJob spec.schedule nightshift
api PATCH /api/v1$ns/serviceaccounts/web '{"automountServiceAccountToken":true}' secops
drifts "a flag" ServiceAccount automountServiceAccountToken secops
api PATCH /apis/networking.k8s.io/v1$ns/ingresses/web '{"spec":{"ingressClassName":"internal"}}' bob
drifts "a class" Ingress spec.ingressClassName bob
api PATCH /apis/networking.k8s.io/v1$ns/networkpolicies/web '{"spec":{"ingress":[{}]}}' netops
told=$((told + 1))
wait_until 30 "an open network policy" begins '.DRIFTD_KIND == "NetworkPolicy" and .DRIFTD_MANAGER == "netops"'
api PATCH /apis/rbac.authorization.k8s.io/v1$ns/roles/web '{"rules":[{"apiGroups":["*"],"resources":["*"],"verbs":["*"]}]}' eve
told=$((told + 1))
wait_until 30 "a wider role" begins '.DRIFTD_KIND == "Role" and .DRIFTD_MANAGER == "eve"'
api POST /api/v1$ns/configmaps "$(configmap extra shop '{}' | jq -c '.metadata.labels = {"app.kubernetes.io/instance": "shop"}')" mallory
drifts_orphan() { begins '.DRIFTD_COMPONENT == "orphans" and .DRIFTD_NAME == "extra" and .DRIFTD_MANAGER == "mallory"'; }
wait_until 30 "an orphan" drifts_orphan
check "ten begin" drift_count begin 10

# ---- an apply mends them, and a status is nobody's drift ----

server_side=(--server-side --force-conflicts)
[ ! "$old" ] || server_side=() # its server-side apply refuses a quantity that is a number, and a port without a protocol
kubectl apply --namespace shop --recursive "${server_side[@]}" --validate=false -f "$work/shop" >"$work/kubectl.log" 2>&1 ||
	fail "kubectl apply: $(cat "$work/kubectl.log")"
api DELETE /api/v1$ns/configmaps/extra
api PATCH /apis/apps/v1$ns/deployments/web/status '{"status":{"replicas":1}}'
open_now() { records '.DRIFTD_DRIFT_ID' | jq -s '[group_by(.DRIFTD_DRIFT_ID)[] | last | select(.DRIFTD_EVENT != "end")] | length'; }
none_open() { [ "$(open_now)" = 0 ]; }
wait_until 30 "the end of all" none_open
stop driftd

# ---- null and empty values, and what the server adds to each object: an apply leaves them, and each change is found ----

cat >"$work/empty.yaml" <<-Y
	apiVersion: apps/v1
	kind: Deployment
	metadata: {name: empty}
	spec:
	  replicas: null
	  strategy: {rollingUpdate: {maxUnavailable: null}}
	  selector: {matchLabels: {app: empty}}
	  template:
	    metadata: {labels: {app: empty}}
	    spec:
	      nodeSelector: {}
	      containers:
	      - name: a
	        image: app:1
	        imagePullPolicy: ""
	        ports: [{containerPort: 80, protocol: TCP, hostPort: 0}]
	        resources: {limits: {cpu: null}}
	        securityContext: {runAsUser: null}
	---
	apiVersion: v1
	kind: Pod
	metadata: {name: empty}
	spec: {tolerations: [{key: mine, operator: Exists}], containers: [{name: a, image: app}]}
	---
	apiVersion: ${autoscaling#/apis/}
	kind: HorizontalPodAutoscaler
	metadata: {name: empty}
	spec:
	  maxReplicas: 3
	  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: empty}
	  metrics:
	  - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}
	  - {type: Resource, resource: {name: memory, target: {type: Utilization, averageUtilization: 60}}}
	---
	apiVersion: ${autoscaling#/apis/}
	kind: HorizontalPodAutoscaler
	metadata: {name: none}
	spec: {maxReplicas: 3, minReplicas: null, metrics: [], scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: empty}}
	---
	apiVersion: ${cronjobs#/apis/}
	kind: CronJob
	metadata: {name: empty}
	spec:
	  schedule: "* * * * *"
	  concurrencyPolicy: ""
	  successfulJobsHistoryLimit: null
	  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: app}]}}}}
Y
kubectl create --namespace shop --validate=false -f "$work/empty.yaml" >"$work/kubectl.log" 2>&1 ||
	fail "kubectl create: $(cat "$work/kubectl.log")"
compare_empty() {
	"$bin/driftd" compare --manifests "$work/empty.yaml" --namespace shop >"$work/compare.log" 2>&1
}
check "null, empty values and additions of the server are no drift: $(compare_empty || cat "$work/compare.log")" compare_empty
found() { # found KIND PATH MERGE-PATCH: what is changed is found there, and nothing else; then it is put back
	local status=0
	kubectl get --namespace shop "$1" empty -o json >"$work/before.json" 2>"$work/kubectl.log" || fail "get $1: $(cat "$work/kubectl.log")"
	kubectl patch --namespace shop "$1" empty --type "${4:-merge}" -p "$3" >"$work/kubectl.log" 2>&1 || fail "$2: $(cat "$work/kubectl.log")"
	compare_empty || status=$?
	check "$2 is found" test "$status" = 1
	check "$2: nothing else: $(cat "$work/compare.log")" test "$(sed -n 's/^- [a-z][a-z]* \(.*\): .*/\1/p' "$work/compare.log")" = "$2"
	jq 'del(.metadata.resourceVersion)' "$work/before.json" | kubectl replace --namespace shop -f - >"$work/kubectl.log" 2>&1 ||
		fail "$2: $(cat "$work/kubectl.log")"
}
container='spec.template.spec.containers[name="a"]'
in_container() { echo "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"a\",$1}]}}}}"; }
found deployment spec.replicas '{"spec":{"replicas":0}}'
found deployment spec.strategy.rollingUpdate.maxUnavailable '{"spec":{"strategy":{"rollingUpdate":{"maxUnavailable":1}}}}'
found deployment "$container.ports[containerPort=80,protocol=\"TCP\"].hostPort" \
	"$(in_container '"ports":[{"containerPort":80,"protocol":"TCP","hostPort":80}]')" strategic
found deployment "$container.securityContext.runAsUser" "$(in_container '"securityContext":{"runAsUser":0}')" strategic
found deployment "$container.resources.limits.cpu" "$(in_container '"resources":{"limits":{"cpu":"2"}}')" strategic
found cronjob spec.concurrencyPolicy '{"spec":{"concurrencyPolicy":"Forbid"}}'
check "null and empty values: nothing differs in the end" compare_empty

# ---- a definition of custom resources: what the server leaves out and fills in is no drift, each change is ----

has_custom_resources || exit 0
cat >"$work/crd.yaml" <<-Y
	apiVersion: apiextensions.k8s.io/v1
	kind: CustomResourceDefinition
	metadata: {name: widgets.shop.example.com}
	spec:
	  group: shop.example.com
	  scope: Namespaced
	  preserveUnknownFields: false
	  names: {plural: widgets, kind: Widget, singular: "", shortNames: [], categories: []}
	  versions:
	  - {name: v1beta1, served: false, storage: false, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
	  - name: v1
	    served: true
	    storage: true
	    deprecated: false
	    subresources: {status: {}}
	    additionalPrinterColumns: [{name: Age, type: date, jsonPath: .metadata.creationTimestamp, priority: 0, description: ""}]
	    schema:
	      openAPIV3Schema:
	        type: object
	        nullable: false
	        properties:
	          size: {type: integer, default: 0, minimum: 0, exclusiveMinimum: false}
	          free: {type: object, additionalProperties: true, default: {a: 0, b: {}}, required: [], properties: {}}
	          name: {type: string, minLength: 0, x-kubernetes-validations: [{rule: self != 'x', message: ""}]}
Y
kubectl apply -f "$work/crd.yaml" >"$work/kubectl.log" 2>&1 || fail "kubectl apply: $(cat "$work/kubectl.log")"
compare() { "$bin/driftd" compare --manifests "$work/crd.yaml" >"$work/compare.log" 2>&1; }
check "nothing of a definition differs" compare
schema=spec.versions[1].schema.openAPIV3Schema
changed() { # changed PATH OPERATION JSON-POINTER [VALUE]: that is found there, and nothing else; then it is put back
	local patch="{\"op\":\"$2\",\"path\":\"$3\"${4:+,\"value\":$4}}" status=0
	kubectl patch crd widgets.shop.example.com --type json -p "[$patch]" >"$work/kubectl.log" 2>&1 || fail "$1: $(cat "$work/kubectl.log")"
	compare || status=$?
	check "$1 is found" test "$status" = 1
	check "$1: nothing else" test "$(sed -n 's/^- [a-z][a-z]* \(.*\): .*/\1/p' "$work/compare.log")" = "$1"
	kubectl replace -f "$work/crd.yaml" >"$work/kubectl.log" 2>&1 || fail "$1: $(cat "$work/kubectl.log")"
}
pointer=/spec/versions/1/schema/openAPIV3Schema/properties
changed spec.names.shortNames add /spec/names/shortNames '["wd"]'
changed spec.names.singular replace /spec/names/singular '"gadget"'
changed 'spec.versions[0].served' replace /spec/versions/0/served true
changed 'spec.versions[1].additionalPrinterColumns[0].priority' add /spec/versions/1/additionalPrinterColumns/0/priority 1
changed 'spec.versions[1].subresources.status' remove /spec/versions/1/subresources/status
changed "$schema.properties.size.default" remove "$pointer/size/default"
changed "$schema.properties.size.minimum" remove "$pointer/size/minimum"
changed "$schema.properties.size.nullable" add "$pointer/size/nullable" true
changed "$schema.properties.free.default.a" remove "$pointer/free/default/a"
changed "$schema.properties.free.additionalProperties" \
	replace "$pointer/free/additionalProperties" '{"x-kubernetes-preserve-unknown-fields":true}'
changed "$schema.properties.name.minLength" remove "$pointer/name/minLength"
changed "$schema.properties.name.x-kubernetes-validations[rule=\"self != 'x'\"].message" \
	add "$pointer/name/x-kubernetes-validations/0/message" '"m"'
check "nothing differs in the end" compare
