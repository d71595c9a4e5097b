#!/usr/bin/env bash
# The Debian package in a Debian of its own: installed, upgraded, removed and purged. DRIFTD_DEB names it; by default it is what
# scripts/build-deb made.
: "${DRIFTD_BIN:=/usr/bin}" # of the programs that are built none is needed
export DRIFTD_BIN
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/root.sh"
version=$(dpkg-deb -f "$deb" Version)

boot
files_of_root >"$work/before"

is() { # is WHAT TEXT COMMAND...: what the command says in the root
	local said
	said=$(in_root "${@:3}" 2>&1) || true
	check "$1: '$2', not '$said'" test "$said" = "$2"
}
says() { # says WHAT PATTERN COMMAND...
	in_root "${@:3}" >"$work/said.log" 2>&1 || true
	check "$1" grep -E "$2" "$work/said.log"
}
scrape() { curl -sf "http://127.0.0.1:19470/$1"; }
main_pid() { in_root systemctl show -P MainPID "$1"; }

# ---- installed ----

install_deb "$deb"
is "the version" "driftd $version" sh -c 'driftd --version | cut -d " " -f 1-2'
says "the revision" '\([0-9a-zv].*\)$' driftd --version
says "the revision is known" '\((v[0-9]|[0-9a-f]{7})' driftd --version
for name in kubectl-driftd kubectl-cluster_compare oc-cluster_compare; do
	says "$name" "^cluster-compare version driftd-$version" $name --version
done
says kubegen '^Usage' kubegen --help
in_root kubectl_complete-driftd --all >"$work/words"
check "words for kubectl" grep -x -e --all-resources "$work/words"
says "words for bash" '_driftd' bash -c '. /usr/share/bash-completion/completions/driftd; complete -p driftd'

is "what is configuration" /etc/driftd/driftd.yaml sh -c "dpkg-query -W -f '\${Conffiles}' driftd | awk '{ print \$1 }'"
for folder in /etc/driftd /etc/driftd/conf.d; do is "$folder" "750 root driftd" stat -c '%a %U %G' $folder; done
is "the user" "/var/lib/driftd:/usr/sbin/nologin" sh -c 'getent passwd driftd | cut -d : -f 6-'
check "the user reads the configuration" in_root runuser -u driftd -- cat /etc/driftd/driftd.yaml
check "others do not" not in_root runuser -u nobody -- test -r /etc/driftd/driftd.yaml
is "check-config has nothing else to say" "/etc/driftd/driftd.yaml: no cluster is configured: nothing is watched" driftd check-config
# What is commented out in it is configuration, of files that are not there.
sed 's/^#\([ a-z]\)/\1/; 1,/^$/s/^ .*//' "$root/etc/driftd/driftd.yaml" >"$root/etc/driftd/all.yaml"
in_root driftd check-config -c /etc/driftd/all.yaml >"$work/all.log" 2>&1 || true
check "two files are missing" test "$(grep -c 'No such file' "$work/all.log")" = 2
check "nothing else is wrong" test "$(grep -vc 'No such file' "$work/all.log")" = 0
rm "$root/etc/driftd/all.yaml"

for unit in driftd.service driftd@west.service; do
	is "systemd-analyze verify $unit" "" systemd-analyze verify $unit
done
says "the catalog" 'Subject: Drift begins' journalctl --dump-catalog 089938918e834a77b3539e496fd132e4
in_root dpkg -L driftd | sed -n 's|^/usr/share/man/man\([1-8]\)/\(.*\)\.[1-8]\.gz$|\1 \2|p' >"$work/pages"
check "there are manual pages" test "$(wc -l <"$work/pages")" -gt 15
while read -r section page; do
	in_root man --warnings "$section" "$page" >"$work/page" 2>"$work/said.log" || fail "man $section $page"
	check "man $section $page warns of nothing" test ! -s "$work/said.log"
	check "man $section $page has text" grep -E '^(NAME|SYNOPSIS)' "$work/page"
done <"$work/pages"
check "the alerts about findings" test -s "$root/usr/share/doc/driftd/examples/prometheus/driftd-findings.rules.yaml"
check "each alert refers to a web address" test "$(grep -h 'runbook_url:' "$root"/usr/share/doc/driftd/examples/prometheus/*.rules.yaml |
	grep -cv 'runbook_url: https\?://' || true)" = 0
check "the guides" test -s "$root/usr/share/doc/driftd/docs/guide/event-rules.md"
check "examples" test -s "$root/usr/share/doc/driftd/examples/demo/reference/metadata.yaml"

cp "$source_dir/debian/tests/smoke" "$root/smoke"
check "Debian's own test" in_root /smoke
rm "$root/smoke"

# An administrator has changed what is configured, and has a second driftd.
echo '# mine' >>"$root/etc/driftd/driftd.yaml"
if [ "$leader" ]; then
	is "it is enabled" enabled systemctl is-enabled driftd
	is "it runs" active systemctl is-active driftd
	wait_until 20 "its metrics" scrape metrics
	scrape metrics >"$work/metrics"
	check "its version there" grep "^driftd_build_info{version=\"$version\"" "$work/metrics"
	says "it says that nothing is watched" 'no cluster is configured' journalctl -q --no-pager -u driftd
	says "journalctl -x explains what it says" 'Defined-By: driftd' journalctl -q --no-pager -x -u driftd
	is "its state" "600 driftd" stat -c '%a %U' /var/lib/driftd/driftd.db
	is "its control socket" "660 driftd socket" stat -c '%a %G %F' /run/driftd/driftd.sock
	is "status: nothing is watched, which is not well" 1 sh -c 'driftd status >/dev/null; echo $?'
	mkdir "$root/etc/driftd/west"
	echo 'metrics: {listen: 127.0.0.1:19471}' >"$root/etc/driftd/west/driftd.yaml"
	chmod 644 "$root/etc/driftd/west/driftd.yaml"
	in_root systemctl -q enable --now driftd@west.service || fail "an instance"
	is "the instance runs" active systemctl is-active driftd@west

	# A reload says what came of it, from within the sandbox of the unit.
	for unit in driftd driftd@west; do check "a reload of $unit" in_root systemctl reload $unit; done
	reload_fails() { ! in_root systemctl reload driftd >"$work/said.log" 2>&1; }
	cp -a "$root/etc/driftd/driftd.yaml" "$work/mine.yaml"
	echo 'nonsense: 1' >>"$root/etc/driftd/driftd.yaml"
	check "a reload that is refused" reload_fails
	says "the mistake is in the journal, of the command too" 'driftd\[[0-9]+\]: /etc/driftd/driftd.yaml:[0-9]+:1: unknown key' \
		journalctl -q --no-pager -u driftd
	is "the service still runs" active systemctl is-active driftd
	cp -a "$work/mine.yaml" "$root/etc/driftd/driftd.yaml"
	check "a reload when that is mended" in_root systemctl reload driftd

	# What only root may read is a mistake for who checks as root, before the service meets it.
	printf '%s\n' 'apiVersion: v1' 'kind: Config' 'current-context: c' 'clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]' \
		'contexts: [{name: c, context: {cluster: c, user: c}}]' 'users: [{name: c, user: {tokenFile: token}}]' \
		>"$root/etc/driftd/c.kubeconfig"
	echo secret >"$root/etc/driftd/token"
	printf '%s\n' 'clusters: [{name: c, kubeconfig: c.kubeconfig}]' 'watch: [{apiVersion: v1, kind: ConfigMap}]' >"$root/etc/driftd/c.yaml"
	chmod 644 "$root"/etc/driftd/c.* && chmod 600 "$root/etc/driftd/token"
	says "a token that the service cannot read" 'c.yaml: token: /etc/driftd/token: driftd cannot read it: .*mode 0600' \
		driftd check-config -c /etc/driftd/c.yaml
	chmod 644 "$root/etc/driftd/token"
	says "one that it can" 'c.yaml: ok' driftd check-config -c /etc/driftd/c.yaml
	rm "$root"/etc/driftd/c.* "$root/etc/driftd/token"
	first=$(main_pid driftd) west=$(main_pid driftd@west)
fi

# ---- upgraded ----

higher() { # higher VERSION: the package again, as that version, with another configuration
	rm -rf "$work/repacked"
	dpkg-deb -R "$deb" "$work/repacked"
	sed -i "s/^Version: .*/Version: $1/" "$work/repacked/DEBIAN/control"
	echo "# as of $1" >>"$work/repacked/etc/driftd/driftd.yaml"
	dpkg-deb -b "$work/repacked" "$work/driftd_$1.deb" >"$work/repack.log"
	install_deb "$work/driftd_$1.deb"
}
higher "$version+1"
is "the next version" "$version+1" dpkg-query -W -f '${Version}' driftd
check "the changed configuration stays" grep -x '# mine' "$root/etc/driftd/driftd.yaml"
check "the new one is beside it" grep -F "# as of $version+1" "$root/etc/driftd/driftd.yaml.dpkg-dist"
is "/etc/driftd is as it was" "750 root driftd" stat -c '%a %U %G' /etc/driftd
if [ "$leader" ]; then
	is "it still runs" active systemctl is-active driftd
	check "as another process" test "$(main_pid driftd)" != "$first"
	is "the instance too" active systemctl is-active driftd@west
	check "as another process, too" test "$(main_pid driftd@west)" != "$west"
	in_root systemctl -q disable --now driftd
	higher "$version+2"
	is "what was stopped stays so" inactive systemctl is-active driftd
	is "what was disabled stays so" disabled systemctl is-enabled driftd
	in_root systemctl -q enable --now driftd
fi

# ---- removed, and purged ----

apt remove driftd
check "the program is gone" test ! -e "$root/usr/bin/driftd" -a ! -e "$root/usr/bin/kubegen"
check "the configuration is not" grep -x '# mine' "$root/etc/driftd/driftd.yaml"
if [ "$leader" ]; then
	is "nothing runs" "" pgrep -x driftd
	check "the state is there" test -s "$root/var/lib/driftd/driftd.db"
fi
apt purge driftd
rm -rf "$root/etc/driftd/west" # what is the administrator's stays
rmdir "$root/etc/driftd" 2>/dev/null || true
files_of_root >"$work/after"
diff "$work/before" "$work/after" >"$work/left.log" || true
check "nothing is left" test ! -s "$work/left.log"
is "but the user" driftd id -un driftd
[ ! "$leader" ] || in_root systemctl poweroff >/dev/null 2>&1 || true
