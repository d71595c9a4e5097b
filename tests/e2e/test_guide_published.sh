#!/usr/bin/env bash
# docs/guide/published.md: its commands do what it says, over a repository of its own.
. "$(dirname "$0")/lib.sh"
. "$here/guide.sh"
for tool in git jq curl; do command -v $tool >/dev/null || skip "no $tool"; done
start_guide_cluster
ln -s "$bin/driftd-fetch" "$work/bin/driftd-fetch"
request -X POST "$server/_apisim/load" --data-binary "@$source_dir/examples/demo/cluster.json" -o /dev/null || fail "no shop"
run_guide "$source_dir/docs/guide/published.md" 6 EXAMPLES="$source_dir/examples" PORT="$(free_port)" GIT_CONFIG_GLOBAL=/dev/null
