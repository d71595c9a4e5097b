#!/usr/bin/env bash
# --web.config.file: TLS, client certificates, users and headers of the web listeners; a reload with another certificate; what is refused;
# and that no password, hash or key is shown.
. "$(dirname "$0")/lib.sh"

bcrypt() { # bcrypt PASSWORD COST
	python3 -W ignore -c 'import crypt, sys; print(crypt.crypt(sys.argv[1], "$2b$" + sys.argv[2] + "$abcdefghijklmnopqrstuu"))' "$1" "$2"
}
certificate() { # certificate NAME ISSUER EXTENSION: signed by ISSUER's key
	openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$work/$1.key" -subj "/CN=$1" \
		-out "$work/$1.csr" 2>/dev/null
	openssl x509 -req -in "$work/$1.csr" -CA "$work/$2.crt" -CAkey "$work/$2.key" -CAcreateserial -days 30 -out "$work/$1.crt" \
		-extfile <(echo "$3") 2>/dev/null
}
for ca in ca other-ca; do
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$work/$ca.key" -out "$work/$ca.crt" -days 30 \
		-subj "/CN=$ca" 2>/dev/null
done
certificate server ca "subjectAltName=DNS:localhost,IP:127.0.0.1"
certificate renewed ca "subjectAltName=DNS:localhost,IP:127.0.0.1"
certificate prometheus ca $'subjectAltName=DNS:prometheus\nextendedKeyUsage=clientAuth'
certificate grafana ca $'subjectAltName=DNS:grafana\nextendedKeyUsage=clientAuth'
certificate intruder other-ca $'subjectAltName=DNS:prometheus\nextendedKeyUsage=clientAuth'
cp "$work/server.crt" "$work/current.crt"
cp "$work/server.key" "$work/current.key"
alice=$(bcrypt "right horse" 10)
bob=$(bcrypt "other horse" 04)

web_config() { # web_config [TLS-LINE...]: what stands in the file besides the users
	{
		printf 'tls_server_config:\n  cert_file: current.crt\n  key_file: current.key\n'
		[ $# -eq 0 ] || printf '  %s\n' "$@"
		printf 'http_server_config:\n  http2: false\n  headers:\n    Strict-Transport-Security: max-age=60\n    X-Frame-Options: deny\n'
		[ -n "${users:-}" ] && printf 'basic_auth_users:\n  alice: %s\n  bob: %s\n' "$alice" "$bob"
	} >"$work/web.yaml" || true
}
: >"$work/driftd.yaml"
users=1
web_config
nothing_but_clusters() {
	"$bin/driftd" check-config -c "$work/driftd.yaml" --web.config.file "$work/web.yaml" >"$work/check.txt" 2>&1 || true
	[ "$(cat "$work/check.txt")" = "$work/driftd.yaml: no cluster is configured: nothing is watched" ]
}
check "check-config takes it" nothing_but_clusters
: "${web_port:=$(free_port)}"
start driftd "$bin/driftd" run -c "$work/driftd.yaml" -o json --web.listen-address "127.0.0.1:$web_port" \
	--web.config.file "$work/web.yaml" --control-socket "$work/control.sock"
web=https://localhost:$web_port
ask() { curl -s -m 10 -o "$work/answer.txt" -w '%{http_code}' --cacert "$work/ca.crt" "$@" || true; }
answers() { local status=$1; shift; [ "$(ask "$@")" = "$status" ]; }
wait_until 20 "an answer over TLS" answers 200 -u "alice:right horse" "$web/metrics"

# ---- users ----
check "nobody is asked to say who" answers 401 "$web/metrics"
check "a wrong password" answers 401 -u "alice:wrong horse" "$web/metrics"
check "a wrong password again" answers 401 -u "alice:wrong horse" "$web/metrics"
check "an unknown user" answers 401 -u "carol:right horse" "$web/metrics"
check "the password of another" answers 401 -u "bob:right horse" "$web/metrics"
check "another user" answers 200 -u "bob:other horse" "$web/metrics"
check "no password" answers 401 -u "alice:" "$web/metrics"
check "a password longer than any" answers 401 -u "alice:$(printf 'x%.0s' {1..3000})" "$web/metrics"
check "no Basic" answers 401 -H "Authorization: Bearer abc" "$web/metrics"
check "no base64" answers 401 -H "Authorization: Basic %%%" "$web/metrics"
check "unknown paths are not told to strangers" answers 401 "$web/nowhere"
check "but to users" answers 404 -u "alice:right horse" "$web/nowhere"
check "the control socket needs none" answers 200 --unix-socket "$work/control.sock" http://localhost/metrics
: >"$work/times.txt"
for i in 1 2 3 4 5 6 7; do # new passwords: each is hashed
	for user in alice carol; do
		curl -s -m 10 -o /dev/null -w "$user %{time_total}\n" --cacert "$work/ca.crt" -u "$user:guess $i" "$web/metrics" \
			>>"$work/times.txt"
	done
done
alike() { # what each takes where nothing else runs, the least, is within a factor of 2
	awk '!($1 in t) || $2 < t[$1] { t[$1] = $2 } END { exit !(t["alice"] < 2 * t["carol"] && t["carol"] < 2 * t["alice"]) }' "$work/times.txt"
}
check "the time does not tell whether a user exists: $(tr '\n' ' ' <"$work/times.txt")" alike
for i in $(seq 30); do
	start "guess$i" curl -s -m 20 -o /dev/null --cacert "$work/ca.crt" -u "alice:many $i" "$web/metrics"
done
healthy_at_once() {
	[ "$(curl -s -m 2 -o /dev/null -w '%{http_code}' --unix-socket "$work/control.sock" http://localhost/-/healthy)" = 200 ]
}
check "the loop goes on while passwords are hashed" healthy_at_once
known_at_once() { answers 200 -m 2 -u "alice:right horse" "$web/metrics"; }
check "who is known does not wait for them" known_at_once
for i in $(seq 30); do wait "${pid[guess$i]}" || true; unset "pid[guess$i]"; done

# ---- headers and versions ----
headers_are_there() {
	curl -s -D - -o /dev/null --cacert "$work/ca.crt" -u "alice:right horse" "$web/" | tr -d '\r' >"$work/headers.txt"
	for h in "Strict-Transport-Security: max-age=60" "X-Frame-Options: deny" "Content-Security-Policy: default-src 'none'"; do
		grep -q "^$h" "$work/headers.txt" || return 1
	done
}
check "headers" headers_are_there
check "no TLS 1.1" answers 000 --tls-max 1.1 -u "alice:right horse" "$web/metrics"
check "TLS 1.2" answers 200 --tls-max 1.2 -u "alice:right horse" "$web/metrics"
check "no plain HTTP" answers 000 "http://localhost:$web_port/metrics"

# ---- reload ----
reloads=0
reload() { kill -HUP "${pid[driftd]}"; reloads=$((reloads + 1)); wait_until 10 "reload $reloads" is_reloaded; }
is_reloaded() { [ "$(grep -c 'configuration reloaded' "$work/driftd.log")" = "$reloads" ]; }
serves() { # serves NAME: its certificate
	grep -q "CN = $1$" < <(openssl s_client -connect "127.0.0.1:$web_port" </dev/null 2>/dev/null | openssl x509 -noout -subject 2>/dev/null)
}
check "the certificate" serves server
cp "$work/renewed.crt" "$work/current.crt"
cp "$work/renewed.key" "$work/current.key"
reload
check "another certificate after a reload" serves renewed
cp "$work/server.crt" "$work/current.crt" # no longer that of the key
kill -HUP "${pid[driftd]}"
is_refused() { grep -q "configuration refused.*the certificate with its key" "$work/driftd.log"; }
wait_until 10 "a certificate of another key to be refused" is_refused
check "the old one goes on" serves renewed
cp "$work/renewed.crt" "$work/current.crt"

# ---- client certificates ----
users=
web_config "client_auth_type: RequireAndVerifyClientCert" "client_ca_file: ca.crt" 'client_allowed_sans: [prometheus]' \
	'min_version: TLS13' 'curve_preferences: [X25519]'
reload
with() { echo --cert "$work/$1.crt" --key "$work/$1.key"; }
# shellcheck disable=SC2046
{
	check "a client's certificate" answers 200 $(with prometheus) "$web/metrics"
	check "none" answers 000 "$web/metrics"
	check "one of another CA" answers 000 $(with intruder) "$web/metrics"
	check "one with another name" answers 000 $(with grafana) "$web/metrics"
	check "one that is for servers" answers 000 $(with server) "$web/metrics"
	check "below min_version" answers 000 --tls-max 1.2 $(with prometheus) "$web/metrics"
}
web_config "client_auth_type: VerifyClientCertIfGiven" "client_ca_file: ca.crt"
reload
# shellcheck disable=SC2046
{
	check "none, where one need not be" answers 200 "$web/metrics"
	check "a wrong one there" answers 000 $(with intruder) "$web/metrics"
}
stop driftd

# ---- mistakes ----
mistake() { # mistake TEXT PATTERN: in a file with that content
	printf '%b' "$1" >"$work/wrong.yaml"
	! "$bin/driftd" check-config -c "$work/driftd.yaml" --web.config.file "$work/wrong.yaml" 2>"$work/mistake.txt" >&2 &&
		grep -q "$2" "$work/mistake.txt" || { cat "$work/mistake.txt" >&2; return 1; }
}
check "unknown keys" mistake 'tls_server_confg: {}' 'wrong.yaml:1:1: unknown key'
check "HTTP/2" mistake 'http_server_config:\n  http2: true' 'wrong.yaml:2:10: HTTP/2 is not served'
check "no key" mistake "tls_server_config:\n  cert_file: current.crt" 'wrong.yaml:2:3: one of key and key_file is missing'
check "no such file" mistake "tls_server_config:\n  cert_file: nowhere.crt" "wrong.yaml:2:14: .*nowhere.crt"
check "no hash" mistake "basic_auth_users:\n  alice: my-secret-word" 'wrong.yaml:2:10: no bcrypt hash'
no_word() { ! grep -q my-secret-word "$work/mistake.txt"; }
check "the word is not shown" no_word
check "a header that cannot be set" mistake "http_server_config:\n  headers:\n    Server: x" \
	"wrong.yaml:3:5: the header 'Server' cannot be set"
check "a CA without a policy" \
	mistake "tls_server_config:\n  cert_file: current.crt\n  key_file: current.key\n  client_ca_file: ca.crt" 'client_auth_type is missing'
status=0
"$bin/driftd" run -c "$work/driftd.yaml" --web.config.file "$work/wrong.yaml" >/dev/null 2>&1 || status=$?
check "such a file refuses the start" test "$status" = 78
grep -F -e "right horse" -e "other horse" -e "${alice:7}" -e "${bob:7}" -e "PRIVATE KEY" "$work/driftd.log" "$work/mistake.txt" &&
	fail "a secret is shown"
checks=$((checks + 1))
