#!/usr/bin/env bash
# metrics.by_namespace: findings of 3,000 namespaces that a tenant has made, of which each has an object that breaks a rule: a scrape has as
# many series as the limit, the same each time, and their sum is what is found; what somebody else has, and worse, has a series of its own.
. "$(dirname "$0")/lib.sh"
for tool in jq python3; do command -v $tool >/dev/null || skip "no $tool"; done

many=3000 limit=20
python3 - "$source_dir/examples/demo/cluster.json" "$many" >"$work/cluster.json" <<'P'
import json, sys
objects = json.load(open(sys.argv[1], encoding="utf-8"))
for i in range(int(sys.argv[2])):
    metadata = {"name": "bad", "namespace": f"tenant-{i}"}
    objects.append({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": "b"}})
json.dump(objects, sys.stdout)
P
start_apisim --load "$work/cluster.json"
configure "$source_dir/examples/demo/reference"
cat >"$work/rules.yaml" <<'Y'
apiVersion: v1
kind: ConfigMap
rules: [{rule: '!has(self.data) || !("a" in self.data)', message: no a, severity: notice}]
Y
cat >>"$work/driftd.yaml" <<Y
metrics: {by_namespace: true, by_namespace_limit: $limit}
validation_rules: [$work/rules.yaml]
Y
start_driftd_ready

scrape() { curl -sf "$web/metrics" >"$work/$1.txt" && grep '^driftd_findings{' "$work/$1.txt" >"$work/$1" || true; } # scrape FILE
sum() { awk '{ n += $NF } END { print n + 0 }' "$1"; }
all_there() { scrape one && [ "$(sum "$work/one")" = "$many" ]; }
wait_until 120 "the findings of all namespaces" all_there
check "series up to the limit, and one for all others" test "$(wc -l <"$work/one")" = $((limit + 1))
check "the others" grep -q 'type="validation",severity="notice",reference="(other)",namespace="(other)"} '$((many - limit))'$' "$work/one"
check "how many that are" grep -qx "driftd_findings_series_folded $((many - limit))" "$work/one.txt"
scrape two
check "the same series again" diff "$work/one" "$work/two"

# What is worse, and in no namespace, takes the place of one.
set_team nobody
worse() { scrape three && grep -q 'type="drift",severity="warning",reference="[^"(]*",namespace=""} 1$' "$work/three"; }
wait_until 30 "the namespace's drift" worse
check "one more finding" test "$(sum "$work/three")" = $((many + 1))
check "no more series" test "$(wc -l <"$work/three")" = $((limit + 1))
check "one series less of the others" test "$(grep -Fcf <(cut -d' ' -f1 "$work/two" | grep -v other) "$work/three")" = $((limit - 1))
if command -v promtool >/dev/null; then
	check "promtool takes it" sh -c "promtool check metrics <'$work/three.txt' >/dev/null"
fi

# Without it there is none of them, and the other families are as they were.
sed -i 's/by_namespace: true/by_namespace: false/' "$work/driftd.yaml"
kill -HUP "${pid[driftd]}"
gone() { scrape four && [ ! -s "$work/four" ] && grep -q '^driftd_objects_drifted' "$work/four.txt"; }
wait_until 30 "no series" gone
sed -i 's/by_namespace: false/by_namespace: true/' "$work/driftd.yaml"
kill -HUP "${pid[driftd]}"
back() { scrape five && [ "$(sum "$work/five")" = $((many + 1)) ] && [ "$(wc -l <"$work/five")" = $((limit + 1)) ]; }
wait_until 30 "them again" back
stop driftd || fail "driftd did not end cleanly"
