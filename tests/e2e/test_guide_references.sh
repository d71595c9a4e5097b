#!/usr/bin/env bash
# docs/guide/references.md and more-templates.md, which goes on in its folder: their commands do what they say.
. "$(dirname "$0")/lib.sh"
. "$here/guide.sh"
unset KUBECTL_EXTERNAL_DIFF

run_guide "$source_dir/docs/guide/references.md" 9 EXAMPLES="$source_dir/examples"
rm -r "$work/blocks"
mkdir "$work/blocks"
run_guide "$source_dir/docs/guide/more-templates.md" 6 EXAMPLES="$source_dir/examples"
