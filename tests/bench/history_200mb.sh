#!/usr/bin/env bash
# history_200mb.sh [MEGABYTES]: what a question about the past costs with a history of that size (200): its time, the memory of the daemon
# at its most, and the longest turn of the loop meanwhile, beside those of a daemon that is asked nothing.
. "$(dirname "$0")/../e2e/lib.sh"
megabytes=${1:-200}

above() { # above SECONDS: turns of the loop that took longer
	curl -sf "$web/metrics" | awk -v le="le=\"$1\"" '/^driftd_loop_turn_seconds_bucket/ && index($0, le) { n = $NF }
		/^driftd_loop_turn_seconds_count/ { print $NF - n }'
}
turns() { # turns WHAT: how many were long since the last time
	local now=() bounds=(0.01 0.025 0.05 0.1) i
	for i in "${!bounds[@]}"; do now[i]=$(above "${bounds[i]}"); done
	printf '%-34s turns' "$1"
	for i in "${!bounds[@]}"; do printf '  %4d above %s s' $((now[i] - ${before[i]:-0})) "${bounds[i]}"; done
	echo
	before=("${now[@]}")
}
memory() { awk '/^Vm(HWM|RSS)/ { printf "%s %d MB  ", $1, $2 / 1024 } END { print "" }' "/proc/${pid[driftd]}/status"; }
ask() { # ask WHAT PATH
	curl -sf -o "$work/answer" "$web$2" -w "$1: %{time_total} s, %{size_download} bytes\n" || fail "$2"
	memory
	turns "$1"
}
before=()

start_shop
start_driftd_ready
stop driftd
python3 "$source_dir/tests/support/history_rows.py" "$work/state/driftd.db" "$cluster" --days 90 --megabytes "$megabytes"
sed -i "s/^state_dir:/history_megabytes: 100000\n&/" "$work/driftd.yaml"
ls -l "$work/state/driftd.db"
sqlite3 "$work/state/driftd.db" 'SELECT count(*) || " rows" FROM history' 2>/dev/null || true
start_driftd_ready
sleep 5
turns "the start"
memory
sleep 15
turns "idle, 15 s"
ask "a day" "/api/v1/history?range=day"
ask "a week" "/api/v1/history/timeline?range=week&buckets=168"
ask "a quarter" "/api/v1/history/timeline?range=quarter&buckets=364"
ask "a quarter, of one writer" "/api/v1/history/timeline?range=quarter&buckets=364&manager=helm"
ask "the story of one object" "/api/v1/history?range=quarter&story=true&kind=Service&namespace=shop&name=web-17"
ask "the page of a quarter" "/history?range=quarter"
for i in 1 2 3 4 5 6 7 8; do curl -sf -o /dev/null "$web/history?range=quarter" & asked[i]=$!; done
wait "${asked[@]}"
memory
turns "eight pages at once"
