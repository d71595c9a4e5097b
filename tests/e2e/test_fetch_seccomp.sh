#!/usr/bin/env bash
# driftd-fetch under the system call filter of its unit: git over HTTPS and SSH, a registry and a tar are fetched, and their signatures
# checked by ssh-keygen, gpgv, libcrypto and a policy of skopeo. Nothing of what all these programs do is refused.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/published.sh"
for tool in setpriv systemd-analyze gpg gpgv; do command -v $tool >/dev/null || skip "no $tool"; done
[ "$(id -u)" = 0 ] || skip "not root"
command -v skopeo >/dev/null && command -v docker-registry >/dev/null && registry_there=1 || registry_there=
command -v minisign >/dev/null && minisign_there=1 || minisign_there=

# As an account of its own, which may not be able to reach the build folder.
mkdir "$work/real"
cp "$bin/driftd-fetch" "$bin/unit_filter" "$work/real"
cp "$source_dir/systemd/driftd-fetch.service" "$work/unit"
filtered=(setpriv --reuid=nobody --regid=nogroup --clear-groups -- "$work/real/unit_filter" "$work/unit")
# The sanitizer looks for leaks with ptrace(2), which no service has; other tests look for them.
export ASAN_OPTIONS=detect_leaks=0
chmod 755 "$work"

# ---- what is forbidden is refused, and seen ----

install -d -o nobody "$work/logs"
refused() { # refused CALL COMMAND...
	rm -f "$work/logs/proof"
	"${filtered[@]}" "$work/logs/proof" "${@:2}" >"$work/proof.log" 2>&1 && fail "$*: nothing refused it"
	check "$1 is refused: $(cat "$work/logs/proof")" grep "^refused: $1 " "$work/logs/proof"
}
refused unshare /usr/bin/unshare --user true
refused setpriority /usr/bin/python3 -c 'import os; os.setpriority(os.PRIO_PROCESS, 0, 5)'
refused socket /usr/bin/python3 -c 'import socket; socket.socket(socket.AF_NETLINK)'
refused mmap /usr/bin/python3 -c 'import mmap; mmap.mmap(-1, 4096, prot=mmap.PROT_WRITE | mmap.PROT_EXEC)'
refused ptrace /usr/bin/python3 -c 'import ctypes; exit(ctypes.CDLL(None).ptrace(0, 0, 0, 0) < 0)'

# ---- what is published, and who signed it ----

make_ssh_keys signer
echo "ada@example.com namespaces=\"git\" $(cut -d ' ' -f 1,2 "$work/signer.pub")" >"$work/allowed_signers"
make_repository
g config gpg.format ssh
g config user.signingKey "$work/signer.pub"
g commit -q -S --allow-empty -m "Signed by SSH"
push
export GNUPGHOME=$work/gnupg
mkdir -m 700 "$GNUPGHOME"
gpg -q --batch --passphrase '' --quick-gen-key ada@example.com ed25519 sign never 2>>"$work/gpg.log"
gpg -q --export ada@example.com >"$work/keyring.gpg"
g config gpg.format openpgp
g config user.signingKey ada@example.com
g commit -q -S --allow-empty -m "Signed by GnuPG"
g push -q origin HEAD:refs/heads/gnupg
gpgconf --kill all
unset GNUPGHOME
start_git_server
if start_sshd; then
	gnupg_source=("url=$ssh_url/shop.git" "known_hosts=$work/known_hosts" "credentials=$work/login")
	chmod 644 "$work/known_hosts"
	chown nobody "$work/login"
else
	echo "without SSH: sshd does not run here"
	gnupg_source=("url=$git_url/shop.git" "ca_file=$work/cert.pem")
fi

source_of() { # source_of NAME KIND KEY=VALUE...: what is asked for, as the daemon does it (config/source_request.h)
	jq -nc --arg name "$1" --arg kind "$2" '{name: $name, kind: $kind, templates: true, insecure: ($kind == "oci"), timeoutNs: 120000000000,
		wish: 1, kept: []} + ([$ARGS.positional[] | capture("^(?<key>[a-z0-9_]+)=(?<value>.*)$")] | from_entries)' --args "${@:3}"
}
{
	source_of signers git "url=$git_url/shop.git" "ca_file=$work/cert.pem" branch=main path=shop "allowed_signers=$work/allowed_signers"
	source_of gnupg git "${gnupg_source[@]}" branch=gnupg path=shop "keyring=$work/keyring.gpg"
	source_of nobody git "url=$git_url/shop.git" "ca_file=$work/cert.pem" branch=gnupg "allowed_signers=$work/allowed_signers"
} >"$work/sources"
if [ "$registry_there" ]; then
	make_cosign_keys cosign
	start_registry
	publish_image cosign
	echo '{"default": [{"type": "insecureAcceptAnything"}]}' >"$work/policy.json"
	source_of image oci "url=$registry/team/shop" "cosign_key=$work/cosign.pub" "policy=$work/policy.json" >>"$work/sources"
else
	echo "without a registry: no docker-registry or no skopeo"
fi
if [ "$minisign_there" ]; then
	make_minisign_keys minisign
	start_files
	publish_tar minisign
	source_of tar https "url=$files_url/shop.tar.gz" "ca_file=$work/cert.pem" path=shop "minisign_key=$work/minisign.pub" >>"$work/sources"
else
	echo "without a signed tar: no minisign"
fi
mapfile -t names < <(jq -r .name "$work/sources")
jq -s '{version: 1, sources: .}' "$work/sources" >"$work/request.json"
install -d -o nobody "$work/store"
chmod -R a+rX "$work/request.json" "$work/allowed_signers" "$work/keyring.gpg" "$work"/*.pem "$work"/*.pub

# ---- driftd-fetch ----

fetch() { "${filtered[@]}" "$work/logs/refused" "$work/real/driftd-fetch" --request "$work/request.json" --store "$work/store"; }
fetch >"$work/fetch.log" 2>&1 || fail "driftd-fetch"
for name in "${names[@]}"; do
	[ "$name" != nobody ] || continue
	check "$name is fetched: $(jq -c . "$work/store/sources/$name/status.json")" \
		jq -e '.failure == null' "$work/store/sources/$name/status.json"
	check "who signed $name is known" jq -e '.signer != ""' "$work/store/sources/$name/current/revision.json"
done
check "another's signature is none" jq -e '.failure == "verification"' "$work/store/sources/nobody/status.json"
check "something was refused: $(sort "$work/logs/refused" | uniq -c)" test "$(sort -u "$work/logs/refused")" = filtering
