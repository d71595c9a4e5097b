# Shared by the end-to-end tests: sourced, with DRIFTD_BIN naming the folder of the binaries. Ends what it started.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source_dir=$(cd "$here/../.." && pwd)
bin=${DRIFTD_BIN:-$source_dir/build/debug/bin}
bin=$(cd "$bin" && pwd)
work=$(mktemp -d)
declare -A pid=()
parts=()
checks=0

skip() { echo "skipped: $*"; exit 77; }

fail() {
	echo "FAILED: $*" >&2
	for f in "$work"/*.log "$work"/records*; do
		[ -s "$f" ] || continue
		echo "--- the end of $(basename "$f")" >&2
		tail -n 25 "$f" | cut -c1-400 >&2
	done
	exit 1
}

on_exit() {
	local status=$? name
	for name in "${!pid[@]}"; do kill "${pid[$name]}" 2>/dev/null && kill -CONT "${pid[$name]}" || true; done
	local patience=$((${#parts[@]} > 0 ? 40 : 20)) # a part has programs of its own to end
	[ ${#pid[@]} -eq 0 ] || { sleep $patience && kill -KILL "${pid[@]}" 2>/dev/null; } >/dev/null 2>&1 & # one that does not end by itself
	local guard=$!
	for name in "${!pid[@]}"; do wait "${pid[$name]}" 2>/dev/null || true; done
	kill "$guard" 2>/dev/null || true
	[ -n "${KEEP:-}" ] && echo "kept: $work" || rm -rf "$work"
	[ $status -ne 0 ] || echo "$checks checks passed"
}
trap on_exit EXIT
trap "exit 143" TERM INT HUP # a test that was ended has not passed

start() { # start NAME COMMAND...: in the background, output in NAME.log
	local name=$1
	shift
	"$@" >>"$work/$name.log" 2>&1 &
	pid[$name]=$!
}

stop() { # stop NAME [SIGNAL]: end it and wait; its exit status is the result
	local p=${pid[$1]} status=0
	kill "-${2:-TERM}" "$p"
	wait "$p" || status=$?
	unset "pid[$1]"
	return $status
}

# wait_until SECONDS WHAT COMMAND...: until it succeeds. So long is enough on a machine that is idle; on a busy one what is waited for
# comes when it comes, so the wait ends in vain only after ten times as long: a limit for what hangs.
wait_until() {
	local end=$((SECONDS + 10 * $1)) what=$2
	shift 2
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || fail "waited in vain for $what"
		sleep 0.1
	done
	checks=$((checks + 1))
}

check() { # check WHAT COMMAND...
	local what=$1
	shift
	"$@" >/dev/null || fail "$what"
	checks=$((checks + 1))
}

# no_secret TEXT... -- FILE... [-- FILE...]: none of the texts is in any of the files (of a folder: in any below it). All must be there, and
# those ahead of the second "--" not empty: a look into nothing proves nothing.
no_secret() {
	local texts=() may_be_empty='' file found status
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		[ -n "$1" ] || fail "no_secret: an empty text"
		texts+=(-e "$1")
		shift
	done
	[ ${#texts[@]} -gt 0 ] && [ $# -gt 1 ] || fail "no_secret: nothing to look for, or nowhere to look"
	shift
	for file; do
		if [ "$file" = -- ]; then
			may_be_empty=1
			continue
		fi
		[ -e "$file" ] || fail "no_secret: $file is missing"
		[ "$may_be_empty" ] || [ "$(find "$file" -type f -size +0 -print -quit)" ] || fail "no_secret: $file is empty"
		status=0
		found=$(grep -raF "${texts[@]}" -- "$file") || status=$?
		[ $status -eq 1 ] || fail "a secret in $file: $(cut -c1-400 <<<"$found")"
	done
	checks=$((checks + 1))
}

# Below the ports that the kernel gives to whoever asks for any, or another test could have it before it is used, or between two uses.
free_port() {
	local port
	while port=$((10000 + SRANDOM % 22768)) && (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
	echo "$port"
}

# ---- parts of a test that run side by side, because they wait most of the time ----

aside() { # aside NAME COMMAND...: with programs and a folder ($work) of its own; the simulator is the same until it starts another
	local name=$1 outer=$work
	shift
	(
		trap on_exit EXIT
		trap "exit 143" TERM INT HUP
		pid=() parts=() checks=0 drifts=0 work=$outer/$name web_port='' apisim_port=''
		unset cluster
		mkdir "$work"
		"$@"
	) >"$work/$name.part" 2>&1 &
	pid[$name]=$!
	parts+=("$name")
}
join_parts() { # each has to end well
	local name status
	for name in "${parts[@]}"; do
		status=0
		wait "${pid[$name]}" || status=$?
		unset "pid[$name]"
		[ $status -eq 0 ] || { cat "$work/$name.part" >&2; fail "part $name"; }
		checks=$((checks + $(sed -n '$s/ checks passed$//p' "$work/$name.part")))
	done
	parts=()
}

# ---- the simulator ----

start_apisim() { # start_apisim [OPTIONS...]: sets $server; token "e2e-token"
	local port=${apisim_port:-0}
	: >"$work/apisim.log"
	start apisim "$bin/apisim" --port "$port" --tls-dir "$work/tls" --token e2e-token --kubeconfig-out "$work/kubeconfig" "$@"
	wait_until 20 "the simulator" grep -q listening "$work/apisim.log"
	server=$(sed -n 's/.*listening on //p' "$work/apisim.log" | tail -n 1)
	apisim_port=${server##*:}
	ca=$work/tls/ca.crt
	token=e2e-token
}

control() { # control load|fault|generate JSON
	curl -sf --cacert "$ca" -X POST "$server/_apisim/$1" -d "$2" -o /dev/null || fail "control $1 $2"
}

start_shop() { # start_shop [OPTIONS...]: the simulator with the sample shop, and driftd configured with its reference
	start_apisim "$@" --load "$source_dir/examples/demo/cluster.json"
	configure "$source_dir/examples/demo/reference"
}
set_team() { # set_team NAME: on the shop's namespace, where the reference wants "storefront"
	api PATCH /api/v1/namespaces/shop "{\"metadata\":{\"labels\":{\"team\":\"$1\"}}}" kubectl-label
}

# ---- requests to whichever API server runs ----

# For "curl" and browsers a server indents its answers, through code that crashes the API server built from Debian's sources.
request() { curl -sf -A driftd-e2e/1 --cacert "$ca" -H "Authorization: Bearer $token" "$@"; } # request CURL-ARGUMENTS...

get() { request "$server$1"; } # get PATH: the answer on standard output

api() { # api METHOD PATH [JSON [FIELD-MANAGER]]: the answer in $work/answer.json
	local type=application/json
	[ "$1" != PATCH ] || type=application/merge-patch+json
	request -H "Content-Type: $type" -X "$1" "$server$2${4:+?fieldManager=$4}" ${3:+-d "$3"} -o "$work/answer.json" ||
		fail "$1 $2: no success"
}

# ---- objects ----

object() { # object API-VERSION KIND NAME NAMESPACE [MEMBERS]: as JSON; an empty NAMESPACE: it has none; MEMBERS: all but the metadata
	local namespace=${4:+,\"namespace\":\"$4\"}
	echo "{\"apiVersion\":\"$1\",\"kind\":\"$2\",\"metadata\":{\"name\":\"$3\"$namespace}${5:+,$5}}"
}
configmap() { object v1 ConfigMap "$1" "$2" "\"data\":$3"; }      # configmap NAME NAMESPACE DATA
secret() { object v1 Secret "$1" "$2" "\"data\":$3"; }            # secret NAME NAMESPACE DATA
deployment() { object apps/v1 Deployment "$1" "$2" "\"spec\":$3"; } # deployment NAME NAMESPACE SPEC

crds=/apis/apiextensions.k8s.io/v1/customresourcedefinitions
crd() { # crd SCOPE KIND PLURAL GROUP SCHEMA VERSION...: a definition with the same schema in all versions; the last one is stored
	local versions
	versions=$(printf '%s\n' "${@:6}" | jq -Rc --arg stored "${!#}" --argjson schema "$5" \
		'{name: ., served: true, storage: (. == $stored), schema: {openAPIV3Schema: $schema}}' | jq -sc .)
	jq -nc --arg scope "$1" --arg kind "$2" --arg plural "$3" --arg group "$4" --argjson versions "$versions" '{
		apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: {name: ($plural + "." + $group)},
		spec: {group: $group, scope: $scope, versions: $versions,
			names: {kind: $kind, plural: $plural, singular: ($kind | ascii_downcase), listKind: ($kind + "List")}}}'
}

# Widgets: a kind of no API server's own.
widgets=/apis/e2e.example.com/v1/widgets
widget_crd() { # widget_crd SCHEMA-OF-SPEC
	crd Cluster Widget widgets e2e.example.com "{\"type\":\"object\",\"properties\":{\"spec\":$1}}" v1
}
widget() { object e2e.example.com/v1 Widget "$1" "" "\"spec\":$2"; } # widget NAME SPEC

# ---- references ----

reference() { # reference FOLDER anyOf|allOf TEMPLATE...: all in component "c" of part "p"; TEMPLATE+: the object may have more fields
	local template
	mkdir -p "$1"
	{
		printf 'apiVersion: v2\nparts:\n  - name: p\n    components:\n      - name: c\n        %s:\n' "$2"
		for template in "${@:3}"; do
			printf '          - path: %s\n' "${template%+}"
			[ "$template" = "${template%+}" ] || printf '            config: {ignore-unspecified-fields: true}\n'
		done
	} >"$1/metadata.yaml"
}

template() { # template FILE API-VERSION KIND NAME NAMESPACE: an empty NAMESPACE: none; what the object has more from standard input
	{
		printf 'apiVersion: %s\nkind: %s\nmetadata:\n  name: %s\n' "$2" "$3" "$4"
		[ -z "$5" ] || printf '  namespace: %s\n' "$5"
		cat
	} >"$1"
}
any_name='{{ .metadata.name }}' any_namespace='{{ .metadata.namespace }}'

# add_part NAME GROUP TEMPLATE...: one more part of a copy of the demo's reference, which is in $work/reference
add_part() {
	local name=$1 group=$2 list
	shift 2
	printf -v list '{path: %s}, ' "$@"
	sed -i "s/^  - name: access\$/  - name: $name\n    components:\n      - name: $name\n        $group: [${list%, }]\n&/" \
		"$work/reference/metadata.yaml"
}

# sized_reference DATA [METADATA]: a copy of the demo's reference, and in it a template for ConfigMaps of the shop called sized-…
sized_reference() {
	cp -r "$source_dir/examples/demo/reference" "$work/reference"
	cat >"$work/reference/sized.yaml" <<-Y
		{{ \$name := index (.metadata | default dict) "name" }}
		{{ if and \$name (not (hasPrefix "sized-" \$name)) }}{{ doNotMatch "not sized" }}{{ end }}
		apiVersion: v1
		kind: ConfigMap
		metadata: {name: {{ \$name }}, namespace: shop${2:+, $2}}
		data: $1
	Y
	add_part sized anyOf sized.yaml
}

# ---- driftd ----

configure() { # configure REFERENCE-DIR [EXTRA-LINES]: writes driftd.yaml for the cluster named $cluster
	cluster=${cluster:-e2e-$$-$RANDOM}
	mkdir -p "$work/state"
	cat >"$work/driftd.yaml" <<Y
clusters:
  - name: $cluster
    kubeconfig: $work/kubeconfig
references:
  - name: ref
    path: $1/metadata.yaml
state_dir: $work/state
flapping: {changes: 0} # tests change things often
${2:-}
Y
}

start_driftd() { # start_driftd [OUTPUT]: records in $work/records when it is json; sets $web
	: "${web_port:=$(free_port)}"
	"$bin/driftd" run -c "$work/driftd.yaml" -o "${1:-json}" --web.listen-address "127.0.0.1:$web_port" \
		>>"$work/records" 2>>"$work/driftd.err.log" &
	pid[driftd]=$!
	web=http://127.0.0.1:$web_port
	wait_until 20 "driftd's HTTP server" curl -sf "$web/-/healthy"
}

ready() { curl -sf "$web/-/ready"; }
start_driftd_ready() { start_driftd "$@"; wait_until 60 "driftd to be ready" ready; }

metric() { curl -sf "$web/metrics" | NAME=$1 awk '!/^#/ && index($0, ENVIRON["NAME"]) && !n++ { print $NF }'; }
# of_cluster FAMILY [LABELS]: the name of a series of the cluster that is watched; LABELS as they stand behind kube_cluster
of_cluster() { echo "$1{kube_cluster=\"$cluster\"${2:+,$2}}"; }
no_gap() { metric_is "$(of_cluster driftd_watch_gaps_current)" 0; }
synced() { [[ $(metric "$(of_cluster driftd_cluster_last_sync_timestamp_seconds "resource=\"$1\"")") == [1-9]* ]]; } # synced RESOURCE
metric_is() { [ "$(metric "$1")" = "$2" ]; }

all_synced() { # every cluster
	curl -sf "$web/metrics" | grep '^driftd_cluster_synced{' >"$work/synced.txt" && ! grep -v ' 1$' "$work/synced.txt"
}

# records FILTER: the JSON records for which the jq expression holds, one a line
records() { jq -c "select($1)" "$work/records"; }
begins() { has_record ".DRIFTD_EVENT == \"begin\" and ($1)"; }   # begins FILTER
changes() { has_record ".DRIFTD_EVENT == \"change\" and ($1)"; } # changes FILTER
ends() { has_record ".DRIFTD_EVENT == \"end\" and ($1)"; }       # ends FILTER
# said [FILE]: what was told, a line each and without what differs from run to run: to be compared, or to be read
said() { jq -r '[.DRIFTD_EVENT, .DRIFTD_KIND, .DRIFTD_NAMESPACE, .DRIFTD_NAME, .DRIFTD_COMPONENT, .DRIFTD_PATH, .DRIFTD_EXPECTED,
	.DRIFTD_ACTUAL] | map(. // "-" | tostring) | join(" ")' "${1:-$work/records}"; }
declare -A looks=() found=() looked=()
# look_for FILTER: sets $n_found. jq takes long to start, so it looks again only where something was written since its last look began; and
# after a second anyhow, for a file has the time of a write before it has what is written.
look_for() {
	local look=$work/look.${looks[$1]:=$BASHPID.${#looks[@]}}
	n_found=${found[$1]:-}
	if [ -z "$n_found" ] || [ ! -e "$work/records" ] || [ ! "$work/records" -ot "$look" ] || [ "$EPOCHSECONDS" -gt "${looked[$1]:-0}" ]; then
		looked[$1]=$EPOCHSECONDS
		: >"$look"
		n_found=$(records "$1" | wc -l) && found[$1]=$n_found || found[$1]=
	fi
}
record_count() { look_for "$1" && [ "$n_found" -eq "$2" ]; }
# drift_count EVENT N: without gaps, for how long a server takes to answer is a matter of the machine
drift_count() { record_count ".DRIFTD_EVENT == \"$1\" and (.MESSAGE | startswith(\"gap \") | not)" "$2"; }
has_record() { look_for "$1" && [ "$n_found" -gt 0 ]; }
# no_gap_of AWAY: what is away for ten seconds is a gap, and on a busy machine a server that starts is; of what was for less none was told.
# A gap of driftd's own, which waits for its disk or was not run, says nothing of a server.
server_gap='.DRIFTD_EVENT == "begin" and .DRIFTD_KIND != "(driftd)" and
	(.MESSAGE | test("^gap ") and (test("since driftd did not run") | not))'
no_gap_of() { [ "$1" -ge 10 ] || check "no gap of what was away for $1 s" record_count "$server_gap" 0; }
gap_record() { has_record ".DRIFTD_EVENT == \"$1\" and (.MESSAGE | startswith(\"gap\") and contains(\"$2\"))"; } # gap_record EVENT TEXT

drifts=0
still_watches() { # a change of the shop's namespace is seen, and so is its end: each makes one record
	local namespace='.DRIFTD_KIND == "Namespace"'
	drifts=$((drifts + 1))
	set_team "team-$drifts"
	wait_until 120 "drift number $drifts" record_count ".DRIFTD_EVENT == \"begin\" and $namespace" "$drifts"
	set_team storefront
	wait_until 120 "the end of drift number $drifts" record_count ".DRIFTD_EVENT == \"end\" and $namespace" "$drifts"
}
