#!/usr/bin/env bash
# Whoever asks for help, of whichever command and in whichever way, gets it on standard output, and nothing is wrong.
. "$(dirname "$0")/lib.sh"

helps() { # helps ARGUMENT...
	"$bin/driftd" "$@" >"$work/out" 2>"$work/err.log" </dev/null && grep -q '^Usage:\|^USAGE' "$work/out" && [ ! -s "$work/err.log" ]
}
for help in --help -h; do
	check "driftd $help" helps "$help"
	check "driftd help $help" helps help "$help"
done
mapfile -t commands < <("$bin/driftd" help | sed -n 's/^  \([a-z-]*\) .*/\1/p' | grep -vx help)
check "there are commands" test "${#commands[@]}" -gt 15
for command in "${commands[@]}" "drift list" "drift show" "accept list" "inspection rule" \
	"reference "{list,show,update,accept,pin,unpin,rollback,export,import} \
	"inspection rule "{list,get,create,import,delete} \
	"state export" "state import" "kubegen bundle" "kubegen module" "kubegen reference"; do
	read -ra words <<<"$command"
	for help in --help -h; do
		check "driftd $command $help" helps "${words[@]}" "$help"
	done
	check "driftd help $command" helps help "${words[0]}"
done
