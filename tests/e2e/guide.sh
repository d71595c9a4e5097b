# Running a page of docs/guide, for the tests that source this after lib.sh: its blocks of commands in order, in an empty folder; what
# stands in the blocks without a language must come out. Blocks of "console" show what needs root, or systemd as process 1: lines that begin
# with "# " or "$ " are commands, of which only the syntax is checked. Blocks of "logql" and "yaml" are for other programs.
command -v python3 >/dev/null || skip "no python3"
mkdir -p "$work/bin" "$work/home" "$work/guide" "$work/blocks"
ln -s "$bin/driftd" "$work/bin/driftd"

# start_guide_cluster: the simulator, to which the reader's kubeconfig leads. A kubectl of the page's own begins with what
# play_kubectl prints: "request" asks the simulator for something.
start_guide_cluster() {
	for tool in curl jq; do command -v $tool >/dev/null || skip "no $tool"; done
	unset KUBECTL_EXTERNAL_DIFF
	mkdir -p "$work/home/.kube"
	start_apisim
	cp "$work/kubeconfig" "$work/home/.kube/config"
}
play_kubectl() {
	cat <<-K
		#!/usr/bin/env bash
		set -euo pipefail
		request() { curl -sf -A e2e/1 --cacert "$ca" -H "Authorization: Bearer $token" "\$@" -o /dev/null; }
	K
}

# take_blocks PAGE: the blocks as files in $work/blocks, 01.sh, 02.fails, 03.text, 04.console, …, and what runs them, $work/run.sh
take_blocks() {
	python3 - "$1" "$work/blocks" <<-'P'
		import re, sys
		names = {"sh": "sh", "sh fails": "fails", "": "text", "console": "console", "logql": "other", "yaml": "other"}
		fences = re.findall(r"^```([^\n]*)\n(.*?)^```$", open(sys.argv[1], encoding="utf-8").read(), re.M | re.S)
		for i, (kind, text) in enumerate(fences):
		    if kind == "console":
		        text = "".join(line[2:] for line in text.splitlines(True) if line[:2] in ("# ", "$ "))
		    open(f"{sys.argv[2]}/{i:02}.{names[kind]}", "w", encoding="utf-8").write(text)
	P

	# One shell runs all of them, as a reader's does; each leaves its output beside it. CONSOLE: those of that kind too.
	cat >"$work/run.sh" <<-'R'
		set -euo pipefail
		trap 'kill $(jobs -p) 2>/dev/null || true' EXIT # what a page that failed has left running
		for block in "$BLOCKS"/*; do
			case ${CONSOLE:-}$block in
			*.sh | yes*.console) . "$block" >"$block.out" 2>&1 ;;
			*.fails) if (. "$block") >"$block.out" 2>&1; then echo "$block did not fail" >&2; exit 1; fi ;;
			esac
		done
	R
}

# check_blocks MIN: what came out is what the page says; at least MIN blocks ran
check_blocks() {
	local min=$1 ran=0 block last='' line
	for block in "$work"/blocks/*; do
		case $block in
		*.console)
			check "commands in $(basename "$block")" bash -n "$block"
			last=''
			;;
		*.out) ran=$((ran + 1)) last=$block ;;
		*.text)
			[ "$last" ] || continue # of a block that is not run
			while IFS= read -r line; do
				check "'$line' in the output of $(basename "$last")" grep -qF -- "$line" "$last"
			done <"$block"
			;;
		esac
	done
	check "at least $min blocks ran" test "$ran" -ge "$min"
}

# run_guide PAGE MIN [VARIABLE=VALUE...]: with these in the environment; at least MIN blocks have commands
run_guide() {
	local page=$1 min=$2 status=0
	shift 2
	take_blocks "$page"
	start guide env -C "$work/guide" HOME="$work/home" PATH="$work/bin:$PATH" BLOCKS="$work/blocks" "$@" timeout 120 bash "$work/run.sh"
	wait "${pid[guide]}" || status=$?
	unset "pid[guide]"
	if [ "$status" != 0 ]; then
		tail -n 20 "$work"/blocks/*.out "$work"/guide/records.txt >&2 || true
		fail "the guide's commands ended with status $status"
	fi
	check_blocks "$min"
}

# start_cluster [OPTIONS...]: the simulator, with a namespace "shop" and as the home's kubeconfig; kubectl, and the controller that runs a
# Job, are played by a script that talks to it.
start_cluster() {
	for tool in curl jq; do command -v $tool >/dev/null || skip "no $tool"; done
	mkdir -p "$work/home/.kube"
	start_apisim "$@"
	cp "$work/kubeconfig" "$work/home/.kube/config"
	get /api/v1/namespaces/shop >"$work/answer.json" || control load "$(object v1 Namespace shop "")"
	cat >"$work/bin/kubectl" <<K
#!/usr/bin/env bash
set -euo pipefail
request() { curl -sf -A e2e/1 --cacert "$ca" -H "Authorization: Bearer $token" "\$@"; }
post() { request -H 'Content-Type: application/json' -X POST "$server/\$1" -d "\$2"; } # post PATH OBJECT
deployments=apis/apps/v1/namespaces/shop/deployments
patch() { # patch DEPLOYMENT JSON
	request -X PATCH -H 'Content-Type: application/merge-patch+json' "$server/\$deployments/\$1" -d "\$2"
}
meta() { jq -nc --arg name "\$1" '{name: \$name, namespace: "shop"}'; }

case \$*  in
"-n shop create deployment "*)
	post "\$deployments" "\$(jq -nc --argjson meta "\$(meta "\$5")" --arg image "\${6#--image=}" --argjson n "\${7#--replicas=}" '{
		apiVersion: "apps/v1", kind: "Deployment", metadata: \$meta, spec: {replicas: \$n, selector: {matchLabels: {app: "x"}},
			template: {metadata: {labels: {app: "x"}}, spec: {containers: [{name: "c", image: \$image}]}}}}')"
	;;
"-n shop create configmap "*)
	post api/v1/namespaces/shop/configmaps "\$(jq -nc --argjson meta "\$(meta "\$5")" --arg data "\${6#--from-literal=}" '{
		apiVersion: "v1", kind: "ConfigMap", metadata: \$meta, data: (\$data | split("=") | {(.[0]): .[1]})}')"
	;;
"-n shop label deployment "*) patch "\$5" "{\"metadata\":{\"labels\":{\"\${6%%=*}\":\"\${6#*=}\"}}}" ;;
"-n shop annotate deployment "*) patch "\$5" "{\"metadata\":{\"annotations\":{\"\${6%%=*}\":\"\${6#*=}\"}}}" ;;
"-n shop scale deployment "*) patch "\$5" "{\"spec\":{\"replicas\":\${6#--replicas=}}}" ;;
"-n shop delete job "*)
	request -X DELETE "$server/apis/batch/v1/namespaces/shop/jobs/\$5"
	request -X DELETE "$server/api/v1/namespaces/shop/pods/\$5-1"
	;;
"-n shop create job "*) # whose Pod fails
	uid=\$(post apis/batch/v1/namespaces/shop/jobs "\$(jq -nc --argjson meta "\$(meta "\$5")" \\
		'{apiVersion: "batch/v1", kind: "Job", metadata: \$meta}')" | jq -r .metadata.uid)
	request -X POST "$server/_apisim/load" -d "\$(jq -nc --argjson meta "\$(meta "\$5-1")" --arg name "\$5" --arg uid "\$uid" '{
		apiVersion: "v1", kind: "Pod", status: {phase: "Failed"}, spec: {containers: [{name: "c", image: "busybox"}]},
		metadata: (\$meta + {ownerReferences: [{apiVersion: "batch/v1", kind: "Job", name: \$name, uid: \$uid}]})}')"
	;;
*) echo "kubectl: \$*: not played" >&2; exit 1 ;;
esac >/dev/null
K
	chmod +x "$work/bin/kubectl"
}
