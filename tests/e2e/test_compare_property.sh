#!/usr/bin/env bash
# test_compare_property.sh [SEED...]: what driftd compare writes (references, overrides, reports) describes the objects it was made of,
# whatever they hold.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip "no python3"
for seed in "${@:-1}"; do
	mkdir "$work/$seed"
	python3 "$here/data/compare_property.py" "$bin/driftd" "$work/$seed" "$seed" || fail "seed $seed"
	checks=$((checks + 1))
done
