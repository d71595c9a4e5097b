#!/usr/bin/env bash
# docs/guide/references.md: its commands do what it says.
. "$(dirname "$0")/lib.sh"
. "$here/guide.sh"
unset KUBECTL_EXTERNAL_DIFF

run_guide "$source_dir/docs/guide/references.md" 14 EXAMPLES="$source_dir/examples"
