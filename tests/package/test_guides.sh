#!/usr/bin/env bash
# Pages of docs/guide, by root beside the installed service, with what they show for a console: in a Debian of its own, with a real API
# server, the one that knows roles and issues tokens. first-cluster.md and credentials.md are run as a whole; of five-lines.md, clusters.md,
# notify.md and upgrading.md what needs root or systemd, as tests/e2e runs the rest; of runbook.md what is about the service, its disk, the
# journal and the configuration, and not about published references (test_published.sh). What is not run as it stands:
# - "journalctl -f", which does not end, is run for some seconds;
# - "driftd status" is asked until all is well, for which a reader waits as well;
# - "a && b" is run as two lines, so that either of them ends the page when it fails;
# - the line with PLUGIN is for a program of the reader's;
# - what a controller does with a Secret that is for a token is played: there is none beside the API server;
# - "editor FILE" copies a file of that name, which the test has written, to its place;
# - the web hook of a chat is one on the loopback, and driftd-notify gathers for a second instead of thirty;
# - driftd_NEW_amd64.deb is the same package as a later version, and it lies in the folder.
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

# keep_blocks PATTERN: beside blocks for a console those whose number matches; with each goes what must come out of it
keep_blocks() {
	local block name kept=''
	for block in "$work"/blocks/*; do
		name=${block##*/}
		case $name in
		*.text) ;;
		*.console) kept=yes ;;
		*) [[ ${name%.*} =~ ^($1)$ ]] && kept=yes || kept='' ;;
		esac
		[ "$kept" ] || rm "$block"
	done
}
guide() { # guide PAGE MIN [PATTERN [LINES]]: in a folder with what is in $work/given, by root in the root; with PATTERN only keep_blocks,
	# and with LINES no block that has such lines
	local status=0
	rm -rf "$work/blocks" "$root/blocks" "$root/root/guide"
	mkdir -p "$work/blocks" "$work/given"
	cp -r "$work/given" "$root/root/guide"
	take_blocks "$source_dir/docs/guide/$1"
	[ $# -lt 3 ] || keep_blocks "$3"
	[ $# -lt 4 ] || grep -lE -- "$4" "$work"/blocks/*.console | xargs -r rm
	sed -i '/PLUGIN/d; s/ && /\n/g' "$work"/blocks/*.console
	sed -i 's/^journalctl .*-f$/timeout 5 & || [ $? = 124 ]/; s/^driftd status\( .*\)\?$/until &; do sleep 0.5; done/
		s/^editor \(.*\)/cp "$(basename \1)" \1/; s|https://chat.example.com/[^'"'"']*|'"$hook"'\nGROUP=1s|' "$work"/blocks/*.console
	cp -r "$work/blocks" "$root/blocks"
	cp "$work/run.sh" "$root/run.sh"
	in_root env -C /root/guide HOME=/root PATH=/usr/local/bin:/usr/sbin:/usr/bin EXAMPLES=/usr/share/doc/driftd/examples \
		BLOCKS=/blocks CONSOLE=yes timeout 120 bash /run.sh >"$work/guide.log" 2>&1 || status=$?
	cp "$root"/blocks/*.out "$work/blocks"
	[ "$status" = 0 ] || { tail -n 20 "$work"/blocks/*.out >&2; fail "the commands of $1 ended with status $status"; }
	check_blocks "$2"
	rm -r "$root/blocks" "$root/run.sh"
}
hook=http://127.0.0.1:$(free_port)
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

# ---- five lines ----

kube() { kubectl --kubeconfig "$work/kubeconfig" "$@" >>"$work/kubectl.log" 2>&1 || fail "kubectl $*: $(tail -n 3 "$work/kubectl.log")"; }
guide five-lines.md 2 00
config=$root/etc/driftd/driftd.yaml
check "the five lines are in force" cmp "$config" "$source_dir/examples/helm/driftd.yaml"
check "and what they name is watched" watched
check "only root and driftd read the kubeconfig" test "$(mode /etc/driftd/prod.kubeconfig)" = "640 root driftd"

# ---- several daemons, and several processes for the same cluster ----

cat >"$work/given/driftd.yaml" <<'Y'
clusters: [{name: lab, kubeconfig: ../prod.kubeconfig}]
references: [{name: applied, last_applied: {kinds: [ConfigMap]}}]
metrics: {listen: "127.0.0.1:19479"}
Y
guide clusters.md 2 none
status_of() { in_root driftd status --socket "/run/driftd-$1/driftd.sock" -o json; } # status_of INSTANCE
check "the lab is watched beside the rest" test "$(status_of lab | jq -r '.clusters[].name')" = lab
check "the shards are in the place of the service" not runs
shards=(driftd-shard@0 driftd-shard@1 driftd-shard@2)
for shard in 0 1 2; do
	all_of() { status_of "shard-$shard" | jq -e '.complete'; }
	wait_until 40 "shard $shard to watch" all_of
done
in_root systemctl disable --now driftd@lab "${shards[@]}" 2>>"$work/systemctl.log" || fail "the instances do not stop"
rm "$root/etc/driftd/shards.env"

# ---- a command for each record ----

sed -i 's/{name: applied, /&severity: error, /' "$config"
in_root systemctl enable --now driftd 2>>"$work/systemctl.log" || fail "the service does not start again"
wait_until 40 "the service to watch again" watched
rm -r "$work/given"
cp -r "$root/usr/share/doc/driftd/examples/notify" "$work/given"
start hook python3 -u "$source_dir/tests/e2e/data/hook.py" "${hook##*:}" "$work/posted.json"
guide notify.md 1 none
check "only root reads the address" test "$(mode /etc/driftd/notify.env)" = "600 root root"
wait_until 20 "driftd-notify to have begun" test -s "$root/var/lib/private/driftd-notify/last"
kube -n shop scale deployment web --replicas=7
posted() { jq -re .text "$work/posted.json" | grep -F 'drift begins: deployments.apps shop/web spec.replicas'; }
wait_until 60 "the drift to be posted" posted
in_root systemctl disable --now driftd-notify 2>>"$work/systemctl.log" || fail "driftd-notify does not stop"
stop hook || true

# ---- another driftd ----

rm -r "$work/given"
mkdir "$work/given"
dpkg-deb -R "$deb" "$work/next"
sed -i 's/^Version: .*/&+next/' "$work/next/DEBIAN/control"
dpkg-deb -b "$work/next" "$work/given/driftd_NEW_amd64.deb" >>"$work/apt.log"
open_ids() { in_root driftd drift list -o name | sort; }
before=$(open_ids || true)
check "a drift is open" test -n "$before"
guide upgrading.md 1 none
check "the later one is installed" eval 'in_root dpkg-query -W driftd | grep -F +next'
check "the backup has the state" test -s "$root/var/backups/driftd-$(in_root date +%F)/driftd.db"
after=$(open_ids || true)
check "what was open is open under its id" test "$before" = "$after"
begins() { in_root journalctl -q --no-pager -o cat -t driftd DRIFTD_EVENT=begin | grep -cF 'deployments.apps shop/web spec.replicas'; }
check "and was reported once" test "$(begins)" = 1

# ---- what the runbook has for a console ----

rm -r "$work/given"
guide runbook.md 5 none 'driftd-fetch|driftd reference'
kube -n shop scale deployment web --replicas=2
ended() { in_root journalctl -q --no-pager -o cat -t driftd DRIFTD_EVENT=end | grep -F 'drift ends: deployments.apps shop/web'; }
wait_until 40 "the end of the drift in the journal, which was started again" ended

in_root journalctl -q --no-pager >"$work/journal"
no_secret "$first" "$(cat "$root/etc/driftd/token")" "$(cat "$root/etc/kubernetes/driftd-token.token")" -- "$work/journal"
in_root systemctl poweroff >/dev/null 2>&1 || true
