#!/usr/bin/env bash
# Manifests as a reference of the daemon: what differs, is missing, is an orphan; what the server adds is nothing; a folder that changes is
# followed, whole or not at all; what commands say of it.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"
export DRIFTD_SOCKET=$work/control.sock

ask() { # ask STATUS ARGUMENTS: driftd ends with STATUS; output in $work/out
	local wanted=$1 status=0
	shift
	"$bin/driftd" "$@" >"$work/out" 2>&1 || status=$?
	[ "$status" -eq "$wanted" ] || { cat "$work/out" >&2 && return 1; }
}
says() { grep -qF -- "$1" "$work/out"; }

deployment_manifest() { # deployment_manifest IMAGE
	cat >"$work/shop/web.yaml" <<-Y
		apiVersion: apps/v1
		kind: Deployment
		metadata: {name: web, labels: {app: web}}
		spec:
		  selector: {matchLabels: {app: web}}
		  template:
		    metadata: {labels: {app: web}}
		    spec:
		      containers:
		      - {name: web, image: "$1", resources: {}, ports: [{containerPort: 80}]}
	Y
}
live_deployment() { # live_deployment IMAGE [FURTHER-CONTAINER]: as a server completes it
	deployment web shop '{"replicas":3,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{
		"restartPolicy":"Always","containers":[{"name":"web","image":"'"$1"'","terminationMessagePath":"/dev/termination-log","resources":{},
		"imagePullPolicy":"IfNotPresent","ports":[{"containerPort":80,"protocol":"TCP"}]}'"${2:+,$2}"']}}}' |
		jq -c '.metadata.labels = {app: "web"}'
}

mkdir -p "$work/shop/more" "$work/shop/.git" "$work/state"
deployment_manifest web:1
cat >"$work/shop/more/all.yml" <<-'Y'
	apiVersion: v1
	kind: List
	items:
	- {apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {size: "1"}}
	- {apiVersion: v1, kind: Secret, metadata: {name: login}, stringData: {password: wanted-5520}}
	- {apiVersion: v1, kind: ConfigMap, metadata: {name: hook, labels: {app: web}, annotations: {helm.sh/hook: pre-install}}}
	- {apiVersion: e2e.example.com/v1, kind: Widget, metadata: {name: one}, spec: {size: 1}}
Y
echo 'not: {{ read' >"$work/shop/.git/x.yaml"
cluster=manifests
cat >"$work/driftd.yaml" <<-Y
	clusters: [{name: manifests, kubeconfig: kubeconfig}]
	references:
	  - name: shop
	    manifests: shop
	    namespace: shop
	    component_severity: {more/all.yml: critical}
	    orphans: {labels: app=web, kinds: [Deployment.apps, ConfigMap]}
	state_dir: $work/state
	control_socket: $DRIFTD_SOCKET
	flapping: {changes: 0}
Y

start_apisim
schema='{"type":"object","properties":{"spec":{"type":"object","properties":{"size":{"type":"integer"}}}}}'
api POST $crds "$(crd Cluster Widget widgets e2e.example.com "$schema" v1)" setup
wait_until 10 "the kind" get $widgets
for ns in shop lab; do api POST /api/v1/namespaces "$(object v1 Namespace $ns "")"; done
control load "$(live_deployment web:1)"
control load "$(configmap settings shop '{"size":"1","more":"x"}')"
control load "$(secret login shop '{"password":"'"$(printf wanted-5520 | base64)"'"}')"
control load "$(widget one '{"size":1}')"
control load "$(configmap hook shop '{}' | jq -c '.metadata.labels = {app: "web"}')" # which Helm has left behind

# ---- the configuration ----

check "it is in order" ask 0 check-config -c "$work/driftd.yaml"
check "the roles" ask 0 rbac -c "$work/driftd.yaml"
asks_by_name() { grep -qF 'resourceNames: ["login"]' < <(grep -A1 'resources: \["secrets"\]' "$work/out"); }
check "ask for a name where one is fixed" asks_by_name

# ---- nothing is told of what the server adds ----

start_driftd_ready
wait_until 20 "the cluster to be synced" metric_is "$(of_cluster driftd_cluster_synced)" 1
check "nothing is told" drift_count begin 0
check "hooks are counted" metric_is 'driftd_reference_left_out{reference="shop",reason="hook"}' 1

# ---- what differs ----

api PATCH /apis/apps/v1/namespaces/shop/deployments/web '{"spec":{"replicas":7}}' hpa
control load "$(live_deployment web:2 '{"name":"injected","image":"x"}')"
wait_until 20 "a drift" begins '.DRIFTD_KIND == "Deployment"'
path='spec.template.spec.containers[name=\"web\"].image'
check "of the image and the sidecar, by name" has_record ".DRIFTD_KIND == \"Deployment\" and (.DRIFTD_PATH | tostring |
	contains(\"injected\")) and (.DRIFTD_PATH | index(\"$path\"))"
check "whose component is the file" has_record '.DRIFTD_KIND == "Deployment" and .DRIFTD_COMPONENT == "web.yaml" and .DRIFTD_PART == "shop"'
control load "$(widget one '{"size":3}' | jq -c '.metadata.deletionTimestamp = "2026-01-01T00:00:00Z"')"
wait_until 20 "what is being deleted is marked" begins '.DRIFTD_KIND == "Widget" and (.MESSAGE | contains("; it is being deleted"))'
control load "$(widget one '{"size":1}')"
wait_until 20 "and as it was" ends '.DRIFTD_KIND == "Widget"'
api PATCH /api/v1/namespaces/shop/secrets/login '{"data":{"password":"Zm91bmQtNTUyMA=="}}' mallory
wait_until 20 "the drift of a secret" begins '.DRIFTD_KIND == "Secret" and .DRIFTD_SEVERITY == "critical"'
api PATCH $widgets/one '{"spec":{"size":2}}' kubectl-edit
wait_until 20 "the drift of an object without namespace" begins '.DRIFTD_KIND == "Widget" and (.MESSAGE | contains("by kubectl-edit"))'
api DELETE /api/v1/namespaces/shop/configmaps/settings
wait_until 20 "what is missing" begins '.DRIFTD_COMPONENT == "more/all.yml" and (.MESSAGE | contains("ConfigMap shop/settings"))'
for ns in shop lab; do
	api POST "/api/v1/namespaces/$ns/configmaps" "$(configmap stray $ns '{}' | jq -c '.metadata.labels = {app: "web"}')" kubectl-create
done
api POST /api/v1/namespaces/shop/configmaps "$(configmap other shop '{}')" kubectl-create
wait_until 20 "the orphans" has_record '.DRIFTD_COMPONENT == "orphans" and
	(.MESSAGE | contains("No manifest is for these: configmaps lab/stray, configmaps shop/stray"))'
check "a list" ask 1 drift list -o wide
check "has them" says orphans

# ---- a version that is not served ----

echo '{apiVersion: networking.k8s.io/v1beta1, kind: Ingress, metadata: {name: old}, spec: {}}' >"$work/shop/old.yaml"
wait_until 20 "that is said" has_record '.DRIFTD_EVENT == "begin" and .DRIFTD_KIND == "Ingress" and
	(.MESSAGE | startswith("error begins")) and (.MESSAGE | contains("networking.k8s.io/v1beta1 is not served; served are v1"))'
check "and not that it is missing" record_count '.DRIFTD_COMPONENT == "old.yaml" and .DRIFTD_EVENT == "begin"' 1
rm "$work/shop/old.yaml"
wait_until 20 "it is over" ends '.DRIFTD_KIND == "Ingress"'

# ---- what commands say ----

check "explain: status" ask 0 explain Deployment shop/web
check "explain: by which manifest" says web.yaml
check "explain: that it is one" says "it is the manifest of this object"
check "an orphan is explained" ask 0 explain ConfigMap shop/stray
check "as what it is" says "no manifest is for it"
id=$(records '.DRIFTD_EVENT == "begin" and .DRIFTD_KIND == "Deployment"' | jq -r .DRIFTD_DRIFT_ID)
check "a drift is shown" ask 0 drift show "$id"
check "with the manifest's value" says web:1
check "one that is no manifest" ask 0 explain ConfigMap shop/other

# ---- a folder that changes ----

reloads() { record_count '.DRIFTD_EVENT == "reloaded"' "$1"; }
at_once() { # at_once COMMAND...: what it does to several files, driftd sees as one change
	kill -STOP "${pid[driftd]}"
	"$@"
	kill -CONT "${pid[driftd]}"
}
with_environment() {
	deployment_manifest web:2
	sed -i 's/ports: \[/env: [{name: A, value: b}], ports: [/' "$work/shop/web.yaml"
}
# The question is there before driftd sees the change, which it follows once nothing has changed for a second: the command has
# connected, and sleeps until there is an answer.
asked() { [[ $(readlink /proc/"$1"/fd/*) == *socket:* && $(cut -d ' ' -f 3 /proc/"$1"/stat) == S ]]; }
with_environment_and_dry_run() {
	with_environment
	"$bin/driftd" reload --dry-run >"$work/out" 2>&1 &
	dry_run=$!
	wait_until 20 "the question" asked "$dry_run"
}
# The reload before may still free what it replaced, and another question is refused meanwhile.
nothing_changes() { "$bin/driftd" reload --dry-run >"$work/out" 2>&1; }
wait_until 30 "nothing to be under way" nothing_changes
at_once with_environment_and_dry_run
status=0
wait "$dry_run" || status=$?
check "a dry run: $(cat "$work/out")" [ "$status" = 1 ]
check "says what changes" says "drift changes: deployments.apps shop/web"
wait_until 20 "it is followed" reloads 3
check "the record says what changes" has_record '.DRIFTD_EVENT == "reloaded" and (.MESSAGE | startswith("manifests changed")) and
	(.MESSAGE | contains("findings: 0 begin, 1 change, 0 end"))'
wait_until 20 "and it counts" changes '.DRIFTD_KIND == "Deployment" and (.DRIFTD_PATH | tostring | contains("env"))'

# Whole or not at all: of two files one is broken.
two_of_one_broken() {
	deployment_manifest web:3
	printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: [}\n' >"$work/shop/more/broken.yaml"
}
at_once two_of_one_broken
wait_until 20 "a mistake is told" has_record '.DRIFTD_EVENT == "reload-failed" and (.MESSAGE | contains("more/broken.yaml:"))'
check "nothing of it counts" record_count '.DRIFTD_EVENT == "reloaded"' 3
refused() { metric_is driftd_config_last_reload_successful 0; }
wait_until 20 "the metric says so" refused
mended() {
	with_environment
	rm "$work/shop/more/broken.yaml"
}
at_once mended
wait_until 20 "what is on disk is in force again" metric_is driftd_config_last_reload_successful 1
check "which is said" has_record '.MESSAGE == "the configuration on disk is the one in force again"'
at_once deployment_manifest web:3
wait_until 20 "it is mended" reloads 4
new_folder() {
	mkdir "$work/shop/later"
	cat >"$work/shop/later/deep.yaml" <<<'{apiVersion: v1, kind: ConfigMap, metadata: {name: later}, data: {}}'
}
at_once new_folder
wait_until 20 "a new folder" reloads 5
wait_until 20 "what is in it is missing" begins '.DRIFTD_COMPONENT == "later/deep.yaml"'
touch "$work/shop/later/deep.yaml"
sleep 3
check "the same again is no news" record_count '.DRIFTD_EVENT == "reloaded"' 5

# Other files of the configuration count when somebody asks for it, mistakes and all.
sed -i 's/flapping: .*/flapping: {changes: [}/' "$work/driftd.yaml"
rm -r "$work/shop/later"
wait_until 20 "that is said" has_record '.MESSAGE | startswith("manifests changed, and so did other files")'
check "nothing counts" record_count '.DRIFTD_EVENT == "reloaded"' 5
check "nor is a mistake told" record_count '.DRIFTD_EVENT == "reload-failed"' 1
sed -i 's/flapping: .*/flapping: {changes: 3}/' "$work/driftd.yaml"
check "a reload" ask 0 reload
wait_until 20 "takes both" reloads 6
wait_until 20 "what was missing is over" ends '.DRIFTD_COMPONENT == "later/deep.yaml"'

stop driftd
no_secret wanted-5520 "$(printf wanted-5520 | base64)" found-5520 Zm91bmQtNTUyMA -- "$work/records" "$work/state"
