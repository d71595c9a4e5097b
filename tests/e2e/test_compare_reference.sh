#!/usr/bin/env bash
# driftd compare with a reference from a web server, over TLS too, and from a container image.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/compare.sh"
for tool in python3 openssl; do command -v $tool >/dev/null || skip "no $tool"; done
unset KUBECTL_EXTERNAL_DIFF SSL_CERT_FILE SSL_CERT_DIR http_proxy https_proxy HTTP_PROXY HTTPS_PROXY
export TMPDIR=$work/tmp
mkdir "$TMPDIR"

# ---- a reference and an object ----

ref=$work/files/dir/reference
mkdir -p "$ref/part one" "$work/crs"
cat >"$ref/metadata.yaml" <<'Y'
apiVersion: v2
parts:
  - name: p
    components:
      - name: c
        allOf:
          - path: part one/config map%3F.yaml
templateFunctionFiles:
  - functions.tmpl
Y
cat >"$ref/part one/config map%3F.yaml" <<'Y'
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  namespace: d
data:
  a: {{ template "value" . }}
Y
echo '{{ define "value" }}b{{ end }}' >"$ref/functions.tmpl"
printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: d}\ndata: {a: b}\n' >"$work/crs/settings.yaml"
compare -r "$ref/metadata.yaml" -f crs
ends_with 0 "the reference as files"
cp "$work/out" "$work/out.files"

# ---- event rules by pattern ----

mkdir "$work/rules"
printf 'rules:\n- {type: %s, change: modify, path: data.%s}\n' error a >"$work/rules/a.yaml"
printf 'rules:\n- {type: %s, change: modify, path: data.%s}\n' allow b >"$work/rules/b.yaml"
sed 's/a: b/a: other/' "$work/crs/settings.yaml" >"$work/other.yaml"
for rules in 'rules/*.yaml' rules; do
	compare -r "$ref/metadata.yaml" -f other.yaml --rules "$rules" -o json
	ends_with 1 "event rules of $rules"
	says out '"Severity":"error"'
done
compare -r "$ref/metadata.yaml" -f other.yaml --rules 'rules/*.yml' --rules 'rule?'
ends_with 2 "a pattern that names no file"
says err "'rules/*.yml' matches no file; there is a.yaml, b.yaml"

# ---- web servers ----

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
	-addext "subjectAltName=IP:127.0.0.1,DNS:localhost" -keyout "$work/key.pem" -out "$work/cert.pem" 2>"$work/openssl.log"
start web python3 "$here/data/web_server.py" "$work/files" "$work/requests"
start web_tls python3 "$here/data/web_server.py" "$work/files" "$work/requests.tls" "$work/cert.pem" "$work/key.pem"
wait_until 10 "the web server" grep -q port "$work/web.log"
wait_until 10 "the web server with TLS" grep -q port "$work/web_tls.log"
http=http://127.0.0.1:$(awk '/port/ {print $2}' "$work/web.log")
https=https://127.0.0.1:$(awk '/port/ {print $2}' "$work/web_tls.log")

compare -r "$http/dir/reference/metadata.yaml" -f crs
ends_with 0 "a reference over HTTP"
check "the same report" cmp "$work/out" "$work/out.files"
check "names are written as URLs want them: $(cat "$work/requests")" grep -qF "part%20one/config%20map%253F.yaml" "$work/requests"
compare -r "$http/redirect/dir/reference/metadata.yaml" -f crs
ends_with 0 "a reference behind redirections"
compare -r "$http/flaky/dir/reference/metadata.yaml" -f crs
ends_with 0 "a server that fails twice"
compare -r "https${http#http}/dir/reference/metadata.yaml" -f crs
ends_with 2 "TLS with a server that does not speak it"
says err "(it does not speak TLS: is the port right, or should it be http://?)"
compare -r "$http/dir/nosuch/metadata.yaml" -f crs
ends_with 2 "no such reference"
says err "error: "
says err "unable to read URL \"$http/dir/nosuch/metadata.yaml\", server reported 404 File not found, status code=404"
: >"$work/requests"
compare -r "$http/broken/metadata.yaml" -f crs
ends_with 2 "a server that always fails"
says err "server reported 500 Out Of Order, status code=500"
check "five attempts" test "$(wc -l <"$work/requests")" = 5
mv "$ref/functions.tmpl" "$ref/functions.gone"
compare -r "$http/dir/reference/metadata.yaml" -f crs
ends_with 2 "a template that is not there"
says err "functions.tmpl"
mv "$ref/functions.gone" "$ref/functions.tmpl"
compare -r "http://127.0.0.1:1/metadata.yaml" -f crs
ends_with 2 "no server"
says err "error: "

compare -r "$https/dir/reference/metadata.yaml" -f crs
ends_with 2 "a server that nobody vouches for"
says err "certificate"
SSL_CERT_FILE=$work/cert.pem compare -r "$https/dir/reference/metadata.yaml" -f crs
ends_with 0 "a reference over HTTPS"
check "the same report" cmp "$work/out" "$work/out.files"
: >"$work/requests"
plain=plain/${http#http://}
SSL_CERT_FILE=$work/cert.pem compare -r "$https/$plain/dir/reference/metadata.yaml" -f crs
ends_with 2 "a redirection from HTTPS to HTTP"
check "nothing was asked for without TLS: $(cat "$work/requests")" test ! -s "$work/requests"
compare -r "$http/$plain/dir/reference/metadata.yaml" -f crs
ends_with 0 "the same from HTTP"
SSL_CERT_FILE=$work/cert.pem compare -r "$https/redirect/dir/reference/metadata.yaml" -f crs
ends_with 0 "a redirection within HTTPS"
mkdir "$work/crs-web"
cp "$work/crs/settings.yaml" "$work/files/"
compare -r "$ref/metadata.yaml" -f "$http/settings.yaml"
ends_with 0 "objects from a web server"
compare -r "$ref/metadata.yaml" -f "$http/nosuch.yaml"
ends_with 2 "objects that are not there"
says err "status code=404"
printf '\n<!DOCTYPE HTML>\n<title>Sign in</title>\n' >"$work/files/login.yaml"
printf 'apiVersion: v1\nkind: ConfigMap\n' >"$work/files/typed.html"
for page in login.yaml typed.html; do
	compare -r "$ref/metadata.yaml" -f "$http/$page"
	ends_with 2 "a page where objects should be: $page"
	says err "URL \"$http/$page\" leads to an HTML page, not to YAML or JSON"
	check "no report says what is missing" test ! -s "$work/out"
	compare -r "$http/$page" -f crs
	ends_with 2 "a page where a reference should be: $page"
	says err "URL \"$http/$page\" leads to an HTML page, not to YAML or JSON"
done

# ---- container images ----

mkdir "$work/podman" "$work/docker" "$work/with-sudo" "$work/containers"
ln -s "$here/data/engine" "$work/podman/podman"
ln -s "$here/data/engine" "$work/docker/docker"
printf '#!/bin/sh\nAS_ROOT=1 exec "$@"\n' >"$work/with-sudo/sudo"
chmod +x "$work/with-sudo/sudo"
mkdir -p "$work/image/home/a b;touch pwned" "$work/image/plain"
cp -r "$ref" "$work/image/home/reference"
cp -r "$ref/." "$work/image/home/a b;touch pwned"
export ENGINE_STATE=$work
tools=$work/tools
mkdir "$tools"
for tool in bash sh cp chmod touch rm basename timeout; do ln -s "$(command -v $tool)" "$tools/$tool"; done

containers_gone() { check "no container is left: $(ls "$work/containers")" test -z "$(ls "$work/containers")"; }
in_path() { PATH=$1:$tools compare "${@:2}"; }

in_path "$work/podman" -r container://quay.io/org/ref:v1:/home/reference/metadata.yaml -f crs
ends_with 0 "a reference from an image"
containers_gone
check "the same report" cmp "$work/out" "$work/out.files"
check "nothing of the image is run: $(cat "$work/calls")" test -z "$(grep -E '<(run|start|exec)>' "$work/calls")"
in_path "$work/docker" -r container://quay.io/org/ref:v1:/home/reference/metadata.yaml -f crs
ends_with 0 "with docker"
containers_gone
in_path "$work/podman:$work/docker" -r container://quay.io/org/ref:::v1::/home/reference/metadata.yaml -f crs
ends_with 0 "with podman where both are there, and stray colons"
check "podman is preferred" grep -q '^<podman><create><quay.io/org/ref:v1>' "$work/calls"
in_path "$work/podman" -r container://host:5000/org/ref:v1:/home/reference/metadata.yaml -f crs
ends_with 0 "a registry with a port"
in_path "$work/podman" -r container://quay.io/org/ref@sha256:abc:/home/reference/metadata.yaml -f crs
ends_with 0 "an image by its digest"
touch "$work/needs-sudo"
in_path "$work/with-sudo:$work/docker" -r container://quay.io/org/ref:v1:/home/reference/metadata.yaml -f crs
ends_with 0 "docker through sudo"
in_path "$work/docker" -r container://quay.io/org/ref:v1:/home/reference/metadata.yaml -f crs
ends_with 2 "docker without rights, and no sudo"
says err "error: could not pull/run container: "
rm "$work/needs-sudo"

in_path "$work/podman" -r container://quay.io/org/other:v1:/home/reference/metadata.yaml -f crs
ends_with 2 "no such image"
says err "error: could not pull/run container: Error: quay.io/org/other:v1: image not known"
in_path "$work/podman" -r container://quay.io/org/ref:v1:/nosuch/metadata.yaml -f crs
ends_with 2 "no such folder in the image"
says err "error: could not copy templates from container: Error: \"/nosuch\" could not be found on container"
containers_gone
in_path "$work/podman" -r container://quay.io/org/ref:v1:/plain/metadata.yaml -f crs
ends_with 2 "no reference in that folder"
containers_gone
touch "$work/rm-fails"
in_path "$work/podman" -r container://quay.io/org/ref:v1:/home/reference/metadata.yaml -f crs
ends_with 0 "a container that cannot be removed"
says err "Warning: Could not remove container: Error: busy"
rm "$work/rm-fails" "$work/containers"/*
in_path "$work/nothing" -r container://quay.io/org/ref:v1:/home/reference/metadata.yaml -f crs
ends_with 2 "no engine"
says err "error: you do not have Podman or Docker on your PATH"

# Nothing outside what was copied is read, whatever the image holds in the place of a file: the links lead to what would do.
for place in metadata.yaml functions.tmpl "part one/config map%3F.yaml"; do
	for thing in absolute relative pipe device within; do
		rm -rf "$work/image/home/links"
		cp -r "$ref" "$work/image/home/links"
		file=$work/image/home/links/$place
		mv "$file" "$work/image/home/links/moved"
		case $thing in
		absolute) ln -s "$ref/$place" "$file" ;;
		relative) ln -s "../../../../../../../../../../../..$ref/$place" "$file" ;;
		pipe) mkfifo "$file" ;;
		device) ln -s /dev/zero "$file" ;;
		within) ln -sr "$work/image/home/links/moved" "$file" ;;
		esac
		image=container://quay.io/org/ref:v1:/home/links/metadata.yaml status=0
		PATH=$work/podman:$tools timeout 20 "$bin/driftd" compare -r "$image" -f "$work/crs" >"$work/out" 2>"$work/err" || status=$?
		check "$thing in place of $place: $status $(cat "$work/err")" test $status = "$([ $thing = within ] && echo 0 || echo 2)"
	done
done
rm -rf "$work/image/home/links"
ln -s "$ref" "$work/image/home/links"
in_path "$work/podman" -r container://quay.io/org/ref:v1:/home/links/metadata.yaml -f crs
ends_with 2 "a folder that is a link"
rm "$work/image/home/links"

: >"$work/calls"
for bad in container://ref:/metadata.yaml container:// container://::: container://a:b:c:d/metadata.yaml \
	container://--privileged:v1:/home/reference/metadata.yaml container://-v:/:/home/reference/metadata.yaml \
	container://ref:v1:/home/../metadata.yaml; do
	in_path "$work/podman" -r "$bad" -f crs
	ends_with 2 "$bad"
	says err "error: incorrect path passed to -r, it must follow this format: container://<IMAGE>:<TAG>:/path/to/metadata.yaml"
done
check "no engine was asked: $(cat "$work/calls")" test ! -s "$work/calls"
in_path "$work/podman" -r 'container://quay.io/org/ref:v1:/home/a b;touch pwned/metadata.yaml' -f crs
ends_with 0 "a folder with a shell's characters in its name"
in_path "$work/podman" -r 'container://$(touch pwned);touch pwned:v1:/home/reference/metadata.yaml' -f crs
ends_with 2 "an image with a shell's characters in its name"
check "it reaches the engine as it is: $(cat "$work/calls")" grep -qF '<create><$(touch pwned);touch pwned:v1>' "$work/calls"
check "no shell saw it" test -z "$(find "$work" -name pwned)"
stop web || true
stop web_tls || true
