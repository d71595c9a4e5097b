#!/usr/bin/env bash
# A life of driftd under the system call filter of its unit: nothing that it, its libraries and its plugin do is refused.
. "$(dirname "$0")/journal.sh"
for tool in setpriv systemd-analyze; do command -v $tool >/dev/null || skip "no $tool"; done

# As an account of its own, which may not be able to reach the build folder.
as=(setpriv --reuid=nobody --regid=nogroup --groups=systemd-journal --)
mkdir "$work/real" "$work/bin"
cp "$bin/driftd" "$bin/unit_filter" "$work/real"
cp "$bin/apisim" "$work/bin"
bin=$work/bin
cp "$source_dir/systemd/driftd.service" "$work/unit"
filtered=("${as[@]}" "$work/real/unit_filter" "$work/unit")
cat >"$bin/driftd" <<P
#!/bin/sh
exec ${filtered[*]} $work/refused $work/real/driftd "\$@"
P
chmod +x "$bin/driftd"
# The sanitizer looks for leaks with ptrace(2), which no service has; other tests look for them.
export ASAN_OPTIONS=detect_leaks=0
chmod 755 "$work"
chown nobody "$work"

# ---- what is forbidden is refused, and seen ----

touch "$work/file"
chown nobody "$work/file"
refused() { # refused CALL COMMAND...
	rm -f "$work/proof"
	"${filtered[@]}" "$work/proof" "${@:2}" >"$work/proof.log" 2>&1 && fail "$*: nothing refused it"
	check "$1 is refused: $(cat "$work/proof")" grep "^refused: $1 " "$work/proof"
}
refused unshare /usr/bin/unshare --user true
refused clone /usr/bin/python3 -c 'import ctypes; exit(ctypes.CDLL(None).syscall(56, 0x10000011, 0, 0, 0, 0) < 0)'
refused fchmodat /usr/bin/chmod u+s "$work/file"
refused personality /usr/bin/setarch --addr-no-randomize true
refused setpriority /usr/bin/python3 -c 'import os; os.setpriority(os.PRIO_PROCESS, 0, 5)'
refused fchownat /usr/bin/chown nobody "$work/file"
refused socket /usr/bin/python3 -c 'import socket; socket.socket(socket.AF_NETLINK)'
refused mmap /usr/bin/python3 -c 'import mmap; mmap.mmap(-1, 4096, prot=mmap.PROT_WRITE | mmap.PROT_EXEC)'
refused ptrace /usr/bin/python3 -c 'import ctypes; exit(ctypes.CDLL(None).ptrace(0, 0, 0, 0) < 0)'
"${filtered[@]}" "$work/proof" /bin/true || fail "what is allowed is refused"
wait_until 10 "the filter around what is allowed" grep -x filtering "$work/proof"

# ---- driftd ----

cat >"$work/plugin" <<P
#!/bin/sh
echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"e2e-token"}}'
echo . >>$work/plugin.runs
P
chmod +x "$work/plugin"
cat >"$work/rules.yaml" <<'Y'
apiVersion: v1
kind: Namespace
rules:
  - rule: "self.metadata.?labels.team.orValue('') != 'nobody'"
Y
# As systemd-tmpfiles has it: driftd looks up there what it had written before kill -9.
chgrp systemd-journal /run/log/journal
chmod 2755 /run/log/journal
start_journald
start_apisim --load "$source_dir/examples/demo/cluster.json"
configure "$source_dir/examples/demo/reference" "validation_rules: [rules.yaml]"
# A bundle is read through its folder.
sed -i "s|^references:|&\n  - name: bundle\n    path: $work/kubegen/shop.yml|" "$work/driftd.yaml"
cp -r "$source_dir/examples/kubegen" "$work"
sed -i "s|token: .*|exec: {apiVersion: client.authentication.k8s.io/v1, command: $work/plugin, interactiveMode: Never}|" "$work/kubeconfig"
chown -R nobody "$work/state" "$work/kubeconfig" "$work/kubegen"

of_namespace() { journal "DRIFTD_CLUSTER=$cluster" DRIFTD_KIND=Namespace "$@"; }
told() { [ "$(of_namespace DRIFTD_EVENT="$1" DRIFTD_REFERENCE=ref | wc -l)" -eq "$2" ]; } # told EVENT COUNT
check "the bundle can be read" "$bin/driftd" check-config -c "$work/driftd.yaml"
start_driftd_ready journal
check "driftd is filtered" grep -x 'Seccomp:	2' "/proc/${pid[driftd]}/status"
check "driftd is not root" test "$(stat -c %U "/proc/${pid[driftd]}")" = nobody
check "the plugin ran" test -s "$work/plugin.runs"
check "every kind is watched" no_gap

set_team nobody
wait_until 30 "the drift" told begin 1
set_team storefront
wait_until 30 "its end" told end 1

sed -i 's/replicas: 3/replicas: 5/' "$work/kubegen/shop.yml"
loaded() { metric driftd_config_last_reload_success_timestamp_seconds; }
first=$(loaded)
kill -HUP "${pid[driftd]}"
wait_until 30 "the reload" eval '[ "$(loaded)" != "$first" ]'
check "the reload succeeded" metric_is driftd_config_last_reload_successful 1

set_team nobody
stop driftd KILL || true
start_driftd_ready journal
wait_until 30 "the drift over kill -9" told begin 2
check "none was sent a second time" test "$(journal "DRIFTD_CLUSTER=$cluster" DRIFTD_RESENT=1 | wc -l)" = 0
set_team storefront
wait_until 30 "its end" told end 2

stop driftd || fail "driftd did not end cleanly"
check "driftd was refused: $(sort "$work/refused" | uniq -c)" test "$(sort -u "$work/refused")" = filtering
