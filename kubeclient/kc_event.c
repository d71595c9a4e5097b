/* Names for logs and metrics, and the check of what an object's text says against its identity. */
#include "kubeclient/kc_event.h"
#include "base/assert.h"
#include "mask/foreign.h"

#include <string.h>

const char *kc_verb_name(enum kc_verb v)
{
	static const char *const names[] = { "get", "list", "watch", "create" };
	_Static_assert(ARRAY_LEN(names) == KC_VERBS, "ORDER enum kc_verb");

	ASSERT(v < KC_VERBS);
	return names[v];
}

const char *kc_state_name(enum kc_state s)
{
	static const char *const names[] = { "waiting", "listing", "watching", "backoff", "absent", "forbidden" };
	_Static_assert(ARRAY_LEN(names) == KC_FORBIDDEN + 1, "ORDER enum kc_state");

	ASSERT(s < ARRAY_LEN(names));
	return names[s];
}

const char *kc_list_reason_name(enum kc_list_reason r)
{
	static const char *const names[] = { "start", "expired", "bad_data", "stalled" };
	_Static_assert(ARRAY_LEN(names) == KC_LIST_REASONS, "ORDER enum kc_list_reason");

	ASSERT(r < KC_LIST_REASONS);
	return names[r];
}

const char *kc_restart_reason_name(enum kc_restart_reason r)
{
	static const char *const names[] = { "timeout", "error", "idle", "bad_data" };
	_Static_assert(ARRAY_LEN(names) == KC_RESTART_REASONS, "ORDER enum kc_restart_reason");

	ASSERT(r < KC_RESTART_REASONS);
	return names[r];
}

bool kc_object_confirmed(const struct kc_object *o, val root)
{
	const struct {
		str field, said;
	} all[] = { { STR("namespace"), o->namespace },
		    { STR("name"), o->name },
		    { STR("uid"), o->uid },
		    { STR("resourceVersion"), o->resource_version } };
	val meta = VAL_GET(root, "metadata");

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		if (!foreign_is(foreign_of(val_get(meta, all[i].field)), all[i].said) ||
		    (all[i].said.n && memchr(all[i].said.p, '\0', all[i].said.n)))
			return false;
	}
	return o->name.n > 0;
}
