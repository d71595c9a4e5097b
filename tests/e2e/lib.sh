# Shared by the end-to-end tests: sourced, with DRIFTD_BIN naming the folder of the binaries. Ends what it started.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source_dir=$(cd "$here/../.." && pwd)
bin=${DRIFTD_BIN:-$source_dir/build/debug/bin}
bin=$(cd "$bin" && pwd)
work=$(mktemp -d)
declare -A pid=()
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
	for name in "${!pid[@]}"; do kill "${pid[$name]}" 2>/dev/null || true; done
	for name in "${!pid[@]}"; do wait "${pid[$name]}" 2>/dev/null || true; done
	[ -n "${KEEP:-}" ] && echo "kept: $work" || rm -rf "$work"
	[ $status -ne 0 ] || echo "$checks checks passed"
}
trap on_exit EXIT

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

wait_until() { # wait_until SECONDS WHAT COMMAND...
	local end=$((SECONDS + $1)) what=$2
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

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

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

control() { curl -sf --cacert "$ca" -X POST "$server/_apisim/$1" -d "$2" -o /dev/null || fail "control $1 $2"; } # control load|fault|generate JSON

# ---- requests to whichever API server runs ----

api() { # api METHOD PATH [JSON [FIELD-MANAGER]]
	local type=application/json
	[ "$1" != PATCH ] || type=application/merge-patch+json
	# For "curl" and browsers a server indents its answers, through code that crashes the API server built from Debian's sources.
	curl -sf -A driftd-e2e/1 --cacert "$ca" -H "Authorization: Bearer $token" -H "Content-Type: $type" -X "$1" \
		"$server$2${4:+?fieldManager=$4}" ${3:+-d "$3"} -o "$work/answer.json" || fail "$1 $2: no success"
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

metric() { curl -sf "$web/metrics" | grep -v "^#" | grep -F "$1" | awk '{print $NF}' | head -n 1; }
metric_is() { [ "$(metric "$1")" = "$2" ]; }

# records FILTER: the JSON records for which the jq expression holds, one a line
records() { jq -c "select($1)" "$work/records"; }
record_count() { [ "$(records "$1" | wc -l)" -eq "$2" ]; }
has_record() { [ -n "$(records "$1")" ]; }
