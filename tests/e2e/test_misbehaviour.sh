#!/usr/bin/env bash
# What a server, or what stands in front of it, can answer in place of the truth: nothing false is said of any object, the gap says what
# came, and when the server behaves again the gap ends and what changed meanwhile is told once.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"

html='<!DOCTYPE html>\n<html><head><title>Sign in</title></head>\n<body>\n<form>hidden-form</form>\n</body>\n</html>\n'
login='"status":302,"body":"<html>hidden-page","location":"https://me:hidden-pass@login.example.com/in?ticket=hidden-ticket#hidden-part"'

target='(to https://login.example.com/in)'
pvc='list /api/v1/namespaces/default/persistentvolumeclaims'
starts='"status":429,"retryAfter":1,"message":"storage is (re)initializing"'

# The columns: kind and resource, the fault, and what the gap must say ("": it is no gap, and what changes is seen while it lasts; "later":
# nothing may be said while it lasts).
listed() {
	cat <<T
v1 ConfigMap configmaps|"action":"repeat-continue"|list of configmaps: the server repeats the continue token
v1 PersistentVolumeClaim persistentvolumeclaims|$login|$pvc: 302 Found: redirects are not followed $target
v1 Service services|"status":200,"contentType":"text/html","body":"$html"|list of services: 200 OK, but the answer is not JSON (text/html)
v1 Endpoints endpoints|"status":200,"body":""|list of endpoints: 200 OK, but the answer is empty
v1 Pod pods|"action":"body","cut":"end","bytes":200|list of pods: 200 OK, but the answer ends in the middle of a JSON document
v1 LimitRange limitranges|"action":"body","cut":"close","bytes":200|the answer ends in the middle of a JSON document after 200 bytes
v1 ServiceAccount serviceaccounts|"action":"body","cut":"fin","bytes":200|list /api/v1/namespaces/default/serviceaccounts: 
v1 ResourceQuota resourcequotas|"action":"body","cut":"rst","bytes":200|list /api/v1/namespaces/default/resourcequotas: 
apps/v1 Deployment deployments|"status":503,"body":"no healthy upstream"|503 Service Unavailable: no healthy upstream
apps/v1 StatefulSet statefulsets|"action":"drop"|list /apis/apps/v1/namespaces/default/statefulsets: 
apps/v1 DaemonSet daemonsets|$starts|429 Too Many Requests: storage is (re)initializing
apps/v1 ReplicaSet replicasets|"action":"endless-list"|later
batch/v1 Job jobs|"action":"body","bytesPerSecond":100|later
networking.k8s.io/v1 Ingress ingresses|"action":"body","bytes":100,"seconds":2|
T
}
streamed() {
	cat <<T
v1 ConfigMap configmaps|"action":"ignore-initial-events"|
v1 PersistentVolumeClaim persistentvolumeclaims|$login|$pvc: 302 Found: redirects are not followed $target
v1 Service services|"status":200,"contentType":"text/html","body":"$html"|watch of services: 200 OK, but the answer is not JSON
v1 Endpoints endpoints|"status":200,"body":""|watch of endpoints: ended before the end of the initial events
v1 Pod pods|"action":"body","cut":"end","bytes":200|watch of pods: ended in the middle of an initial event, after 200 bytes of it
v1 LimitRange limitranges|"action":"no-end-mark"|
v1 ServiceAccount serviceaccounts|"action":"body","cut":"fin","bytes":200|watch /api/v1/namespaces/default/serviceaccounts: 
v1 ResourceQuota resourcequotas|"action":"body","cut":"rst","bytes":200|watch /api/v1/namespaces/default/resourcequotas: 
apps/v1 Deployment deployments|"status":503,"body":"no healthy upstream"|503 Service Unavailable: no healthy upstream
apps/v1 StatefulSet statefulsets|"action":"drop"|watch /apis/apps/v1/namespaces/default/statefulsets: 
apps/v1 DaemonSet daemonsets|$starts|429 Too Many Requests: storage is (re)initializing
batch/v1 Job jobs|"action":"body","bytesPerSecond":100|later
T
}

each() { # each TABLE COMMAND...: with $version, $kind, $resource, $fault and $text of each row
	local table=$1 names
	shift
	while IFS='|' read -r names fault text; do
		read -r version kind resource <<<"$names"
		"$@"
	done < <($table)
}

labelled() { # labelled KIND STATE: the object of a kind, as JSON
	object "$version" "$kind" watched default | jq -c --arg s "$1" '.metadata.labels = {state: $s}'
}
path() { # of that object
	local root=/api
	[[ $version != */* ]] || root=/apis
	echo "$root/$version/namespaces/default/$resource/watched"
}
label() { [[ $version == */* ]] && echo "$resource.${version%/*}" || echo "$resource"; }

templates=()
add_kind() {
	labelled good >>"$work/objects.json"
	template "$work/reference-$mode/$resource.yaml" "$version" "$kind" watched default <<<'  labels: {state: good}'
	templates+=("$resource.yaml+")
}
break_kind() { # in what reads it, or else nothing could be changed
	local verb
	for verb in list ${stream:+watch}; do control fault "{$fault,\"resource\":\"$(label)\",\"verb\":\"$verb\",\"count\":-1}"; done
}
drift_kind() { api PATCH "$(path)" '{"metadata":{"labels":{"state":"bad"}}}' kubectl-label; }
repair_kind() { api PATCH "$(path)" '{"metadata":{"labels":{"state":"good"}}}' kubectl-label; }

gap_of() { echo ".DRIFTD_KIND == \"$kind\" and (.MESSAGE | startswith(\"gap $1\"))"; } # gap_of begins|ends
told() {
	case $text in
	later) ;;
	'') wait_until 60 "$mode: drift of $kind, whose server is odd but honest" begins ".DRIFTD_KIND == \"$kind\"" ;;
	*) wait_until 60 "$mode: the gap of $kind: $text" begins "$(gap_of begins) and (.MESSAGE | contains($(jq -n --arg t "$text" '$t')))" ;;
	esac
}
not_told() {
	check "$mode: nothing false is said of a $kind" \
		record_count ".DRIFTD_KIND == \"$kind\" and (.DRIFTD_EVENT | IN(\"begin\", \"change\", \"end\")) and
			(.MESSAGE | startswith(\"gap\") | not) and (.DRIFTD_EVENT == \"begin\" and .DRIFTD_ACTUAL == \"\\\"bad\\\"\" | not)" 0
	case $text in
	'') check "$mode: no gap of $kind" record_count "$(gap_of '')" 0 ;;
	later)
		check "$mode: no gap of $kind before its time" \
			record_count "$(gap_of '') and (.MESSAGE | contains(\" has taken 30 s \") | not)" 0
		;;
	esac
}
recovered() {
	wait_until 90 "$mode: drift of $kind that was made meanwhile" begins ".DRIFTD_KIND == \"$kind\" and .DRIFTD_ACTUAL == \"\\\"bad\\\"\""
	case $text in
	'' | later) ;;
	*) wait_until 60 "$mode: the end of the gap of $kind" ends "$(gap_of ends)" ;;
	esac
}
told_once() {
	wait_until 60 "$mode: the end of the drift of $kind" ends ".DRIFTD_KIND == \"$kind\" and (.MESSAGE | startswith(\"drift ends\"))"
	check "$mode: drift of $kind is told once" record_count ".DRIFTD_KIND == \"$kind\" and (.MESSAGE | startswith(\"drift\"))" 2
}

setup() { # setup TABLE [OPTIONS...]: a server with an object of each kind, and a reference that wants them all
	mode=$1
	shift
	mkdir -p "$work/reference-$mode"
	each "$mode" add_kind
	reference "$work/reference-$mode" allOf "${templates[@]}"
	start_apisim --load "$work/objects.json" "$@"
	configure "$work/reference-$mode"
}

misbehave() {
	each "$mode" drift_kind
	each "$mode" told
	each "$mode" not_told
	check "$mode: no component is called unsatisfied" record_count '.MESSAGE | startswith("component")' 0
	control fault '{"action":"recover"}'
	each "$mode" recovered
	each "$mode" repair_kind
	each "$mode" told_once
	check "$mode: no component was called unsatisfied" record_count '.MESSAGE | startswith("component")' 0
	check "$mode: no gap is left" metric_is "driftd_watch_gaps_current{kube_cluster=\"$cluster\"}" 0
	no_secret hidden- -- "$work/records" -- "$work/driftd.err.log"
	stop driftd || fail "driftd did not end cleanly"
	stop apisim || fail "the simulator did not end cleanly"
}

in_pages() { # broken while all was well
	setup listed --no-watch-list
	stream=
	start_driftd_ready
	each listed break_kind
	control fault '{"action":"expire"}'
	control fault '{"action":"close-watches"}'
	misbehave
}
in_streams() { # broken from the start
	setup streamed
	stream=1
	each streamed break_kind
	start_driftd
	misbehave
}
aside pages in_pages
aside streams in_streams
join_parts
