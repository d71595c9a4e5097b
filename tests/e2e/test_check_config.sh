#!/usr/bin/env bash
# What check-config reads besides driftd.yaml: the built-in inspection rules, whose mistakes come together with all others; and as whom.
. "$(dirname "$0")/lib.sh"

check_config() { # check_config STATUS: what it says in $work/said
	local status=0
	"$bin/driftd" check-config -c "$work/driftd.yaml" >"$work/said" 2>&1 || status=$?
	check "check-config ends with $1" test $status = "$1"
}
says() { check "check-config says $1" grep -qF "$1" "$work/said"; }

printf 'apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]\n%s\n' \
	'contexts: [{name: c, context: {cluster: c}}]' 'current-context: c' >"$work/kubeconfig"
mkdir "$work/reference" "$work/rules"
reference "$work/reference" anyOf pod.yaml
template "$work/reference/pod.yaml" v1 Pod p shop </dev/null
cat >"$work/rules/inspection.yaml" <<'Y'
- description: pods have owners
  conditions: [{op: is-none, args: ['{node.metadata.labels.owner}']}]
  actions: [{op: fail, args: [nobody owns it]}]
Y
configure "$work/reference" 'watch: [{apiVersion: v1, kind: ConfigMap, namespaces: [shop]}]
inspection_rules: {built_in: rules/inspection.yaml, allow_api_call: ["https://hooks.example.com/driftd"]}'
check_config 0
says "$work/driftd.yaml: ok"

cat >>"$work/rules/inspection.yaml" <<'Y'
- actions: [{op: fial, args: [a]}]
- {actions: [{op: fail, args: {}}], prioritie: 5}
Y
check_config 78
says "$work/rules/inspection.yaml:4:18: actions[0]: unsupported action 'fial'"
says "$work/rules/inspection.yaml:5:31: actions[0]: missing required argument(s): msg"
sed -i 's/"https:.*"/"https:\/\/user:s3cret@hooks.example.com\/"/; s/^watch/wacth/' "$work/driftd.yaml"
check_config 78
says "driftd.yaml:9:1: unknown key 'wacth'; did you mean 'watch'?"
says "driftd.yaml:10:70: no prefix of URLs"
says "$work/rules/inspection.yaml:4:18: actions[0]: unsupported action 'fial'"
check "no password is shown" test "$(grep -c s3cret "$work/said")" = 0

echo 'rules: []' >"$work/rules/inspection.yaml"
check_config 78
says "$work/rules/inspection.yaml:1:1: should contain a list of rules"
rm "$work/rules/inspection.yaml"
check_config 78
says "open '$work/rules/inspection.yaml': No such file or directory"

"$bin/driftd" check-config --settings >"$work/said"
says "inspection_rules:"
says "allow_api_call"
says "an entry of watch:"

# However many keys and entries there are, none is compared with all of the others: quadratic work would take minutes.
many() { seq 100000 | sed "s/.*/$1/"; } # many TEXT: 100,000 lines of it, the number of each in the place of &
told_in_time() { # told_in_time TEXT: what check-config says in the end
	local status=0
	timeout 120 "$bin/driftd" check-config -c "$work/driftd.yaml" >"$work/said" 2>&1 || status=$?
	check "100,000 lines: it ends with $status" test $status = 78
	says "$1"
}
many 'key&: 1' >"$work/driftd.yaml"
told_in_time "… and 99000 more"
{ echo "x:"; many '  key&: 1'; } >"$work/driftd.yaml"
told_in_time "unknown key 'x'"
{ echo "clusters:"; many '  - {name: c&, kubeconfig: kubeconfig}'; } >"$work/driftd.yaml"
told_in_time "more than 256 entries: cluster 'c257'"
{ echo "watch:"; many '  - {apiVersion: v1, kind: K&}'; } >"$work/driftd.yaml"
told_in_time "more than 256 kinds to watch"

# ---- as the user of the service ----

[ "$(id -u)" = 0 ] || exit 0
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 # it cannot trace a process that gave up root
as_nobody() { # as_nobody STATUS
	local status=0
	"$bin/driftd" check-config -c "$work/driftd.yaml" --user nobody >"$work/said" 2>&1 || status=$?
	check "check-config as nobody ends with $1, not $status" test $status = "$1"
}
configure "$work/reference"
chmod 755 "$work"
chmod -R a+rX "$work/driftd.yaml" "$work/kubeconfig" "$work/reference"
as_nobody 0
says "$work/driftd.yaml: ok"
says "warning: configuration: $work/driftd.yaml: driftd.service does not see it: PrivateTmp=yes"
chmod 600 "$work/kubeconfig"
check_config 0
as_nobody 78
says "$work/driftd.yaml: kubeconfig: $work/kubeconfig: nobody cannot read it: it, or a folder on the way, forbids it (owner root,"
check "it is not ok" test "$(grep -c ': ok' "$work/said")" = 0
chmod 644 "$work/kubeconfig"
chmod 600 "$work/reference/pod.yaml"
as_nobody 78
says "pod.yaml"
