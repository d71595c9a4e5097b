#!/usr/bin/env bash
# published_turns.sh [FILES [MEGABYTES]]: how long the loop of the real daemon answers nobody while a published revision of FILES (19900)
# files, MEGABYTES (64) in all, comes into force and changes, while another source changes beside it, and while the configuration is
# reloaded. Once its files are templates and what nobody needs, once each of them is a manifest of an object that the cluster has.
. "$(dirname "$0")/../e2e/lib.sh"
files=${1:-19900} megabytes=${2:-64}
export DRIFTD_SOCKET=$work/control.sock

write_files() { # write_files FOLDER: config maps x-0, x-1, …
	python3 - "$1" "$files" "$((megabytes * 1000000 / files))" <<'P'
import pathlib, sys
folder, count, size = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x-%06d, namespace: large}\ndata:\n"
lines = max(1, (size - len(head)) // 70)
text = "".join(f"  key-{i:03}: {'some text of a setting that somebody has made ' + 'x' * 13}\n" for i in range(lines))
for i in range(count):
    path = folder / f"{i // 100:03}" / f"{i}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(head % i + text)
P
}
probe() { # how long each answer takes, in seconds
	exec python3 - "$web" "$work/answers" <<'P'
import sys, time, urllib.request
with open(sys.argv[2], "a", buffering=1) as out:
    while True:
        begin = time.monotonic()
        try:
            urllib.request.urlopen(sys.argv[1] + "/-/healthy", timeout=120).read()
        except OSError:
            pass
        out.write(f"{time.monotonic() - begin:.3f}\n")
        time.sleep(0.01)
P
}
show() { # show WHAT: since the last time
	local longest over
	sleep 2
	longest=$(sort -g "$work/answers" | tail -n 1)
	over=$(curl -sf "$web/metrics" | awk '/^driftd_loop_turn_seconds_bucket/ && /le="0.25"/ { n = $NF }
		/^driftd_loop_turn_seconds_count/ { print $NF - n }')
	printf '%-58s longest answer %6.3f s, %2d turns above 0.25 s\n' "$1" "$longest" $((over - before))
	before=$over
	: >"$work/answers"
}
publish() { # publish NAME FOLDER REVISION
	"$here/../e2e/published.py" --request "$work/state/sources.json" --revision "$3" "$work/store" "$1" "$2" >"$work/published"
}
in_force() { # in_force NAME REVISION
	"$bin/driftd" reference show "$1" -o json | jq -e --arg revision "$2" '.standing == "current" and .inForce.revision == $revision'
}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
revision() { printf "$1%.0s" {1..40}; }

# follow WHAT REFERENCE-LINES
follow() {
	local loaded
	rm -rf "$work/store" "$work/state" "$work/records" "$work/answers"
	mkdir "$work/state" "$work/store"
	cat >"$work/driftd.yaml" <<-Y
		clusters: [{name: large, kubeconfig: $work/kubeconfig}]
		references:
		  - {name: large, source: {git: 'https://git.example.com/large.git'}, $2}
		  - {name: small, source: {git: 'https://git.example.com/small.git'}, path: metadata.yaml}
		sources_dir: $work/store
		state_dir: $work/state
		control_socket: $DRIFTD_SOCKET
	Y
	before=0
	start_driftd
	: >"$work/answers"
	wait_until 20 "what driftd asks for" test -e "$work/state/sources.json"
	publish small "$work/small" "$(revision 1)"
	wait_until 60 "the small one" in_force small "$(revision 1)"
	start probe probe
	publish large "$work/large" "$(revision 1)"
	wait_until 120 "the large one" in_force large "$(revision 1)"
	wait_until 120 "the cluster" all_synced
	show "$1: the first revision"
	echo "# a comment" >>"$work/large/000/7.yaml"
	publish large "$work/large" "$(revision 2)"
	wait_until 120 "the next of the large one" in_force large "$(revision 2)"
	show "$1: the next"
	sed -i "s/team: .*/team: other/" "$work/small/namespace.yaml"
	publish small "$work/small" "$(revision 2)"
	wait_until 120 "the next of the small one" in_force small "$(revision 2)"
	show "$1: the next revision of the other source"
	loaded=$(metric driftd_config_last_reload_success_timestamp_seconds)
	kill -HUP "${pid[driftd]}"
	reloaded() { ! metric_is driftd_config_last_reload_success_timestamp_seconds "$loaded"; }
	wait_until 60 "the reload" reloaded
	show "$1: a reload"
	stop probe || true
	stop driftd || fail "driftd did not end cleanly"
}

write_files "$work/large"
mkdir "$work/small"
cp "$source_dir"/examples/demo/reference/* "$work/small"
cp "$source_dir"/examples/demo/reference/* "$work/large"
start_apisim
python3 - "$work/large/000/0.yaml" "$files" >"$work/generate.json" <<'P'
import json, sys
data = dict(line.strip().split(": ", 1) for line in open(sys.argv[1]).read().split("data:\n")[1].splitlines())
print(json.dumps({"resource": "configmaps", "namespace": "large", "prefix": "x-", "count": int(sys.argv[2]),
                  "object": {"apiVersion": "v1", "kind": "ConfigMap", "data": data}}))
P
curl -sf --cacert "$ca" -X POST "$server/_apisim/generate" -d @"$work/generate.json" -o /dev/null
follow templates "path: metadata.yaml"
rm "$work"/large/*.*
cp -r "$source_dir/examples/demo/reference/." "$work/small"
follow manifests "manifests: ."
