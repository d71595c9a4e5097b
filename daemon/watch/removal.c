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

/* The same for all that went at once. */
static bool find_writer(struct removal *r, struct arena *a)
{
	if (r->several)
		return false;
	if (val_is_list(r->writers_before))
		return writers_between(r->writers_before, r->managed_fields, r->steps, &r->writer) == WRITERS_ONE;
	return r->span && writers_after(r->managed_fields, time_text(a, r->span->not_before_usec), r->steps,
					&r->writer) == WRITERS_ONE;
}

bool removal_writer(struct removal *r, struct path at, struct arena *a, struct blame *ret)
{
	if (r->open && findings_removed_by(r->findings, r->open, at, ret)) {
		*ret = copy(ret, a);
		return ret->manager.n > 0;
	}
	if (!r->looked)
		r->known = find_writer(r, a);
	r->looked = true;
	*ret = r->writer;
	return r->known;
}
