#!/usr/bin/env bash
# An etcd that asks for client certificates, or for a password: both are of files, and without the right ones nobody leads.
. "$(dirname "$0")/lib.sh"
for tool in jq etcd openssl; do command -v $tool >/dev/null || skip "no $tool"; done

authority() { # authority NAME
	openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=$1" -keyout "$work/$1.key" -out "$work/$1.crt" 2>"$work/openssl.log"
}
signed() { # signed NAME AUTHORITY
	openssl req -newkey rsa:2048 -nodes -subj "/CN=$1" -keyout "$work/$1.key" -out "$work/$1.csr" 2>"$work/openssl.log"
	openssl x509 -req -in "$work/$1.csr" -CA "$work/$2.crt" -CAkey "$work/$2.key" -CAcreateserial -days 2 -out "$work/$1.crt" \
		-extfile <(echo "subjectAltName=IP:127.0.0.1") 2>"$work/openssl.log"
}
authority right && authority wrong
signed server right && signed client right && signed stranger wrong

url=https://127.0.0.1:$(free_port)
peer=http://127.0.0.1:$(free_port)
start_etcd() { # start_etcd [OPTIONS...]
	rm -rf "$work/etcd"
	start etcd etcd --data-dir "$work/etcd" --listen-client-urls "$url" --advertise-client-urls "$url" --listen-peer-urls "$peer" \
		--initial-advertise-peer-urls "$peer" --initial-cluster "default=$peer" --cert-file "$work/server.crt" \
		--key-file "$work/server.key" "$@"
	wait_until 20 "etcd" etcd_post /v3/kv/range '{"key":"YQ=="}'
}
etcd_post() { # etcd_post PATH JSON [CURL-ARGUMENTS...]
	curl -sf --cacert "$work/right.crt" --cert "$work/client.crt" --key "$work/client.key" "$url$1" -d "$2" "${@:3}"
}
head -c 32 /dev/urandom >"$work/hash.key"
leads() { metric_is driftd_leader 1; }
says() { curl -sf "$web/status.json" | jq -er --arg t "$1" '.leaderElection.error | contains($t)'; }
run() { # run SETTINGS...: of leader_election
	configure "$source_dir/examples/demo/reference" "leader_election:
  endpoints: [$url]
  lease: 3s
  hash_key_file: $work/hash.key
$(printf '  %s\n' "$@")"
	start_driftd_ready
}
end() { stop driftd || fail "driftd did not end cleanly"; }

# ---- certificates ----

start_shop
start_etcd --client-cert-auth --trusted-ca-file "$work/right.crt"
run "ca_file: $work/right.crt" "cert_file: $work/client.crt" "key_file: $work/client.key"
wait_until 20 "it to lead" leads
set_team lost
wait_until 20 "a drift" begins '.DRIFTD_KIND == "Namespace"'
end
run "ca_file: $work/wrong.crt" "cert_file: $work/client.crt" "key_file: $work/client.key"
wait_until 20 "the server to be refused" says "etcd at $url"
check "it does not lead" eval '! leads'
end
run "ca_file: $work/right.crt" "cert_file: $work/stranger.crt" "key_file: $work/stranger.key"
wait_until 20 "the client to be refused" says "etcd at $url"
check "it does not lead" eval '! leads'
end
stop etcd || true

# ---- a password ----

ask_for_password() { # of the user driftd, who may use the prefix and nothing else
	etcd_post /v3/auth/user/add "{\"name\":\"root\",\"password\":\"root-password\"}" -o /dev/null
	etcd_post /v3/auth/role/add '{"name":"root"}' -o /dev/null
	etcd_post /v3/auth/user/grant '{"user":"root","role":"root"}' -o /dev/null
	etcd_post /v3/auth/user/add "{\"name\":\"driftd\",\"password\":\"$password\"}" -o /dev/null
	etcd_post /v3/auth/role/add '{"name":"drift"}' -o /dev/null
	range=$(printf '/driftd/' | base64) after=$(printf '/driftd0' | base64) # the prefix, and nothing else
	etcd_post /v3/auth/role/grant "{\"name\":\"drift\",\"perm\":{\"permType\":\"READWRITE\",\"key\":\"$range\",\"range_end\":\"$after\"}}" \
		-o /dev/null
	etcd_post /v3/auth/user/grant '{"user":"driftd","role":"drift"}' -o /dev/null
	etcd_post /v3/auth/enable '{}' -o /dev/null
}
start_etcd
password=secret-$RANDOM-$RANDOM
ask_for_password
echo "$password" >"$work/password"
run "ca_file: $work/right.crt" "user: driftd" "password_file: $work/password"
wait_until 20 "it to lead with its password" leads
set_team storefront
wait_until 20 "the end of the drift" ends '.DRIFTD_KIND == "Namespace"'
end
echo wrong >"$work/password"
run "ca_file: $work/right.crt" "user: driftd" "password_file: $work/password"
wait_until 20 "the password to be refused" says "refuses the user"
check "it does not lead" eval '! leads'
end

# ---- tokens of their own time: those of before a change of users count no more ----

stop etcd || true
openssl genrsa -out "$work/token.key" 2048 2>"$work/openssl.log"
openssl rsa -in "$work/token.key" -pubout -out "$work/token.pub" 2>"$work/openssl.log"
start_etcd --auth-token "jwt,pub-key=$work/token.pub,priv-key=$work/token.key,sign-method=RS256,ttl=1h"
ask_for_password
echo "$password" >"$work/password"
run "ca_file: $work/right.crt" "user: driftd" "password_file: $work/password"
wait_until 20 "it to lead with a token" leads
etcd_token=$(etcd_post /v3/auth/authenticate '{"name":"root","password":"root-password"}' | jq -r .token)
etcd_post /v3/auth/user/add '{"name":"another","password":"another-password"}' -H "Authorization: $etcd_token" -o /dev/null
sleep 4 # longer than the lease
check "it leads on" leads
set_team lost
wait_until 20 "a drift" record_count '.DRIFTD_EVENT == "begin" and .DRIFTD_KIND == "Namespace"' 2
set_team storefront
check "no token was refused" eval '! grep -q "could not renew" "$work/records"'
end

# ---- shards have leaders of their own, and one key of hashes, over etcd ----

echo "$password" >"$work/password"
run "ca_file: $work/right.crt" "user: driftd" "password_file: $work/password"
end
for n in 0 1; do
	port[n]=$(free_port)
	sed "s|^state_dir:.*|state_dir: $work/$n-state|; /hash_key_file/d" "$work/driftd.yaml" >"$work/shard-$n.yaml"
	mkdir "$work/$n-state"
	start "shard-$n" "$bin/driftd" run -c "$work/shard-$n.yaml" -o json --shard $n --total-shards 2 --web.listen-address "127.0.0.1:${port[n]}"
done
shard_leads() { grep -qx 'driftd_leader 1' < <(curl -sf "http://127.0.0.1:${port[$1]}/metrics"); }
for n in 0 1; do wait_until 40 "shard $n to lead" shard_leads $n; done
check "both at once" shard_leads 0
check "by one key" cmp "$work/0-state/hash.key" "$work/1-state/hash.key"
for n in 0 1; do stop "shard-$n" || fail "shard $n did not end cleanly"; done

no_secret "$password" -- "$work/records" -- "$work/driftd.err.log"
sed -i "s|https://127|http://127|" "$work/driftd.yaml"
"$bin/driftd" check-config -c "$work/driftd.yaml" >"$work/mistakes.log" 2>&1 && fail "a password over plain HTTP is accepted"
grep -q "user needs endpoints of https" "$work/mistakes.log" || fail "it does not say why"
