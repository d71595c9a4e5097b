# Running driftd compare and looking at what it did: sourced behind lib.sh. A test that sets TMPDIR=$work/tmp has it checked after each run.
program=("$bin/driftd" compare) # what compare runs

compare() { # compare ARGUMENTS...: in $work; sets $status; standard output in $work/out, standard error in $work/err
	status=0
	(cd "$work" && "${program[@]}" "$@" >out 2>err </dev/null) || status=$?
}

ends_with() { # ends_with STATUS WHAT: the last compare
	[ "$status" = "$1" ] || { cat "$work/out" "$work/err" >&2; fail "$2: status $status, expected $1"; }
	checks=$((checks + 1))
	[ "${TMPDIR:-}" != "$work/tmp" ] || check "no temporary folder is left: $(ls "$TMPDIR")" test -z "$(ls "$TMPDIR")"
}

# says|silent out|err TEXT
says() { check "$2 in: $(cat "$work/$1")" grep -qF -- "$2" "$work/$1"; }
silent() { check "no '$2' expected in: $(head -c 2000 "$work/$1")" test -z "$(grep -aF -- "$2" "$work/$1")"; }
