#!/usr/bin/env bash
# examples/prometheus: each alert has a test in which it fires and one in which it does not; each type and severity of findings that driftd
# has fires the alert that the runbook's table names, alone among those of its file, or none where the table has "-".
. "$(dirname "$0")/lib.sh"
for tool in promtool python3; do command -v $tool >/dev/null || skip "no $tool"; done
python3 -c "import yaml" 2>"$work/yaml.log" || skip "no module yaml of Python"

cd "$source_dir/examples/prometheus"
files=(driftd.rules driftd-findings.rules driftd-findings-by-namespace.rules)
check "no other rules" test "$(ls ./*.rules.yaml | wc -l)" = "${#files[@]}"
for file in "${files[@]}"; do
	check "promtool takes $file" promtool check rules "$file.yaml"
	check "its tests" promtool test rules "$file.test.yaml"
done
check "each alert has tests and an address; complaints.log says which not" \
	python3 "$here/alert_rules.py" complaints "$source_dir" "$work/complaints.log"
check "tests of the table" python3 "$here/alert_rules.py" table "$source_dir" "$work/table.test.yaml"
check "the table says which alert is for what" promtool test rules "$work/table.test.yaml"

# An administrator's address, as the files say.
cp ./*.rules.yaml "$work"
cd "$work"
sed -n 's/^#   \(sed -i .*\)/\1/p' driftd.rules.yaml >set-address.sh
check "the command that the files name" sh set-address.sh
check "no other address is left" test "$(grep -h 'runbook_url:' ./*.rules.yaml | grep -cv https://driftd.example.com/runbook# || true)" = 0
