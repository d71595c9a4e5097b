#!/usr/bin/env bash
# The RPM package beside the .deb: the same files; and in a Debian of its own, as far as that is one for it: installed, upgraded and erased
# with its scriptlets. DRIFTD_RPM names it; by default it is what scripts/build-rpm made. What file triggers of systemd's own package do on
# Fedora and RHEL the test does.
: "${DRIFTD_BIN:=/usr/bin}" # of the programs that are built none is needed
export DRIFTD_BIN
. "$(dirname "$0")/../e2e/lib.sh"
for tool in rpm rpmbuild rpm2cpio cpio; do command -v $tool >/dev/null || skip "no $tool"; done
package=${DRIFTD_RPM:-$(find "$source_dir/build/rpm/RPMS" -name 'driftd-[0-9]*.rpm' 2>/dev/null || true)}
[ -s "$package" ] || skip "no package: scripts/build-rpm makes it"
. "$(dirname "$0")/root.sh"
version=$(rpm -qp --qf '%{VERSION}' "$package")

# ---- what is in it ----

dpkg-deb --fsys-tarfile "$deb" | tar -tv | sed -n 's/^[^d].* \.\(\/[^ ]*\).*/\1/p' | sed 's/\.gz$//' >"$work/in-deb"
while read -r ours theirs; do
	[ "$ours" != '#' ] || continue
	if [ "$theirs" = - ]; then sed -i "\|^$ours\$|d" "$work/in-deb"; else sed -i "s|^$ours|$theirs|" "$work/in-deb"; fi
done <"$source_dir/tests/package/rpm-differs.txt"
rpm -qp --qf '[%{FILEMODES:perms} %{FILENAMES}\n]' "$package" | sed -n 's/^[^d][^ ]* //p' | sed 's/\.gz$//' |
	sed "s|^/usr/share/licenses/driftd-$version/|/usr/share/licenses/driftd/|" | grep -v /.build-id/ >"$work/in-rpm"
sort -o "$work/in-deb" "$work/in-deb"
sort -o "$work/in-rpm" "$work/in-rpm"
diff "$work/in-deb" "$work/in-rpm" >"$work/lists" || true
check "the same files as in the .deb: $(cat "$work/lists")" test ! -s "$work/lists"

# ---- in a system ----

boot
files_of_root >"$work/before"
rpm_() { in_root rpm --dbpath /var/lib/rpm --nodeps "$@" >>"$work/rpm.log" 2>&1 || fail "rpm $*: $(tail -n 3 "$work/rpm.log")"; }
triggers() {
	in_root systemd-sysusers
	in_root systemd-tmpfiles --create >/dev/null 2>&1 || true
	in_root journalctl -q --update-catalog
	[ ! "$leader" ] || in_root systemctl daemon-reload
}
is() { # is WHAT TEXT COMMAND...: what the command says in the root
	local said
	said=$(in_root "${@:3}" 2>&1) || true
	check "$1: '$2', not '$said'" test "$said" = "$2"
}
main_pid() { in_root systemctl show -P MainPID "$1"; }

# higher VERSION: the package again, as that version, with another configuration: the scriptlets of the spec, and the files of the package.
higher() {
	rm -rf "$work/unpacked"
	mkdir "$work/unpacked"
	rpm2cpio "$package" | (cd "$work/unpacked" && cpio -idm --quiet)
	rm -rf "$work/unpacked/usr/lib/.build-id" # they are made anew
	echo "# as of $1" >>"$work/unpacked/etc/driftd/driftd.yaml"
	awk -v files="$work/unpacked" '/^%prep$/ { cut = 1; print "%install\nmkdir -p %{buildroot}\ncp -a " files "/. %{buildroot}"
			print "mkdir -p %{buildroot}/var/lib/driftd %{buildroot}/var/lib/driftd-fetch %{buildroot}/etc/driftd-fetch\n" }
		/^# What is in sysusers.d/ { cut = 0 } !cut && !/^%license/' "$source_dir/rpm/driftd.spec" >"$work/driftd.spec"
	sed -i '/^%files$/a /usr/share/licenses/driftd*' "$work/driftd.spec"
	mkdir -p "$work/rpms/SOURCES"
	cp "$source_dir/systemd/driftd.sysusers" "$work/rpms/SOURCES"
	rpmbuild -bb --nodeps --load "$source_dir/rpm/macros.systemd" --without check --define "_topdir $work/rpms" \
		--define 'debug_package %{nil}' --define '_build_id_links none' --define '__os_install_post %{nil}' \
		--define "driftd_version $1" "$work/driftd.spec" \
		>"$work/repack.log" 2>&1 ||
		fail "rpmbuild: $(tail -n 5 "$work/repack.log")"
	find "$work/rpms/RPMS" -name "driftd-$1-*.rpm" -exec cp {} "$root/package.rpm" \;
	rpm_ -U /package.rpm
	rm "$root/package.rpm"
	triggers
}

cp "$package" "$root/package.rpm"
rpm_ -i /package.rpm
rm "$root/package.rpm"
is "the user is there before its files" "750 root driftd" stat -c '%a %U %G' /etc/driftd
triggers
is "the version" "driftd $version" sh -c 'driftd --version | cut -d " " -f 1-2'
is "the configuration's folder" "750 root driftd" stat -c '%a %U %G' /etc/driftd
is "what is fetched has one" "750 root driftd-fetch" stat -c '%a %U %G' /etc/driftd-fetch
is "the user" "/var/lib/driftd:/usr/sbin/nologin" sh -c 'getent passwd driftd | cut -d : -f 6-'
is "what is configuration" /etc/driftd/driftd.yaml rpm --dbpath /var/lib/rpm -qc driftd
is "as the distribution presets it" enabled systemctl is-enabled driftd
is "systemd-analyze verify" "" systemd-analyze verify driftd.service driftd@west.service
is "nothing differs from the package" "" sh -c 'rpm --dbpath /var/lib/rpm -V --nodeps driftd || true'

echo '# mine' >>"$root/etc/driftd/driftd.yaml"
if [ "$leader" ]; then
	in_root systemctl start driftd || fail "start"
	is "it runs" active systemctl is-active driftd
	is "its state" "600 driftd" stat -c '%a %U' /var/lib/driftd/driftd.db
	mkdir "$root/etc/driftd/west"
	echo 'metrics: {listen: 127.0.0.1:19471}' >"$root/etc/driftd/west/driftd.yaml"
	chmod 644 "$root/etc/driftd/west/driftd.yaml"
	in_root systemctl -q enable --now driftd@west.service || fail "an instance"
	first=$(main_pid driftd) west=$(main_pid driftd@west)
fi

higher "$version.1"
is "the next version" "$version.1" rpm --dbpath /var/lib/rpm -q --qf '%{VERSION}' driftd
check "the changed configuration stays" grep -x '# mine' "$root/etc/driftd/driftd.yaml"
check "the new one is beside it" grep -F "# as of $version.1" "$root/etc/driftd/driftd.yaml.rpmnew"
if [ "$leader" ]; then
	is "it still runs" active systemctl is-active driftd
	check "as another process" test "$(main_pid driftd)" != "$first"
	is "the instance too" active systemctl is-active driftd@west
	check "as another process, too" test "$(main_pid driftd@west)" != "$west"
	in_root systemctl -q disable --now driftd
	higher "$version.2"
	is "what was stopped stays so" inactive systemctl is-active driftd
	is "what was disabled stays so" disabled systemctl is-enabled driftd
	in_root systemctl -q enable --now driftd
fi

rpm_ -e driftd
triggers
check "the program is gone" test ! -e "$root/usr/bin/driftd" -a ! -e "$root/usr/bin/kubegen"
check "the changed configuration is kept" grep -x '# mine' "$root/etc/driftd/driftd.yaml.rpmsave"
if [ "$leader" ]; then
	is "nothing runs" "" pgrep -x driftd
	check "the state is there" test -s "$root/var/lib/driftd/driftd.db"
fi
# Of an RPM this is the administrator's.
rm -rf "$root/etc/driftd" "$root/etc/driftd-fetch" "$root/var/lib/driftd" "$root/var/lib/driftd-fetch"
rm -f "$root"/etc/systemd/system/*.wants/driftd@west.service
rmdir "$root/usr/share/licenses" # which any RPM of theirs has
files_of_root >"$work/after"
diff "$work/before" "$work/after" >"$work/left.log" || true
check "nothing is left: $(cat "$work/left.log")" test ! -s "$work/left.log"
[ ! "$leader" ] || in_root systemctl poweroff >/dev/null 2>&1 || true
