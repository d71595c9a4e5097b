#!/usr/bin/env bash
# docs/guide/kubegen.md: its blocks of commands are run in order, in an empty folder; what stands in the other blocks must come out. kubectl
# is played by a script that talks to the simulator.
. "$(dirname "$0")/lib.sh"
for tool in python3 curl jq; do command -v $tool >/dev/null || skip "no $tool"; done
unset KUBECTL_EXTERNAL_DIFF

guide=$source_dir/docs/guide/kubegen.md
mkdir -p "$work/bin" "$work/home/.kube" "$work/guide" "$work/blocks"
ln -s "$bin/driftd" "$work/bin/driftd"
start_apisim
cp "$work/kubeconfig" "$work/home/.kube/config"

cat >"$work/bin/kubectl" <<K
#!/usr/bin/env bash
set -euo pipefail
request() { curl -sf -A e2e/1 --cacert "$ca" -H "Authorization: Bearer $token" "\$@" -o /dev/null; }
case "\$1 \$2" in
"apply -R")
	# The simulator takes JSON: the same objects once more, in that format.
	driftd kubegen bundle shop.yml -s -o json | jq -c '.items[]' | while read -r object; do
		request -X POST "$server/_apisim/load" -d "\$object"
	done
	;;
"patch configmap")
	request -X PATCH -H 'Content-Type: application/merge-patch+json' -d "\$9" \\
		"$server/api/v1/namespaces/\$5/configmaps/\$3?fieldManager=kubectl-patch"
	;;
*) echo "kubectl: \$*: not played" >&2; exit 1 ;;
esac
K
chmod +x "$work/bin/kubectl"

# The blocks as files: 01.sh, 02.fails, 03.text, …
python3 - "$guide" "$work/blocks" <<'P'
import re, sys
blocks = re.findall(r"^```(sh|sh fails|)\n(.*?)^```$", open(sys.argv[1], encoding="utf-8").read(), re.M | re.S)
for i, (kind, text) in enumerate(blocks):
    name = {"sh": "sh", "sh fails": "fails", "": "text"}[kind]
    open(f"{sys.argv[2]}/{i:02}.{name}", "w", encoding="utf-8").write(text)
P

# One shell runs all of them, as a reader's does; each leaves its output beside it.
cat >"$work/run.sh" <<'R'
set -euo pipefail
for block in "$BLOCKS"/*; do
	case $block in
	*.sh) . "$block" >"$block.out" 2>&1 ;;
	*.fails) if (. "$block") >"$block.out" 2>&1; then echo "$block did not fail" >&2; exit 1; fi ;;
	esac
done
R
port=$(free_port)
start guide env -C "$work/guide" HOME="$work/home" PATH="$work/bin:$PATH" PORT="$port" BLOCKS="$work/blocks" timeout 120 bash "$work/run.sh"
status=0
wait "${pid[guide]}" || status=$?
unset "pid[guide]"
if [ "$status" != 0 ]; then
	tail -n 20 "$work"/blocks/*.out "$work"/guide/records.txt >&2 || true
	fail "the guide's commands ended with status $status"
fi

ran=0
for block in "$work"/blocks/*; do
	case $block in
	*.out) ran=$((ran + 1)) last=$block ;;
	*.text)
		while IFS= read -r line; do
			check "'$line' in the output of $(basename "$last")" grep -qF -- "$line" "$last"
		done <"$block"
		;;
	esac
done
check "at least ten blocks ran" test "$ran" -ge 10
