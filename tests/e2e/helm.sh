# Releases as Helm writes them, for tests with a server; source it behind lib.sh. $driver: "configmap", where they are not in Secrets.

revisions() { echo "/api/v1/namespaces/$1/${driver:-secret}s"; }
manifest() { printf -- '---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s}\ndata: {v: "%s"}\n' "$@"; } # manifest NAME VALUE [...]
# revision NAMESPACE RELEASE NUMBER STATUS < MANIFESTS: its object, made or changed
revision() {
	local name=sh.helm.release.v1.$2.v$3
	"$source_dir/tests/e2e/helm_release.py" --name "$2" --namespace "$1" --revision "$3" --status "$4" ${driver:+--driver "$driver"} \
		>"$work/release.json"
	if [ -e "$work/made.$1.$name" ]; then
		api PUT "$(revisions "$1")/$name" "@$work/release.json" helm
	else
		api POST "$(revisions "$1")" "@$work/release.json" helm
		: >"$work/made.$1.$name"
	fi
}
forget() { api DELETE "$(revisions "$1")/sh.helm.release.v1.$2.v$3" && rm "$work/made.$1.sh.helm.release.v1.$2.v$3"; }
