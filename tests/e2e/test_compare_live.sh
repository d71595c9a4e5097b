#!/usr/bin/env bash
# driftd compare against a live cluster: which kinds are listed, how it connects, what it says when the server does not answer.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/compare.sh"
for tool in jq python3; do command -v $tool >/dev/null || skip "no $tool"; done
unset KUBECONFIG KUBECTL_EXTERNAL_DIFF KUBERNETES_SERVICE_HOST
export HOME=$work/home
mkdir "$HOME"

stats() { get /_apisim/stats; }
listed() { stats | jq -r '[.requests[] | select(.verb == "list") | .resource] | sort | unique | join(" ")'; }

# ---- a cluster and a reference ----

start_apisim
settings() { configmap settings d "{\"replicas\":\"$1\"}"; }                    # settings REPLICAS
replicas() { deployment "$1" d "{\"replicas\":$2}"; }                            # replicas DEPLOYMENT NUMBER
gadget() { object "$2" Gadget "$1" d "\"spec\":{\"size\":$3}"; }                 # gadget NAME API-VERSION SIZE
gadgets() { crd Namespaced Gadget "$1" "$2" '{"type":"object"}' "${@:3}"; }     # gadgets PLURAL GROUP VERSION...: the definition
control load "$(gadgets gadgets a.example.com v1 v2)"
control load "$(gadgets gizmos b.example.com v1)"
control load "$(settings 3)"
control load "$(replicas web 3)"
control load "$(gadget one a.example.com/v2 1)"
control load "$(gadget other b.example.com/v1 1)"

ref=$work/reference
reference "$ref" anyOf deployment.yaml+
template "$ref/deployment.yaml" apps/v1 Deployment web d <<'Y'
spec:
  replicas: 3
Y

# ---- which kinds ----

compare --kubeconfig "$work/kubeconfig" -r "$ref/metadata.yaml"
ends_with 0 "a cluster without differences"
says out "No CRs are unmatched"
check "only kinds of the reference are listed: $(listed)" test "$(listed)" = "deployments.apps"
check "nothing is watched" test "$(stats | jq '[.requests[] | select(.verb == "watch")] | length')" = 0
check "nothing is said beside the report: $(cat "$work/err")" test ! -s "$work/err"

reference "$work/versions" anyOf gadget.yaml+
template "$work/versions/gadget.yaml" '{{ .apiVersion }}' Gadget "$any_name" d <<<'spec: {size: 1}'
export KUBECONFIG=$work/kubeconfig
compare -r "$work/versions/metadata.yaml" -v
ends_with 0 "a template that leaves the apiVersion open"
for name in a.example.com/v1_Gadget_d_one a.example.com/v2_Gadget_d_one b.example.com/v1_Gadget_d_other; do
	says out "Cluster CR: $name"
done

sed -i 's/^apiVersion.*/apiVersion: a.example.com\/v3/' "$work/versions/gadget.yaml"
compare -r "$work/versions/metadata.yaml"
says err "Found kind but missing group/version for Gadget.a.example.com/v3"
sed -i 's/^apiVersion.*/apiVersion: a.example.com\/v1/' "$work/versions/gadget.yaml"
compare -r "$work/versions/metadata.yaml" -v
ends_with 0 "a template for one of several versions"
says out "Cluster CR: a.example.com/v1_Gadget_d_one"
silent out "Cluster CR: a.example.com/v2"
compare -r "$work/versions/metadata.yaml" -A
says out "a.example.com/v2_Gadget_d_one"
says out "b.example.com/v1_Gadget_d_other"

reference "$work/unknown" anyOf deployment.yaml+ zebra.yaml+ widget.yaml+ widget2.yaml+
cp "$ref/deployment.yaml" "$work/unknown"
template "$work/unknown/widget.yaml" x.example.com/v1 Widget w "" </dev/null
template "$work/unknown/widget2.yaml" x.example.com/v2 Widget w "" </dev/null
template "$work/unknown/zebra.yaml" x.example.com/v1 Zebra z "" </dev/null
compare -r "$work/unknown/metadata.yaml"
ends_with 0 "kinds that the cluster does not know"
says err "Reference Contains Templates With Types (kind) Not Supported By Cluster: Widget, Zebra"
sed -i '/deployment/,+1d' "$work/unknown/metadata.yaml"
compare -r "$work/unknown/metadata.yaml"
ends_with 2 "no known kind at all"
says err "error: templates don't contain any types (kind) of resources that are supported by the cluster"

# ---- look-ups, pages, threads ----

reference "$work/lookup" anyOf deployment.yaml+ settings.yaml+
template "$work/lookup/deployment.yaml" apps/v1 Deployment "$any_name" d <<'Y'
spec:
  replicas: {{ (lookupCR "v1" "ConfigMap" "d" "settings").data.replicas | default 7 }}
Y
template "$work/lookup/settings.yaml" v1 ConfigMap settings d <<'Y'
data:
  replicas: "{{ len (lookupCRs "apps/v1" "Deployment" "*" "*") }}"
Y
control load "$(replicas worker 4)"
compare -r "$work/lookup/metadata.yaml"
ends_with 1 "templates that look objects up"
says out "Cluster CR: apps/v1_Deployment_d_worker"
says out "-  replicas: 3"
silent out "Cluster CR: apps/v1_Deployment_d_web"
says out '-  replicas: "2"'
api DELETE /apis/apps/v1/namespaces/d/deployments/worker

reference "$work/pages" anyOf configmap.yaml+
template "$work/pages/configmap.yaml" v1 ConfigMap "$any_name" many <<'Y'
data:
  v: "{{ mod (len (toString .metadata.name)) 2 }}"
Y
control generate '{"resource":"configmaps","namespace":"many","count":1234,
	"object":{"apiVersion":"v1","kind":"ConfigMap","data":{"v":"1"}}}'
pages() { stats | jq '[.requests[] | select(.verb == "list" and .resource == "configmaps") | .count] | add'; }
before=$(pages)
compare -r "$work/pages/metadata.yaml" --concurrency 1
ends_with 1 "more objects than fit a page"
says out "CRs with diffs: 1234/1234"
check "they came in three pages: $before, $(pages)" test $(($(pages) - before)) = 3
cp "$work/out" "$work/out.1"
compare -r "$work/pages/metadata.yaml" --concurrency 8
check "eight threads report the same bytes" cmp "$work/out" "$work/out.1"
for format in json yaml; do
	compare -r "$work/pages/metadata.yaml" --concurrency 1 -o $format
	cp "$work/out" "$work/out.1"
	compare -r "$work/pages/metadata.yaml" --concurrency 8 -o $format
	check "eight threads report the same $format" cmp "$work/out" "$work/out.1"
done
check "the list can be read: $(jq -c .Summary.TotalCRs "$work/out" 2>&1)" grep -q 1234 "$work/out"

# On a terminal it says how far it is, once it takes long, and leaves no trace of it.
if command -v script >/dev/null; then
	control fault '{"action":"stall","seconds":2,"resource":"configmaps","verb":"list","count":1}'
	NO_COLOR=1 script -qec "'$bin/driftd' compare -r '$work/pages/metadata.yaml' >'$work/out'" /dev/null >"$work/err" </dev/null || true
	check "progress: $(cat -v "$work/err")" grep -q $'\rlisted [0-9]* objects.*\r\033\[K$' "$work/err"
	says out "CRs with diffs: 1234/1234"
else
	echo "no script(1): progress was not looked at"
fi

# ---- differences, missing objects ----

control load "$(replicas web 5)"
compare -r "$ref/metadata.yaml"
ends_with 1 "a difference"
says out "+  replicas: 5"
sed 's/anyOf/allOf/' "$ref/metadata.yaml" >"$ref/required.yaml"
control load "$(replicas web 3)"
compare -r "$ref/required.yaml"
ends_with 0 "a required object that exists"
api DELETE /apis/apps/v1/namespaces/d/deployments/web
compare -r "$ref/required.yaml"
ends_with 1 "a required object that is missing"
says out "Missing CRs"
control load "$(replicas web 3)"

# ---- the flags of the connection ----

curl_ca=$work/tls/ca.crt
compare --context nosuch -r "$ref/metadata.yaml"
ends_with 2 "a context that does not exist"
says err "error: kubeconfig: context 'nosuch' does not exist"
compare --kubeconfig "$work/nosuch" -r "$ref/metadata.yaml"
ends_with 2 "a kubeconfig that does not exist"
says err "error: "
cat >"$work/two" <<Y
apiVersion: v1
kind: Config
current-context: wrong
clusters:
  - {name: wrong, cluster: {server: "https://127.0.0.1:1"}}
  - {name: right, cluster: {server: "$server", certificate-authority: tls/ca.crt}}
users:
  - {name: wrong, user: {token: nonsense}}
  - {name: right, user: {token: $token}}
contexts:
  - {name: wrong, context: {cluster: wrong, user: wrong, namespace: elsewhere}}
  - {name: right, context: {cluster: right, user: right, namespace: elsewhere}}
  - {name: half, context: {cluster: right, user: wrong}}
Y
compare --kubeconfig "$work/two" --context right -r "$ref/required.yaml"
ends_with 0 "another context; its namespace does not narrow the list"
compare --kubeconfig "$work/two" --context right -n nowhere -r "$ref/required.yaml"
ends_with 0 "--namespace does not narrow the list"
compare --kubeconfig "$work/two" --cluster right --user right -r "$ref/required.yaml"
ends_with 0 "--cluster and --user"
compare --kubeconfig "$work/two" --cluster nosuch -r "$ref/required.yaml"
ends_with 2 "--cluster without such a cluster"
says err 'error: cluster "nosuch" does not exist'
compare --kubeconfig "$work/two" --context half -r "$ref/required.yaml"
ends_with 2 "a token that is refused"
says err "401 Unauthorized"
compare --kubeconfig "$work/two" --context half --token "$token" -r "$ref/required.yaml"
ends_with 0 "--token wins"
compare --kubeconfig "$work/two" --context wrong --server "$server" --certificate-authority "$curl_ca" --token "$token" \
	-r "$ref/required.yaml"
ends_with 0 "--server and --certificate-authority win"
compare --kubeconfig "$work/two" --context wrong -s "${server#https://}" --insecure-skip-tls-verify --token "$token" -r "$ref/required.yaml"
ends_with 0 "--insecure-skip-tls-verify, and an address without scheme"
compare --kubeconfig "$work/two" --context right --insecure-skip-tls-verify -r "$ref/required.yaml"
ends_with 0 "--insecure-skip-tls-verify takes the place of a certificate authority"
check "nothing is said about it" test ! -s "$work/err"
compare --kubeconfig "$work/two" --insecure-skip-tls-verify --certificate-authority "$curl_ca" -r "$ref/required.yaml"
ends_with 2 "flags that exclude each other"
compare --kubeconfig "$work/two" --context wrong --server "$server" --token "$token" -r "$ref/required.yaml"
ends_with 2 "a server that nobody vouches for"
says err "error: failed to get clusters resource types: "
KUBECONFIG='' compare -s "$server" --certificate-authority "$curl_ca" --token "$token" -r "$ref/required.yaml"
ends_with 0 "no kubeconfig at all, but flags"
KUBECONFIG='' compare -r "$ref/required.yaml"
ends_with 2 "no kubeconfig at all"
says err "error: no kubeconfig"
KUBECONFIG=$work/nosuch:$work/two compare --context right -r "$ref/required.yaml"
ends_with 0 "a list of kubeconfigs"
says err "nosuch"
compare --as-group g -r "$ref/required.yaml"
ends_with 2 "a group to impersonate without a user"
compare --request-timeout=nonsense -r "$ref/required.yaml"
ends_with 2 "a time limit that is none"
says err "error: Invalid timeout value"
compare --request-timeout=0 -r "$ref/required.yaml"
ends_with 0 "no time limit"

# ---- what the server is asked, and an old server ----

start old python3 "$here/data/old_server.py" "$work/requests.jsonl"
wait_until 10 "the old server" grep -q port "$work/old.log"
old=http://127.0.0.1:$(awk '/port/ {print $2}' "$work/old.log")
KUBECONFIG='' compare -s "$old" --token secret --as jane --as-uid 7 --as-group dev --as-group ops -r "$ref/required.yaml"
ends_with 0 "a server without aggregated discovery, over HTTP"
asked() { jq -es "[.[] | select(.path | test(\"deployments\"))] | length > 0 and all(.headers | $1)" "$work/requests.jsonl"; }
check "who is impersonated: $(cat "$work/requests.jsonl")" asked '.["Impersonate-User"] == "jane" and .["Impersonate-Uid"] == "7"'
check "the user agent" asked '.["User-Agent"] | startswith("driftd/")'
check "a version that cannot be listed is not asked for" test -z "$(grep v1beta1/deployments "$work/requests.jsonl")"
check "the groups" grep -q 'Impersonate-Group": "\(dev\|ops\)' "$work/requests.jsonl"

# ---- a server that refuses, stalls, is gone ----

cp "$ref/deployment.yaml" "$work/lookup/deployment.yaml"
template "$work/lookup/settings.yaml" v1 ConfigMap settings d <<<'data: {replicas: "3"}'
control fault '{"status":403,"resource":"configmaps","verb":"list","count":-1,"message":"configmaps is forbidden: User cannot list"}'
compare -r "$work/lookup/metadata.yaml" -v
ends_with 2 "a kind that is forbidden"
says err "error: error occurred while trying to fetch resources: list ConfigMap (v1): "
says err "configmaps is forbidden: User cannot list"
says out "Cluster CR: apps/v1_Deployment_d_web"
compare -r "$work/lookup/metadata.yaml" -o json
ends_with 2 "a kind that is forbidden, in JSON"
check "the report says so" jq -e \
	'.Summary.errors[] | .Source == "ConfigMap (v1)" and (.message | test("configmaps is forbidden"))' "$work/out"
control fault '{"status":403,"resource":"deployments","verb":"list","count":-1,"message":"deployments is forbidden"}'
compare -r "$work/lookup/metadata.yaml" -o json
ends_with 2 "all kinds are forbidden"
says err "list ConfigMap (v1): "
says err "deployments is forbidden"
check "a cluster of which nothing can be read has no missing objects" test ! -s "$work/out"
control reset '{}'
control load "$(settings 3)"
control load "$(replicas web 3)"
control fault '{"status":500,"resource":"configmaps","verb":"list","count":-1}'
compare -r "$work/lookup/metadata.yaml" -v
ends_with 2 "a kind that fails"
says out "Cluster CR: apps/v1_Deployment_d_web"
control reset '{}'
control load "$(settings 3)"
control load "$(replicas web 3)"
control fault '{"status":429,"resource":"configmaps","verb":"list","count":2,"retryAfter":1}'
compare -r "$work/lookup/metadata.yaml"
ends_with 0 "a server that asks to wait"
control fault '{"status":401,"path":"/apis","count":1}'
compare -r "$work/lookup/metadata.yaml"
ends_with 2 "a server that wants other credentials"
says err "error: failed to get clusters resource types: "
says err "401 Unauthorized"
check "one line is enough: $(cat "$work/err")" test "$(wc -l <"$work/err")" = 1
control fault '{"action":"stall","seconds":20,"resource":"configmaps","verb":"list","count":1}'
begin=$SECONDS
compare --request-timeout 1s -r "$work/lookup/metadata.yaml"
ends_with 2 "a server that does not answer in time"
check "the time limit holds" test $((SECONDS - begin)) -lt 6
control fault '{"action":"stall","seconds":20,"path":"/api","count":2}'
begin=$SECONDS
compare --request-timeout 1s -r "$work/lookup/metadata.yaml"
ends_with 2 "a server that does not even name its kinds"
check "the time limit holds there too" test $((SECONDS - begin)) -lt 6

# ---- names of the program ----

mkdir "$work/path"
for name in kubectl-cluster_compare kubectl-driftd oc-cluster_compare oc-driftd; do
	ln -s "$bin/driftd" "$work/path/$name"
	program=("$work/path/$name")
	compare -r "$ref/required.yaml"
	ends_with 0 "called $name"
	compare -r "$ref/required.yaml" compare
	ends_with 2 "called $name with an argument too many"
done
if command -v kubectl >/dev/null; then
	export PATH=$work/path:$PATH
	for name in cluster-compare driftd; do
		program=(kubectl "$name")
		compare -r "$ref/required.yaml"
		ends_with 0 "kubectl $name"
		says out "No CRs are unmatched"
		compare -r "$work/nosuch.yaml"
		ends_with 2 "kubectl $name without a reference"
	done
else
	echo "no kubectl: its plugins were not tried"
fi

stop apisim || true
compare -r "$ref/required.yaml"
ends_with 2 "a server that is down"
says err "error: failed to get clusters resource types: "
check "one line is enough: $(cat "$work/err")" test "$(wc -l <"$work/err")" = 1
stop old || true
