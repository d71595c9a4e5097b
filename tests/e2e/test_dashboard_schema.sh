#!/usr/bin/env bash
# examples/grafana/driftd.json, where no Grafana is: its form, its variables, and that promtool parses each expression and that each names
# a family of docs/metrics.md. test_dashboard.sh asks for data.
. "$(dirname "$0")/lib.sh"
for tool in promtool python3; do command -v $tool >/dev/null || skip "no $tool"; done

python3 "$here/dashboard_schema.py" "$source_dir" "$work/queries.rules.json" >"$work/complaints.log"
check "nothing is wrong with it; complaints.log says what is" test ! -s "$work/complaints.log"
check "promtool parses every expression" promtool check rules "$work/queries.rules.json"
