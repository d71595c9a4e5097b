#!/usr/bin/env bash
# Clients that connect and say nothing, or a byte now and then, or do not read the answer: others are answered all the time, and none of
# them keeps its connection for longer than a request may take. A body that nothing takes is not waited for.
. "$(dirname "$0")/lib.sh"

start_shop
start_driftd_ready

slow=$work/slow.py
cat >"$slow" <<'P'
"""slow.py PORT HOW N SECONDS: N connections that trickle headers or a body, stay silent or do not read, anew whenever they are closed. Says
how long the oldest of them lived, in whole seconds."""
import selectors, socket, sys, time

port, how, n, seconds = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
longest, living = 0, {}

def connect():
    s = socket.create_connection(("127.0.0.1", port))
    s.setblocking(False)
    living[s] = time.monotonic()
    try:
        if how == "body":
            s.send(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n")
        elif how == "unread":
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            s.send(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n" * 50)
        elif how == "headers":
            s.send(b"GET /metrics HTTP/1.1\r\nX: ")
    except OSError:
        pass

def ended(s):
    try:
        if how in ("headers", "body"):
            s.send(b"x")
        return how != "unread" and s.recv(1) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True

end = time.monotonic() + seconds
while time.monotonic() < end:
    while len(living) < n:
        connect()
    for s in [s for s in living if ended(s)]:
        longest = max(longest, time.monotonic() - living.pop(s))
        s.close()
    time.sleep(0.1)
now = time.monotonic()
print(int(max([longest] + [now - t for t in living.values()])))
P
healthy() { curl -sf -m 3 -o /dev/null "$web/-/healthy" && curl -sf -m 3 -o /dev/null "$web/metrics"; }
all_healthy() { # all_healthy SECONDS
	local end=$((SECONDS + $1))
	while [ $SECONDS -lt "$end" ]; do
		healthy || return 1
		sleep 0.2
	done
}
few() { # as few clients as leave room for all: only the time ends them
	cp "$outer/kubeconfig" "$work"
	configure "$source_dir/examples/demo/reference"
	start_driftd_ready
	for how in silent headers body; do start "$how" python3 "$slow" "$web_port" $how 15 16; done
	for how in silent headers body; do
		wait "${pid[$how]}" || fail "the clients ($how)"
		unset "pid[$how]"
		longest=$(tail -n 1 "$work/$how.log")
		[ $how != body ] || { check "its refusal ends it, not $longest s" test "$longest" -le 1; continue; }
		check "a request ($how) has 10 s, not $longest" test "$longest" -ge 9 -a "$longest" -le 13
	done
	check "others are answered afterwards" healthy
	stop driftd
}
aside few few
for how in silent headers body unread; do
	start "$how" python3 "$slow" "$web_port" $how 300 5
	sleep 1
	check "others are answered beside 300 clients ($how)" all_healthy 3
	wait "${pid[$how]}" || fail "the clients ($how)"
	unset "pid[$how]"
done
join_parts
check "others are answered afterwards" healthy
stop driftd
