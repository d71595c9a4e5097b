#!/usr/bin/env bash
# CEL rules judged by the modern API server and by driftd validate: the same rules refused, the same objects, paths and messages.
. "$(dirname "$0")/lib.sh"
set -- modern
. "$(dirname "$0")/control_plane.sh"

start_control_plane
mkdir "$work/cel"
python3 "$here/cel_server.py" "$server" "$ca" "$token" "$bin/driftd" "$source_dir/tests/data/cel/server" "$work/cel" >"$work/counts" ||
	fail "driftd and the server differ: $(cat "$work/counts")"
cat "$work/counts"
checks=$((checks + $(cut -d' ' -f1 "$work/counts")))
