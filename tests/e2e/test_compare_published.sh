#!/usr/bin/env bash
# driftd compare with references out of repositories of git: by branch, tag and commit, over TLS and from a folder, and what is wrong.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/published.sh"
. "$(dirname "$0")/compare.sh"
unset KUBECTL_EXTERNAL_DIFF SSL_CERT_DIR
export TMPDIR=$work/tmp SSL_CERT_FILE=$work/cert.pem
mkdir "$TMPDIR" "$work/crs"
printf 'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {team: storefront}}\n' >"$work/crs/namespace.yaml"

make_repository
g tag v1
g push -q origin v1
want_team warehouse
commit "Another team"
push
start_git_server
ref=$source_dir/examples/demo/reference/metadata.yaml
compare -r "$ref" -f crs
cp "$work/out" "$work/out.files"
for url in "git+$git_url/shop.git//shop/metadata.yaml?ref=v1" "git+file://$work/served/shop.git//shop/metadata.yaml?ref=v1" \
	"git+$git_url/shop.git//shop/metadata.yaml?ref=$(git -C "$repository" rev-parse v1)"; do
	compare -r "$url" -f crs
	ends_with 1 "$url"
	check "the same report of $url" cmp "$work/out" "$work/out.files"
done
compare -r "git+$git_url/shop.git//shop/metadata.yaml?ref=main" -f crs
ends_with 1 "the branch"
says out "team: warehouse"
compare -r "git+$git_url/shop.git//shop/metadata.yaml" -f crs
says out "team: warehouse"
compare -r "git+$git_url/shop.git//shop/metadata.yaml?ref=nosuch" -f crs
ends_with 2 "no such branch or tag"
says err "missing: "
compare -r "git+$git_url/shop.git//nosuch/metadata.yaml" -f crs
ends_with 2 "no such folder"
compare -r "git+$git_url/nosuch.git" -f crs
ends_with 2 "no such repository"
compare -r "git+" -f crs
ends_with 2 "no URL"
says err "must follow this format"
check "nothing is left behind: $(ls "$TMPDIR")" test -z "$(ls -A "$TMPDIR")"
