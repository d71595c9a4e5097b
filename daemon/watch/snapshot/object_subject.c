/* A watched object as the subject of a finding. */
#include "daemon/watch/snapshot/object_subject.h"

void object_subject(const struct object *o, struct finding_subject *s)
{
	struct identity id = object_identity(o);

	s->api_version = o->kind->api_version;
	s->kind = o->kind->name;
	s->resource = o->kind->resource;
	s->namespace = id.namespace;
	s->name = id.name;
	s->uid = object_uid(o);
	s->resource_version = object_version(o);
}
