#!/usr/bin/env bash
# What driftd compare does with a terminal, a pipe, a full disk, another diff program, and kustomizations.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/compare.sh"
command -v python3 >/dev/null || skip "no python3"
unset KUBECTL_EXTERNAL_DIFF NO_COLOR
export TERM=xterm TMPDIR=$work/tmp
mkdir "$TMPDIR"

mkdir "$work/crs"
reference "$work/ref" anyOf cm.yaml
template "$work/ref/cm.yaml" v1 ConfigMap "$any_name" d <<'Y'
data:
  list: "- a"
  same: x
  v: "1"
Y
valued() { printf -- '---\n%s\n' "$(configmap "$1" d "{\"list\":\"- a\",\"same\":\"x\",\"v\":\"$2\"}")"; } # valued NAME V
valued one 1 >"$work/crs/one.yaml"
valued two 2 >"$work/crs/two.yaml"

# ---- terminals ----

terminal() { # terminal both|stdout|stderr ARGUMENTS...: sets $status
	status=0
	WORK=$work python3 "$here/data/terminal.py" "$1" "$bin/driftd" compare "${@:2}" || status=$?
}
esc=$'\033'
terminal both -r ref/metadata.yaml -f crs
ends_with 1 "a terminal"
says screen "$esc[31m-  v: \"1\""
says screen "$esc[32m+  v: \"2\""
says screen "$esc[36m@@"
silent screen "objects"
NO_COLOR=1 terminal both -r ref/metadata.yaml -f crs
silent screen "$esc["
NO_COLOR= terminal both -r ref/metadata.yaml -f crs
says screen "$esc[31m-"
TERM=dumb terminal both -r ref/metadata.yaml -f crs
silent screen "$esc["
for format in json yaml junit; do
	terminal both -r ref/metadata.yaml -f crs -o $format
	silent screen "$esc["
done
terminal stderr -r ref/metadata.yaml -f crs
silent other "$esc["
terminal stdout -r ref/metadata.yaml -f crs
says screen "$esc[31m-"
compare -r ref/metadata.yaml -f crs
ends_with 1 "no terminal"
silent out "$esc"
cp "$work/out" "$work/plain"

# Another program knows its own colours, and its lines may begin with anything.
KUBECTL_EXTERNAL_DIFF="diff -y" terminal both -r ref/metadata.yaml -f crs
says screen "|"
silent screen "$esc["
# What an object holds does not reach the terminal as a command to it.
valued "esc" '\x1b[31mred\x1b]0;title\a' >"$work/crs/esc.yaml"
NO_COLOR=1 terminal both -r ref/metadata.yaml -f crs
silent screen "$esc"
rm "$work/crs/esc.yaml"

# ---- progress ----

for i in $(seq 40); do valued "slow-$i" 1; done >"$work/slow.yaml"
printf '#!/bin/sh\nsleep 0.06\nexec diff -u "$1" "$2"\n' >"$work/slow-diff"
chmod +x "$work/slow-diff"
KUBECTL_EXTERNAL_DIFF=$work/slow-diff terminal both -r ref/metadata.yaml -f slow.yaml --concurrency 1
ends_with 0 "a long run on a terminal"
says screen " of 40 objects"
says screen "$esc[K"
check "the last line is the report's" test "$(tail -n 1 "$work/screen" | tr -d '\r')" = "No patched CRs"
KUBECTL_EXTERNAL_DIFF=$work/slow-diff terminal stdout -r ref/metadata.yaml -f slow.yaml --concurrency 1
ends_with 0 "a long run with standard error elsewhere"
silent other " of 40 objects"
silent screen " of 40 objects"

# ---- pipes and full disks ----

set +o pipefail
for i in $(seq 3000); do valued "many-$i" 2; done >"$work/many.yaml"
(cd "$work" && status=0; "$bin/driftd" compare -r ref/metadata.yaml -f many.yaml 2>err || status=$?; echo $status >status) |
	head -n 1 >"$work/first"
set -o pipefail
check "the first line is there" grep -q '^\*\*\*' "$work/first"
check "a reader that goes is a failure: $(cat "$work/status")" test "$(cat "$work/status")" -gt 1
check "and nothing to talk about: $(cat "$work/err")" test ! -s "$work/err"
for option in "-f crs" "-f crs -o json" "-f crs -o junit" "--show-template-functions" "--help"; do
	status=0
	# shellcheck disable=SC2086
	(cd "$work" && "$bin/driftd" compare -r ref/metadata.yaml $option >/dev/full 2>err) || status=$?
	ends_with 2 "a full disk: $option"
	says err "error: error occurred when writing output: write /dev/stdout: no space left on device"
done

# ---- another diff program ----

cat >"$work/my-diff" <<'S'
#!/bin/sh
echo "called with $#: $3 $4 $5"
diff -r "$1" "$2"
S
chmod +x "$work/my-diff"
KUBECTL_EXTERNAL_DIFF="$work/my-diff -u --color=never a/b \$HOME last" compare -r ref/metadata.yaml -f crs
ends_with 1 "another diff program"
says out "called with 5: -u --color=never last"
says out '>   v: "2"'
KUBECTL_EXTERNAL_DIFF="diff -y -W 150" compare -r ref/metadata.yaml -f crs
ends_with 1 "diff with arguments"
KUBECTL_EXTERNAL_DIFF="$work/nosuch" compare -r ref/metadata.yaml -f crs
ends_with 2 "a diff program that does not exist"
says err "error: error occurred while trying to process resources: diff exited with non-zero code: "
KUBECTL_EXTERNAL_DIFF="diff --nosuch" compare -r ref/metadata.yaml -f crs
ends_with 2 "a diff program that fails"
says err 'diff exited with non-zero code: failed to run "diff": exit status 2'
printf '#!/bin/sh\nkill -9 $$\n' >"$work/killed-diff"
chmod +x "$work/killed-diff"
KUBECTL_EXTERNAL_DIFF=$work/killed-diff compare -r ref/metadata.yaml -f crs
ends_with 2 "a diff program that is killed"
KUBECTL_EXTERNAL_DIFF="true" compare -r ref/metadata.yaml -f crs
ends_with 1 "a diff program that sees nothing"
says err "Internally we found a difference but the external tool responded with an exit code of 0"
KUBECTL_EXTERNAL_DIFF='sh -c touch$IFS$work/pwned' compare -r ref/metadata.yaml -f crs
check "no shell" test ! -e "$work/pwned"

# ---- kustomizations ----

mkdir -p "$work/kust/base" "$work/kust-bad" "$work/fake"
cp "$work/crs/one.yaml" "$work/crs/two.yaml" "$work/kust/base"
sed -i 's/^---$//' "$work/kust/base/"*.yaml
printf 'resources: [base/one.yaml, base/two.yaml]\nnamespace: d\nnamePrefix: pre-\n' >"$work/kust/kustomization.yaml"
printf 'resources: [nosuch.yaml]\n' >"$work/kust-bad/kustomization.yaml"
if command -v kustomize >/dev/null || kubectl kustomize "$work/kust" >/dev/null 2>&1; then
	compare -r ref/metadata.yaml -k kust -v
	ends_with 1 "a kustomization"
	says out "Cluster CR: v1_ConfigMap_d_pre-one"
	says out "CRs with diffs: 1/2"
	compare -r ref/metadata.yaml -k kust-bad
	ends_with 2 "a kustomization that cannot be built"
	says err "error: failed to collect resources: "
else
	echo "neither kustomize nor kubectl: -k was tried with a stand-in only"
fi
printf '#!/bin/sh\n[ "$1 $2" = "build kust" ] && cat base/one.yaml crs/two.yaml\n' >"$work/fake/kustomize"
chmod +x "$work/fake/kustomize"
mkdir "$work/base"
cp "$work/crs/one.yaml" "$work/base"
PATH=$work/fake:$PATH compare -r ref/metadata.yaml -k kust
ends_with 1 "kustomize itself"
says out "CRs with diffs: 1/2"
PATH=$work/fake:$PATH compare -r ref/metadata.yaml -k nosuch
ends_with 2 "kustomize that fails"
for more in "-f crs" "-R"; do
	# shellcheck disable=SC2086
	compare -r ref/metadata.yaml -k kust $more
	ends_with 2 "-k with $more"
	says err "error: "
done
PATH=/nonexistent compare -r ref/metadata.yaml -k kust
ends_with 2 "no program for kustomizations"
says err "error: failed to collect resources: -k needs kustomize or kubectl, and neither is on the PATH"
says err "kubectl kustomize kust | driftd compare -f -"
# A program of each kind, through a pipe: what it writes is what -k reads.
printf '#!/bin/sh\n[ "$1 $2" = "kustomize kust" ] && cat base/one.yaml crs/two.yaml\n' >"$work/fake/kubectl"
chmod +x "$work/fake/kubectl"
rm "$work/fake/kustomize"
PATH=$work/fake:/usr/bin:/bin compare -r ref/metadata.yaml -k kust
ends_with 1 "kubectl where there is no kustomize"
cp "$work/out" "$work/by-option"
status=0
(cd "$work" && PATH=$work/fake:/usr/bin:/bin kubectl kustomize kust | "${program[@]}" -r ref/metadata.yaml -f - >out 2>err) || status=$?
ends_with 1 "kubectl kustomize in a pipe"
check "it is the same report" cmp "$work/out" "$work/by-option"

# ---- what a user may not read ----

chmod 755 "$work"
as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
install -m 0755 "$bin/driftd" "$work/driftd"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && "${as_nobody[@]}" "$work/driftd" --version >/dev/null 2>&1; then
	program=("${as_nobody[@]}" "$work/driftd" compare)
	mkdir -p "$work/many/closed/in" "$work/gathered/namespaces/n" "$work/gathered/namespaces/closed"
	cp "$work"/base/one.yaml "$work/many/"
	printf 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one, namespace: ns}\n' >"$work/gathered/namespaces/n/one.yaml"
	chmod 0 "$work/many/closed" "$work/gathered/namespaces/closed"
	compare -r ref/metadata.yaml -f many -R
	ends_with 2 "a folder that may not be read"
	says out "- many/closed: open many/closed: permission denied"
	silent out "many/one.yaml"
	says out "Summary"
	echo 'resources: [{kind: ConfigMap, apiVersion: v1}]' >"$work/generate.yaml"
	install -d -m 0777 "$work/captured"
	compare -g generate.yaml -f gathered --output-dir captured/reference
	ends_with 0 "a folder of a must-gather that may not be read"
	says err "namespaces/closed': Permission denied"
	check "the rest is captured" test -f "$work/captured/reference/metadata.yaml"
	chmod 755 "$work/many/closed" "$work/gathered/namespaces/closed"
fi
program=("$bin/driftd" compare)
mkdir "$work/links"
for i in $(seq 1500); do ln -s nowhere "$work/links/$i.yaml"; done
cp "$work"/base/one.yaml "$work/links/one.yaml"
compare -r ref/metadata.yaml -f links
ends_with 2 "very many files that cannot be read"
says out "Inputs that could not be read: 1500"
