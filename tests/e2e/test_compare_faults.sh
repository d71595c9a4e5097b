#!/usr/bin/env bash
# driftd compare and the daemon before the same broken server: what the one calls unknown the other does not call well, and what the
# one tells as drift the other shows.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/compare.sh"
command -v jq >/dev/null || skip "no jq"
unset KUBECONFIG KUBECTL_EXTERNAL_DIFF KUBERNETES_SERVICE_HOST
export HOME=$work

widgets_gone='"path":"/apis/e2e.example.com/v1","verb":"get"'
json='"contentType":"application/json"'
list='"resource":"widgets","verb":"list"'
busy='"retryAfter":1,"count":1'

status='"status":200,"contentType":"application/json","body":"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{}}"'
page='"status":200,"contentType":"text/html","body":"<!DOCTYPE html><html></html>"'

# What each case does to the server (options of the simulator, a fault), and what compare ends with: 1, the drift is seen as if nothing
# had been; 2, some of it cannot be known. "all": nothing can.
cases() {
	cat <<T
as it should be|||1
a group that fails|--no-aggregated-discovery|$widgets_gone,"status":503|2
a group that is forbidden|--no-aggregated-discovery|$widgets_gone,"status":403|2
a group whose server has an error|--no-aggregated-discovery|$widgets_gone,"status":500|2
half a document of a group|--no-aggregated-discovery|$widgets_gone,"status":200,$json,"body":"{\"kind\":\"APIResourceList\",\"groupVer"|2
a document of another kind|--no-aggregated-discovery|$widgets_gone,$status|2
a page in place of a group|--no-aggregated-discovery|$widgets_gone,$page|2
a group that does not answer|--no-aggregated-discovery|$widgets_gone,"action":"stall","seconds":600|2
a group that is busy once|--no-aggregated-discovery|$widgets_gone,"status":429,$busy|1
a group that is away once|--no-aggregated-discovery|$widgets_gone,"status":503,$busy|1
a group that is stale||"action":"stale","group":"e2e.example.com","resources":false|2
groups that are busy once||"path":"/apis","verb":"get","status":429,$busy|1
groups that are away once||"path":"/apis","verb":"get","status":503,$busy|1
the core group fails||"path":"/api","verb":"get","status":503|all
a list that is refused|--no-watch-list|$list,"status":403|2
a list that fails|--no-watch-list|$list,"status":500|2
a list that is a Status|--no-watch-list|$list,$status|2
a list whose second page fails|--no-watch-list|$list,"after":1,"status":500|pages
T
}

build_reference() {
	reference "$work/ref" allOf deployment.yaml+ reader.yaml+
	cat >>"$work/ref/metadata.yaml" <<'Y'
  - name: custom
    components:
      - name: wanted
        allOf: [{path: widget.yaml}]
      - name: unwanted
        noneOf: [{path: bad.yaml}]
Y
	template "$work/ref/deployment.yaml" apps/v1 Deployment web d <<<'spec: {replicas: 3}'
	template "$work/ref/reader.yaml" v1 ConfigMap reader d \
		<<<'data: {widgets: "{{ if lookupCRs "e2e.example.com/v1" "Widget" "*" "one" }}some{{ else }}none{{ end }}"}'
	template "$work/ref/widget.yaml" e2e.example.com/v1 Widget one "" <<<'spec: {size: 2}'
	template "$work/ref/bad.yaml" e2e.example.com/v1 Widget bad "" <<<'spec: {size: 2}'
	printf 'apiVersion: e2e.example.com/v1\nkind: Widget\nrules: [{rule: "true"}]\n' >"$work/rules.yaml"
	printf 'outputDir: made\nresources: [{kind: Widget, apiVersion: e2e.example.com/v1, required: true}]\n' >"$work/generate.yaml"
}

start_server() { # start_server PAGES [OPTIONS...]: with a drifted widget, and others behind it
	start_apisim "${@:2}"
	control load "$(widget_crd '{"type":"object","x-kubernetes-preserve-unknown-fields":true}')"
	control load "$(deployment web d '{"replicas":3}')"
	control load "$(configmap reader d '{"widgets":"some"}')"
	control load "$(widget one '{"size":1}')"
	[ "$1" != pages ] || control generate '{"resource":"widgets.e2e.example.com","prefix":"zz-","count":700,
		"object":{"apiVersion":"e2e.example.com/v1","kind":"Widget","spec":{"size":1}}}'
}

put_fault() {
	control fault '{"action":"recover"}'
	[ -z "$1" ] || case $1 in
	*'"count"'*) control fault "{$1}" ;;
	*) control fault "{$1,\"count\":-1}" ;;
	esac
}

drifts() { records '.DRIFTD_EVENT == "begin" and .DRIFTD_KIND != null and (.MESSAGE | startswith("gap") | not)'; }
has_gap() { has_record '.DRIFTD_EVENT == "begin" and (.MESSAGE | startswith("gap begins"))'; }

# What the daemon comes to: it is ready, or says that something is a gap.
settled() { ready || has_gap; }

no_contradiction() { # no_contradiction WHAT: the daemon's words beside those of compare
	local name
	! has_gap || check "$1: a gap is no success" test "$status" = 2
	while read -r name; do
		check "$1: compare shows the drift of $name" jq -e --arg name "$name" \
			'.Diffs[] | select(.DiffOutput != "") | .CRName | endswith("_" + $name)' "$work/out"
	done < <(drifts | jq -r .DRIFTD_NAME)
	[ "$status" != 0 ] || check "$1: well is well" all_synced
}

say_unknown() { # say_unknown WHAT: all forms of the report, from JSON in $work/out
	check "$1: the report has an error of the kind: $(jq -c .Summary.errors "$work/out")" jq -e \
		'.Summary.errors | map(select(.Source == "Widget (e2e.example.com/v1)")) | length == 1' "$work/out"
	check "$1: who looks the kind up cannot be judged" jq -e \
		'.Summary.errors | map(select(.CRName == "v1_ConfigMap_d_reader" and (.message | contains("are not known")))) | length == 1' \
		"$work/out"
	check "$1: nothing is missing: $(jq -c .Summary.ValidationIssuses "$work/out")" jq -e \
		'.Summary.ValidationIssuses == {} and .Summary.NumMissing == 0' "$work/out"
	check "$1: nothing is satisfied either: $(jq -c .Summary.unknownComponents "$work/out")" jq -e \
		'[.Summary.unknownComponents[] | keys[]] | sort == ["c", "unwanted", "wanted"]' "$work/out"
	check "$1: the other group is compared" jq -e '.Diffs | map(.CRName) | index("apps/v1_Deployment_d_web") != null' "$work/out"
}

# The other commands that look once, with the same fault. Whoever does not list cannot see that lists fail.
others() { # others WHAT FAULT WANTED LIMIT
	local preflight
	put_fault "$2"
	program=("$bin/driftd" validate)
	compare --kubeconfig "$work/kubeconfig" --request-timeout "$4" --rules rules.yaml --no-crds
	ends_with $(($3 == 1 ? 0 : 2)) "$1: validate"
	program=("$bin/driftd" compare)
	put_fault "$2"
	compare --kubeconfig "$work/kubeconfig" --request-timeout "$4" -g generate.yaml
	ends_with $(($3 == 1 ? 0 : 1)) "$1: a reference that is generated"
	check "$1: it is there only when all is known" test "$([ -e "$work/made" ] && echo 1 || echo 2)" = "$3"
	case $2 in
	*stall* | *'"list","status":500'* | *'"list","status":200'* | *after*) return 0 ;;
	esac
	put_fault "$2"
	preflight=0
	"$bin/driftd" check-config -c "$work/driftd.yaml" --connect >"$work/preflight.txt" 2>&1 || preflight=$?
	check "$1: what check-config --connect says: $(cat "$work/preflight.txt")" test $preflight = $(($3 == 1 ? 0 : 1))
}

one_case() { # one_case WHAT OPTIONS FAULT END
	local wanted=$4 limit
	[ "$wanted" = 1 ] || wanted=2
	build_reference
	start_server "$4" ${2:+$2}
	put_fault "$3"
	limit=$(grep -q stall <<<"$3" && echo 3s || echo 60s)
	compare --kubeconfig "$work/kubeconfig" --request-timeout "$limit" -r ref/metadata.yaml -o json
	ends_with "$wanted" "$1"
	case $4 in
	1) check "$1: the drift is seen: $(jq -c .Summary "$work/out")" jq -e \
		'.Summary.errors == null and .Summary.NumDiffCRs == 1' "$work/out" ;;
	2) say_unknown "$1" ;;
	pages)
		say_unknown "$1"
		check "$1: what the first page had is shown" jq -e '.Summary.NumDiffCRs == 1' "$work/out"
		;;
	all) check "$1: nothing is reported, and nothing called missing" test ! -s "$work/out" ;;
	esac
	cp "$work/out" "$work/report.json"
	configure "$work/ref"
	others "$1" "$3" "$wanted" "$limit"
	status=$wanted
	cp "$work/report.json" "$work/out"
	put_fault "$3"
	start_driftd
	if grep -q stall <<<"$3"; then
		sleep 3
		check "$1: the daemon is not synced" metric_is "$(of_cluster driftd_cluster_synced)" 0
	else
		wait_until 90 "$1: the daemon to know where it stands" settled
	fi
	[ "$4" != 1 ] || wait_until 60 "$1: the drift" begins '.DRIFTD_NAME == "one"'
	no_contradiction "$1"
	stop driftd || fail "driftd did not end cleanly"
	stop apisim || fail "the simulator did not end cleanly"
}

# ---- each beside the daemon, a few at a time ----

n=0
while IFS='|' read -r what options fault end; do
	n=$((n + 1))
	aside "case-$n" one_case "$what" "$options" "$fault" "$end"
	[ $((n % 6)) -ne 0 ] || join_parts
done < <(cases)
join_parts

# ---- all forms of one report ----

build_reference
start_server few --no-aggregated-discovery
put_fault "$widgets_gone,\"status\":503"
export KUBECONFIG=$work/kubeconfig
compare -r ref/metadata.yaml
ends_with 2 "a group that fails, as text"
says out "Components that could not be judged: 3"
says out "Cluster CRs that could not be compared: 1"
says out "Inputs that could not be read: 1"
says out "- Widget (e2e.example.com/v1): whether the cluster has kind Widget of e2e.example.com/v1 is not known: "
silent out "No validation issues"
silent out "Missing CRs"
silent err "Not Supported By Cluster"
says err "error: error occurred while trying to fetch resources: whether the cluster has kind Widget"
compare -r ref/metadata.yaml -o yaml
ends_with 2 "a group that fails, as YAML"
says out "unknownComponents:"
says out "Source: Widget (e2e.example.com/v1)"
compare -r ref/metadata.yaml -o junit
ends_with 2 "a group that fails, for JUnit"
says out 'classname="Reading Cluster CRs" name="Widget (e2e.example.com/v1)"'
says out 'name="Component could not be judged"'
silent out "No reference validation issues"

# A template that leaves the version open may be for a kind of the group that does not tell.
sed -i 's/^apiVersion.*/apiVersion: "{{ .apiVersion }}"/' "$work/ref/widget.yaml"
compare -r ref/metadata.yaml -o json
ends_with 2 "a group that fails, and a template for any version"
say_unknown "a template for any version"

# Nothing else is asked for, and nothing is known.
reference "$work/only" anyOf widget.yaml
template "$work/only/widget.yaml" e2e.example.com/v1 Widget one "" <<<'spec: {size: 2}'
compare -r only/metadata.yaml
ends_with 2 "a reference of which nothing can be known"
check "it has no report" test ! -s "$work/out"
says err "whether the cluster has kind Widget of e2e.example.com/v1 is not known"
put_fault ""
compare -r only/metadata.yaml
ends_with 1 "the same when the group is back"

# Ten times, and no more.
put_fault "$list,\"status\":429"
compare -r only/metadata.yaml
ends_with 2 "a server that is always busy"
asked=$(get /_apisim/stats | jq '[.requests[] | select(.verb == "list" and (.resource | startswith("widgets"))) | .count] | add')
check "it was asked 1 + 10 times, and once before: $asked" test "$asked" = 12
