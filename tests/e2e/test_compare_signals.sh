#!/usr/bin/env bash
# driftd compare ended by a signal, whatever it is doing: it dies of that signal, and its temporary folders and the programs it started go
# with it.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip "no python3"
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY
export TMPDIR=$work/tmp ready=$work/ready
mkdir "$TMPDIR" "$work/bin" "$work/crs"

reference "$work/ref" allOf cm.yaml
echo 'data: {a: b}' | template "$work/ref/cm.yaml" v1 ConfigMap settings d
for i in 1 2 3; do configmap settings d '{"a":"c"}' >"$work/crs/$i.json"; done

# ---- what it can be doing: each tells in $ready its process, and that of a child of its own, and then goes on for long ----

cat >"$work/bin/stays" <<'S'
[ -z "$STUBBORN" ] || trap '' TERM
sleep 100 &
echo "$$ $! $(sed -n 's/SigBlk:\t//p' /proc/self/status)" >>"$ready"
wait
S
printf '#!/bin/sh\n. %s\n' "$work/bin/stays" >"$work/bin/differ"
cat >"$work/bin/podman" <<P
#!/bin/sh
[ "\$1" = cp ] || { echo c0ffee; exit; }
mkdir -p "\$3/ref/closed/inside" && touch "\$3/ref/closed/inside/file" && chmod 500 "\$3/ref/closed"
. $work/bin/stays
P
cat >"$work/server.py" <<'P'
import os, socket, sys
s = socket.create_server(("127.0.0.1", 0))
print("port", s.getsockname()[1], flush=True)
held = []
while True:
    held.append(s.accept())
    open(os.environ["ready"], "a").write("asked\n")
P
chmod +x "$work/bin/differ" "$work/bin/podman"
start server python3 "$work/server.py"
wait_until 10 "the server" grep port "$work/server.log"
url=http://127.0.0.1:$(awk '/port/ {print $2}' "$work/server.log")/metadata.yaml

# ---- ending it ----

begin() { # begin SIGNAL ARGUMENTS...: in the background, where a shell would have it ignore SIGINT
	rm -f "$ready"
	start compare env "--default-signal=$1" "$bin/driftd" compare "${@:2}" -f "$work/crs"
	wait_until 20 "compare ${*:2}" test -s "$ready"
}
gone() { ! kill -0 "$1" 2>/dev/null; }
ended_by() { # ended_by SIGNAL WHAT
	local status=0 process child blocked
	stop compare "$1" || status=$?
	check "$2: status $status by $1" test "$status" = $((128 + $(kill -l "$1")))
	check "$2: left by $1: $(find "$TMPDIR")" test -z "$(ls "$TMPDIR")"
	while read -r process child blocked; do
		[ "$process" != asked ] || continue
		check "$2: $process is left by $1" gone "$process"
		check "$2: the child of $process is left by $1" gone "$child"
		check "$2: no signal is blocked in a program: $blocked" test "$((16#$blocked))" = 0
	done <"$ready"
}
for signal in TERM INT HUP; do
	begin $signal -r "$url"
	ended_by $signal "a reference from a server that does not answer"
	KUBECTL_EXTERNAL_DIFF=$work/bin/differ begin $signal -r "$work/ref/metadata.yaml"
	ended_by $signal "a program that compares"
	PATH=$work/bin:$PATH begin $signal -r container://quay.io/org/ref:v1:/ref/metadata.yaml
	ended_by $signal "an image that is unpacked"
done
STUBBORN=1 KUBECTL_EXTERNAL_DIFF=$work/bin/differ begin TERM -r "$work/ref/metadata.yaml"
ended_by TERM "a program that does not want to end"

# ---- a signal that is ignored ----

rm -f "$ready"
KUBECTL_EXTERNAL_DIFF=$work/bin/differ start compare env --ignore-signal=HUP "$bin/driftd" compare \
	-r "$work/ref/metadata.yaml" -f "$work/crs"
wait_until 20 "compare without SIGHUP" test -s "$ready"
kill -HUP "${pid[compare]}"
sleep 0.5
check "what is ignored does not end it" kill -0 "${pid[compare]}"
ended_by TERM "one that ignores SIGHUP"
