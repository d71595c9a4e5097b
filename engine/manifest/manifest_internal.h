/* Declarations that the files which walk a manifest share. */
#ifndef MANIFEST_MANIFEST_INTERNAL_H
#define MANIFEST_MANIFEST_INTERNAL_H

#include "compare/change_list.h"
#include "manifest/manifest_compare.h"
#include "reference/ref.h"

/* Make the empty text that all listings of @ref share, in its arena. Fails: E2BIG, ENOMEM. */
CHECKED int manifest_no_text(struct reference *ref, struct ref_text **ret, struct err *err);
/* Add a listing to @ref, whose list has room for it. NULL without memory. */
struct ref_template *manifest_listing_add(struct reference *ref, enum ref_use use, str path, struct ref_text *no_text);

/* The current place of the walk, which is passed on by value from the root down. */
struct place {
	struct topo type;
	uint32_t depth;
	bool whole;    /* the value is atomic, or in something atomic, so that what only the object has differs too */
	bool template; /* the place is in a pod template */
};

struct walk {
	const struct manifest_env *env;
	struct change_list list;
	struct arena *arena;
	val live;
	uint64_t steps; /* how many are left */
	bool built_in;  /* the kind is one of Kubernetes itself, whether its type is known or not */
	bool too_deep, no_memory;
};

/* Why two values differ. */
#define WHY_VALUE "the value is another one"
#define WHY_MISSING "it is not there"
#define WHY_ADDED "the manifest does not have it"
#define WHY_LENGTH "the number of elements is another one"
#define WHY_ORDER "the order is another one"
#define WHY_NULL "the manifest asks for the default"
#define WHY_UNKNOWN "the API server does not keep this field"

static inline struct place member_of(const struct place *p, str key)
{
	struct place m = *p;

	m.type = topo_member(&p->type, key);
	m.depth++;
	m.template = m.template || topo_is_pod_template(&m.type);
	return m;
}

static inline struct place element_of(const struct place *p)
{
	struct place e = *p;

	e.type = topo_element(&p->type);
	e.depth++;
	return e;
}

/* Use up steps for a place with @v. False: none are left, or it is too deep, and all that follows is void. */
bool manifest_spend(struct walk *w, const struct place *p, val v);
/* Record that the manifest's @m and the live @l differ here. Returns @expected. */
val manifest_differs(struct walk *w, val m, val l, const char *why, val expected);

/* Each of these functions walks on from a place, and returns what an apply would leave there: @l if nothing differs;
 * VAL_ABSENT: nothing. */
val manifest_walk(struct walk *w, struct place p, val m, val l);
val manifest_walk_empty(struct walk *w, const struct place *p, val m, val l); /* @m is empty */
val manifest_walk_map(struct walk *w, const struct place *p, val m, val l);   /* both are maps */
val manifest_walk_keyed(struct walk *w, const struct place *p, val m, val l);
val manifest_walk_set(struct walk *w, const struct place *p, val m, val l);
/* Walk a list that the manifest does not have, where an absent list counts as empty. */
val manifest_walk_added(struct walk *w, const struct place *p, val l);
/* As manifest_walk, for a value that is atomic, or is in something atomic. */
val manifest_walk_whole(struct walk *w, const struct place *p, val m, val l);

/* Whether a value is compared as a whole. Servers before Kubernetes 1.21 own some maps member by member that later
 * ones treat as one value; managedFields shows which. */
bool manifest_is_whole(struct walk *w, const struct place *p, val m, val l);

/* Walk into the member or element @s, and return from there. */
val manifest_into(struct walk *w, struct path_segment s, struct place p, val m, val l);
/* Record that @m and @l differ at the member or element @s. */
val manifest_differs_at(struct walk *w, struct path_segment s, val m, val l, const char *why, val expected);

/* ---- what stands for nothing (manifest_asks.c) ---- */

/* Whether @m wants something if the object has nothing there. */
bool manifest_asks(const struct walk *w, const struct place *p, val m);
/* Whether @l is what an object has when no manifest wants anything: nothing, or a default. */
bool manifest_is_default(struct walk *w, const struct place *p, val l);
/* Whether @l is what the server computes from the fields beside it when no manifest wants anything
 * (manifest_computed.c). It is the value at the current place of the walk, or one level below if @below. */
bool manifest_is_computed(const struct walk *w, const struct place *p, bool below, val l);
/* Whether @v is false, 0, "", {}, [], null, or absent. */
bool manifest_is_empty(val v);
/* Whether Go stores what is at @p as a value, whose zero means the same as nothing. */
bool manifest_is_value(const struct walk *w, const struct place *p);

/* ---- what a server makes of lists (manifest_stored.c) ---- */

/* @m in the order in which the API server stores it. @l shows the order, which depends on the release. */
val manifest_as_stored(struct walk *w, const struct place *p, val m, val l);
/* @l without the elements that the API server adds to the list @m whenever it is written. */
val manifest_without_admitted(const struct walk *w, const struct place *p, val m, val l);

/* ---- scalars (manifest_same.c) ---- */

/* Whether @m and @l mean the same, according to their type. */
bool manifest_same(struct walk *w, const struct place *p, val m, val l);

#endif
