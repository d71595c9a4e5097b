# Shared by the tests of references that are published elsewhere: repositories, driftd-fetch, and how references stand. Sourced behind
# lib.sh.
for tool in git jq openssl python3; do command -v $tool >/dev/null || skip "no $tool"; done
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME='Ada Lovelace' GIT_AUTHOR_EMAIL=ada@example.com
export GIT_COMMITTER_NAME=Ada GIT_COMMITTER_EMAIL=ada@example.com DRIFTD_SOCKET=$work/control.sock DRIFTD_SOURCES_DIR=$work/store
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY
repository=$work/tree
g() { git -C "$repository" "$@" >>"$work/git.log" 2>&1; }

# make_repository: $repository with the shop's reference in its folder "shop", which is pushed to $work/served/shop.git
make_repository() {
	mkdir -p "$work/served" "$repository/shop"
	git init -q --bare -b main "$work/served/shop.git"
	[ -e "$repository/.git" ] || git init -q -b main "$repository"
	cp "$source_dir"/examples/demo/reference/* "$repository/shop"
	g remote add origin "$work/served/shop.git"
	commit "The shop as it was signed off"
	push
}
commit() { # commit SUBJECT: all that changed
	g add -A
	g commit -q --allow-empty -m "$1" || fail "commit: $(tail -n 3 "$work/git.log")"
	head=$(git -C "$repository" rev-parse HEAD)
}
push() { g push -q "$@" origin main || fail "push: $(tail -n 3 "$work/git.log")"; }
want_team() { # want_team NAME: another label of the shop's namespace
	sed -i "s/team: .*/team: $1/" "$repository/shop/namespace.yaml"
	grep -q "team: $1" "$repository/shop/namespace.yaml" || fail "the reference has no team"
}

make_certificate() { # make_certificate: $work/cert.pem for 127.0.0.1 and localhost, which is its own authority
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
		-addext "subjectAltName=IP:127.0.0.1,DNS:localhost" -keyout "$work/key.pem" -out "$work/cert.pem" 2>"$work/openssl.log"
}
start_git_server() { # start_git_server [USER:PASSWORD]: sets $git_url
	[ -e "$work/cert.pem" ] || make_certificate
	start gitd python3 "$here/data/git_server.py" "$work/served" "$work/gitd.requests" "$work/cert.pem" "$work/key.pem" "$@"
	wait_until 10 "the git server" grep -q port "$work/gitd.log"
	git_url=https://127.0.0.1:$(awk '/port/ {print $2}' "$work/gitd.log")
}

make_ssh_keys() { # make_ssh_keys NAME...: $work/NAME and $work/NAME.pub
	local name
	for name; do ssh-keygen -q -t ed25519 -N '' -C "$name" -f "$work/$name"; done
}
start_sshd() { # git over SSH for who has the key $work/login: sets $ssh_url, and writes $work/known_hosts; false: sshd does not run here
	local port
	port=$(free_port)
	[ -x /usr/sbin/sshd ] || return
	make_ssh_keys login host
	mkdir -p /run/sshd 2>/dev/null || true
	cat >"$work/sshd_config" <<-C
		Port $port
		ListenAddress 127.0.0.1
		HostKey $work/host
		AuthorizedKeysFile $work/login.pub
		PasswordAuthentication no
		UsePAM no
		StrictModes no
		PidFile none
	C
	echo "[127.0.0.1]:$port $(cut -d ' ' -f 1,2 "$work/host.pub")" >"$work/known_hosts"
	ssh_url=ssh://$(id -un)@127.0.0.1:$port$work/served
	start sshd /usr/sbin/sshd -D -e -f "$work/sshd_config"
	for _ in $(seq 50); do
		grep -qs listening "$work/sshd.log" && return
		kill -0 "${pid[sshd]}" 2>/dev/null || return
		sleep 0.1
	done
	return 1
}
start_registry() { # sets $registry, which is asked without TLS
	registry=127.0.0.1:$(free_port)
	cat >"$work/registry.yml" <<-Y
		version: 0.1
		log: {level: error}
		storage:
		  filesystem: {rootdirectory: $work/registry}
		http:
		  addr: $registry
	Y
	start registry docker-registry serve "$work/registry.yml"
	wait_until 10 "the registry" curl -sf "http://$registry/v2/"
}
start_files() { # the files of $work/files over HTTPS: sets $files_url
	local port
	port=$(free_port)
	mkdir -p "$work/files"
	[ -e "$work/cert.pem" ] || make_certificate
	start files python3 "$source_dir/tests/support/https_server.py" "$work/files" "$port" "$work/cert.pem" "$work/key.pem"
	wait_until 10 "the server of files" curl -s --cacert "$work/cert.pem" -o /dev/null "https://127.0.0.1:$port/"
	files_url=https://127.0.0.1:$port
}

# Keys of cosign and minisign, and what is signed with them. Each wants the folder "shop" of the repository.
make_cosign_keys() { # make_cosign_keys NAME...: $work/NAME.key and $work/NAME.pub
	local name
	for name; do
		openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$work/$name.key" 2>>"$work/openssl.log"
		openssl pkey -in "$work/$name.key" -pubout -out "$work/$name.pub"
	done
}
make_minisign_keys() { # make_minisign_keys NAME...: the same
	local name
	for name; do minisign -G -W -p "$work/$name.pub" -s "$work/$name.key" >>"$work/minisign.log" 2>&1; done
}
publish_image() { # publish_image [KEY]: as the tag "latest" of team/shop; sets $image
	image=$(python3 "$here/data/oci_push.py" "$registry" team/shop latest "$repository/shop" ${1:+"$work/$1.key"}) || fail "push the image"
}
publish_tar() { # publish_tar [KEY]: as $files_url/shop.tar.gz; sets $tar
	rm -f "$work/files/shop.tar.gz.minisig"
	tar -czf "$work/files/shop.tar.gz" -C "$repository" shop
	tar=sha256:$(sha256sum "$work/files/shop.tar.gz" | cut -d ' ' -f 1)
	[ -z "${1:-}" ] || minisign -S -W -s "$work/$1.key" -m "$work/files/shop.tar.gz" >>"$work/minisign.log" 2>&1
}

# configure_source SOURCE-LINES [EXTRA-LINES]: driftd.yaml with a reference "shop"; each line of the source as it stands below "source:"
configure_source() {
	configure "$source_dir/examples/demo/reference" "control_socket: $DRIFTD_SOCKET
${2:-}"
	SOURCE=$1 python3 - "$work/driftd.yaml" <<'P'
import os, sys
text = open(sys.argv[1]).read().split("\n")
at = next(i for i, line in enumerate(text) if line.startswith("  - name: ref"))
source = ["      " + line for line in os.environ["SOURCE"].split("\n") if line]
text[at:at + 2] = ["  - name: shop", "    source:"] + source
open(sys.argv[1], "w").write("\n".join(text))
P
}
start_fetch() { start fetch "$bin/driftd-fetch" --request "$work/state/sources.json" --store "$work/store" --follow; }

reference_json() { "$bin/driftd" reference show shop -o json >"$work/reference.json" 2>"$work/reference.log"; }
reference_is() { reference_json && jq -e "$1" "$work/reference.json" >/dev/null; } # reference_is JQ-FILTER
stands() { reference_is ".standing == \"$1\""; }                                   # stands STANDING
in_force() { reference_is ".standing == \"current\" and .inForce.revision == \"$1\""; } # in_force COMMIT
update() { "$bin/driftd" reference update "$@" >"$work/update.log" 2>&1; }
told_of() { has_record ".DRIFTD_REFERENCE == \"shop\" and .DRIFTD_REFERENCE_STANDING == \"$1\" and ($2)"; } # told_of STANDING FILTER
