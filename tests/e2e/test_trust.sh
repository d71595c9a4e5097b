#!/usr/bin/env bash
# A server that is not to be trusted, and one that does not trust us: said at the start, with the reason; nothing is judged.
. "$(dirname "$0")/lib.sh"
for tool in jq openssl; do command -v $tool >/dev/null || skip "no $tool"; done

start_shop
cp "$work/kubeconfig" "$work/kubeconfig.good"

gap() { has_record ".DRIFTD_EVENT == \"$1\" and (.MESSAGE | startswith(\"gap\") and contains(\"$2\"))"; }
nothing_judged() { record_count '.DRIFTD_EVENT == "begin" and (.MESSAGE | startswith("gap") | not)' 0; }

openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=another-ca -keyout "$work/other.key" -out "$work/other.crt" \
	2>"$work/openssl.log"
sed -i "s/certificate-authority-data: .*/certificate-authority-data: $(base64 -w0 "$work/other.crt")/" "$work/kubeconfig"
start_driftd
wait_until 30 "the gap of a certificate that is not trusted" gap begin "SSL certificate problem"
check "the certificate is named" gap begin "issued by /CN=apisim-ca"
check "driftd is not ready" test "$(curl -s -o /dev/null -w '%{http_code}' "$web/-/ready")" = 503
check "nothing is called missing" nothing_judged
stop driftd || fail "driftd did not end cleanly"

sed 's/token: .*/token: wrong-token/' "$work/kubeconfig.good" >"$work/kubeconfig"
start_driftd
wait_until 40 "the other reason: a token that is refused" gap change "401"
check "nothing is called missing" nothing_judged
no_secret wrong-token -- "$work/records"
stop driftd || fail "driftd did not end cleanly"

cp "$work/kubeconfig.good" "$work/kubeconfig"
start_driftd_ready
wait_until 20 "the end of the gap" ends '(.MESSAGE | startswith("gap ends"))'
check "and no drift" metric_is "driftd_objects_drifted{kube_cluster=\"$cluster\",severity=\"warning\"}" 0
stop driftd || fail "driftd did not end cleanly"
