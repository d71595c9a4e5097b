/* Compares the versions of a watch with that of a read. */
#include "kubeclient/kc_catch_up.h"

#include "base/number.h"

void kc_catch_up_lost(struct kc_catch_up *c)
{
	c->state = KC_BEHIND;
	c->list_is_old = true;
}

void kc_catch_up_lists(struct kc_catch_up *c)
{
	c->list_is_old = false;
}

static bool become_current(struct kc_catch_up *c)
{
	bool was_current = c->state == KC_CURRENT;

	c->state = KC_CURRENT;
	return !was_current;
}

bool kc_catch_up_listed(struct kc_catch_up *c)
{
	return !c->list_is_old && become_current(c);
}

bool kc_catch_up_read(struct kc_catch_up *c, str read, str own, uint64_t bookmarks)
{
	if (c->state == KC_AIMED && bookmarks == c->bookmarks)
		return false;
	if (c->state != KC_BEHIND || !int64_parse(read, &c->aim))
		return become_current(c);
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
	return c->state == KC_AIMED && c->aim < INT64_MAX && is_at_least(version, c->aim + 1) && become_current(c);
}

bool kc_catch_up_reached(struct kc_catch_up *c, str version)
{
	return c->state == KC_AIMED && is_at_least(version, c->aim) && become_current(c);
}
