/* The accepted deviations that there are: those of the configuration and those that were made at run time, and which of
 * them are in force now. Clusters are judged with them; what changes in them is carried out by accepted_apply
 * (accepted_apply.h). */
#ifndef DAEMON_WATCH_ACCEPTANCES_H
#define DAEMON_WATCH_ACCEPTANCES_H

#include "config/cfg.h"

#include <sys/queue.h>

struct accepted {
	struct accepted_change is;
	bool configured; /* else it was made at run time */
	bool in_force;   /* not expired */
	bool removed;    /* only acceptances_changed has it */
	bool changed;    /* the acceptance is among acceptances_changed */
	bool kept;       /* acceptances_configure: the new configuration has it too */
	uint64_t number; /* the later it was put, the larger */
	uint64_t change; /* the number of the acceptance's last change */
	struct accepted_group *among;
	/* who has its texts: the configuration, or else */
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

/* A walk over those that may be about something, the oldest first. Nothing may be put meanwhile. Where there are
 * thousands, each for one object, it has a few of them; each pattern is in the walk of every object. Removed ones,
 * which are not in force, are in it until their change is forgotten. */
struct accepted_walk {
	const struct accepted *named, *others; /* the acceptances that come next */
};
struct accepted_walk acceptances_for_object(const struct acceptances *s, str name);
struct accepted_walk acceptances_for_components(const struct acceptances *s);
const struct accepted *accepted_walk_next(struct accepted_walk *w); /* NULL: none is left */
/* Whether it can only be about objects of one name. One of a component is about the component. */
bool accepted_is_named(const struct accepted *x);

const struct accepted *acceptances_get(const struct acceptances *s, str id); /* NULL: there is none */
const struct accepted *acceptances_next(const struct acceptances *s, const struct accepted *x); /* NULL: first, last */
/* The only one whose id begins with @start; NULL: there is none, or there are several, which *several says. */
const struct accepted *acceptances_find(const struct acceptances *s, str start, bool *several);
size_t acceptances_count(const struct acceptances *s, bool configured);

/* Go through the acceptances that have come, gone, changed, begun or ceased to be in force and whose change is not
 * forgotten, in the order of their last changes. @x is the one that was returned last; NULL: begin. */
const struct accepted *acceptances_changed(const struct acceptances *s, const struct accepted *x);
/* The number of the last change; 0: there was none. */
uint64_t acceptances_last_change(const struct acceptances *s);
/* Forget those whose last change is no later than @change. */
void acceptances_forget_changes(struct acceptances *s, uint64_t change);

#endif
