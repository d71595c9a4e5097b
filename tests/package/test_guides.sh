#!/usr/bin/env bash
# docs/guide/first-cluster.md and credentials.md, by root beside the installed service, with what they show for a console: in a Debian of
# its own, with a real API server, the one that knows roles and issues tokens. What is not run as it stands:
# - "journalctl -f", which does not end, is run for some seconds;
# - "driftd status" is asked until all is well, for which a reader waits as well;
# - the line with PLUGIN is for a program of the reader's;
# - what a controller does with a Secret that is for a token is played: there is none beside the API server.
: "${DRIFTD_BIN:=/usr/bin}"
export DRIFTD_BIN
. "$(dirname "$0")/../e2e/lib.sh"
for tool in jq kubectl systemd-nspawn; do command -v $tool >/dev/null || skip "no $tool"; done
kubectl create token --help >/dev/null 2>&1 || skip "no kubectl that can create a token"
. "$(dirname "$0")/../e2e/control_plane.sh"
. "$(dirname "$0")/root.sh"
. "$source_dir/tests/e2e/guide.sh"

boot
[ "$leader" ] || skip "there is no service without a boot"
start_control_plane --advertise-address 192.0.2.1 # which it looks for among the routes, and there are none
install_deb "$deb"

cp "$(command -v kubectl)" "$root/usr/local/bin/kubectl.real"
cat >"$root/usr/local/bin/kubectl" <<'K'
#!/bin/bash
set -e
kubectl.real "$@"
case $* in
"apply -f "*/role.yaml)
	token=$(kubectl.real -n driftd create token driftd-token)
	kubectl.real -n driftd patch secret driftd-token -p "{\"stringData\": {\"token\": \"$token\"}}"
	;;
esac
K
chmod +x "$root/usr/local/bin/kubectl"
mkdir -p "$root/root/.kube"
# credentials.md says of this file that its user has a token, and takes that out of it.
sed "s|certificate-authority: ca.crt|certificate-authority-data: $(base64 -w 0 "$ca")|
	s/^users:.*/users:\n- name: e2e\n  user:\n    token: \"$token\"/;
	/^contexts:/s/, {name: nobody.*/]/" \
	"$work/kubeconfig" >"$root/root/.kube/config"

guide() { # guide PAGE MIN: in an empty folder, by root in the root
	local status=0
	rm -rf "$work/blocks" "$root/blocks" "$root/root/guide"
	mkdir "$work/blocks" "$root/root/guide"
	take_blocks "$source_dir/docs/guide/$1"
	sed -i '/PLUGIN/d; s/^journalctl .*-f$/timeout 5 & || [ $? = 124 ]/; s/^driftd status$/until driftd status; do sleep 0.5; done/' \
		"$work"/blocks/*.console
	cp -r "$work/blocks" "$root/blocks"
	cp "$work/run.sh" "$root/run.sh"
	in_root env -C /root/guide HOME=/root PATH=/usr/local/bin:/usr/sbin:/usr/bin EXAMPLES=/usr/share/doc/driftd/examples \
		BLOCKS=/blocks CONSOLE=yes timeout 120 bash /run.sh >"$work/guide.log" 2>&1 || status=$?
	cp "$root"/blocks/*.out "$work/blocks"
	[ "$status" = 0 ] || { tail -n 20 "$work"/blocks/*.out >&2; fail "the commands of $1 ended with status $status"; }
	check_blocks "$2"
	rm -r "$root/blocks" "$root/run.sh"
}
runs() { in_root systemctl is-active driftd; }
check "the service runs once it is installed" runs
started=$(in_root systemctl show -P MainPID driftd)

guide first-cluster.md 9
watched() { in_root driftd status -o json | jq -e '.complete and (.clusters | length == 1) and .clusters[0].name == "prod"'; }
check "the service watches the cluster" watched
check "it is the one that was there" test "$(in_root systemctl show -P MainPID driftd)" = "$started"
mode() { in_root stat -c '%a %U %G' "$1"; }
check "only root and driftd read the token" test "$(mode /etc/driftd/token)" = "640 root driftd"
first=$(cat "$root/etc/driftd/token")

guide credentials.md 4
check "the token is another one" test "$(cat "$root/etc/driftd/token")" != "$first"
check "only root and driftd read it, still" test "$(mode /etc/driftd/token)" = "640 root driftd"
check "only root reads who renews it" test "$(mode /etc/kubernetes/driftd-token.token)" = "600 root root"
check "the timer waits" in_root systemctl is-active driftd-token.timer
check "nothing is wrong with the service" watched
in_root journalctl -q --no-pager >"$work/journal"
no_secret "$first" "$(cat "$root/etc/driftd/token")" "$(cat "$root/etc/kubernetes/driftd-token.token")" -- "$work/journal"
in_root systemctl poweroff >/dev/null 2>&1 || true
