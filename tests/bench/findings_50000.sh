#!/usr/bin/env bash
# findings_50000.sh [FINDINGS [BASELINE]]: how long the real daemon takes to show FINDINGS (50000) open findings, beside BASELINE (500): the
# page, filtered, by cause, and `drift list`, each to its first byte and to its last; how long the loop answers nobody meanwhile. The
# median of five; ratios are to the baseline.
. "$(dirname "$0")/../e2e/lib.sh"
many=${1:-50000} few=${2:-500}
socket=$work/control.sock

reference "$work/reference" anyOf map.yaml+
template "$work/reference/map.yaml" v1 ConfigMap "$any_name" many <<<'data: {v: "1"}'
open() { [ "$(metric "$(of_cluster driftd_objects_drifted 'severity="warning"')")" = "$1" ]; } # open COUNT

measure() { # measure FILE: a line for each thing: name, first byte, last byte, longest silence of the loop, turns above 0.1 s
	python3 - "$web" "$socket" "$bin/driftd" >"$1" <<'P'
import re, statistics, subprocess, sys, threading, time, urllib.request
web, socket, driftd = sys.argv[1:]

def probe(answers, ended):
    while not ended.is_set():
        begin = time.monotonic()
        urllib.request.urlopen(web + "/-/healthy", timeout=120).read()
        answers.append(time.monotonic() - begin)
        time.sleep(0.002)

def page(path):
    begin = time.monotonic()
    with urllib.request.urlopen(web + path, timeout=120) as answer:
        answer.read(1)
        first = time.monotonic() - begin
        answer.read()
    return first, time.monotonic() - begin

def command(*arguments):
    begin = time.monotonic()
    with subprocess.Popen([driftd, "drift", "list", "--socket", socket, *arguments], stdout=subprocess.PIPE) as child:
        child.stdout.read(1)
        first = time.monotonic() - begin
        child.stdout.read()
    return first, time.monotonic() - begin

def slow_turns():
    text = urllib.request.urlopen(web + "/metrics").read().decode()
    below = re.search(r'^driftd_loop_turn_seconds_bucket\{le="0.1"\} (\S+)', text, re.M)
    return float(re.search(r"^driftd_loop_turn_seconds_count (\S+)", text, re.M).group(1)) - float(below.group(1))

things = {"page": lambda: page("/"), "page filtered": lambda: page("/?severity=warning&name=x-1*"),
          "page by cause": lambda: page("/?group=cause"), "page by name": lambda: page("/?sort=name"),
          "last page": lambda: page("/?page=1000000"), "drift list": command, "drift list --group": lambda: command("--group"),
          "drift list -l": lambda: command("-l", "!a"), "drift list -l no": lambda: command("-l", "a"),
          "its groups": lambda: command("-l", "!a", "--group"),
          "api list": lambda: page("/api/v1/findings")}
for name, thing in things.items():
    answers, ended = [], threading.Event()
    other = threading.Thread(target=probe, args=(answers, ended))
    before = slow_turns()
    other.start()
    times = [thing() for _ in range(5)]
    ended.set()
    other.join()
    first, last = (statistics.median(t) for t in zip(*times))
    print(f"{name}\t{first}\t{last}\t{max(answers)}\t{slow_turns() - before:.0f}")
P
}

run() { # run FINDINGS FILE
	start_apisim
	control generate "{\"resource\":\"configmaps\",\"namespace\":\"many\",\"prefix\":\"x-\",\"count\":$1,
		\"object\":{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"data\":{\"v\":\"2\"}}}"
	configure "$work/reference" "control_socket: $socket"
	start_driftd
	wait_until 300 "driftd to be ready" ready
	wait_until 300 "its findings" open "$1"
	measure "$2"
	stop driftd || fail "driftd did not end cleanly"
	stop apisim || true
}

run "$few" "$work/few"
rm -rf "$work/state"
run "$many" "$work/many"
echo "$many open findings; in brackets: times what $few take"
paste "$work/few" "$work/many" | awk -F'\t' '{
	printf "%-20s first byte %7.1f ms (%.1f), all %8.1f ms (%.1f), loop silent for %6.1f ms at most (%.1f), turns above 0.1 s: %d\n",
		$6, 1000 * $7, $7 / $2, 1000 * $8, $8 / $3, 1000 * $9, $9 / $4, $10 }'
