# Sixty kinds of custom resources on the modern server, an object of each, and a reference for them: sourced instead of control_plane.sh,
# behind lib.sh.
set -- modern
. "$(dirname "$0")/control_plane.sh"
command -v jq >/dev/null || skip "no jq"

kinds=60
any_fields='{"type":"object","x-kubernetes-preserve-unknown-fields":true}'
numbers=$(seq $kinds)
group=e2e.example.com
path_of_kind() { echo "/apis/$group/v1/many$1s"; } # path_of_kind NUMBER
# All that is asked of the server is asked again where it refuses: etcd times out on a machine that is busy, and that is not what is tested.
each_kind() { # each_kind METHOD [JSON]: its object, of all kinds at once
	local i
	for i in $numbers; do printf '%s\t%s\n' "$(path_of_kind "$i")${2:+/wonky}" "${2:-}"; done | at_once "$1"
}
set_sizes() { wait_until 60 "every kind to take size $1" each_kind PATCH "{\"spec\":{\"size\":$1}}"; } # set_sizes SIZE
define() { # 409: it is there since an earlier try
	local i
	for i in $numbers; do
		printf '%s\t%s\n' $crds "$(crd Cluster "Many$i" "many${i}s" $group "$any_fields" v1)"
	done | at_once POST 409
}
create() {
	local i
	for i in $numbers; do
		printf '%s\t%s\n' "$(path_of_kind "$i")" "$(object $group/v1 "Many$i" wonky "" '"spec":{"size":3}')"
	done | at_once POST 409
}
told() { record_count ".DRIFTD_EVENT == \"$1\" and .DRIFTD_NAME == \"wonky\"" $kinds; } # told EVENT: of every kind
every_kind_served() { wait_until 60 "every kind to be served" each_kind GET; }

start_many_kinds() {
	local i templates
	start_control_plane
	wait_until 60 "every kind to be defined" define
	every_kind_served
	wait_until 60 "every kind to be taken" create
	mapfile -t templates < <(printf 'many%s.yaml\n' $numbers)
	reference "$work/reference" allOf "${templates[@]}"
	for i in $numbers; do
		template "$work/reference/many$i.yaml" $group/v1 "Many$i" wonky "" <<<'spec: {size: 3}'
	done
}
