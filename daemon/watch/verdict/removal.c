/* Finds who removed a field: first in the open finding, then in what was written since the last verdict. */
#include "daemon/watch/verdict/removal.h"

static struct blame copy(const struct blame *b, struct arena *a)
{
	return (struct blame){
		.manager = arena_str(a, b->manager),
		.operation = arena_str(a, b->operation),
		.subresource = arena_str(a, b->subresource),
		.time = arena_str(a, b->time),
	};
}

/* Find the writer of everything that went at once. While nobody watched, a writer without a trace may have removed
 * the field, and the only writer with a trace may have written something else. */
static bool find_writer(struct removal *r)
{
	if (r->several || r->span || !val_is_list(r->writers_before))
		return false;
	return writers_between(r->writers_before, r->managed_fields, r->steps, &r->writer) == WRITERS_ONE;
}

bool removal_writer(struct removal *r, struct path at, struct arena *a, struct blame *ret)
{
	if (r->open && findings_removed_by(r->findings, r->open, at, ret)) {
		*ret = copy(ret, a);
		return ret->manager.n > 0;
	}
	if (!r->looked)
		r->known = find_writer(r);
	r->looked = true;
	*ret = r->writer;
	return r->known;
}
