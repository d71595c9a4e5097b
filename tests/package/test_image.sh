#!/usr/bin/env bash
# The container image of scripts/build-image, of the package that scripts/build-deb has made: built twice it is the same; how large it is,
# and what is not in it; run without rights on a read-only root, by podman where that runs, and in a root of its own, against the simulator.
. "$(dirname "$0")/../e2e/lib.sh"
export DRIFTD_DEB=${DRIFTD_DEB:-$(find "$source_dir/build/deb" -maxdepth 1 -name 'driftd_*.deb' 2>/dev/null || true)}
[ -s "$DRIFTD_DEB" ] || skip "no package: scripts/build-deb makes it"
[ "$(id -u)" = 0 ] || skip "not root"
for tool in jq python3 dpkg-deb git skopeo gpgv ssh; do command -v $tool >/dev/null || skip "no $tool"; done
[ -x "$bin/apisim" ] || skip "no simulator in $bin"
unshare -m true 2>/dev/null || skip "no mount namespaces"
uid=65532 most=60000000

# ---- what is made ----

# A commit meanwhile makes another image.
SOURCE_DATE_EPOCH=$(stat -c %Y "$DRIFTD_DEB")
export SOURCE_DATE_EPOCH

layout=$work/one/driftd
build() { # build LOG ARGUMENTS
	"$source_dir/scripts/build-image" "${@:2}" >"$1" 2>&1 || fail "build-image: $(tail -n 3 "$1")"
}
for n in one two; do build "$work/$n.log" "$work/$n"; done
tail -n 1 "$work/one.log"
check "two builds are the same" cmp "$work/one/driftd.tar" "$work/two/driftd.tar"
check "so is what is said about them" cmp "$work/one/driftd.spdx.json" "$work/two/driftd.spdx.json"
check "packed it is not too large" test "$(stat -c %s "$work/one/driftd.tar")" -lt $most

blob() { echo "$1/blobs/sha256/${2#sha256:}"; } # blob LAYOUT DIGEST
unpack() { # unpack LAYOUT FOLDER
	local manifest layer
	manifest=$(blob "$1" "$(jq -r '.manifests[0].digest' "$1/index.json")")
	mkdir "$2"
	jq -r '.layers[].digest' "$manifest" | while read -r layer; do tar -xzpf "$(blob "$1" "$layer")" -C "$2" --numeric-owner; done
	jq .config "$(blob "$1" "$(jq -r .config.digest "$manifest")")" >"$2.json"
}
root=$work/root
unpack "$layout" "$root"
check "unpacked it is not too large" test "$(du -sb "$root" | cut -f 1)" -lt $most
check "every blob is what its name says" eval \
	"cd '$layout/blobs/sha256' && for f in *; do echo \"\$f  \$f\"; done | sha256sum -c --quiet"
find "$root" -type f -perm /111 -path '*bin/*' -printf '%P\n' >"$work/programs"
check "there is one program in it" test "$(cat "$work/programs")" = usr/bin/driftd
for name in sh bash dash busybox apt-get dpkg perl python3; do
	check "no $name" test -z "$(find "$root" -name $name ! -type d)"
done
check "nothing has the rights of another" test -z "$(find "$root" -type f -perm /6000)"
check "nobody may write what is read" test -z "$(find "$root" ! -type l -perm /022 ! -perm /1000)"
check "it runs as a user by number" test "$(jq -r .User "$root.json")" = $uid:$uid
check "it says what it is" jq -e '.Labels["org.opencontainers.image.revision"] != "" and .StopSignal == "SIGTERM" and
	.ExposedPorts != null' "$root.json"

# Each package is told of, has a licence, and is what this machine has; scanners find it where they look.
jq -r '.packages[] | select(.externalRefs) | .name + " " + .versionInfo' "$work/one/driftd.spdx.json" | sort >"$work/told"
check "packages" test "$(wc -l <"$work/told")" -gt 20
awk '/^Package: / { p = $2 } /^Version: / { print p, $2 }' "$root"/var/lib/dpkg/status.d/* | sort >"$work/held"
check "the list has what is there" cmp "$work/told" "$work/held"
while read -r package version; do
	check "the licence of $package" test -s "$root/usr/share/doc/$package/copyright"
	check "$package is that of this machine" grep -qx "$version" < <(dpkg-query -W -f '${Version}\n' "$package")
done <"$work/told"
check "it is SPDX 2.3, and nothing is named twice" jq -e '.spdxVersion == "SPDX-2.3" and
	([.packages[].SPDXID] | length == (unique | length)) and
	([.packages[].SPDXID] | sort) == ([.relationships[].relatedSpdxElement] | sort)' "$work/one/driftd.spdx.json"

# ---- what it does ----

start_shop
mkdir "$work/etc"
cp -r "$source_dir/examples/demo/reference" "$work/tls" "$work/etc"
sed "s|$work/tls|/etc/driftd/tls|" "$work/kubeconfig" >"$work/etc/kubeconfig"
chmod -R a+rX "$work/etc"
chmod 711 "$work"
sed 's|kubeconfig: .*|kubeconfig: kubeconfig|; s|path: .*|path: reference/metadata.yaml|; s|^state_dir: .*|state_dir: /var/lib/driftd|' \
	"$work/driftd.yaml" >"$work/etc/driftd.yaml"
: "${web_port:=$(free_port)}"
web=http://127.0.0.1:$web_port
podman() { command podman --root "$work/storage" --runroot "$work/runroot" "${engine[@]}" "$@"; }
limits=() engine=()
by_podman() { # by_podman [ARGUMENTS]: of driftd
	podman run --rm --read-only --network host "${limits[@]}" --name "$cluster" -v "$work/etc:/etc/driftd:ro" \
		-v "$state:/var/lib/driftd" "localhost/driftd:$(dpkg-deb -f "$DRIFTD_DEB" Version)" "$@"
}
# What a runtime does, without one: nobody's rights, and a root that cannot be written to.
by_hand() {
	exec env -i PATH=/usr/sbin:/usr/bin STATE_DIRECTORY=/var/lib/driftd RUNTIME_DIRECTORY=/run/driftd \
		ROOT="$root" ETC="$work/etc" STATE="$state" OWNER=$uid unshare -m --propagation private sh -ec '
		mount --bind "$ROOT" "$ROOT"
		mount --bind "$ETC" "$ROOT/etc/driftd"
		mount --bind "$STATE" "$ROOT/var/lib/driftd"
		mount -t tmpfs -o uid=$OWNER none "$ROOT/run/driftd"
		mount -t proc none "$ROOT/proc"
		mount -o remount,bind,ro "$ROOT"
		exec setpriv --no-new-privs chroot --userspec=$OWNER:$OWNER "$ROOT" /usr/bin/driftd "$@"' sh "$@"
}
runs() { (by_"$1" --version) >"$work/version" 2>"$work/$1.log" && grep -q "^driftd $(dpkg-deb -f "$DRIFTD_DEB" Version) " "$work/version"; }
find_podman() { # sandboxes forbid this and that: a runtime and limits that are allowed
	command -v podman >/dev/null || return 1
	podman load -q -i "$work/one/driftd.tar" >"$work/load.log" 2>&1 || return 1
	runs podman && return
	limits=(--ulimit nofile=1000:1000 --ulimit nproc=1000:1000)
	runs podman && return
	engine=(--runtime runc)
	command -v runc >/dev/null && runs podman
}
end() { # end WAY: with what a runtime sends
	local status=0
	if [ "$1" = podman ]; then
		podman stop -t 20 "$cluster" >"$work/stop.log"
		wait "${pid[driftd]}" || status=$?
		unset "pid[driftd]"
	else
		stop driftd || status=$?
	fi
	check "driftd ends cleanly, by $1" test $status = 0
}
clean_up_podman() { # also of what a test that failed has left running
	[ -d "$work/storage" ] || return 0
	podman rm -f -t 1 "$cluster" >/dev/null 2>&1 || true
	umount "$work/storage/overlay" 2>/dev/null || true
}
watches() { # watches WAY
	state=$work/state-$1
	if [ "$1" = podman ]; then
		install -d -o $uid -g $uid -m 750 "$state"
	else
		install -d -o 0 -g $uid -m 2770 "$state" # as a kubelet gives a volume to the group of a pod (fsGroup)
	fi
	: >"$work/records"
	for life in first second; do
		("by_$1" run --output json --web.listen-address "127.0.0.1:$web_port") >>"$work/records" 2>>"$work/$1.log" &
		pid[driftd]=$!
		wait_until 60 "the $life driftd of $1 to be ready" ready
		if [ $life = first ]; then
			set_team backoffice
			wait_until 30 "drift, on standard output" begins '.DRIFTD_KIND == "Namespace"'
			check "it is nobody in particular" test "$(stat -c %u "$state/driftd.db")" = $uid
			[ "$1" != podman ] || check "a command beside it" grep -q backoffice < <(podman exec "$cluster" /usr/bin/driftd drift list)
			end "$1"
			[ "$1" = podman ] || chmod -R g+rwX "$state"
			set_team storefront
		else
			wait_until 30 "its end" ends '.DRIFTD_KIND == "Namespace"'
			check "it begins once" record_count '.DRIFTD_EVENT == "begin" and .DRIFTD_KIND == "Namespace"' 1
			end "$1"
		fi
	done
}
mkdir -p "$root/proc" "$work/state-none"
state=$work/state-none
ways=(hand)
trap 'status=$?; clean_up_podman; set +e; (exit $status); on_exit' EXIT
if find_podman; then
	ways+=(podman)
else
	echo "not by podman: $(tail -n 1 "$work/podman.log" "$work/load.log" 2>/dev/null | tail -n 1)"
fi
for way in "${ways[@]}"; do
	check "driftd --version, by $way" runs "$way"
	watches "$way"
	echo "run by $way ${engine[*]} ${limits[*]}"
done

# ---- the image of driftd-fetch ----

build "$work/fetch.log" --fetch "$work/one"
tail -n 1 "$work/fetch.log"
unpack "$work/one/driftd-fetch" "$work/fetch"
check "packed it is not too large" test "$(stat -c %s "$work/one/driftd-fetch.tar")" -lt $most
mkdir -p "$work/fetch/dev"
mknod -m 666 "$work/fetch/dev/null" c 1 3 # git(1) does not begin without it
in_fetch() { chroot --userspec=$uid:$uid "$work/fetch" "$@" >"$work/said" 2>&1; }
check "driftd-fetch" in_fetch /usr/bin/driftd-fetch --version
for program in "git --version" "skopeo --version" "gpgv --version" "ssh -V" "sh -c true"; do
	# shellcheck disable=SC2086 # words
	check "$program" in_fetch /usr/bin/$program
done
