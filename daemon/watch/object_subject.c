/* A watched object as the subject of a finding. */
#include "daemon/watch/object_subject.h"

void object_subject(const struct object *o, struct finding_subject *s)
{
	val root = o->doc ? o->doc->root : val_null();
	struct identity id = identity_of(root);

	s->api_version = o->kind->api_version;
	s->kind = o->kind->name;
	s->resource = o->kind->resource;
	s->namespace = id.namespace;
	s->name = id.name;
	s->uid = val_str(val_dig(root, "metadata", "uid", NULL));
	s->resource_version = val_str(val_dig(root, "metadata", "resourceVersion", NULL));
}
