# Completion of driftd for bash. What there is says driftd itself: "driftd help" and "driftd help COMMAND".
_driftd() {
	local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]:-} words=
	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ] || { [ "$COMP_CWORD" -eq 2 ] && [ "$command" = help ]; }; then
		words=$("$program" help 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\)  *.*/\1/p')
	elif [[ $word == -* ]]; then
		words=$("$program" help "$command" 2>/dev/null | grep -oE -e '(^|[ ,[|])--?[A-Za-z][A-Za-z-]*' | tr -d ' ,[|')
	elif [ "$COMP_CWORD" -eq 2 ]; then # "driftd drift list": the words that follow in the usage
		words=$("$program" help "$command" 2>/dev/null | sed -n "s/^[Usage: ]*driftd $command \([a-z]*\).*/\1/p")
	elif [ "$COMP_CWORD" -eq 3 ]; then # "driftd inspection rule get"
		words=$("$program" help "$command" 2>/dev/null | sed -n "s/^[Usage: ]*driftd $command ${COMP_WORDS[2]//[^a-z]/} \([a-z]*\).*/\1/p")
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o bashdefault -o default -F _driftd driftd
