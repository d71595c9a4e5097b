#!/usr/bin/env bash
# A published reference with the units of the package, booted: driftd asks, the path unit starts what fetches, as an account of its own
# that sees nothing of driftd's; a new revision comes by itself; an administrator carries one in. The exposure of both units is printed.
: "${DRIFTD_BIN:=/usr/bin}"
export DRIFTD_BIN
. "$(dirname "$0")/../e2e/lib.sh"
for tool in jq openssl python3 systemd-nspawn; do command -v $tool >/dev/null || skip "no $tool"; done
. "$(dirname "$0")/root.sh"

show() { # show COMMAND...: in the root, with its output
	echo "# $*"
	in_root "$@" 2>&1 || fail "$*"
}

boot
[ "$leader" ] || skip "there is no service without a boot"
install_deb "$deb"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
	-addext "subjectAltName=IP:127.0.0.1,DNS:localhost" -keyout "$work/key.pem" -out "$work/cert.pem" 2>"$work/openssl.log"
mkdir "$work/files"
publish() { # publish TEAM: a revision of the shop's reference
	rm -rf "$work/shop"
	cp -r "$source_dir/examples/demo/reference" "$work/shop"
	sed -i "s/team: .*/team: $1/" "$work/shop/namespace.yaml"
	tar -C "$work/shop" -czf "$work/shop.new" .
	mv "$work/shop.new" "$work/files/shop.tar.gz"
}
publish storefront
start web python3 "$source_dir/tests/e2e/data/web_server.py" "$work/files" "$work/requests" "$work/cert.pem" "$work/key.pem"
wait_until 10 "the web server" grep -q port "$work/web.log"
port=$(awk '/port/ {print $2}' "$work/web.log")

# ---- the entry, and what it names ----

check "the folder for what it names" test "$(in_root stat -c '%a %U %G' /etc/driftd-fetch)" = "750 root driftd-fetch"
cp "$work/cert.pem" "$root/etc/driftd-fetch/ca.pem"
in_root chown root:driftd-fetch /etc/driftd-fetch/ca.pem
in_root chmod 640 /etc/driftd-fetch/ca.pem
cat >"$root/etc/driftd/shop.kubeconfig" <<'Y'
apiVersion: v1
kind: Config
current-context: shop
contexts: [{name: shop, context: {cluster: shop, user: shop}}]
clusters: [{name: shop, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: shop, user: {token: a-token-of-a-cluster}}]
Y
in_root chown root:driftd /etc/driftd/shop.kubeconfig
in_root chmod 640 /etc/driftd/shop.kubeconfig
cat >>"$root/etc/driftd/driftd.yaml" <<Y
clusters:
  - {name: shop, kubeconfig: shop.kubeconfig}
references:
  - name: shop
    source:
      https: https://127.0.0.1:$port/shop.tar.gz
      ca_file: /etc/driftd-fetch/ca.pem
      interval: 10s
Y
show driftd check-config
show systemctl reload driftd

# ---- by itself ----

reference_is() { in_root driftd reference show shop -o json >"$work/reference.json" && jq -e "$1" "$work/reference.json"; }
wait_until 40 "the first revision" reference_is '.standing == "current"'
show driftd reference list
first=$(jq -r .inForce.id "$work/reference.json")
publish warehouse
wait_until 40 "the next one" reference_is ".standing == \"current\" and .inForce.id != \"$first\""
show journalctl -q --no-pager -t driftd DRIFTD_REFERENCE=shop -o cat

# ---- who may what ----

check "the path waits" test "$(in_root systemctl is-active driftd-fetch.path)" = active
check "the store" test "$(in_root stat -c '%a %U %G' /var/lib/driftd-fetch)" = "750 driftd-fetch driftd-fetch"
check "what is asked holds no secret and may be read" test "$(in_root stat -c '%a %U' /var/lib/driftd/sources.json)" = "644 driftd"
for file in /etc/driftd/shop.kubeconfig /etc/driftd/driftd.yaml /var/lib/driftd/driftd.db; do
	check "what fetches may not read $file" not in_root runuser -u driftd-fetch -- cat "$file"
done
check "driftd may not write to the store" not in_root runuser -u driftd -- touch /var/lib/driftd-fetch/x
check "others may not read it" not in_root runuser -u nobody -- ls /var/lib/driftd-fetch
no_secret a-token-of-a-cluster -- "$root/var/lib/driftd-fetch"

# ---- carried in ----

show driftd reference export shop /root/shop.tar.zst
check "an older one" in_root driftd reference export shop /root/again.tar.zst
publish packing
in_root systemctl stop driftd-fetch.path
import() { in_root driftd reference import shop /root/shop.tar.zst; } # not while something is fetched
wait_until 20 "what was exported, imported by root" import
check "it is the account's" test -z "$(in_root find /var/lib/driftd-fetch ! -user driftd-fetch)"
in_root systemctl start driftd-fetch.path
wait_until 40 "what was published since" reference_is '.standing == "current" and .waits == false'

# ---- exposure ----

for unit in driftd.service driftd-fetch.service; do
	in_root systemd-analyze security --no-pager "$unit" >"$work/exposure" 2>&1 || fail "systemd-analyze security $unit"
	tail -n 1 "$work/exposure"
	check "the exposure of $unit" grep -E "Overall exposure level for $unit: (0|1)\.[0-9]" "$work/exposure"
done
