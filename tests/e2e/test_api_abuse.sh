#!/usr/bin/env bash
# Requests as nobody should make them, on the web listener and on the control socket: each gets the status that says what is wrong, and the
# daemon goes on. Host names of others, gzip, series for each object and their limit.
. "$(dirname "$0")/lib.sh"

start_shop
echo "metrics: {per_object: true, per_object_limit: 2, allowed_hosts: [driftd.example]}
control_socket: $work/control.sock" >>"$work/driftd.yaml"
start_driftd_ready

cat >"$work/raw.py" <<'P'
"""raw.py ADDRESS <TABLE: lines of WHAT, the STATUS or several, and a REQUEST, with tabs between them. Each request has a connection of its
own (\\r, \\n and \\x.. are escapes; {N} is N letters). Says which answers differ; no answer is "closed"."""
import re, socket, sys

def connect(address):
    if address.startswith("/"):
        s = socket.socket(socket.AF_UNIX)
        s.connect(address)
        return s
    return socket.create_connection(("127.0.0.1", int(address)))

wrong = 0
for line in sys.stdin:
    what, wanted, text = line.rstrip("\n").split("\t")
    text = re.sub(r"\{(\d+)\}", lambda m: "a" * int(m.group(1)), text)
    s = connect(sys.argv[1])
    s.settimeout(15)
    try:
        s.sendall(text.encode("latin1").decode("unicode_escape").encode("latin1"))
        answer = s.recv(4096).decode("latin1")
    except OSError:
        answer = ""
    status = answer.split()[1] if answer else "closed"
    if status not in wanted.split("|"):
        print(f"{what}: {status} instead of {wanted}")
        wrong += 1
    s.close()
sys.exit(wrong > 0)
P
table() { # table ADDRESS: what expect has noted, asked there
	python3 "$work/raw.py" "$1" <"$work/table" >"$work/raw.log" || fail "requests to $1"
	checks=$((checks + $(wc -l <"$work/table")))
}
expect() { printf '%s\t%s\t%s\n' "$1" "$2" "$3" >>"$work/table"; } # expect WHAT STATUS[|STATUS] REQUEST
h='HTTP/1.1\r\nHost: localhost\r\n'
expect "a good request" 200 "GET / $h\r\n"
expect "another method" 405 "DELETE /metrics $h\r\n"
expect "a method nobody knows" 405 "BREW / $h\r\n"
expect "a method in small letters" 405 "get / $h\r\n"
expect "an unknown path" 404 "GET /nowhere $h\r\n"
expect "a path that goes up" 404 "GET /../../etc/passwd $h\r\n"
expect "an escape that is cut" 400 "GET /% $h\r\n"
expect "an escape that is none" 400 "GET /%%zz $h\r\n"
expect "a NUL" 400 "GET /%00 $h\r\n"
expect "no UTF-8" 400 "GET /%ff $h\r\n"
expect "a bad escape in the query" 400 "GET /?a=%4 $h\r\n"
expect "no path" 400 "GET nowhere $h\r\n"
expect "the asterisk" 400 "OPTIONS * $h\r\n"
expect "the absolute form" 200 "GET http://localhost/ $h\r\n"
expect "a long path" 414 "GET /{9000} $h\r\n"
expect "a very long path" '414|closed' "GET /{900000} $h\r\n"
expect "many segments" 414 "GET /$(printf 'a/%.0s' {1..40}) $h\r\n"
expect "many parameters" 414 "GET /?$(printf 'a&%.0s' {1..70}) $h\r\n"
expect "a long header" '431|closed' "GET / ${h}X: {900000}\r\n\r\n"
expect "many headers" '200|431|closed' "GET / $h$(printf 'A: b\\r\\n%.0s' {1..2000})\r\n"
expect "a body where none is taken" 405 "POST / ${h}Content-Length: 5\r\n\r\nhello"
expect "a body that is not sent" 405 "POST / ${h}Content-Length: 99999999\r\n\r\n"
expect "a body of a GET that is too large" 413 "GET / ${h}Content-Length: 99999999\r\n\r\n"
expect "a length that is none" '400|closed' "GET / ${h}Content-Length: many\r\n\r\n"
expect "a length below zero" '400|413|closed' "GET / ${h}Content-Length: -1\r\n\r\n"
expect "a chunk that is none" '400|closed' "GET / ${h}Transfer-Encoding: chunked\r\n\r\nzz\r\n"
expect "no HTTP" '400|closed' "\x16\x03\x01\x00\xa5\x01\x00\r\n\r\n"
expect "a version of the future" '400|505' "GET / HTTP/9.9\r\n\r\n"
table "$web_port"
table "$work/control.sock"

# ---- host names of others ----
: >"$work/table"
for host in localhost "localhost:$web_port" 127.0.0.1 "[::1]:80" driftd.example DRIFTD.example:80; do
	expect "asked for as $host" 200 "GET / HTTP/1.1\r\nHost: $host\r\n\r\n"
done
for host in evil.example localhost.evil.example "127.0.0.1.evil.example" "" "[::1"; do
	expect "a page asked for as '$host'" 421 "GET / HTTP/1.1\r\nHost: $host\r\n\r\n"
done
expect "metrics have any name" 200 "GET /metrics HTTP/1.1\r\nHost: scraped.example\r\n\r\n"
table "$web_port"
: >"$work/table"
expect "so has the control socket" 200 "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"
table "$work/control.sock"

# ---- gzip ----
encoding() { # encoding ACCEPTED: of the metrics
	curl -s -D "$work/headers.txt" -o "$work/coded" -H "Accept-Encoding: $1" "$web/metrics"
	tr -d '\r' <"$work/headers.txt" | awk 'tolower($1) == "content-encoding:" { c = $2 } END { print c ? c : "none" }'
}
encoding_is() { [ "$(encoding "$1")" = "$2" ]; }
for accepted in gzip "deflate, gzip;q=0.5" "*" "GZIP" "br;q=1.0, gzip ; q=0.001"; do
	check "gzip for '$accepted'" encoding_is "$accepted" gzip
	check "it is gzip" sh -c "gzip -dc '$work/coded' | grep -c ^driftd_build_info >/dev/null"
done
for refused in "" identity "gzip;q=0" "gzip;q=0.000, *" "*;q=0" gzipped "deflate, br"; do
	check "none for '$refused'" encoding_is "$refused" none
done

# ---- a series for each object ----
objects() { curl -sf "$web/metrics" >"$work/m.txt"; grep -c '^driftd_object_drifted{' "$work/m.txt" || true; }
objects_are() { [ "$(objects)" = "$1" ]; }
check "no drift, no series" objects_are 0
set_team nobody
wait_until 20 "the series of the namespace" objects_are 1
check "its labels" grep -q '^driftd_object_drifted{.*resource="namespaces",namespace="",name="shop",severity="warning"} 1' "$work/m.txt"
check "nothing is left out" grep -qx 'driftd_per_object_series_dropped_total 0' "$work/m.txt"
sed -i 's/per_object_limit: 2/per_object_limit: 1/' "$work/driftd.yaml"
api PATCH /api/v1/namespaces/shop/configmaps/web '{"data":{"log-level":"debug"}}' kubectl-edit
kill -HUP "${pid[driftd]}"
left_out() { objects_are 1 && grep -q '^driftd_per_object_series_dropped_total [1-9]' "$work/m.txt"; }
wait_until 20 "one to be left out" left_out
stop driftd
