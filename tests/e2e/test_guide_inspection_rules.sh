#!/usr/bin/env bash
# docs/guide/inspection-rules.md: its commands do what it says, with kubectl played.
. "$(dirname "$0")/lib.sh"
. "$here/guide.sh"

start_cluster
run_guide "$source_dir/docs/guide/inspection-rules.md" 10 PORT="$(free_port)" HOOK_PORT="$(free_port)"
