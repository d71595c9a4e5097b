/* What is known of an object without reading it. */
#include "daemon/watch/snapshot/object.h"

#include "base/assert.h"
#include "mask/foreign.h"

#define TO(state) (1u << OBJECT_##state)

/* The states that an object may enter from each state. ORDER enum object_state */
static const unsigned becomes[] = {
	TO(PENDING) | TO(GONE),
	TO(SPECULATED) | TO(JUDGED) | TO(GONE),
	TO(PENDING) | TO(JUDGED) | TO(CURRENT) | TO(GONE),
	TO(PENDING) | TO(IN_PART) | TO(CURRENT) | TO(GONE),
	TO(PENDING) | TO(JUDGED) | TO(GONE),
	0,
};

void object_set_state(struct object *o, enum object_state s)
{
	ASSERT(becomes[o->state] & 1u << s);
	o->state = s;
}

struct identity object_identity(const struct object *o)
{
	struct identity id = { .api_version = o->kind->api_version, .kind = o->kind->name };

	identity_local_split(object_key(o), &id.namespace, &id.name);
	return id;
}

static str in_metadata(const struct object *o, const char *field)
{
	return o->doc ? foreign_name(val_dig(o->doc->root, "metadata", field, NULL)) : STR("");
}

str object_uid(const struct object *o)
{
	return o->stored ? stored_object_uid(o->stored) : in_metadata(o, "uid");
}

str object_version(const struct object *o)
{
	return o->stored ? stored_object_version(o->stored) : in_metadata(o, "resourceVersion");
}
