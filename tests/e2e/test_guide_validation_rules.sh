#!/usr/bin/env bash
# docs/guide/validation-rules.md: its commands do what it says, with kubectl played.
. "$(dirname "$0")/lib.sh"
. "$here/guide.sh"

start_cluster
run_guide "$source_dir/docs/guide/validation-rules.md" 9 EXAMPLES="$source_dir/examples" PORT="$(free_port)"
