#!/usr/bin/env bash
# A server that is not to be trusted, and one that does not trust us: told as a gap, with the reason; nothing is judged.
. "$(dirname "$0")/lib.sh"
for tool in jq openssl; do command -v $tool >/dev/null || skip "no $tool"; done

start_shop
cp "$work/kubeconfig" "$work/kubeconfig.good"

nothing_judged() { record_count '.DRIFTD_EVENT == "begin" and (.MESSAGE | startswith("gap") | not)' 0; }

openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=another-ca -keyout "$work/other.key" -out "$work/other.crt" \
	2>"$work/openssl.log"
sed -i "s/certificate-authority-data: .*/certificate-authority-data: $(base64 -w0 "$work/other.crt")/" "$work/kubeconfig"
start_driftd
wait_until 30 "the gap of a certificate that is not trusted" gap_record begin "SSL certificate problem"
check "the certificate is named" gap_record begin "issued by /CN=apisim-ca"
wait_until 10 "readiness: what cannot be reached is a gap, and no reason to wait" ready
check "the gap is named there" grep -qx "gap: cluster $cluster" <(curl -sf "$web/-/ready")
check "the cluster does not count as synced" metric_is "driftd_cluster_synced{kube_cluster=\"$cluster\"}" 0
check "nothing is called missing" nothing_judged
stop driftd || fail "driftd did not end cleanly"

sed 's/token: .*/token: wrong-token/' "$work/kubeconfig.good" >"$work/kubeconfig"
start_driftd
wait_until 40 "the other reason: a token that is refused" gap_record change "401"
check "nothing is called missing" nothing_judged
no_secret wrong-token -- "$work/records"
stop driftd || fail "driftd did not end cleanly"

cp "$work/kubeconfig.good" "$work/kubeconfig"
start_driftd_ready
wait_until 20 "the end of the gap" ends '(.MESSAGE | startswith("gap ends"))'
check "and no drift" metric_is "driftd_objects_drifted{kube_cluster=\"$cluster\",severity=\"warning\"}" 0
stop driftd || fail "driftd did not end cleanly"
