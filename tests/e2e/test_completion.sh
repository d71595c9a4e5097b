#!/usr/bin/env bash
# Completion in each shell: the words that driftd itself has, whatever its commands and options are today.
. "$(dirname "$0")/lib.sh"
completion=$source_dir/daemon/completion
PATH=$bin:$PATH

in_bash() { # in_bash WORD...: the last one is being written
	bash --norc -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _driftd; printf "%s\n" "${COMPREPLY[@]}"' - \
		"$completion/driftd.bash" "$@" >"$work/words"
}
in_fish() {
	fish --no-config -c 'source $argv[1]; complete -C (string join " " -- $argv[2..-1])' "$completion/driftd.fish" "$@" |
		cut -f 1 >"$work/words"
}
in_zsh() { # the functions of its completion system tell what they are given
	zsh -fc 'file=$1; shift; words=("$@"); CURRENT=$#words; PREFIX=$words[-1]; _describe() { print -l -- ${${(P)2}%%:*} }
		compadd() { shift; print -l -- $@ }; _files() { :; }; complete() { source $file }; complete' - \
		"$completion/_driftd" "$@" >"$work/words"
}
in_kubectl() { "$completion/kubectl_complete-driftd" "$@" >"$work/words"; }
offers() { grep -qxF -e "$1" "$work/words"; }

shells=(bash)
for shell in fish zsh; do
	if command -v $shell >/dev/null; then shells+=("$shell"); else echo "no $shell here: not tried"; fi
done
for shell in "${shells[@]}"; do
	"in_$shell" driftd dri
	check "$shell: a command" offers drift
	"in_$shell" driftd help chec
	check "$shell: a command to be helped with" offers check-config
	"in_$shell" driftd drift --name
	check "$shell: an option" offers --namespace
	"in_$shell" driftd drift -
	check "$shell: a letter" offers -n
	"in_$shell" driftd drift l
	check "$shell: a second word" offers list
	"in_$shell" driftd inspection rule cr
	check "$shell: a third word" offers create
	"in_$shell" driftd compare --all
	check "$shell: an option of compare" offers --all-resources
	"in_$shell" driftd nonsense --x
done
in_bash driftd ''
"$bin/driftd" help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p' >"$work/commands"
check "all commands" diff <(sort "$work/words") <(sort "$work/commands")
check "are some" test "$(wc -l <"$work/commands")" -gt 10
in_kubectl --all
check "kubectl: an option" offers --all-resources
check "kubectl: no other" test "$(grep -c reference "$work/words")" = 0
check "kubectl: and files" offers :0
in_kubectl deploy.yaml x
check "kubectl: files alone" diff "$work/words" <(echo :0)
in_kubectl "--\$(touch $work/made);.*"
check "kubectl: a word is no command" test ! -e "$work/made"
