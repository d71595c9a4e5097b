#!/usr/bin/env bash
# References from wherever they may be published, in one configuration: templates from git over SSH, a registry and a tar over HTTPS, each
# signed; manifests and a bundle of kubegen from git over HTTPS. Each comes into force and follows what is published; what somebody else
# signed is not taken, said and counted; a revision is carried to another store; a full disk leaves what is there.
if [ -z "${MOUNTS_INSIDE:-}" ] && [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	MOUNTS_INSIDE=yes exec unshare -m --propagation private "$0" "$@"
fi
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/published.sh"

kinds=(shop settings bundle)
has() { [[ " ${kinds[*]} " == *" $1 "* ]]; } # has NAME: whether the reference can be tried on this machine
without() { echo "without $*"; }
if command -v docker-registry >/dev/null && command -v skopeo >/dev/null; then
	kinds+=(image)
else
	without "a registry: no docker-registry or no skopeo"
fi
if command -v minisign >/dev/null; then kinds+=(tar); else without "a signed tar: no minisign"; fi

# ---- who signs ----

make_ssh_keys signer stranger
echo "ada@example.com namespaces=\"git\" $(cut -d ' ' -f 1,2 "$work/signer.pub")" >"$work/allowed_signers"
! has image || make_cosign_keys cosign cosign-stranger
! has tar || make_minisign_keys minisign minisign-stranger
signs_as() { g config user.signingKey "$work/$1.pub"; } # signs_as KEY: from now on, the commits

# ---- where it is published ----

publish() { # publish SUBJECT: the repository, and its folder "shop" as an image and as a tar
	commit "$1"
	push
	! has image || publish_image cosign
	! has tar || publish_tar minisign
}

git init -q -b main "$repository"
for pair in gpg.format=ssh commit.gpgSign=true; do g config "${pair%=*}" "${pair#*=}"; done
signs_as signer
mkdir -p "$repository/settings" "$repository/kubegen"
cp -r "$source_dir/examples/kubegen/." "$repository/kubegen"
chmod -R u+w "$repository/kubegen"
settings_are() { configmap colours shop "{\"sky\":\"$1\"}" >"$repository/settings/colours.json"; } # settings_are COLOUR
settings_are blue
make_repository
start_git_server
shop_source="git: $git_url/shop.git, ca_file: $work/cert.pem"
if start_sshd; then
	shop_source="git: '$ssh_url/shop.git', known_hosts: $work/known_hosts, credentials: $work/login"
else
	without "SSH: sshd does not run here"
fi
if has image; then
	start_registry
	publish_image cosign
fi
if has tar; then
	start_files
	publish_tar minisign
fi
{
	cat <<-Y
		  - name: shop
		    source: {$shop_source,
		      path: shop, verify: {allowed_signers: $work/allowed_signers}}
		  - name: settings
		    source: {git: $git_url/shop.git, ca_file: $work/cert.pem, branch: main, path: settings}
		    manifests: .
		  - name: bundle
		    source: {git: $git_url/shop.git, ca_file: $work/cert.pem, branch: main, path: kubegen}
		    path: shop.yml
		  - name: carried
		    source: {git: 'https://git.example.com/shop.git', path: shop, interval: never}
	Y
	! has image || cat <<-Y
		  - name: image
		    source: {oci: $registry/team/shop, insecure: true, verify: {cosign_key: $work/cosign.pub}}
	Y
	! has tar || cat <<-Y
		  - name: tar
		    source: {https: '$files_url/shop.tar.gz', ca_file: $work/cert.pem, path: shop,
		      verify: {minisign_key: $work/minisign.pub}}
	Y
} >"$work/references.yaml"
start_apisim --load "$source_dir/examples/demo/cluster.json"
api POST /api/v1/namespaces/shop/configmaps "$(configmap colours shop '{"sky":"blue"}')"
configure "$source_dir/examples/demo/reference" "control_socket: $DRIFTD_SOCKET"
sed -i -e "/^references:/r $work/references.yaml" -e '/^  - name: ref$/,+1d' "$work/driftd.yaml"

# ---- what is looked at ----

shown() { # shown NAME FILTER: of the reference as it stands
	"$bin/driftd" reference show "$1" -o json >"$work/$1.json" 2>"$work/$1.log" && jq -e "$2" "$work/$1.json"
}
revision_of() { # revision_of NAME: what was published last
	case $1 in
	image) echo "$image" ;;
	tar) echo "$tar" ;;
	*) echo "$head" ;;
	esac
}
# is_in_force NAME REVISION
is_in_force() { shown "$1" ".standing == \"current\" and .inForce.revision == \"$2\" and (has(\"failure\") | not)"; }
all_in_force() { # all_in_force WHAT
	local name
	for name in "${kinds[@]}"; do wait_until 20 "$1: $name" is_in_force "$name" "$(revision_of "$name")"; done
}
follow() { # follow WHAT: what was published is fetched now
	update "${kinds[@]}" || fail "update: $(cat "$work/update.log")"
	all_in_force "$1"
}
finding() { # finding NAME KIND: of the revision that was published last
	wait_until 20 "a finding of $1 with its revision" has_record ".DRIFTD_EVENT != \"end\" and .DRIFTD_REFERENCE == \"$1\" and
		.DRIFTD_KIND == \"$2\" and .DRIFTD_REFERENCE_REVISION == \"$(revision_of "$1")\""
}
failures() { metric_is "driftd_reference_fetch_failures_total{reference=\"$1\",reason=\"verification\"}" "$2"; } # failures NAME COUNT
signed=()
for name in shop image tar; do ! has $name || signed+=($name); done

# ---- the first revision of each, and the next ----

start_fetch
start_driftd
all_in_force "the first revision"
wait_until 20 "driftd to be ready" ready
check "the signer of a commit is told" shown shop '.inForce.signer | contains("ada@example.com")'
! has image || check "the key of an image is told" shown image '.inForce.signer | startswith("cosign key sha256:")'
! has tar || check "the key of a tar is told" shown tar '.inForce.signer | contains("minisign")'
for name in "${signed[@]}"; do check "nothing has failed" failures "$name" 0; done

want_team warehouse
settings_are green
sed -i 's/replicas: 3/replicas: 4/' "$repository/kubegen/shop.yml"
publish "Another team, another colour, more of it"
follow "the next revision"
for name in "${signed[@]}"; do finding "$name" Namespace; done
finding settings ConfigMap

# ---- what somebody else has signed ----

good=$head
declare -A stays=()
for name in "${kinds[@]}"; do stays[$name]=$(revision_of "$name"); done
refused() { # refused NAME: what was in force stays so, and it is said why
	wait_until 20 "the failure of $1" shown "$1" '.failure.reason == "verification"'
	check "what was in force of $1 stays so" shown "$1" ".standing == \"current\" and .inForce.revision == \"${stays[$1]}\""
	check "it is counted: $1" shown "$1" '.failures.verification >= 1'
	wait_until 10 "the metric of $1" failures "$1" "$(jq .failures.verification "$work/$1.json")"
	check "nothing else is: $1" shown "$1" '.failures | keys == ["verification"]'
}
want_team thieves
signs_as stranger
commit "Somebody else has the shop"
push
! has image || publish_image cosign-stranger
! has tar || publish_tar minisign-stranger
update "${kinds[@]}"
for name in "${signed[@]}"; do refused "$name"; done
wait_until 20 "what nobody has to sign to be taken" is_in_force settings "$head"
check "nothing is told of what was refused" record_count \
	'.DRIFTD_REFERENCE == "shop" and (.DRIFTD_COMMIT | tostring | contains("Somebody else"))' 0

# ---- what nobody has signed ----

g reset -q --hard "$good"
g config commit.gpgSign false
want_team nobody
commit "Nobody signed it"
push --force
! has image || publish_image
! has tar || publish_tar
seen=()
for name in "${signed[@]}"; do seen+=("$(jq .failures.verification "$work/$name.json")"); done
update "${signed[@]}"
for i in "${!signed[@]}"; do
	name=${signed[$i]}
	wait_until 20 "another failure of $name" shown "$name" ".failures.verification > ${seen[$i]}"
	refused "$name"
done

# ---- mended ----

g reset -q --hard "$good"
g config commit.gpgSign true
signs_as signer
want_team packing
commit "Packing has the shop"
push --force
! has image || publish_image cosign
! has tar || publish_tar minisign
update "${kinds[@]}"
for name in "${signed[@]}"; do
	wait_until 20 "it to be mended: $name" is_in_force "$name" "$(revision_of "$name")"
	check "what failed is still counted: $name" shown "$name" '.failures.verification >= 2'
	finding "$name" Namespace
done

# ---- carried to where there is no network ----

id_of() { basename "$(readlink "$1/sources/$2/current")"; } # id_of STORE NAME
carry() { "$bin/driftd" reference "$@" >>"$work/carry.log" 2>&1; }
check "nothing was asked for what is only imported" shown carried '.standing == "absent" and (has("failure") | not)'
! carry import carried "$work/cert.pem" || fail "something is imported while driftd-fetch works there"
check "it says why" grep "another driftd-fetch works" "$work/carry.log"
stop fetch || fail "driftd-fetch did not end cleanly"
check "a revision is exported" carry export shop "$work/shop.revision"
check "it is imported into another store" carry import shop "$work/shop.revision" --store "$work/other"
check "it is the same there" test "$(id_of "$work/other" shop)" = "$(id_of "$work/store" shop)"
check "as it was fetched" diff -r "$work/other/revisions/$(id_of "$work/other" shop)" "$work/store/revisions/$(id_of "$work/store" shop)"
head -c "$(($(stat -c %s "$work/shop.revision") / 2))" "$work/shop.revision" >"$work/half.revision"
! carry import carried "$work/half.revision" || fail "half a revision is imported"
check "nothing is there of it" test ! -e "$work/store/sources/carried/current"
check "it is imported under another name" carry import carried "$work/shop.revision"
wait_until 20 "what was imported to be in force" is_in_force carried "$head"
finding_of_carried='.DRIFTD_REFERENCE == "carried" and .DRIFTD_KIND == "Namespace"'
wait_until 20 "a finding of what was imported" begins "$finding_of_carried and .DRIFTD_REFERENCE_REVISION == \"$head\""

# ---- a source that is being fetched all the time ----

start silent python3 -c 'import socket, time
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen()
print("port", s.getsockname()[1], flush=True)
time.sleep(3600)'
wait_until 10 "the server that says nothing" grep -q port "$work/silent.log"
silent=https://127.0.0.1:$(awk '/port/ {print $2}' "$work/silent.log")/shop.git
jq --arg url "$silent" '[.sources[] | select(.name == "settings")] as [$one] | .sources = [$one, $one + {name: "slow", $url}]' \
	"$work/state/sources.json" >"$work/slow.json"
mkdir -p "$work/busy/sources/gone"
start busy "$bin/driftd-fetch" --request "$work/slow.json" --store "$work/busy" --follow
wait_until 20 "what nobody asks for to go" test ! -e "$work/busy/sources/gone"
wait_until 20 "the other source" test -e "$work/busy/sources/settings/current"
check "the slow one is still being fetched" test -n "$(find "$work/busy/tmp" -name 'slow.*')"
stop busy || fail "driftd-fetch did not end cleanly"
stop silent || true

# ---- a full disk ----

filled=(settings)
! has tar || filled+=(tar)
asked() { # asked: the request for those, once more
	jq --argjson wish "$((++wishes))" '.sources |= [.[] | select(.name | IN($ARGS.positional[])) | .wish += $wish]' \
		"$work/state/sources.json" --args "${filled[@]}" >"$work/small.json"
}
wishes=0
on_small_disk() { "$bin/driftd-fetch" --request "$work/small.json" --store "$work/small" >>"$work/small.log" 2>&1; }
whole() { # whole: what the store has of each is
	local name
	for name in "${filled[@]}"; do
		"$bin/driftd-fetch" --store "$work/small" --export "$name" "$work/whole" >>"$work/small.log" 2>&1 || return
	done
}
if [ "${MOUNTS_INSIDE:-}" ]; then
	mkdir "$work/small"
	mount -t tmpfs -o size=4m none "$work/small"
	asked
	on_small_disk || fail "nothing is fetched to a small disk"
	for name in "${filled[@]}"; do stays[$name]=$(id_of "$work/small" "$name"); done
	cat /dev/zero >"$work/small/filler" 2>/dev/null && fail "the disk has no end"
	want_team nowhere
	settings_are red
	commit "What there is no room for"
	push
	! has tar || publish_tar minisign
	asked
	on_small_disk && fail "all is well on a full disk"
	for name in "${filled[@]}"; do check "what was there of $name stays" test "$(id_of "$work/small" "$name")" = "${stays[$name]}"; done
	check "it is whole" whole
	check "it says why, and git does" grep "reference settings: local: git: .*No space left on device" "$work/small.log"
	rm "$work/small/filler"
	on_small_disk || fail "it does not go on with room"
	for name in "${filled[@]}"; do check "there is a new one of $name" test "$(id_of "$work/small" "$name")" != "${stays[$name]}"; done
	check "it is whole" whole
	check "nothing is left over" test -z "$(ls -A "$work/small/tmp")"
	umount "$work/small"
else
	without "a full disk: no file system can be mounted"
fi
