#!/usr/bin/env bash
# docs/guide/upgrading.md: its commands do what it says.
. "$(dirname "$0")/lib.sh"
. "$here/guide.sh"

start_cluster --load "$source_dir/examples/demo/cluster.json"
run_guide "$source_dir/docs/guide/upgrading.md" 7 EXAMPLES="$source_dir/examples" PORT="$(free_port)"
