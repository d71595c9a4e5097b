#!/usr/bin/env bash
# docs/guide/event-rules.md: its commands do what it says, and the example sets are read without a mistake.
. "$(dirname "$0")/lib.sh"
. "$here/guide.sh"

run_guide "$source_dir/docs/guide/event-rules.md" 7 EXAMPLES="$source_dir/examples"
