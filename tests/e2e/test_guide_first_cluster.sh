#!/usr/bin/env bash
# docs/guide/first-cluster.md: its commands do what it says, with a real API server, its roles and the tokens of its service accounts. The
# server is the one built from Debian's sources: the modern one issues no tokens. kubectl is one that makes tokens, of any of them.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/control_plane.sh"
. "$here/guide.sh"
for tool in "${KUBEBUILDER_ASSETS_MODERN:-}/kubectl" kubectl; do
	! "$tool" create token --help >/dev/null 2>&1 || ln -sf "$(command -v "$tool")" "$work/bin/kubectl"
done
[ -e "$work/bin/kubectl" ] || skip "no kubectl that can create a token"

start_control_plane
run_guide "$source_dir/docs/guide/first-cluster.md" 8 EXAMPLES="$source_dir/examples" KUBECONFIG="$work/kubeconfig" PORT="$(free_port)"

# ---- docs/guide/credentials.md: the account that renews the token may do that, and nothing else ----

k() { "$work/bin/kubectl" --kubeconfig "$work/kubeconfig" "$@"; }
k apply -f "$source_dir/examples/credentials/role.yaml" >"$work/kubectl.log" || fail "the role of who renews tokens"
renewer=$(k -n driftd create token driftd-token)
sed "s/token: e2e-token/token: $renewer/" "$work/kubeconfig" >"$work/renewer.kubeconfig"
renew() { "$work/bin/kubectl" --kubeconfig "$work/renewer.kubeconfig" -n driftd create token "$1" --duration 24h; }
check "it may make driftd's tokens" renew driftd
check "and not its own" eval '! renew driftd-token 2>/dev/null'
command=$(sed -n "s/^ExecStart=.* -ec '\(.*\)'\$/\1/p" "$source_dir/examples/credentials/driftd-token.service" |
	sed "s|/etc/driftd|$work/guide|; s|/etc/kubernetes/driftd-token.kubeconfig|$work/renewer.kubeconfig|; s|chgrp driftd|chgrp $(id -g)|")
before=$(cat "$work/guide/token")
check "what the unit runs" env PATH="$work/bin:$PATH" sh -ec "$command"
check "is another token" test "$(cat "$work/guide/token")" != "$before"
check "that the group may read" test "$(stat -c %a "$work/guide/token")" = 640
check "and is good" "$work/bin/kubectl" --kubeconfig "$work/guide/prod.kubeconfig" -n shop get deployments \
	--field-selector metadata.name=web
