# Completion of driftd for bash. What may stand there says driftd itself ("driftd complete"), which asks the running one. Names are those that
# people gave to objects of clusters: none is evaluated here, and what is inserted is quoted.
_driftd_unquote() { # _driftd_unquote WORD: as the shell would read it, but for expansions, in REPLY; the quote that is open in quote
	local rest=$1 c
	REPLY='' quote=''
	while [ -n "$rest" ]; do
		c=${rest:0:1} rest=${rest:1}
		if [ "$c" = \\ ] && [ "$quote" != "'" ]; then
			REPLY+=${rest:0:1} rest=${rest:1}
		elif [ -n "$quote" ] && [ "$c" = "$quote" ]; then
			quote=''
		elif [ -z "$quote" ] && [[ $c == [\'\"] ]]; then
			quote=$c
		else
			REPLY+=$c
		fi
	done
}
_driftd() {
	local line=${COMP_LINE:0:COMP_POINT} words=() asked=() rest word row i breaks head='' quote REPLY plain=()
	COMPREPLY=()
	# bash cuts words at "=" and ":" too: what no blank parts is one.
	for ((i = 0; i <= COMP_CWORD; i++)); do
		rest=${line#"${line%%[![:blank:]]*}"} word=${COMP_WORDS[i]}
		[ "$i" -lt "$COMP_CWORD" ] || word=$rest
		if [ "$i" -gt 0 ] && [ -n "$line" ] && [ "$rest" = "$line" ]; then words[-1]+=$word; else words+=("$word"); fi
		line=${rest#"$word"}
	done
	for word in "${words[@]}"; do
		_driftd_unquote "$word"
		asked+=("$REPLY")
	done
	if [[ $word == *[\'\"]* ]]; then # a quote may be open in front of all of it, and what is inserted stays inside
		[ "$quote" = "${word:0:1}" ] && [[ ${word:1} != *["$quote"\\]* ]] || return 0
		plain=(--plain) word=${word:1}
	fi
	breaks=${COMP_WORDBREAKS//[!=:@]/}
	[ -z "$breaks" ] || head=${word%"${word##*["$breaks"]}"}
	while IFS= read -r row; do
		case $row in
		:files) [ ${#COMPREPLY[@]} -gt 0 ] || compopt -o bashdefault -o default 2>/dev/null ;;
		:end) ;;
		*)
			printf -v word %q "${row%%$'\t'*}"
			[[ $word != "$head"* ]] || COMPREPLY+=("${word#"$head"}")
			;;
		esac
	done < <("${asked[0]}" complete "${plain[@]}" -- "${asked[@]}" 2>/dev/null)
}
complete -F _driftd driftd
