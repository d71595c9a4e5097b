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
	git init -q -b main "$repository"
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
