#!/usr/bin/env bash
# driftd kubegen: files, standard output, what is written after a mistake, what a module may read; bundles as references.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/compare.sh"
unset KUBECTL_EXTERNAL_DIFF

kubegen() { # kubegen ARGUMENTS...: in $work/x; sets $status; output as compare() leaves it
	status=0
	(cd "$work/x" && "$bin/driftd" kubegen "$@" >"$work/out" 2>"$work/err" </dev/null) || status=$?
}
refuses() { check "status 1, got $status" test "$status" = 1; says err "$1"; } # refuses TEXT

cp -r "$source_dir/examples/kubegen" "$work/x"
chmod -R u+w "$work/x"

# ---- bundles ----

kubegen bundle shop.yml
ends_with 0 "the example"
says out 'Wrote 4 files based on bundle manifest "shop.yml":'
says out '  – env/production/settings.yaml'
check "the files are there" test -s "$work/x/env/staging/web.yaml"
kubegen bundle shop.yml -s -m production
ends_with 0 "one instance"
cat "$work/x/env/production/settings.yaml" "$work/x/env/production/web.yaml" <(echo) >"$work/expected"
check "standard output is the files and a newline" cmp "$work/expected" "$work/out"
kubegen bundle shop.yml -o json --module staging
says out 'Wrote 2 files'
says out '  – env/staging/web.json'
kubegen bundle shop.yml -m nowhere
refuses "no bundle has a module called 'nowhere'"
sed 's|env/|second/|' "$work/x/shop.yml" >"$work/x/second.yml"
kubegen bundle second.yml shop.yml
ends_with 0 "two bundles"
says out 'Wrote 4 files based on bundle manifest "second.yml":'
says out 'Wrote 4 files based on bundle manifest "shop.yml":'
cp "$work/x/shop.yml" "$work/x/third.yml"
kubegen bundle third.yml shop.yml
refuses "'env/staging/settings.yaml' would be written twice"

# ---- modules ----

kubegen module modules/shop/ -p namespace=n -v replicas=2 --parameters 'hosts=["a"]' -N n -O out
ends_with 0 "a module"
says out $'Wrote 2 files:\n  – out/settings.yaml\n  – out/web.yaml'
check "the name is that of the folder" grep -qF 'Name: "shop"' "$work/x/out/web.yaml"
kubegen module modules/shop -p namespace=n -p replicas=2 -n named
check "the folder is that of the name" test -f "$work/x/named/web.yaml"
ln -s "$bin/driftd" "$work/kubegen"
(cd "$work/x/modules/shop" && "$work/kubegen" module . -p namespace=n -p replicas=2) >"$work/out"
says out 'manifestPath: "web.yml"'
for wrong in "replicas:expected KEY=VALUE" "replicas=:it is empty" "=2:expected KEY=VALUE" "replicas=x:expected Number, got String" \
	"replicas=[1]:expected Number, got Array" "debug=true:must set parameter 'replicas' (of type Number)"; do
	kubegen module modules/shop -p namespace=n -p "${wrong%%:*}"
	refuses "${wrong#*:}"
done
for wrong in "replicas=2:parameter 'replicas' is given twice" "other=1:has no parameter 'other'" "labels={}:cannot be set"; do
	kubegen module modules/shop -p namespace=n -p replicas=1 -p "${wrong%%:*}"
	refuses "${wrong#*:}"
done
for wrong in "module" "module a b" "bundle" "module a -m b" "bundle a -o xml" "nothing" "bundle a -m"; do
	# shellcheck disable=SC2086
	kubegen $wrong
	refuses "Error: "
done
kubegen --help
ends_with 0 "help"

mkdir "$work/x/own"
printf 'Kind: kubegen.k8s.io/Module.v1alpha2\nConfigMaps: [{name: c}]\n' >"$work/x/own/m.yaml"
kubegen module own
refuses "'own/m.yaml' is a manifest of the module and would be replaced"
check "it is still there" grep -q ConfigMaps "$work/x/own/m.yaml"

# ---- a mistake leaves nothing behind ----

rm -r "$work/x/env" "$work/x/out"
echo 'Nothing: []' >>"$work/x/modules/shop/web.yml"
kubegen bundle shop.yml
refuses "modules/shop/web.yml:25:1: Nothing: unknown field 'Nothing'"
check "nothing is written" test ! -e "$work/x/env"
cp "$source_dir/examples/kubegen/modules/shop/web.yml" "$work/x/modules/shop/"

# ---- what a module may read ----

reads() { # reads FILE: as a ConfigMap's data
	printf 'Kind: kubegen.k8s.io/Module.v1alpha2\nConfigMaps: [{name: c, readFromFiles: [%s]}]\n' "$1" >"$work/x/m/m.yml"
	kubegen module m -s
}
mkdir -p "$work/x/m/d"
echo text >"$work/x/m/d/file"
echo secret >"$work/secret"
ln -s d "$work/x/m/inside"
ln -s "$work/secret" "$work/x/m/d/absolute"
ln -s ../../../secret "$work/x/m/d/outside"
mkfifo "$work/x/m/d/pipe"
reads inside/file
ends_with 0 "a link that stays inside"
for wrong in "d/absolute:leads out" "d/outside:leads out" "d/pipe:not a regular file" "d:not a regular file" "d/none:No such file" \
	"../m/d/file:outside of the module" "$work/secret:outside of the module"; do
	reads "${wrong%%:*}"
	refuses "${wrong#*:}"
done

# ---- references ----

kubegen reference shop.yml written
ends_with 0 "a reference as files"
says out '  – written/metadata.yaml'

same_verdict() { # same_verdict STATUS WHAT: of the bundle and of the files it stands for, over $work/objects.yaml
	compare -r x/written/metadata.yaml -f objects.yaml
	ends_with "$1" "$2, with files"
	mv "$work/out" "$work/out.files"
	compare -r x/shop.yml -f objects.yaml
	ends_with "$1" "$2, with the bundle"
	check "$2: the same verdict" diff "$work/out.files" "$work/out"
}
kubegen bundle shop.yml -s
cp "$work/out" "$work/all.yaml"
cp "$work/all.yaml" "$work/objects.yaml"
same_verdict 0 "what was generated"
says out "CRs with diffs: 0/9"
"$bin/driftd" kubegen bundle "$work/x/shop.yml" -s | (cd "$work" && "$bin/driftd" compare -r x/shop.yml -f -) >"$work/out"
says out "CRs with diffs: 0/9"
sed 's/replicas: 3/replicas: 4/' "$work/all.yaml" >"$work/objects.yaml"
same_verdict 1 "another number"
says out "production/web#Deployment-web"
sed 's/{{ name }}/{{ title }}/' "$work/all.yaml" >"$work/objects.yaml"
same_verdict 1 "braces"
sed 's/kind: NetworkPolicy/kind: Ingress/' "$work/all.yaml" >"$work/objects.yaml"
same_verdict 1 "objects that are missing"
says out "staging/web#NetworkPolicy-web"
echo 'broken: [' >>"$work/x/modules/shop/web.yml"
compare -r x/shop.yml -f objects.yaml
ends_with 2 "a bundle with a mistake"
says err "x/modules/shop/web.yml: cannot parse"
