/* Compares the versions of a watch with that of a read. */
#include "kubeclient/kc_catch_up.h"

#include "base/number.h"

void kc_catch_up_lost(struct kc_catch_up *c)
{
	c->state = KC_BEHIND;
}

bool kc_catch_up_listed(struct kc_catch_up *c)
{
	bool was_current = c->state == KC_CURRENT;

	c->state = KC_CURRENT;
	return !was_current;
}

bool kc_catch_up_read(struct kc_catch_up *c, str read, str own, uint64_t bookmarks)
{
	if (c->state == KC_AIMED && bookmarks == c->bookmarks)
		return false;
	if (c->state != KC_BEHIND || !int64_parse(read, &c->aim))
		return kc_catch_up_listed(c);
	c->state = KC_AIMED;
	c->bookmarks = bookmarks;
	return kc_catch_up_reached(c, own);
}

/* A version that cannot be compared counts as the newest. */
static bool is_at_least(str version, int64_t least)
{
	int64_t n;

	return !int64_parse(version, &n) || n >= least;
}

bool kc_catch_up_event(struct kc_catch_up *c, str version)
{
	return c->state == KC_AIMED && c->aim < INT64_MAX && is_at_least(version, c->aim + 1) && kc_catch_up_listed(c);
}

bool kc_catch_up_reached(struct kc_catch_up *c, str version)
{
	return c->state == KC_AIMED && is_at_least(version, c->aim) && kc_catch_up_listed(c);
}
