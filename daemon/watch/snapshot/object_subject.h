/* A watched object as the subject of a finding. */
#ifndef DAEMON_WATCH_OBJECT_SUBJECT_H
#define DAEMON_WATCH_OBJECT_SUBJECT_H

#include "daemon/findings/findings.h"
#include "daemon/watch/snapshot/snapshot.h"

/* Fill in what @s says of the object: kind, resource, name, uid, version. The texts point into @o, whose document may
 * be missing. */
void object_subject(const struct object *o, struct finding_subject *s);

#endif
