#!/usr/bin/env bash
# "driftd reload --dry-run": what it says is what the reload then does, for references and rules that change, kinds that nobody watches
# yet, a configuration with mistakes; the reload announces the same in the journal. DRY_MANY: objects.
. "$(dirname "$0")/lib.sh"
command -v jq >/dev/null || skip "no jq"
many=${DRY_MANY:-300}
export DRIFTD_SOCKET=$work/control.sock

ask() { # ask STATUS ARGUMENTS: driftd ends with STATUS; output in $work/out and $work/err
	local wanted=$1 status=0
	shift
	"$bin/driftd" "$@" >"$work/out" 2>"$work/err" || status=$?
	if [ "${DRIFT_SHOW:-}" ]; then
		{ printf '$ driftd %s; echo $?\n' "$*"; cat "$work/out" "$work/err"; echo "$status"; } >&2
	fi
	[ "$status" -eq "$wanted" ]
}
counts() { jq -r '"\(.begin) \(.change) \(.end)"' "$work/out"; }
reloads() { jq -s '[.[] | select(.MESSAGE | startswith("configuration reloaded"))] | length' "$work/records"; }
settled() { "$bin/driftd" status -o json | jq -e 'all(.clusters[]; .synced)'; }
told() { # told FROM: the transitions behind that line of the records
	tail -n +$(($1 + 1)) "$work/records" | jq -sr '[.[] | select(.DRIFTD_DRIFT_ID) | .DRIFTD_EVENT] |
		"\([.[] | select(. == "begin")] | length) \([.[] | select(. == "change")] | length) \([.[] | select(. == "end")] | length)"'
}
# as_said WHAT COUNTS: the dry run says so, nothing is told, and the reload does it and announces it.
as_said() {
	local what=$1 expected=$2 before n status=1
	[ "$expected" != "0 0 0" ] || status=0
	before=$(wc -l <"$work/records")
	n=$(reloads)
	check "$what: a dry run" ask $status reload --dry-run -o json
	check "$what: says $expected" test "$(counts)" = "$expected"
	check "$what: for certain" jq -e '.complete and .unknown == []' "$work/out"
	check "$what: the first of them" jq -e '(.items | length) == ([.begin + .change + .end, 200] | min)' "$work/out"
	check "$what: with their messages" jq -e 'all(.items[]; .message)' "$work/out"
	check "$what: and whose they are" jq -e 'all(.items[]; .type and .kind == "ConfigMap" and .namespace == "shop" and .name and
		(.id // "" | length) == (if .event == "begin" then 0 else 32 end))' "$work/out"
	check "$what: tells nothing" test "$(wc -l <"$work/records")" -eq "$before"
	check "$what: the reload" ask 0 reload
	reloaded() { [ "$(reloads)" -gt "$n" ]; }
	wait_until 30 "$what: it is reloaded" reloaded
	wait_until 60 "$what: all is judged" settled
	as_told() { [ "$(told "$before")" = "$expected" ]; }
	wait_until 20 "$what: what was said happens ($(told "$before"), not $expected)" as_told
	read -r begin change end <<<"$expected"
	announced() {
		jq -se --arg text "findings: $begin begin, $change change, $end end" \
			'[.[] | select(.MESSAGE | startswith("configuration reloaded"))] | last | .MESSAGE | contains($text)' "$work/records"
	}
	check "$what: it is announced" announced
}

changes_or_begins() { has_record ".DRIFTD_NAME == \"$1\" and .DRIFTD_EVENT != \"end\" and (.MESSAGE | startswith(\"drift\"))"; }

mkdir "$work/reference"
cp "$source_dir"/examples/demo/reference/* "$work/reference"
cat >"$work/reference/many.yaml" <<'Y'
{{ $name := index (.metadata | default dict) "name" }}
{{ if and $name (not (hasPrefix "many-" $name)) }}{{ doNotMatch "another" }}{{ end }}
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ $name }}, namespace: shop}
data: {size: "1"}
Y
add_part many anyOf many.yaml
cat >"$work/rules.yaml" <<'Y'
apiVersion: v1
kind: ConfigMap
namespace: shop
rules:
  - rule: "!('bad' in self.data)"
Y
start_shop
for i in $(seq "$many"); do configmap "many-$i" shop '{"size":"1"}'; done | jq -sc . >"$work/many.json"
control load "@$work/many.json"
configure "$work/reference" "validation_rules: [rules.yaml]
control_socket: $DRIFTD_SOCKET"
cp "$work/driftd.yaml" "$work/first.yaml"
start_driftd_ready
wait_until 60 "all is judged" settled
check "nothing has changed" ask 0 reload --dry-run
check "which is said" grep -qF "0 begin, 0 change, 0 end, 0 not known" "$work/out"

sed -i 's/size: "1"/size: "2"/' "$work/reference/many.yaml"
as_said "another value" "$many 0 0"
check "for people" ask 0 reload --dry-run
sed -i 's/size: "2"/size: "3"/' "$work/reference/many.yaml"
as_said "another difference" "0 $many 0"
sed -i "s/'bad' in self.data/'size' in self.data/" "$work/rules.yaml"
as_said "another rule" "$many 0 0"
check "one that changes" ask 0 reload --dry-run -o yaml
sed -i 's/size: "3"/size: "1"/' "$work/reference/many.yaml"
as_said "repaired in the reference" "0 0 $many"
sed -i '/^validation_rules/d' "$work/driftd.yaml"
as_said "without rules" "0 0 $many"

# What a transition rule said lasts until the next write, over reloads too.
cat >"$work/rules.yaml" <<'Y'
apiVersion: v1
kind: ConfigMap
namespace: shop
name: many-1
rules:
  - rule: self.data.size == oldSelf.data.size
Y
echo 'validation_rules: [rules.yaml]' >>"$work/driftd.yaml"
as_said "a rule over changes" "0 0 0"
api PATCH /api/v1/namespaces/shop/configmaps/many-1 '{"data":{"size":"0"}}' kubectl-edit
wait_until 20 "its violation" begins '.DRIFTD_RULE == "self.data.size == oldSelf.data.size"'
wait_until 20 "the drift of the object" changes_or_begins many-1
sed -i 's/size: "1"/size: "0"/' "$work/reference/many.yaml"
as_said "the violation stays" "$((many - 1)) 0 1"
sed -i 's/size: "0"/size: "1"/' "$work/reference/many.yaml"
as_said "and stays" "1 0 $((many - 1))"

# What nobody watches yet.
printf 'apiVersion: v1\nkind: Secret\nmetadata: {name: wanted, namespace: shop}\n' >"$work/reference/secret.yaml"
add_part more allOf secret.yaml
check "a kind that is not watched" ask 1 reload --dry-run
check "is not known" grep -qF "not known: cluster $cluster: " "$work/out"
check "and nothing is said of it" grep -qF "0 begin, 0 change, 0 end, 1 not known" "$work/out"
cp "$work/driftd.yaml" "$work/good.yaml"
cp "$work/kubeconfig" "$work/kubeconfig-two" # under its old kubeconfig it would be the same one, renamed
sed "s/^  - name: $cluster\$/&-two/; s|kubeconfig: .*|&-two|" "$work/good.yaml" >"$work/driftd.yaml"
check "another cluster" ask 1 reload --dry-run -o json
check "is not known either" jq -e --arg c "cluster $cluster-two" '.unknown == [$c]' "$work/out"

# Mistakes, and who may not.
cp "$work/good.yaml" "$work/driftd.yaml"
echo 'nonsense: 1' >>"$work/driftd.yaml"
check "a mistake" ask 2 reload --dry-run
check "is told with its place" grep -qE "driftd.yaml:[0-9]+:1: .*nonsense" "$work/err"
check "and changes nothing" ask 0 status
cp "$work/good.yaml" "$work/driftd.yaml"
code() { curl -s -o /dev/null -w '%{http_code}' -X POST "$@"; }
check "over TCP" test "$(code "$web/api/v1/reload?dryRun=All")" = 403
check "another dryRun" test "$(code --unix-socket "$DRIFTD_SOCKET" "http://localhost/api/v1/reload?dryRun=1")" = 400
check "wrong usage" ask 2 reload now

# Many at once, reloads in between, the end while one is under way.
for i in 1 2 3 4 5 6; do
	"$bin/driftd" reload --dry-run >/dev/null 2>&1 &
	asked+=($!)
done
"$bin/driftd" reload
for p in "${asked[@]}"; do status=0; wait "$p" || status=$?; check "a dry run beside others ends" test "$status" -le 2; done
wait_until 60 "all is judged" settled
"$bin/driftd" reload --dry-run >/dev/null 2>&1 &
last=$!
stop driftd || fail "driftd did not end cleanly"
wait "$last" || true
