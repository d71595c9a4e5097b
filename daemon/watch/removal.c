/* What was told, what the last verdict saw, or else the time since which nobody watched. */
#include "daemon/watch/removal.h"

#include "daemon/findings/finding_record.h"

static struct blame copy(const struct blame *b, struct arena *a)
{
	return (struct blame){
		.manager = arena_str(a, b->manager),
		.operation = arena_str(a, b->operation),
		.subresource = arena_str(a, b->subresource),
		.time = arena_str(a, b->time),
	};
}

bool removal_writer(const struct removal *r, str path, struct arena *a, struct blame *ret)
{
	if (r->open && finding_removed_by(r->open, path, ret)) {
		*ret = copy(ret, a);
		return ret->manager.n > 0;
	}
	if (val_is_list(r->writers_before))
		return blame_removal(r->writers_before, r->managed_fields, ret);
	return r->span && blame_after(r->managed_fields, time_text(a, r->span->not_before_usec), ret);
}
