#!/usr/bin/env bash
# The units: systemd finds no mistake in them, their sandbox is as tight as it was, and an instance has folders of its own.
. "$(dirname "$0")/lib.sh"
command -v systemd-analyze >/dev/null || skip "no systemd-analyze"

mkdir "$work/units"
# Where the binary is now; manual pages are not installed.
for unit in "$source_dir"/systemd/driftd{,-fetch}.service "$source_dir/systemd/driftd-fetch.path" \
	"$bin"/../systemd/driftd{,-shard,-fetch}@.service "$bin/../systemd/driftd-fetch@.path"; do
	sed "s|/usr/bin/driftd|$bin/driftd|; /^Documentation=/d" "$unit" >"$work/units/$(basename "$unit")"
	checks=$((checks + 1))
done
for unit in driftd.service driftd@.service driftd-shard@.service driftd-fetch.service driftd-fetch@.service; do
	for name in "$unit" "${unit/@/@prod-2}"; do
		[ -e "$work/units/$name" ] || cp "$work/units/$unit" "$work/units/$name"
		systemd-analyze verify "$work/units/$name" >"$work/verify.log" 2>&1 || fail "systemd-analyze verify $name"
		check "nothing is said of $name: $(head -c 300 "$work/verify.log")" test ! -s "$work/verify.log"
		check "the sandbox of $name" systemd-analyze security --offline=true --threshold=12 "$work/units/$name"
	done
done
for name in driftd.service driftd@prod-2.service driftd-shard@prod-2.service; do # the drop-ins that the documentation offers
	mkdir "$work/units/$name.d"
	cp "$source_dir"/examples/systemd/*.conf "$work/units/$name.d"
	sed -i "s|/usr/bin/driftd|$bin/driftd|" "$work/units/$name.d"/*.conf
	cp "$source_dir"/examples/systemd/driftd.socket "$work/units"
	systemd-analyze verify "$work/units/$name" >"$work/verify.log" 2>&1 || fail "systemd-analyze verify $name with its drop-ins"
	check "nothing is said of the drop-ins of $name: $(head -c 300 "$work/verify.log")" test ! -s "$work/verify.log"
	echo '[Service]
Nonsense=yes' >"$work/units/$name.d/wrong.conf"
	systemd-analyze verify "$work/units/$name" >"$work/verify.log" 2>&1 || true
	check "a mistake in a drop-in of $name would be said" test -s "$work/verify.log"
	rm -r "$work/units/$name.d"
done
for line in LimitCORE=0 MemoryMax=50% TasksMax=512 ConfigurationDirectoryMode=0750; do
	check "the unit has $line" grep -qxF "$line" "$source_dir/systemd/driftd.service"
done
echo 'Nonsense=yes' >>"$work/units/driftd.service"
systemd-analyze verify "$work/units/driftd.service" >"$work/verify.log" 2>&1 || true
check "a mistake would be said" test -s "$work/verify.log"

instance=$work/units/driftd@.service
for line in 'ConfigurationDirectory=driftd/%i' 'StateDirectory=driftd/%i' 'RuntimeDirectory=driftd-%i' \
	"ExecStart=$bin/driftd run -c /etc/driftd/%i/driftd.yaml"; do
	check "an instance has $line" grep -qxF "$line" "$instance"
done
check "the rest is the same" test "$(diff "$source_dir/systemd/driftd.service" "$bin/../systemd/driftd@.service" | grep -c '^>')" = 8

fetch=$work/units/driftd-fetch@.service
for line in 'StateDirectory=driftd-fetch/%i' "ExecStart=$bin/driftd-fetch --request /var/lib/driftd/%i/sources.json"; do
	check "what fetches for an instance has $line" grep -qxF "$line" "$fetch"
done
for line in 'InaccessiblePaths=-/etc/driftd -/run/driftd' User=driftd-fetch MemoryMax=1G; do
	check "what fetches has $line" grep -qxF "$line" "$source_dir/systemd/driftd-fetch.service"
done

shard=$work/units/driftd-shard@.service
for line in 'ConfigurationDirectory=driftd' 'StateDirectory=driftd/shard-%i' 'RuntimeDirectory=driftd-shard-%i' \
	'EnvironmentFile=/etc/driftd/shards.env' "ExecStart=$bin/driftd run --shard=%i --total-shards=\${DRIFTD_TOTAL_SHARDS}"; do
	check "a shard has $line" grep -qxF "$line" "$shard"
done
check "the rest is the same" test "$(diff "$source_dir/systemd/driftd.service" "$bin/../systemd/driftd-shard@.service" | grep -c '^>')" = 8
