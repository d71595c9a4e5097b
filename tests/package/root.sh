# To be sourced behind lib.sh: a Debian 12 of its own in $root, booted by systemd-nspawn where that works. It, and what the script starts,
# have a network of their own. The package is $deb: $DRIFTD_DEB, or what scripts/build-deb made. The system without driftd is kept in
# $DRIFTD_PACKAGE_ROOT (build/package by default) for the next time.
release=bookworm
kept=${DRIFTD_PACKAGE_ROOT:-$source_dir/build/package}/$release
root=$work/root
leader='' # the init of the root, once it is booted
deb=${DRIFTD_DEB:-$(find "$source_dir/build/deb" -maxdepth 1 -name 'driftd_*.deb' 2>/dev/null || true)}

# The packages that driftd needs come into it while there is a network; with others it is made anew.
keep_root() { # keep_root DEPENDENCIES
	[ "$(cat "$kept.ready" 2>/dev/null)" != "$1" ] || return 0
	rm -rf "$kept" "$kept.ready"
	mmdebstrap --variant=minbase --dpkgopt=force-unsafe-io --include=systemd,systemd-sysv,dbus,man-db,bash-completion \
		--customize-hook="chroot \"\$1\" apt-get satisfy -yq --no-install-recommends '$1'" $release "$kept" >"$work/root.log" 2>&1 ||
		skip "mmdebstrap cannot make a Debian: $(grep -E '^(E|W):' "$work/root.log" | tail -n 1)"
	printf %s "$1" >"$kept.ready"
}

if [ -z "${PACKAGE_INSIDE:-}" ]; then
	[ -s "$deb" ] || skip "no package: scripts/build-deb makes it"
	[ "$(id -u)" = 0 ] || skip "not root"
	for tool in mmdebstrap ip curl; do command -v $tool >/dev/null || skip "no $tool"; done
	unshare -m -n true 2>/dev/null || skip "no namespaces can be made"
	(
		mkdir -p "$(dirname "$kept")"
		exec 9>"$kept.lock"
		flock 9
		own=$(sed -n 's/^Depends: driftd, //p' "$source_dir/debian/tests/control")
		keep_root "$(dpkg-deb -f "$deb" Depends), $(dpkg-deb -f "$deb" Recommends), $own, rpm, jq"
	)
	rm -rf "$work"
	PACKAGE_INSIDE=1 exec unshare -m -n --propagation private "$0" "$@"
fi
ip link set lo up
cp -a "$kept" "$root"

boot() { # the root as a machine; what it runs on is said
	local end=$((SECONDS + 60))
	how=chroot
	if command -v systemd-nspawn >/dev/null; then
		start nspawn systemd-nspawn -q --boot -D "$root" --register=no --keep-unit --console=read-only </dev/null
		until [ "$leader" ] && in_root systemctl is-system-running >"$work/running" 2>&1; do
			if [ $SECONDS -ge $end ] || ! kill -0 "${pid[nspawn]}" 2>/dev/null; then
				leader=''
				break
			fi
			sleep 0.3
			leader=$(pgrep -P "${pid[nspawn]}" -x systemd || true)
		done
	fi
	[ ! "$leader" ] || how="a boot by systemd-nspawn"
	echo "the package is tried in $how"
	[ "$leader" ] || mount_root
}

mount_root() { # what programs expect of a system that nobody booted
	mount -t proc proc "$root/proc"
	trap 'umount "$root/proc"; on_exit' EXIT
}

not() { ! "$@"; }
in_root() { # in_root COMMAND...
	if [ "$leader" ]; then
		nsenter -t "$leader" -m -u -i -n -p -C -r -w env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
	else
		chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
	fi
}
install_deb() { # install_deb FILE: what was changed of the configuration stays
	cp "$1" "$root/package.deb"
	in_root apt-get install -yq --no-install-recommends -o Dpkg::Options::=--force-confold /package.deb >>"$work/apt.log" 2>&1 </dev/null ||
		fail "apt-get install $1"
	rm "$root/package.deb"
}
apt() { in_root apt-get -yq "$@" >>"$work/apt.log" 2>&1 </dev/null || fail "apt-get $*"; }

# Every file that is there, but for what changes by itself or by any package.
files_of_root() {
	(cd "$root" && find . -xdev \( -path ./var/cache -o -path ./var/log -o -path ./var/lib/dpkg -o -path ./var/lib/apt \
		-o -path ./var/lib/rpm -o -path ./run -o -path ./tmp \
		-o -path ./var/tmp -o -path ./proc -o -path ./sys -o -path ./dev \) -prune -o -print | sort)
}
