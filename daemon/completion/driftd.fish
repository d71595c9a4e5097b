# Completion of driftd for fish. What there is says driftd itself: "driftd help" and "driftd help COMMAND".
function __driftd_commands
    driftd help 2>/dev/null | string replace -rf '^  ([a-z][a-z-]*)  *(.*)' '$1\t$2'
end
function __driftd_words
    set -l before (commandline -opc)
    set -l spoken (string join ' ' -- $before[2..-1])
    driftd help $before[2] 2>/dev/null | string replace -rf "^(?:Usage:| )* *driftd $spoken ([a-z]+).*" '$1' | sort -u
end
function __driftd_options
    set -l before (commandline -opc)
    driftd help $before[2] 2>/dev/null | string match -ra -- '--?[A-Za-z][A-Za-z-]*' | sort -u
end
complete -c driftd -n '__fish_use_subcommand; or __fish_seen_subcommand_from help' -f -a '(__driftd_commands)'
complete -c driftd -n 'not __fish_use_subcommand; and string match -q -- "-*" (commandline -ct)' -a '(__driftd_options)'
complete -c driftd -n 'not __fish_use_subcommand' -a '(__driftd_words)'
