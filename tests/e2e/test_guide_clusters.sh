#!/usr/bin/env bash
# docs/guide/clusters.md: its commands do what it says, with kubectl played.
. "$(dirname "$0")/lib.sh"
. "$here/guide.sh"

start_cluster --load "$source_dir/examples/demo/cluster.json"
api PATCH /apis/apps/v1/namespaces/shop/deployments/web '{"spec":{"replicas":2}}' setup
run_guide "$source_dir/docs/guide/clusters.md" 6 EXAMPLES="$source_dir/examples" PORT="$(free_port)"
