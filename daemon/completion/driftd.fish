# Completion of driftd for fish. What may stand there says driftd itself ("driftd complete"), which asks the running one. Names are those that
# people gave to objects of clusters: none is evaluated here, and fish quotes what is inserted.
function __driftd_complete
    set -l before (commandline -opc)
    set -l word (commandline -ct | string replace -r '^["\']' '' | string replace -ra '\\\\(.)' '$1')
    set -l rows (command driftd complete -- $before "$word" 2>/dev/null)
    test (count $rows) -gt 0; or return
    set -l last $rows[-1]
    set -e rows[-1]
    test (count $rows) -eq 0; or printf '%s\n' $rows
    test $last = :files; or return
    set -l head (string match -r -- '^--[^=]*=' "$word")
    for path in (__fish_complete_path (string replace -r -- '^--[^=]*=' '' "$word"))
        printf '%s\n' "$head$path"
    end
end
complete -c driftd -f -a '(__driftd_complete)'
