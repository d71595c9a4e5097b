#!/usr/bin/env bash
# driftd compare -g: the reference that it writes describes the objects that it was made from.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/compare.sh"
for tool in jq python3; do command -v $tool >/dev/null || skip "no $tool"; done
unset KUBECTL_EXTERNAL_DIFF KUBERNETES_SERVICE_HOST
export HOME=$work

files_of() { (cd "$1" && find . -type f | sort | tr '\n' ' '); } # files_of FOLDER
file_has() { check "$2 in $1: $(cat "$work/$1")" grep -qF -- "$2" "$work/$1"; }
file_lacks() { check "no $2 in $1: $(cat "$work/$1")" test -z "$(grep -F -- "$2" "$work/$1")"; }

# ---- a cluster whose objects are hard to write down ----

start_apisim
export KUBECONFIG=$work/kubeconfig
python3 "$here/data/hard_objects.py" >"$work/objects.json"
control load "$(cat "$work/objects.json")"

cat >"$work/generate.yaml" <<'Y'
apiVersion: refgen/v1
outputDir: made
omitAnnotations: [noisy.example.com/at]
omitLabels: [noise]
resources:
  - {kind: ConfigMap, apiVersion: v1, required: true, namespace: a, names: [hard, plain]}
  - {kind: ConfigMap, apiVersion: v1, required: false, names: [plain]}
  - {kind: Deployment, apiVersion: apps/v1, required: true}
  - {kind: ClusterRole, apiVersion: rbac.authorization.k8s.io/v1}
  - {kind: Secret, apiVersion: v1, namespace: a, names: [nosuch, other]}
Y

# ---- from the cluster ----

compare -g generate.yaml
ends_with 0 "generating from the cluster"
says out "Generated reference at: $work/made"
says out "  Total resources captured: 5"
says out "  Resource types: 4"
says err "Warning: No resources found for:"
says err "  - Secret (v1) in namespace a with names [nosuch other]"
files=$(cd "$work/made" && find . -type f | sort | tr '\n' ' ')
check "these files: $files" test "$files" = "./ClusterRole/system-odd-name_with.all.yaml ./ConfigMap/hard.yaml ./ConfigMap/plain-1.yaml \
./ConfigMap/plain.yaml ./Deployment/web.yaml ./metadata.yaml "
for field in resourceVersion uid creationTimestamp generation managedFields last-applied-configuration noisy.example.com noise: \
	status: readyReplicas finalizers ownerReferences; do
	for f in ConfigMap/hard ConfigMap/plain ConfigMap/plain-1 Deployment/web; do file_lacks "made/$f.yaml" "$field"; done
done
file_lacks made/ConfigMap/plain.yaml annotations
file_has made/ConfigMap/hard.yaml 'kept: '
file_has made/ConfigMap/hard.yaml 'app: x'
file_has made/metadata.yaml 'pathToKey: metadata.annotations."noisy.example.com/at"'
file_has made/metadata.yaml 'pathToKey: metadata.labels."noise"'
file_has made/metadata.yaml 'name: required-configmap'
file_has made/metadata.yaml 'name: optional-configmap'
file_has made/metadata.yaml 'name: optional-clusterrole'
groups=$(grep -oE 'allOf|anyOf' "$work/made/metadata.yaml" | sort | tr '\n' ' ')
check "required is allOf, the others are anyOf" test "$groups" = "allOf allOf anyOf anyOf "

compare -r made/metadata.yaml -v
ends_with 0 "the round trip"
says out "CRs with diffs: 0/5"
check "nothing was skipped: $(cat "$work/err")" test -z "$(grep -E '^[WE]|^error' "$work/err")"

# What its omitted fields say does not matter; everything else does.
api PATCH /api/v1/namespaces/a/configmaps/plain '{"metadata":{"annotations":{"noisy.example.com/at":"even later"},"labels":{"noise":"2"}}}'
compare -r made/metadata.yaml
ends_with 0 "another value of an omitted annotation"
api PATCH /api/v1/namespaces/a/configmaps/plain '{"data":{"a":"changed"}}'
compare -r made/metadata.yaml
ends_with 1 "a changed object"
says out "+  a: changed"
says out "CRs with diffs: 1/5"
api PATCH /api/v1/namespaces/a/configmaps/plain '{"data":{"a":"b"}}'
api PATCH /api/v1/namespaces/b/configmaps/plain '{"metadata":{"finalizers":null}}'
api DELETE /api/v1/namespaces/b/configmaps/plain
compare -r made/metadata.yaml
ends_with 0 "an optional object is gone"
api DELETE /apis/apps/v1/namespaces/a/deployments/web
compare -r made/metadata.yaml
ends_with 1 "a required object is gone"
says out "Deployment/web.yaml"
control load "$(cat "$work/objects.json")"

compare -g generate.yaml --output-dir "other/deep"
ends_with 0 "another folder"
check "the same reference" diff -r "$work/made" "$work/other/deep"
compare -g generate.yaml
ends_with 0 "generating once more"
check "over what was there" diff -r "$work/made" "$work/other/deep"
touch "$work/file"
compare -g generate.yaml --output-dir "$work/file/below"
ends_with 1 "a folder that cannot be made"
says err "error: failed to create directory"

# ---- from a must-gather folder ----

mg=$work/must-gather/quay-io-image-sha256
mkdir -p "$mg/namespaces/a/core" "$mg/namespaces/b/core" "$mg/namespaces/a/apps" "$mg/cluster-scoped-resources/rbac" "$mg/elsewhere"
python3 "$here/data/must_gather.py" "$work/objects.json" "$mg"
compare -g generate.yaml -f must-gather --output-dir gathered
ends_with 0 "generating from a must-gather folder"
check "the same reference as from the cluster" diff -r "$work/made" "$work/gathered"
compare --generate-config generate.yaml --must-gather must-gather --output-dir gathered3
ends_with 0 "both options by their other names"
check "the same reference by the other options" diff -r "$work/made" "$work/gathered3"
check "nothing is said: $(cat "$work/err")" test -z "$(grep -v -e '^Warning: No resources' -e '^  - Secret' "$work/err")"
ln -s nowhere "$mg/namespaces/a/lost.yaml"
(KUBECONFIG=/dev/null && compare -g generate.yaml -f must-gather -v --output-dir gathered4 && [ "$status" = 0 ]) ||
	fail "generating without a cluster"
says err "Loaded configuration from generate.yaml"
says err "  Resources to capture: 5"
says err "Using must-gather directory: must-gather"
says err "Fetching ConfigMap (v1) in namespace a..."
says err "  Found 2 resource(s)"
says err "not captured: "
says err "lost.yaml"
rm "$mg/namespaces/a/lost.yaml"
(cd "$mg" && "$bin/driftd" compare -g "$work/generate.yaml" --must-gather namespaces --output-dir "$work/gathered2" \
	>"$work/out" 2>"$work/err") || fail "a part of a must-gather folder"
says out "  Total resources captured: 4"
compare -r gathered/metadata.yaml -f must-gather -R
ends_with 0 "the must-gather folder against its own reference"
says out "CRs with diffs: 0/5"
compare -r gathered/metadata.yaml
ends_with 0 "the cluster against the reference from the must-gather folder"
mkdir "$work/empty"
compare -g generate.yaml --must-gather empty
ends_with 1 "a must-gather folder without data"
says err "error: no must-gather data found under"
compare -g generate.yaml --must-gather nosuch
ends_with 1 "no must-gather folder"
says err "error: must-gather directory does not exist: nosuch"
compare -g generate.yaml --must-gather generate.yaml
ends_with 1 "a must-gather file"
says err "error: must-gather path is not a directory"

# ---- what is there is kept ----

sed -i 's/a: b/a: "{{ .data.a }}"/' "$work/gathered/ConfigMap/plain.yaml"
cp "$work/gathered/ConfigMap/plain.yaml" "$work/edited.yaml"
compare -g generate.yaml -f must-gather --output-dir gathered
ends_with 0 "generating over an edited template"
check "the edited template is kept" cmp "$work/gathered/ConfigMap/plain.yaml" "$work/edited.yaml"
file_has gathered/metadata.yaml 'path: "ConfigMap/plain-2.yaml"'
file_lacks gathered/metadata.yaml 'path: "ConfigMap/plain.yaml"'
compare -r gathered/metadata.yaml -f must-gather -R
ends_with 0 "the round trip beside an edited template"

# ---- what platforms write by themselves ----

mkdir -p "$work/platform/namespaces/p"
python3 "$here/data/injected.py" yaml >"$work/platform/namespaces/p/injected.yaml"
printf 'resources: [{kind: Namespace, apiVersion: v1}]\n' >"$work/namespace.yaml"
compare -g namespace.yaml -f platform --output-dir platform-reference
ends_with 0 "objects with what platforms write"
check "nothing of it is left: $(cat "$work/platform-reference/Namespace/p.yaml")" \
	test "$(head -n 8 "$work/platform-reference/Namespace/p.yaml")" = \
	"$(printf 'apiVersion: v1\nkind: Namespace\nmetadata:\n  annotations:\n    %s\n  labels:\n    %s\n  name: p' \
		'openshift.io/description: kept' 'app: kept')"
python3 "$here/data/injected.py" paths >"$work/paths"
while read -r path; do file_has platform-reference/metadata.yaml "$path"; done <"$work/paths"
file_has platform-reference/metadata.yaml "isPrefix: true"
sed -i 's/: injected/: otherwise/' "$work/platform/namespaces/p/injected.yaml"
compare -r platform-reference/metadata.yaml -f platform -R
ends_with 0 "another value of all that platforms write"
says out "CRs with diffs: 0/1"
sed -i 's/: kept/: changed/' "$work/platform/namespaces/p/injected.yaml"
compare -r platform-reference/metadata.yaml -f platform -R
ends_with 1 "another value of what they do not write"

# ---- options that do not go together ----

refuses() { # refuses MESSAGE ARGUMENTS...
	compare -g generate.yaml "${@:2}"
	ends_with 2 "-g with ${*:2}"
	check "$1 in: $(cat "$work/err")" test "$(cat "$work/err")" = "error: $1
See 'cluster-compare -h' for help and examples"
}
refuses "cannot use -r and -g together; use -r for compare or -g for generate" -r made/metadata.yaml
refuses "Unexpected args: [a b]" a b
refuses "cannot use -k with -g; use -f with a must-gather directory path, or omit -f for a live cluster" -k .
once="with -g, specify at most one must-gather path with -f (or omit -f to use the live cluster)"
refuses "$once" -f must-gather -f gathered
refuses "$once" -f must-gather,gathered
refuses "$once" -f must-gather --must-gather gathered
compare --help
for word in "apiVersion: refgen/v1" outputDir: omitAnnotations: omitLabels: required: names: --generate-config; do says out "$word"; done

# ---- mistakes ----

mistake() { # mistake TEXT MESSAGE
	printf '%b' "$1" >"$work/bad.yaml"
	rm -rf "$work/generated-reference"
	compare -g bad.yaml
	ends_with 1 "$2"
	says err "$2"
	check "nothing is written: $2" test ! -e "$work/generated-reference"
	check "nothing is left beside it: $2" test -z "$(find "$work" -name '.driftd-generate*')"
}
one='resources: [{kind: ConfigMap, apiVersion: v1}]\n'
mistake 'resources: []\n' "error: configuration must specify at least one resource"
mistake 'omitLabels: [""]\n'"$one" "error: omitLabels[0]: key must not be empty"
mistake 'omitAnnotations: [a, '"'"'b"c'"'"']\n'"$one" "error: omitAnnotations[1]: key must not contain double quotes"
mistake 'resources: [{kind: ConfigMap, apiVersion: v1, nmae: x}]\n' "error: invalid YAML in configuration file: "
mistake 'resources: [\n' "error: invalid YAML in configuration file: "
mistake 'resources: [{kind: ConfigMap}]\n' "error: resources[0]: apiVersion must not be empty"
mistake 'resources: [{kind: ConfigMap, apiVersion: v1}, {apiVersion: v1}]\n' "error: resources[1]: kind must not be empty"
for version in refgen/v2 v1 refgen; do
	mistake "apiVersion: $version\n$one" "error: unknown apiVersion '$version' of the configuration: it must be refgen/v1"
done
mistake 'resources: [{kind: Widget, apiVersion: x.example.com/v1, required: true}]\n' "error: failed to fetch Widget: "
compare -g nosuch.yaml
ends_with 1 "no configuration"
says err "error: configuration file not found: nosuch.yaml"
control fault '{"status":403,"resource":"configmaps","verb":"list","count":1,"message":"no list for you"}'
mistake 'resources: [{kind: ConfigMap, apiVersion: v1, required: true}]\n' "error: failed to fetch ConfigMap: "
says err "no list for you"
control fault '{"status":500,"resource":"configmaps","verb":"list","count":1}'
mistake "$one" "error: failed to fetch ConfigMap: "

# ---- what is not required may be refused, or not there ----

two='resources:\n- {kind: Deployment, apiVersion: apps/v1, required: true}\n'
optional() { # optional ENTRY MESSAGE: the reference is written without it
	printf '%b' "$two- $1\n" >"$work/optional.yaml"
	rm -rf "$work/generated-reference"
	compare -g optional.yaml
	ends_with 0 "$1"
	says err "failed to fetch"
	says err "$2"
	says err "it is not required, and the reference is written without it"
	check "the rest is written: $1" test "$(files_of "$work/generated-reference")" = "./Deployment/web.yaml ./metadata.yaml "
	compare -r generated-reference/metadata.yaml
	ends_with 0 "the round trip without what was refused"
}
refuse_configmaps() { control fault '{"status":403,"resource":"configmaps","verb":"list","count":1,"message":"no list for you"}'; }
refuse_configmaps
optional '{kind: ConfigMap, apiVersion: v1, required: false}' "no list for you"
refuse_configmaps
optional '{kind: ConfigMap, apiVersion: v1}' "no list for you"
optional '{kind: Gadget, apiVersion: nosuch.io/v1, required: false}' "the server has no kind Gadget of nosuch.io/v1 that can be listed"

# A group that does not answer is neither: whether there are objects is not known. Nor is a 404 that is none of the API's.
control fault '{"action":"stale","group":"rbac.authorization.k8s.io","resources":false,"count":-1}'
mistake 'resources: [{kind: ClusterRole, apiVersion: rbac.authorization.k8s.io/v1}]\n' "whether the server has kind ClusterRole"
control fault '{"action":"recover"}'
control fault '{"status":404,"body":"404 page not found","resource":"configmaps","verb":"list","count":1}'
mistake "$one" "error: failed to fetch ConfigMap: "

# ---- an existing folder keeps what it has when something fails ----

printf '%b' "$two- {kind: ConfigMap, apiVersion: v1, required: true}\n" >"$work/late.yaml"
mkdir "$work/kept"
compare -g optional.yaml --output-dir kept
ends_with 0 "a folder that is empty"
echo mine >"$work/kept/notes"
cp -r "$work/kept" "$work/kept.before"
control load "$(object apps/v1 Deployment another a '"spec":{"replicas":1}')"
refuse_configmaps
compare -g late.yaml --output-dir kept
ends_with 1 "a second kind is refused"
check "nothing has changed" diff -r "$work/kept" "$work/kept.before"
mv "$work/kept/metadata.yaml" "$work/metadata.kept"
mkdir -p "$work/kept/metadata.yaml/in-the-way"
compare -g late.yaml --output-dir kept
ends_with 1 "a metadata.yaml that cannot be replaced"
check "what was moved before is taken back" test "$(files_of "$work/kept")" = "./Deployment/web.yaml ./notes "
rmdir "$work/kept/metadata.yaml/in-the-way" "$work/kept/metadata.yaml"
mv "$work/metadata.kept" "$work/kept/metadata.yaml"
compare -g late.yaml --output-dir kept/
ends_with 0 "the same when it may"
check "what is not ours stays" grep -q mine "$work/kept/notes"
file_has kept/metadata.yaml Deployment/another.yaml
api DELETE /apis/apps/v1/namespaces/a/deployments/another
compare -g optional.yaml --output-dir new/and/deeper/
ends_with 0 "a folder below folders that are not there"
check "nothing else is there" test "$(files_of "$work/new")" = "./and/deeper/Deployment/web.yaml ./and/deeper/metadata.yaml "
refuse_configmaps
compare -g late.yaml --output-dir gone/and/deeper
ends_with 1 "the same, and a kind is refused"
check "not even a folder above is made" test ! -e "$work/gone"
check "nothing is left beside" test -z "$(find "$work" -name '.driftd-generate*')"

control load "$(secret s a '{"password":"aHVudGVyMg=="}')"
printf 'resources: [{kind: Secret, apiVersion: v1}]\n' >"$work/secret.yaml"
(umask 022 && compare -g secret.yaml --output-dir secret && [ "$status" = 0 ]) || fail "a reference with a Secret"
modes=$(cd "$work/secret" && stat -c %a Secret/s.yaml metadata.yaml | tr '\n' ' ')
check "a Secret is for its owner only" test "$modes" = "600 644 "
compare -r secret/metadata.yaml
ends_with 0 "the round trip of a Secret"
api PATCH /api/v1/namespaces/a/secrets/s '{"data":{"password":"b3RoZXI="}}'
compare -r secret/metadata.yaml
ends_with 1 "another Secret"
no_secret aHVudGVyMg b3RoZXI -- "$work/out" -- "$work/err"

# The same object by two entries is one template; a kind with a path in it stays inside the folder.
cat >"$work/twice.yaml" <<'Y'
resources:
  - {kind: ConfigMap, apiVersion: v1, required: true}
  - {kind: ConfigMap, apiVersion: v1, namespace: a}
Y
compare -g twice.yaml --output-dir twice
ends_with 0 "entries that overlap"
check "each object once: $(ls "$work/twice/ConfigMap")" test "$(ls "$work/twice/ConfigMap" | wc -l)" = 4
check "an entry whose objects are captured already is not missing: $(cat "$work/err")" test ! -s "$work/err"
compare -r twice/metadata.yaml
ends_with 0 "the round trip of entries that overlap"
check "templates do not overlap: $(cat "$work/err")" test ! -s "$work/err"
# The same as manifests.
sed -i '1i manifests: true' "$work/twice.yaml"
compare -g twice.yaml --output-dir plain
ends_with 0 "objects as manifests"
compare -g twice.yaml --output-dir plain
ends_with 1 "a folder that is there"
check "is left alone: $(cat "$work/err")" grep -q 'plain is there already' "$work/err"
check "without metadata.yaml" test ! -e "$work/plain/metadata.yaml"
compare --manifests plain
ends_with 0 "the round trip of manifests"
check "of all of them: $(head -n 3 "$work/out")" grep -qx 'CRs with diffs: 0/4' "$work/out"
mkdir -p "$work/evil/namespaces/x"
printf 'apiVersion: v1\nkind: ../../Escape\nmetadata: {name: ../../../out}\n' >"$work/evil/namespaces/x/e.yaml"
printf 'resources: [{kind: ../../Escape, apiVersion: v1}]\n' >"$work/evil.yaml"
compare -g evil.yaml --must-gather evil --output-dir evil-out
ends_with 0 "names with paths in them"
check "everything is inside: $(find "$work/evil-out" -type f)" test "$(find "$work/evil-out" -type f | wc -l)" = 2
check "nothing is outside" test -z "$(find "$work" -path "$work/evil-out" -prune -o -name '*scape*' -print -o -name 'out.yaml' -print)"

status=0
"$bin/driftd" compare -g "$work/generate.yaml" --output-dir "$work/full" >/dev/full 2>"$work/err" || status=$?
ends_with 2 "a full disk behind standard output"
