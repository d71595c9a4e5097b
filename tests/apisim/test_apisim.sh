#!/bin/bash
# test_apisim.sh APISIM SECTION: one section of apisim's own test, against a server started for it. Needs curl only.
set -u
shopt -s nocasematch

apisim=$1
section=$2
dir=$(mktemp -d)
server=
failures=0

stop() {
	[ -n "$server" ] || return
	kill -TERM "$server" 2>/dev/null
	wait "$server"
	rc=$?
	if [ "$rc" -ne 0 ]; then
		echo "FAIL: the server ended with status $rc"
		failures=1
	fi
	cat "$dir/err"
	server=
}

finish() {
	stop
	rm -rf "$dir"
	exit $((failures > 0))
}
trap finish EXIT

# start OPTION...: sets $url
start() {
	: >"$dir/out"
	"$apisim" --port 0 "$@" >"$dir/out" 2>"$dir/err" &
	server=$!
	for _ in $(seq 200); do
		url=$(sed -n 's/^apisim: listening on //p' "$dir/out")
		[ -n "$url" ] && return
		sleep 0.05
	done
	echo "FAIL: the server did not start"
	failures=1
	exit
}

# req METHOD PATH [BODY [CONTENT-TYPE]]: sets $code and $body
req() {
	local args=(-s -o "$dir/body" -w '%{http_code}' -X "$1" -A "${agent:-tester/1.0}")

	[ $# -ge 3 ] && args+=(-H "Content-Type: ${4:-application/json}" --data-binary "$3")
	code=$(curl "${args[@]}" "$url$2")
	body=$(cat "$dir/body" 2>/dev/null)
}

# watch FILE QUERY: a watch in the background, its lines in FILE, its process in $watcher
watch() {
	curl -sN "$url$2" >"$dir/$1" &
	watcher=$!
}

# wait_for FILE PATTERN: until the pattern is in the file
wait_for() {
	for _ in $(seq 100); do
		grep -q -e "$2" "$dir/$1" && return
		sleep 0.05
	done
	echo "FAIL: line ${BASH_LINENO[0]}: no '$2' in:"
	cut -c 1-400 "$dir/$1"
	failures=$((failures + 1))
}

# is CODE PATTERN...: of the last answer
is() {
	if [ "$code" != "$1" ]; then
		echo "FAIL: line ${BASH_LINENO[0]}: status $code, expected $1: ${body:0:400}"
		failures=$((failures + 1))
	fi
	shift
	for pattern; do
		case $body in
		*"$pattern"*) ;;
		*)
			echo "FAIL: line ${BASH_LINENO[0]}: no '$pattern' in: ${body:0:1200}"
			failures=$((failures + 1))
			;;
		esac
	done
}

# not PATTERN: is not in the last answer
not() {
	case $body in
	*"$1"*)
		echo "FAIL: line ${BASH_LINENO[0]}: unexpected '$1' in: ${body:0:1200}"
		failures=$((failures + 1))
		;;
	esac
}

# field NAME: the first string value of that name in the last answer
field() {
	printf '%s' "$body" | grep -o "\"$1\":\"[^\"]*\"" | head -1 | cut -d'"' -f4
}

expect() {
	if [ "$1" != "$2" ]; then
		echo "FAIL: line ${BASH_LINENO[0]}: '$1', expected '$2'"
		failures=$((failures + 1))
	fi
}

cm=/api/v1/namespaces/default/configmaps
configmap() {
	local labels="{\"app\":\"${2:-x}\",\"n\":\"$1\"}"
	echo "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"$1\",\"labels\":$labels},\"data\":{\"k\":\"v\"}}"
}

# load N: configmaps c-000 …
load() {
	for i in $(seq -f '%03g' 0 $(($1 - 1))); do configmap "c-$i"; done >"$dir/objects"
	code=$(curl -s -o "$dir/body" -w '%{http_code}' --cacert "$dir/tls/ca.crt" --data-binary "@$dir/objects" "$url/_apisim/load")
	body=$(cat "$dir/body")
}

# fault COMMAND, fault_refused COMMAND
fault_status() { curl -s -o /dev/null -w '%{http_code}' --cacert "$dir/tls/ca.crt" -d "$1" "$url/_apisim/fault"; }
fault() { expect "$1: $(fault_status "$1")" "$1: 200"; }
fault_refused() { expect "$1: $(fault_status "$1")" "$1: 400"; }

case $section in
tls)
	start --tls-dir "$dir/tls" --require-client-cert --kubeconfig-out "$dir/kubeconfig"
	ca=(--cacert "$dir/tls/ca.crt")
	cert=(--cert "$dir/tls/client.crt" --key "$dir/tls/client.key")
	port=${url##*:}
	expect "$(curl -s "${ca[@]}" "${cert[@]}" -o /dev/null -w '%{http_code}' "$url/api/v1/pods")" 200
	expect "$(curl -s "${ca[@]}" "${cert[@]}" -o /dev/null -w '%{http_code}' "https://localhost:$port/api/v1/pods")" 200
	expect "$(curl -s "${ca[@]}" -o /dev/null -w '%{http_code}' "$url/api/v1/pods")" 401
	curl -s -o /dev/null "$url/version"
	expect $? 60
	grep -q 'certificate-authority-data: LS0t' "$dir/kubeconfig" && grep -q client-key-data "$dir/kubeconfig"
	expect $? 0
	;;
token)
	start --token s3cret --kubeconfig-out "$dir/kubeconfig"
	req GET /api/v1/pods
	is 401 '"reason":"Unauthorized"' '"code":401' '"kind":"Status"'
	expect "$(curl -s -H 'Authorization: Bearer s3cret' -o /dev/null -w '%{http_code}' "$url/api/v1/pods")" 200
	expect "$(curl -s -H 'Authorization: Bearer wrong' -o /dev/null -w '%{http_code}' "$url/api/v1/pods")" 401
	for path in /version /healthz /readyz /livez; do
		req GET $path
		is 200
	done
	grep -q 'token: "s3cret"' "$dir/kubeconfig"
	expect $? 0
	;;
discovery)
	start
	req GET /api
	is 200 '"kind":"APIVersions"'
	req GET /apis
	is 200 '"kind":"APIGroupList"' '"name":"apps"'
	req GET /apis/apps
	is 200 '"kind":"APIGroup"' '"preferredVersion":{"groupVersion":"apps/v1"'
	req GET /apis/apps/v1
	is 200 '"name":"deployments"' '"name":"deployments/status"' '"shortNames":["deploy"]'
	req GET /api/v1
	is 200 '"name":"pods"'
	req GET /apis/none/v1
	is 404
	body=$(curl -s -H 'Accept: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json' "$url/apis")
	code=200
	is 200 '"kind":"APIGroupDiscoveryList"' '"apiVersion":"apidiscovery.k8s.io/v2"' '"resource":"deployments"' '"freshness":"Current"'
	;;
pages)
	start --gzip-min 100
	load 25
	is 200 '"loaded":25'
	req GET "$cm?limit=10"
	is 200 '"remainingItemCount":15' '"name":"c-009"'
	not '"name":"c-010"'
	not '"kind":"ConfigMap",'
	token=$(field continue)
	version=$(field resourceVersion)
	# What happens between two pages is not seen.
	req DELETE "$cm/c-012"
	req POST "$cm" "$(configmap c-0125)"
	is 201
	req GET "$cm?limit=10&continue=$token"
	is 200 '"name":"c-012"' '"name":"c-019"' '"remainingItemCount":5' "\"resourceVersion\":\"$version\""
	not c-0125
	req GET "$cm?limit=10&continue=$(field continue)"
	is 200 '"name":"c-024"'
	not remainingItemCount
	not '"continue"'
	req GET "$cm?resourceVersion=$version&resourceVersionMatch=Exact"
	is 200 '"name":"c-012"'
	req GET "$cm?resourceVersion=99999999"
	is 504 '"reason":"Timeout"' ResourceVersionTooLarge
	req GET "$cm?continue=nonsense"
	is 400
	req POST /_apisim/fault '{"action":"forget-continue"}'
	req GET "$cm?limit=10&continue=$token"
	is 410 '"reason":"Expired"' '"continue":"'
	req GET "$cm?limit=10&continue=$(field continue)"
	is 200 c-0125
	expect "$(curl -s -H 'Accept-Encoding: gzip' "$url$cm" | gzip -dc | tr ',' '\n' | grep -c '"name":"c-0')" 25
	;;
selectors)
	start
	req POST $cm "$(configmap a red)"
	req POST $cm "$(configmap b blue)"
	req POST $cm '{"metadata":{"name":"c"}}'
	for pair in 'app=red:a' 'app==red:a' 'app!=red:bc' 'app in (red,blue):ab' 'app notin (red):bc' 'app:ab' '!app:c' \
		'app,n!=a:b'; do
		body=$(curl -s -G --data-urlencode "labelSelector=${pair%:*}" "$url$cm" | grep -o '"name":"[a-c]"' | cut -d'"' -f4 | tr -d '\n')
		expect "${pair%:*}:$body" "$pair"
	done
	req GET "$cm?fieldSelector=metadata.name%3Db"
	is 200 '"name":"b"'
	not '"name":"a"'
	req POST /api/v1/namespaces/default/secrets '{"metadata":{"name":"s"},"type":"helm.sh/release.v1"}'
	req POST /api/v1/namespaces/default/secrets '{"metadata":{"name":"t"},"type":"Opaque"}'
	req GET "/api/v1/secrets?fieldSelector=type%3Dhelm.sh%2Frelease.v1"
	is 200 '"name":"s"'
	not '"name":"t"'
	req GET "$cm?fieldSelector=spec.nodeName%3Db"
	is 400 'field label not supported'
	req GET "$cm?labelSelector=a%20b%20c"
	is 400 'unable to parse'
	;;
watch)
	start
	load 3
	req GET "$cm"
	version=$(field resourceVersion)
	req PATCH "$cm/c-000" '{"data":{"k":"2"}}' application/merge-patch+json
	watch w "$cm?watch=1&resourceVersion=$version"
	wait_for w '"type":"MODIFIED".*"name":"c-000"'
	req POST $cm "$(configmap new)"
	wait_for w '"type":"ADDED".*"name":"new"'
	req DELETE "$cm/new"
	wait_for w '"type":"DELETED".*"name":"new"'
	# A selector turns changes of a label into ADDED and DELETED.
	watch s "$cm?watch=1&resourceVersion=$version&labelSelector=app%3Dsel"
	sleep 0.2
	req PATCH "$cm/c-001" '{"metadata":{"labels":{"app":"sel"}}}' application/merge-patch+json
	wait_for s '"type":"ADDED".*"name":"c-001"'
	req PATCH "$cm/c-001" '{"metadata":{"labels":{"app":"x"}}}' application/merge-patch+json
	wait_for s '"type":"DELETED".*"name":"c-001".*"app":"sel"'
	# Without a version the objects come first; an orderly end is one.
	body=$(curl -sN "$url$cm?watch=1&timeoutSeconds=1")
	expect "$? $(printf '%s\n' "$body" | grep -c '"type":"ADDED"')" '0 3'
	req GET /_apisim/stats
	is 200 '"openWatches":2' '"verb":"watch","resource":"configmaps","count":3'
	kill $watcher
	sleep 0.7
	req GET /_apisim/stats
	is 200 '"openWatches":1'
	;;
expired)
	start --watch-cache 4
	load 10
	body=$(curl -sN -w '%{http_code}' "$url$cm?watch=1&resourceVersion=2")
	code=410
	is 410 '"type":"ERROR"' '"reason":"Expired"' '"code":410' 'too old resource version' 200
	req GET "$cm"
	version=$(field resourceVersion)
	req POST /_apisim/fault '{"action":"expire","http":true}'
	req GET "$cm?watch=1&resourceVersion=$version"
	is 410 '"reason":"Expired"'
	;;
bookmarks)
	start --bookmark-interval 200
	watch w "$cm?watch=1&allowWatchBookmarks=true&resourceVersion=0"
	wait_for w '"type":"BOOKMARK".*"kind":"ConfigMap".*"resourceVersion":"4"'
	req POST /api/v1/namespaces '{"metadata":{"name":"other"}}'
	wait_for w '"type":"BOOKMARK".*"resourceVersion":"5"'
	body=$(curl -sN "$url$cm?watch=1&timeoutSeconds=1&resourceVersion=0")
	code=200
	not BOOKMARK
	;;
watchlist)
	start
	load 3
	query="watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
	watch w "$cm?$query"
	wait_for w 'k8s.io/initial-events-end":"true"'
	expect "$(grep -c '"type":"ADDED"' "$dir/w")" 3
	expect "$(tail -1 "$dir/w" | grep -c BOOKMARK)" 1
	req DELETE $cm/c-000
	wait_for w '"type":"DELETED"'
	req GET "$cm?watch=1&sendInitialEvents=true"
	is 422 '"reason":"Invalid"'
	kill -TERM "$server"
	wait "$server"
	expect $? 0
	start --no-watch-list
	req GET "$cm?$query"
	is 422 sendInitialEvents
	;;
write)
	start
	req POST $cm "$(configmap a)"
	is 201 '"uid":"' '"creationTimestamp":"' '"namespace":"default"'
	req POST $cm "$(configmap a)"
	is 409 '"reason":"AlreadyExists"' 'configmaps \"a\" already exists'
	req POST $cm '{"metadata":{}}'
	is 422 '"reason":"Invalid"'
	req POST $cm '{"metadata":{"generateName":"gen-"}}'
	is 201 '"name":"gen-'
	req POST /api/v1/namespaces/missing/configmaps "$(configmap a)"
	is 404 'namespaces \"missing\" not found'
	req POST $cm 'not json'
	is 400 '"reason":"BadRequest"'
	req GET $cm/a
	before=$body
	req PUT $cm/a "${before/\"v\"/\"w\"}"
	is 200 '"k":"w"'
	req PUT $cm/a "${before/\"v\"/\"z\"}"
	is 409 '"reason":"Conflict"' 'Operation cannot be fulfilled on configmaps \"a\"'
	req GET $cm/a
	version=$(field resourceVersion)
	req PUT $cm/a "$body"
	is 200 "\"resourceVersion\":\"$version\""
	req GET $cm/none
	is 404 '"reason":"NotFound"' 'configmaps \"none\" not found' '"details":{"name":"none","kind":"configmaps"}'
	deploy=/apis/apps/v1/namespaces/default/deployments
	req POST $deploy '{"metadata":{"name":"d"},"spec":{"replicas":1},"status":{"replicas":9}}'
	is 201 '"generation":1'
	not '"status"'
	req PATCH $deploy/d '{"spec":{"replicas":2}}' application/merge-patch+json
	is 200 '"generation":2'
	req PATCH $deploy/d/status '{"status":{"replicas":2},"spec":{"replicas":7}}' application/merge-patch+json
	is 200 '"status":{"replicas":2}' '"spec":{"replicas":2}' '"generation":2' '"subresource":"status"'
	req PATCH $deploy/d '{"metadata":{"finalizers":["a/b"]}}' application/merge-patch+json
	req DELETE $deploy/d
	is 200 '"deletionTimestamp"'
	req PATCH $deploy/d '{"metadata":{"finalizers":null}}' application/merge-patch+json
	req GET $deploy/d
	is 404 'deployments.apps \"d\" not found' '"group":"apps"'
	req DELETE "$cm?labelSelector=app%3Dx"
	is 200 '"status":"Success"'
	req GET $cm
	is 200 '"name":"gen-'
	not '"name":"a"'
	req DELETE /api/v1/namespaces/default
	is 200
	req GET $cm
	not '"name":"gen-'
	;;
patch)
	start
	pods=/api/v1/namespaces/default/pods
	req POST $pods '{"metadata":{"name":"p"},"spec":{"containers":[{"name":"a","image":"1"},{"name":"b","image":"1"}]}}'
	req PATCH $pods/p '{"spec":{"containers":[{"name":"b","image":"2"},{"name":"c","image":"3"}]}}' application/strategic-merge-patch+json
	is 200 '"containers":[{"name":"a","image":"1"},{"name":"b","image":"2"},{"name":"c","image":"3"}]'
	req PATCH $pods/p '{"spec":{"containers":[{"name":"a","$patch":"delete"}],"$setElementOrder/containers":[{"name":"b"}]}}' \
		application/strategic-merge-patch+json
	is 200 '"containers":[{"name":"b","image":"2"},{"name":"c","image":"3"}]'
	req PATCH $pods/p '{"spec":{"containers":[{"name":"z"}],"x":null}}' application/merge-patch+json
	is 200 '"containers":[{"name":"z"}]'
	json=application/json-patch+json
	req PATCH $pods/p '[{"op":"add","path":"/spec/containers/-","value":{"name":"y"}},
		{"op":"test","path":"/spec/containers/1/name","value":"y"},
		{"op":"add","path":"/metadata/annotations","value":{"a/b":"1"}}]' $json
	is 200 '"containers":[{"name":"z"},{"name":"y"}]' '"annotations":{"a/b":"1"}'
	req PATCH $pods/p '[{"op":"replace","path":"/metadata/annotations/a~1b","value":"2"},
		{"op":"copy","from":"/metadata/annotations/a~1b","path":"/metadata/annotations/c"},
		{"op":"move","from":"/spec/containers/1","path":"/spec/containers/0"}]' $json
	is 200 '"containers":[{"name":"y"},{"name":"z"}]' '"annotations":{"a/b":"2","c":"2"}'
	req PATCH $pods/p '[{"op":"remove","path":"/metadata/annotations"}]' $json
	is 200
	not annotations\":
	req PATCH $pods/p '[{"op":"test","path":"/metadata/name","value":"q"}]' $json
	is 422 '"reason":"Invalid"'
	req PATCH $pods/p '[{"op":"remove","path":"/spec/none"}]' $json
	is 422
	req PATCH $pods/p '{"metadata":{"resourceVersion":"1"}}' application/merge-patch+json
	is 409
	req PATCH $pods/p 'a: b' application/apply-patch+yaml
	is 415 '"reason":"UnsupportedMediaType"'
	;;
crd)
	start
	widgets=/apis/example.com/v1/namespaces/default/widgets
	req GET $widgets
	is 404
	req POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions '{"metadata":{"name":"widgets.example.com"},"spec":{
		"group":"example.com","scope":"Namespaced","names":{"plural":"widgets","kind":"Widget","shortNames":["wd"]},
		"versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}}},
		{"name":"v1beta1","served":true,"storage":false},{"name":"v0","served":false,"storage":false}]}}'
	is 201 '"type":"Established","status":"True"' '"singular":"widget"'
	req GET /apis/example.com/v1
	is 200 '"name":"widgets"' '"name":"widgets/status"' '"shortNames":["wd"]'
	req GET /apis/example.com/v0
	is 404
	watch w "$widgets?watch=1"
	req POST $widgets '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"size":1}}'
	is 201 '"generation":1'
	req GET /apis/example.com/v1beta1/widgets
	is 200 '"apiVersion":"example.com/v1beta1","kind":"Widget","metadata":{"name":"a"' '"kind":"WidgetList"'
	req PUT $widgets/a '{"metadata":{"name":"a"},"spec":{"size":2}}'
	is 422 'must be specified for an update'
	req PATCH $widgets/a '{"spec":{"size":2}}' application/strategic-merge-patch+json
	is 415
	req PATCH $widgets/a '{"spec":{"size":2}}' application/merge-patch+json
	is 200 '"generation":2'
	wait_for w '"type":"MODIFIED"'
	req DELETE /apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com
	is 200
	wait_for w '"type":"DELETED"'
	wait $watcher
	expect $? 0
	req GET $widgets
	is 404
	;;
managed)
	start
	deploy=/apis/apps/v1/namespaces/default/deployments
	agent='creator/1.0 (linux)'
	req POST $deploy '{"metadata":{"name":"d"},"spec":{"replicas":1,
		"template":{"spec":{"containers":[{"name":"c","image":"1","args":["a"]}]}}}}'
	is 201 '"manager":"creator","operation":"Update","apiVersion":"apps/v1"' '"f:replicas":{}' \
		'"k:{\"name\":\"c\"}":{".":{},"f:name":{},"f:image":{},"f:args":{}}'
	req PATCH "$deploy/d?fieldManager=scaler" '{"spec":{"replicas":5}}' application/merge-patch+json
	is 200 '"manager":"scaler"' '"fieldsV1":{"f:spec":{"f:replicas":{}}}'
	expect "$(printf '%s' "$body" | grep -o 'f:replicas' | wc -l)" 1
	req PATCH "$deploy/d?fieldManager=third" '{"spec":{"template":{"spec":{"containers":[{"name":"c","image":"2"}]}}}}' \
		application/strategic-merge-patch+json
	is 200 '"fieldsV1":{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{"f:image":{}}}}}}}'
	expect "$(printf '%s' "$body" | grep -o 'f:image' | wc -l)" 1
	req PATCH "$deploy/d?fieldManager=scaler" '{"spec":{"replicas":null}}' application/merge-patch+json
	is 200
	not '"manager":"scaler"'
	not f:replicas
	req PATCH "$deploy/d/status?fieldManager=controller" '{"status":{"replicas":1}}' application/merge-patch+json
	is 200 '"manager":"controller"' '"subresource":"status"' '"f:status":{"f:replicas":{}}'
	;;
faults)
	start
	req POST /_apisim/fault '{"path":"/api/v1/pods","verb":"list","count":2,"status":503,"retryAfter":7}'
	is 200
	req GET /api/v1/pods
	is 503 '"reason":"ServiceUnavailable"' '"retryAfterSeconds":7'
	expect "$(curl -s -D - -o /dev/null "$url/api/v1/pods" | tr -d '\r' | sed -n 's/^Retry-After: //p')" 7
	req GET /api/v1/pods
	is 200
	req POST /_apisim/fault '{"action":"too-large-resource-version"}'
	req GET /api/v1/pods
	is 504 ResourceVersionTooLarge
	req POST /_apisim/fault '{"resource":"secrets","verb":"list","count":-1,"status":403}'
	req POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews '{"spec":{"resourceAttributes":{"verb":"list","resource":"secrets"}}}'
	is 201 '"allowed":false'
	req POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews '{"spec":{"resourceAttributes":{"verb":"list","resource":"pods"}}}'
	is 201 '"allowed":true'
	req POST /_apisim/fault '{"action":"drop"}'
	curl -s "$url/api/v1/pods"
	expect $? 52
	req POST /_apisim/fault '{"action":"stall","seconds":0.5,"count":1}'
	expect "$(curl -s -m 0.2 -o /dev/null -w '%{http_code}' "$url/api/v1/pods")" 000
	req POST /_apisim/fault '{"action":"stall","seconds":0.2,"count":1}'
	expect "$(curl -s -m 5 -o /dev/null -w '%{http_code}' "$url/api/v1/pods")" 200
	watch w "$cm?watch=1"
	sleep 0.2
	req POST /_apisim/fault '{"action":"garbage"}'
	wait_for w garbage
	req POST /_apisim/fault '{"action":"huge","bytes":300000}'
	wait_for w 'apisim-huge.*x"}}}}$'
	req POST /_apisim/fault '{"action":"stall","seconds":1}'
	req POST $cm "$(configmap late)"
	sleep 0.3
	grep -q late "$dir/w" && expect late stalled
	wait_for w late
	req POST /_apisim/fault '{"action":"truncate"}'
	wait $watcher
	expect $? 18
	watch v "$cm?watch=1"
	sleep 0.2
	req POST /_apisim/fault '{"action":"close-watches","resource":"pods"}'
	req GET /_apisim/stats
	is 200 '"openWatches":1'
	req POST /_apisim/fault '{"action":"close-watches","resource":"configmaps"}'
	wait $watcher
	expect $? 0
	req POST /_apisim/fault '{"action":"nonsense"}'
	is 400
	req POST /_apisim/fault '{"resource":"x","status":500,"count":-1}'
	req POST /_apisim/reset
	is 200
	req GET $cm
	is 200
	not late
	;;
answers)
	start
	fault '{"path":"/api/v1/pods","status":404,"body":"404 page not found\n"}'
	req GET /api/v1/pods
	is 404 '404 page not found'
	not Status
	req GET /api/v1/pods
	is 200
	fault '{"resource":"pods","verb":"list","for":30,"status":200,"body":"<html>sign in</html>","contentType":"text/html"}'
	for _ in 1 2 3; do
		expect "$(curl -s -w ' %{http_code} %{content_type}' "$url/api/v1/pods")" '<html>sign in</html> 200 text/html'
	done
	req GET $cm
	is 200
	fault '{"action":"recover"}'
	req GET /api/v1/pods
	is 200 '"kind":"PodList"'
	fault '{"status":302,"body":"","location":"https://user:pw@elsewhere.example/login?token=x"}'
	expect "$(curl -s -o /dev/null -w '%{http_code} %{redirect_url}' "$url/api/v1/pods")" \
		'302 https://user:pw@elsewhere.example/login?token=x'
	fault '{"status":200,"body":"","retryAfter":3}'
	expect "$(curl -s -w '%{http_code} %{size_download} %header{retry-after}' "$url/api/v1/pods")" '200 0 3'
	# A rule of some seconds ends by itself.
	fault '{"status":503,"for":0.3}'
	req GET $cm
	is 503
	sleep 0.4
	req GET $cm
	is 200
	fault_refused '{"status":99,"body":"x"}'
	;;
cuts)
	for tls in '' --tls-dir; do
		stop
		start ${tls:+$tls "$dir/tls"}
		curl=(curl -s ${tls:+--cacert "$dir/tls/ca.crt"})
		load 20
		whole=$("${curl[@]}" "$url$cm" | wc -c)
		# cut HOW CURL-STATUS: what curl says of a list of which 1000 bytes came
		cut() {
			fault "{\"action\":\"body\",\"cut\":\"$1\",\"bytes\":1000,\"resource\":\"configmaps\"}"
			expect "$1 $("${curl[@]}" "$url$cm" | wc -c) ${PIPESTATUS[0]}" "$1 1000 0"
			fault "{\"action\":\"body\",\"cut\":\"$1\",\"bytes\":1000,\"resource\":\"configmaps\"}"
			"${curl[@]}" -o "$dir/cut" "$url$cm"
			expect "$1 $?" "$1 $2"
		}
		cut end 0
		cut close 0
		cut fin 18
		cut rst 56
		# The connection of a watch, after its first bytes.
		fault '{"action":"body","cut":"fin","bytes":50,"verb":"watch"}'
		expect "$("${curl[@]}" "$url$cm?watch=1" | wc -c)" 50
		fault '{"action":"body","bytesPerSecond":10000,"resource":"configmaps"}'
		begin=${EPOCHREALTIME/./}
		expect "$("${curl[@]}" "$url$cm" | wc -c)" "$whole"
		expect "slow: $((${EPOCHREALTIME/./} - begin > whole * 70))" 'slow: 1'
		fault '{"action":"body","bytes":1000,"seconds":0.5,"resource":"configmaps"}'
		begin=${EPOCHREALTIME/./}
		expect "$("${curl[@]}" "$url$cm" | wc -c)" "$whole"
		expect "pause: $((${EPOCHREALTIME/./} - begin > 450000))" 'pause: 1'
		# An open watch is cut without a word, or half-way through one.
		"${curl[@]}" -N "$url$cm?watch=1" >"$dir/w" &
		watcher=$!
		wait_for w c-019
		fault '{"action":"reset"}'
		wait $watcher
		expect $? 56
		# A client that leaves in the middle, and an end in the middle: "finish" looks at the status.
		fault '{"action":"body","bytesPerSecond":100,"resource":"configmaps","count":2}'
		"${curl[@]}" -m 0.3 -o /dev/null "$url$cm"
		expect $? 28
		"${curl[@]}" -o /dev/null "$url$cm" &
		sleep 0.2
	done
	fault_refused '{"action":"body","cut":"sideways"}'
	;;
badlists)
	start
	load 20
	req GET "$cm?limit=5"
	good=$body
	fault '{"action":"repeat-continue","resource":"configmaps","count":3}'
	req GET "$cm?limit=5"
	is 200 '"name":"c-004"'
	token=$(field continue)
	for _ in 1 2; do
		req GET "$cm?limit=5&continue=$token"
		is 200 '"name":"c-000"' '"name":"c-004"' "\"continue\":\"$token\""
	done
	req GET "$cm?limit=5&continue=$token"
	is 410 '"reason":"Expired"'
	fault '{"action":"repeat-continue","count":-1}'
	req GET "$cm"
	is 200 '"continue":"' '"name":"c-019"'
	fault '{"action":"recover"}'
	fault '{"action":"endless-list","count":3}'
	req GET "$cm?limit=2"
	is 200 endless-000000000001 endless-000000000002
	token=$(field continue)
	req GET "$cm?limit=2&continue=$token"
	is 200 endless-000000000003 endless-000000000004 '"continue":"'
	not endless-000000000002
	expect "$([ "$token" != "$(field continue)" ]; echo $?)" 0
	req GET "/api/v1/nodes?limit=2"
	is 200 endless-000000000005
	not namespace
	req GET "$cm?limit=2&continue=$token"
	is 410
	fault '{"action":"item","resource":"configmaps","at":1,"text":"{\"metadata\":{}}"}'
	req GET "$cm?limit=5"
	is 200 '"name":"c-000"' ',{"metadata":{}},' '"name":"c-002"'
	not '"name":"c-001"'
	req GET "$cm?limit=5"
	expect "$body" "$good"
	fault_refused '{"action":"item"}'
	;;
badwatches)
	start --bookmark-interval 100
	load 3
	query="watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
	fault '{"action":"ignore-initial-events","resource":"configmaps"}'
	watch w "$cm?$query"
	wait_for w BOOKMARK
	req POST $cm "$(configmap new)"
	wait_for w '"type":"ADDED".*"name":"new"'
	expect "$(grep -c 'initial-events-end\|c-00' "$dir/w")" 0
	fault '{"action":"line","resource":"configmaps","text":"{\"type\":\"ADDED\",\"object\":{\"a\\u0000\":1}}"}'
	wait_for w '^{"type":"ADDED","object":{"a\\u0000":1}}$'
	kill $watcher
	fault '{"action":"no-end-mark","verb":"watch"}'
	watch v "$cm?$query"
	wait_for v BOOKMARK
	wait_for v c-002
	expect "$(grep -c initial-events-end "$dir/v")" 0
	kill $watcher
	watch u "$cm?$query"
	wait_for u initial-events-end
	fault_refused '{"action":"line"}'
	;;
baddiscovery)
	start
	aggregated() { # aggregated PATH: as a client of today asks for it
		body=$(curl -s -H 'Accept: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json' "$url$1")
		code=200
	}
	fault '{"action":"stale","group":"apps","count":2}'
	aggregated /apis
	is 200 '"resource":"deployments"' '"freshness":"Stale"' '"freshness":"Current"'
	expect "$(grep -o '"freshness":"Stale"' <<<"$body" | wc -l)" 1
	aggregated /api
	not Stale
	aggregated /apis
	is 200 Stale
	aggregated /apis
	not Stale
	fault '{"action":"stale","group":"apps","version":"v1","resources":false,"for":30}'
	aggregated /apis
	is 200 '{"version":"v1","resources":[],"freshness":"Stale"}'
	not '"resource":"deployments"'
	fault '{"action":"recover"}'
	fault '{"action":"hide","group":"apps","count":2}'
	aggregated /apis
	is 200 '"name":"batch"'
	not '"name":"apps"'
	req GET /apis
	not '"name":"apps"'
	aggregated /apis
	is 200 '"name":"apps"'
	# The document of one version, and all but the core group.
	fault '{"path":"/apis/apps/v1","verb":"get","status":503,"count":-1}'
	req GET /apis/apps/v1
	is 503
	req GET /apis
	is 200 '"groupVersion":"apps/v1"'
	req GET /apis/apps/v1/deployments
	is 200
	fault '{"path":"/apis","verb":"get","status":500,"count":-1}'
	req GET /apis
	is 500
	req GET /api
	is 200
	;;
initializing)
	echo '{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},"spec":{
		"group":"example.com","scope":"Cluster","names":{"plural":"widgets","kind":"Widget"},
		"versions":[{"name":"v1","served":true,"storage":true}]}}' >"$dir/crd.json"
	start --initializing 1000 --load "$dir/crd.json"
	req GET /apis/example.com/v1/widgets
	is 429 '"reason":"TooManyRequests"' 'storage is (re)initializing' '"retryAfterSeconds":1'
	expect "$(curl -s -o /dev/null -w '%{http_code} %header{retry-after}' "$url/apis/example.com/v1/widgets?watch=1")" '429 1'
	req GET /api/v1/pods
	is 200
	sleep 1.1
	req GET /apis/example.com/v1/widgets
	is 200
	;;
generate)
	start
	watch w "/apis/apps/v1/deployments?watch=1"
	req POST /_apisim/generate '{"resource":"deployments.apps","count":50,"bytes":2000,"seed":7}'
	is 200 '"created":50'
	wait_for w gen-000049
	req POST /_apisim/generate '{"resource":"deployments","rate":2000,"seconds":5,"changes":500,"field":"spec.replicas"}'
	is 200
	for _ in $(seq 100); do
		req GET /_apisim/stats
		[[ $body == *'"generators":0'* && $body == *'"eventsSent":550'* ]] && break
		sleep 0.1
	done
	is 200 '"eventsSent":550' '"deployments.apps":50'
	req POST /_apisim/generate '{"resource":"none"}'
	is 400
	req POST /_apisim/load '[{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","namespace":"new"}},
		{"kind":"ConfigMapList","apiVersion":"v1","items":[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"i"}}]}]'
	is 200 '"loaded":2'
	req GET /api/v1/namespaces/new
	is 200
	req POST /_apisim/load '{"apiVersion":"v9","kind":"What"}'
	is 400
	;;
*)
	echo "unknown section '$section'"
	failures=1
	;;
esac
