#!/usr/bin/env bash
# Fifty releases on a real API server: what somebody changes by hand with kubectl is told once, with its place, its writer and its release;
# installations, upgrades, rollbacks and what is forged are no drift. No helm is run: its Secrets and objects are written over REST in its
# order. test_helm_releases_apiserver.sh [modern]: see control_plane.sh.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/control_plane.sh"
for tool in jq kubectl; do command -v $tool >/dev/null || skip "no $tool"; done

spaces=(team0 team1 team2 team3 team4)
releases() { for n in $(seq "${1:-0}" "${2:-49}"); do printf 'team%d app%02d\n' $((n % 5)) "$n"; done; } # releases [FIRST [LAST]]
# objects RELEASE VERSION: of its manifest, one a line
objects() {
	jq -nc --arg name "$1" --arg version "$2" '{app: $name} as $labels | {name: $name, labels: $labels} as $metadata |
		{apiVersion: "v1", kind: "ConfigMap", $metadata, data: {version: $version, greeting: "hello"}},
		{apiVersion: "v1", kind: "Secret", $metadata, data: {password: ("CanaryOfRelease" + $version | @base64)}},
		{apiVersion: "v1", kind: "Service", $metadata, spec: {selector: $labels, ports: [{port: 80, targetPort: 8080}]}},
		{apiVersion: "apps/v1", kind: "Deployment", $metadata, spec: {replicas: 2, selector: {matchLabels: $labels}, template: {
			metadata: {$labels}, spec: {containers: [{name: "web", image: ("web:" + $version), env: [{name: "VERSION", value: $version}]}]}}}}'
}
manifest() { objects "$@" | sed 's/^/---\n/'; }
secret_path() { echo "/api/v1/namespaces/$1/secrets/sh.helm.release.v1.$2.v$3"; }
# revision NAMESPACE RELEASE NUMBER STATUS VERSION [OPTIONS]: the line for at_once that changes its Secret, or, with NUMBER+, makes it
revision() {
	local number=${3%+} path made
	path=$(secret_path "$1" "$2" "$number")
	[ "$number" = "$3" ] || path=${path%/*}
	made=$(manifest "$2" "$5" | "$source_dir/tests/e2e/helm_release.py" --namespace "$1" --name "$2" --revision "$number" --status "$4" \
		"${@:6}" | jq -c --arg now "$EPOCHSECONDS" '.metadata.labels.modifiedAt = $now')
	printf '%s?fieldManager=helm\t%s\n' "$path" "$made"
}
each() { while read -r namespace release; do "$@"; done; } # each COMMAND...: with $namespace and $release of each line
revisions() { each eval 'revision "$namespace" "$release"' "$@"; } # revisions NUMBER STATUS VERSION
# What Helm sends of each object: all of it when it is made, and as a merge patch what its chart says.
object_lines() { # object_lines NAMESPACE RELEASE VERSION [CREATE]
	objects "$2" "$3" | jq -r --arg namespace "$1" --arg create "${4:-}" '
		"/" + (if .apiVersion == "v1" then "api" else "apis" end) + "/\(.apiVersion)/namespaces/\($namespace)" +
		"/\(.kind | ascii_downcase)s\(if $create == "" then "/" + .metadata.name else "" end)?fieldManager=helm\t" + tojson'
}
all_objects() { each eval 'object_lines "$namespace" "$release"' "$@"; }

write() { at_once "$1" || fail "$2"; } # write METHOD WHAT: the lines of standard input
is_held() { "$bin/driftd" explain configmaps -n "$1" "$2" >"$work/held" && grep -q 'is being changed' "$work/held"; }
nothing_else() { # nothing_else WHAT: so many have begun as were expected
	sleep 3.5
	check "$1: nothing else: $(said | tail -n 12)" drift_count begin "$told"
}
told=0
tells() { # tells WHAT RELEASE PATH MANAGER [FILTER]: one more record begins, and says that
	told=$((told + 1))
	wait_until 30 "$1" begins ".DRIFTD_COMPONENT == \"$2\" and .DRIFTD_MANAGER == \"$4\" and .DRIFTD_PATH == \"$3\" and (${5:-true})"
}
upgrade() { # upgrade FIRST LAST FROM TO VERSION [PENDING]: revision FROM is deployed, TO will be
	releases "$1" "$2" | revisions "$4+" "${6:-pending-upgrade}" "$5" | write POST "the Secrets of what begins"
	wait_until 30 "the last of them to be held" is_held "team$(($2 % 5))" "$(printf 'app%02d' "$2")"
	releases "$1" "$2" | all_objects "$5" | write PATCH "the objects"
	releases "$1" "$2" | revisions "$3" superseded "$5" | write PUT "what was before"
	releases "$1" "$2" | revisions "$4" deployed "$5" | write PUT "the Secrets of what has ended"
}

start_control_plane
export KUBECONFIG=$work/kubeconfig DRIFTD_SOCKET=$work/control.sock
for namespace in "${spaces[@]}" evil; do api POST /api/v1/namespaces "$(object v1 Namespace "$namespace" "")" setup; done
releases | revisions 1+ deployed one | write POST "the Secrets"
releases | all_objects one create | write POST "the objects"
cluster=real
mkdir -p "$work/state"
cat >"$work/driftd.yaml" <<Y
clusters: [{name: real, kubeconfig: $work/kubeconfig}]
references: [{name: helm, helm_releases: {kinds: [ConfigMap, Secret, Service, Deployment.apps]}}]
state_dir: $work/state
control_socket: $DRIFTD_SOCKET
flapping: {changes: 0}
Y
start_driftd_ready
wait_until 60 "the cluster to be synced" metric_is "$(of_cluster driftd_cluster_synced)" 1
nothing_else "of fifty releases as they were installed"

# ---- by hand ----

by_hand() { kubectl "$@" >"$work/kubectl.log" 2>&1 || fail "kubectl $*: $(cat "$work/kubectl.log")"; }
container='spec.template.spec.containers[name=\"web\"]'
by_hand -n team0 set image deployment app00 web=web:9
tells "an image" team0/app00 "$container.image" kubectl-set '.DRIFTD_TEMPLATE == "revision 1" and .DRIFTD_EXPECTED == "\"web:one\""'
by_hand -n team1 set env deployment app01 DEBUG=1
tells "a variable that was added" team1/app01 "$container.env[name=\\\"DEBUG\\\"]" kubectl-set
by_hand -n team2 patch configmap app02 -p '{"data":{"greeting":"goodbye"}}'
tells "a value" team2/app02 data.greeting kubectl-patch
by_hand -n team3 patch service app03 -p '{"spec":{"ports":[{"port":80,"targetPort":9090}]}}'
tells "a port" team3/app03 'spec.ports[port=80,protocol=\"TCP\"].targetPort' kubectl-patch
by_hand -n team4 patch secret app04 -p '{"data":{"password":"Q2FuYXJ5T2ZIYW5k"}}'
tells "a password" team4/app04 data.password kubectl-patch '.DRIFTD_ACTUAL == "(hidden)"'
by_hand -n team0 delete configmap app05
told=$((told + 1))
wait_until 30 "what is missing" begins '.DRIFTD_COMPONENT == "team0/app05" and (.MESSAGE | contains("ConfigMap team0/app05 (revision 1)"))'
by_hand -n team1 patch deployment app06 -p '{"spec":{"replicas":7}}'
tells "replicas" team1/app06 spec.replicas kubectl-patch '.DRIFTD_ACTUAL == "7"'
# what no manifest says is none of its business
by_hand -n team2 patch configmap app07 -p '{"data":{"more":"1"}}'
by_hand -n team2 annotate deployment app07 note=hand
by_hand -n team3 label service app08 note=hand
nothing_else "what was changed by hand"

# ---- all are upgraded; somebody changes things meanwhile ----

api POST /api/v1/namespaces/team0/configmaps "$(objects app05 one | sed -n 1p)" kubectl-create
upgrade 0 49 1 2 two
for release in team0/app00 team1/app01 team2/app02 team3/app03 team4/app04 team0/app05 team1/app06; do
	wait_until 60 "the end of $release" ends ".DRIFTD_COMPONENT == \"$release\""
done
nothing_else "an upgrade of all"
check "each has ended once: $(said)" drift_count end 7
by_hand -n team0 set env deployment app10 VERSION=hand
tells "a variable after the upgrade" team0/app10 "$container.env[name=\\\"VERSION\\\"].value" kubectl-set '.DRIFTD_TEMPLATE == "revision 2"'

# ---- some fail, some hang, some are rolled back ----

releases 11 12 | revisions 3+ pending-upgrade three | write POST "the Secrets of what will fail"
releases 13 14 | revisions 3+ pending-upgrade three | write POST "the Secrets of what will hang"
for n in 11 12 13 14; do wait_until 30 "release $n to be held" is_held "team$((n % 5))" "app$n"; done
releases 11 14 | all_objects three | sed -n /configmaps/p | write PATCH "some of the objects"
releases 11 12 | revisions 3 failed three | write PUT "the Secrets of what has failed"
for n in 11 12; do
	tells "what $n has left" "team$((n % 5))/app$n" data.version helm '.DRIFTD_TEMPLATE == "revision 2"'
	told=$((told + 1))
	wait_until 30 "that $n has failed" begins ".DRIFTD_COMPONENT == \"team$((n % 5))/app$n\" and (.MESSAGE | test(\"3, has failed\"))"
done
by_hand -n team3 patch configmap app13 -p '{"data":{"greeting":"goodbye"}}' # of one that hangs nothing is said
nothing_else "what failed, and what hangs"
upgrade 11 14 2 4 two pending-rollback
for n in 11 12; do
	wait_until 60 "both ends of $n" record_count ".DRIFTD_EVENT == \"end\" and .DRIFTD_COMPONENT == \"team$((n % 5))/app$n\"" 2
done
nothing_else "a rollback"
by_hand -n team4 patch configmap app14 -p '{"data":{"greeting":"goodbye"}}'
tells "a value after the rollback" team4/app14 data.greeting kubectl-patch '.DRIFTD_TEMPLATE == "revision 4"'

# ---- forged ----

{
	manifest app20 forged | sed 's/"metadata":{/&"namespace":"team0",/'
	printf -- '---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: admin}\nrules: []\n'
} | "$source_dir/tests/e2e/helm_release.py" --namespace evil --name forged >"$work/forged.json"
api POST /api/v1/namespaces/evil/secrets "@$work/forged.json" mallory
revision team1 app21 7+ deployed seven --label-version 8 | write POST "a Secret that is not a revision"
revision team1 app21 8+ deployed eight --label-name other | write POST "another"
revision team1 app21 9+ deployed nine --type Opaque | write POST "one of another type"
nothing_else "what speaks for others, and what is not a revision"
revision team2 app22 3+ deployed three --inner-revision 4 | write POST "a revision that is another inside"
told=$((told + 1))
wait_until 30 "one that cannot be read" begins '.DRIFTD_COMPONENT == "team2/app22" and (.MESSAGE | contains("revision 3 cannot be read"))'
by_hand -n team2 patch configmap app22 -p '{"data":{"greeting":"goodbye"}}'
manifest app23 two | "$source_dir/tests/e2e/helm_release.py" --namespace team3 --name zz --revision 1 >"$work/forged.json"
api POST /api/v1/namespaces/team3/secrets "@$work/forged.json" mallory
told=$((told + 1))
wait_until 30 "one that claims what another has" begins \
	'.DRIFTD_COMPONENT == "team3/zz" and (.MESSAGE | contains("of release team3/app23"))'
nothing_else "what cannot be read, and what is claimed"

# ---- uninstalled ----

before=$(wc -l <"$work/records")
releases 30 39 | revisions 2 uninstalling two | write PUT "the Secrets of what is uninstalled"
wait_until 30 "the last of them to be held" is_held team4 app39
releases 30 39 | all_objects two | cut -f1 | sed 's/?.*//' | write DELETE "the objects"
for number in 1 2; do releases 30 39 | each eval 'secret_path "$namespace" "$release"' $number | write DELETE "the Secrets"; done
nothing_else "an uninstallation"
check "it is told nowhere: $(tail -n +$((before + 1)) "$work/records")" test "$(wc -l <"$work/records")" = "$before"

# ---- how long a new revision takes to be in force: measured, not judged ----

in_force() { # in_force NAMESPACE RELEASE NUMBER
	! is_held "$1" "$2" && grep "revision $3" "$work/held"
}
times=()
for n in 40 41 42 43 44 45 46 47 48 49; do
	upgrade "$n" "$n" 2 3 three
	from=$EPOCHREALTIME
	wait_until 30 "revision 3 of $n to be in force" in_force "team$((n % 5))" "app$n" 3
	times+=("$(jq -n "$EPOCHREALTIME - $from | . * 100 | round / 100")")
done
nothing_else "ten upgrades one by one"
no_secret CanaryOf Q2FuYXJ5T2 -- "$work/records" -- "$work/driftd.err.log"
stop driftd || fail "driftd did not end cleanly"
echo "from a Secret that says deployed to its revision in force, 2 s of which are waited, in seconds:" "${times[@]}"
