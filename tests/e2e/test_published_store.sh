#!/usr/bin/env bash
# What driftd-fetch keeps, with folders, pipes and links where files belong, and files where folders do; a lost link, a lost revision, and
# what a process that was killed leaves. Each time the source is fetched as if nothing had been, and a history that was rewritten is known.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/published.sh"

make_repository
mkdir "$work/store"
source=$work/store/sources/shop wish=0 below=shop in_force='' in_force_revision='' url=file://$work/served/shop.git
request() { # one more wish for what is in the repository, and for one that is not there
	wish=$((wish + 1))
	jq -nc --arg url "$url" --argjson wish "$wish" --arg in "$in_force" --arg revision "$in_force_revision" \
		--arg below "$below" '
		{name: "shop", kind: "git", templates: true, timeoutNs: 20000000000, url: $url, branch: "main", path: $below, wish: $wish,
			inForce: $in, inForceRevision: $revision, kept: []} | {version: 1, sources: [., . + {name: "other"}]}' >"$work/request.new"
	mv "$work/request.new" "$work/request"
}
fetch() { # fetch WHAT: ends, and has fetched the head
	request
	timeout 60 "$bin/driftd-fetch" --request "$work/request" --store "$work/store" 2>"$work/fetch.log" || fail "driftd-fetch fails: $1"
	check "it has fetched: $1" is_there
}
about() { jq -e "$1" "$(readlink -f "$source/current")/revision.json"; } # about JQ-FILTER: of what was fetched last
is_there() { jq -e ".served == $wish and (has(\"failure\") | not)" "$source/status.json" && about ".revision == \"$head\""; }
fetch "the first time"
first=$head first_id=$(basename "$(readlink "$source/current")")

# ---- what does not belong there ----

for name in status.json status.json.new current current.new; do
	for obstacle in 'mkdir -p FILE/in/side && touch FILE/in/side/file' 'mkfifo FILE' 'ln -s / FILE'; do
		rm -rf "${source:?}/$name"
		eval "${obstacle//FILE/$source/$name}"
		fetch "$name: $obstacle"
		check "it is what it should be: $name: $obstacle" test -f "$source/status.json" -a -L "$source/current" -a ! -e "$source/$name.new"
	done
done
for folder in "$source" "$source/cache" "$work/store/revisions/$first_id"; do
	for obstacle in 'touch FILE' 'mkfifo FILE' 'ln -s /tmp FILE'; do
		rm -rf "$folder"
		eval "${obstacle//FILE/$folder}"
		fetch "$folder: $obstacle"
		check "it is a folder: $folder: $obstacle" test -d "$folder" -a ! -L "$folder"
	done
done
mkfifo "$work/pipe"
timeout 5 "$bin/driftd-fetch" --request "$work/pipe" --store "$work/store" 2>"$work/pipe.log" || fail "a pipe as its request holds it up"
check "it says why" grep "not a regular file" "$work/pipe.log"

# ---- what it comes after is known, whatever is lost ----

in_force=$first_id in_force_revision=$first
rewrite() { # rewrite: another history of the branch
	g commit -q --amend --allow-empty -m "Rewritten $((++rewrites))"
	head=$(git -C "$repository" rev-parse HEAD)
	push --force
}
rewrites=0
rewritten() { check "it is known as rewritten: $1" about .rewritten; }
for damage in true 'rm SOURCE/current' 'rm SOURCE/status.json' 'echo {} >SOURCE/status.json' 'ln -sfn / SOURCE/current' 'rm -r SOURCE' \
	'rm -r SOURCE STORE/revisions' 'truncate -s 0 STORE/revisions/*/revision.json'; do
	git -C "$repository" reset -q --hard "$first"
	head=$first
	push --force
	fetch "back"
	damage=${damage//SOURCE/$source}
	eval "${damage//STORE/$work/store}"
	rewrite
	fetch "$damage"
	rewritten "$damage"
	commit "On top of it"
	push
	fetch "more of it: $damage"
	rewritten "more of it: $damage"
done

in_force=$first_id below=''
fetch "another folder of it"
rewritten "an edit of the entry"
in_force=$(basename "$(readlink "$source/current")") below=shop # somebody has accepted that
fetch "the folder from before"
check "what is accepted is no longer rewritten" about '.rewritten | not'

# ---- what was killed leaves nothing ----

start fetch "$bin/driftd-fetch" --request "$work/request" --store "$work/store" --follow
python3 -c 'import socket, time; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1], flush=True); time.sleep(600)' \
	>"$work/port" &
pid[silent]=$!
wait_until 10 "a server that says nothing" test -s "$work/port"
url=https://127.0.0.1:$(cat "$work/port")/shop.git
request
left() { local all=("$work"/store/tmp/*); [ "${#all[@]}" = "$1" ]; }
wait_until 20 "both to be at work" left 2
for worker in $(pgrep -P "${pid[fetch]}"); do kill -KILL "$worker"; done
wait_until 20 "the failure of one" grep "reference shop: .*signal 9" "$work/fetch.log"
wait_until 20 "the failure of the other" grep "reference other: .*signal 9" "$work/fetch.log"
nothing_left() { [ -z "$(ls -A "$work/store/tmp")" ]; }
wait_until 5 "nothing to be left" nothing_left
stop fetch || fail "driftd-fetch did not end cleanly"
