/* The accepted deviations that there are: those of the configuration and those that were made at run time, and which of
 * them are in force now. Clusters are judged with them; what changes in them is carried out by accepted_apply
 * (accepted_apply.h). */
#ifndef DAEMON_WATCH_ACCEPTANCES_H
#define DAEMON_WATCH_ACCEPTANCES_H

#include "config/cfg.h"

#include <sys/queue.h>

struct accepted {
	struct accepted_change is;
	bool configured; /* true: the configuration has it; false: it was made at run time */
	bool in_force;   /* not expired */
	bool removed;    /* the acceptance was removed: it stays only until its change is forgotten */
	bool changed;    /* the acceptance is among acceptances_changed */
	bool kept;       /* acceptances_configure: the new configuration has it too */
	uint64_t number; /* acceptances are numbered in the order in which they were put */
	uint64_t change; /* the number of the acceptance's last change */
	struct accepted_group *among;
	/* who owns the acceptance's texts: @cfg, or @texts when @cfg is NULL */
	struct cfg *cfg;
	struct accepted_texts *texts;
	TAILQ_ENTRY(accepted) link, news, alike;
};

struct acceptances;

/* Fails: ENOMEM. */
CHECKED int acceptances_new(struct acceptances **ret, struct err *err);
void acceptances_free(struct acceptances *s);
DEFINE_CLEANUP(struct acceptances *, acceptances_free)

/* Add an acceptance, or replace the one with the same id. Only a configured one replaces a configured one. Fails:
 * EINVAL (acceptance_check), EEXIST (the configuration has it), ENOMEM. */
CHECKED int acceptances_put(struct acceptances *s, const struct acceptance *a, bool configured, struct err *err);
/* False: there is none. */
bool acceptances_remove(struct acceptances *s, const char *id);
/* Replace the acceptances of the configuration by those of @cfg, which lives as long as one of them. Fails: ENOMEM;
 * then only some of them are replaced. */
CHECKED int acceptances_configure(struct acceptances *s, struct cfg *cfg, struct err *err);
/* Add the acceptances of @from, in their order; the two sets share the texts. Fails: ENOMEM. */
CHECKED int acceptances_copy(struct acceptances *s, const struct acceptances *from, struct err *err);
/* Find out which acceptances are in force at @now_usec (Unix time). */
void acceptances_tick(struct acceptances *s, int64_t now_usec);

/* A walk over the acceptances that may be about an object or a component, the oldest first. Nothing may be put into
 * the set meanwhile. The walk for an object has only the acceptances that name it and those with patterns, however
 * many there are for other objects. Removed acceptances, which are not in force, are in it until their change is
 * forgotten. */
struct accepted_walk {
	const struct accepted *named, *others; /* the acceptances that come next */
};
struct accepted_walk acceptances_for_object(const struct acceptances *s, str name);
struct accepted_walk acceptances_for_components(const struct acceptances *s);
const struct accepted *accepted_walk_next(struct accepted_walk *w); /* NULL: none is left */
/* Whether the acceptance can only be about objects of one name. False for that of a component, which is about the
 * component. */
bool accepted_is_named(const struct accepted *x);

const struct accepted *acceptances_get(const struct acceptances *s, str id); /* NULL: there is none */
const struct accepted *acceptances_next(const struct acceptances *s, const struct accepted *x); /* NULL: first, last */
/* The only acceptance whose id begins with @start. NULL: there is none, or there are several; then *several is true. */
const struct accepted *acceptances_find(const struct acceptances *s, str start, bool *several);
size_t acceptances_count(const struct acceptances *s, bool configured);

/* Go through the acceptances that have come, gone, changed, begun or ceased to be in force and whose change is not
 * forgotten, in the order of their last changes. @x is the one that was returned last; NULL: begin. */
const struct accepted *acceptances_changed(const struct acceptances *s, const struct accepted *x);
/* The number of the last change; 0: there was none. */
uint64_t acceptances_last_change(const struct acceptances *s);
/* Forget the changes of the acceptances whose last change has a number up to @change. */
void acceptances_forget_changes(struct acceptances *s, uint64_t change);

#endif
