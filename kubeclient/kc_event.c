/* Names for logs and metrics. */
#include "kubeclient/kc_event.h"

const char *kc_verb_name(enum kc_verb v)
{
	static const char *const names[] = { "get", "list", "watch", "create" };
	_Static_assert(ARRAY_LEN(names) == KC_VERBS, "ORDER enum kc_verb");

	return names[v];
}

const char *kc_state_name(enum kc_state s)
{
	static const char *const names[] = { "waiting", "listing", "watching", "backoff", "absent", "forbidden" };
	_Static_assert(ARRAY_LEN(names) == KC_FORBIDDEN + 1, "ORDER enum kc_state");

	return names[s];
}

const char *kc_list_reason_name(enum kc_list_reason r)
{
	static const char *const names[] = { "start", "expired", "bad_data" };
	_Static_assert(ARRAY_LEN(names) == KC_LIST_REASONS, "ORDER enum kc_list_reason");

	return names[r];
}

const char *kc_restart_reason_name(enum kc_restart_reason r)
{
	static const char *const names[] = { "timeout", "error", "idle", "bad_data" };
	_Static_assert(ARRAY_LEN(names) == KC_RESTART_REASONS, "ORDER enum kc_restart_reason");

	return names[r];
}
