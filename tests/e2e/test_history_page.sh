#!/usr/bin/env bash
# The page of the past, read by a headless Chromium: a day, a week and a quarter of two clusters, light and dark, wide and on a phone; a
# hostile name. PAGE_SHOTS=FOLDER: screenshots are written there.
. "$(dirname "$0")/lib.sh"
command -v chromium >/dev/null && command -v chromedriver >/dev/null || skip "no chromium with chromium-driver (scripts/install-deps test)"
cluster=prod-eu
mkdir "$work/browser"
start_shop
sed -i "s|^references:|  - {name: staging-eu, kubeconfig: $work/kubeconfig}\n&|" "$work/driftd.yaml"
start_driftd_ready
stop driftd
python3 "$source_dir/tests/support/history_rows.py" "$work/state/driftd.db" prod-eu,staging-eu --hostile
start_driftd_ready
check "the page of the past" python3 "$here/history_page.py" "$work/browser" "$web" "${PAGE_SHOTS:-$work}"
