/* Where the clusters and references of a configuration are, whatever they are called: this shows which names changed.
 *
 * A cluster is where its kubeconfig and context say; a reference where its files, or the objects that say it, are. What
 * was called otherwise before, at the same place, was renamed: its findings go over. Two at one place differ in nothing
 * but their names, and no name of such a place counts as changed. */
#ifndef CONFIG_CFG_PLACES_H
#define CONFIG_CFG_PLACES_H

#include "base/vec.h"
#include "config/cfg.h"

enum cfg_place_kind { CFG_PLACE_CLUSTER, CFG_PLACE_REFERENCE };
const char *cfg_place_kind_name(enum cfg_place_kind kind); /* "cluster", "reference" */

struct cfg_place {
	enum cfg_place_kind kind;
	str name;
	str place; /* a hash of where it is, as SOURCE_HASH_SIZE - 1 hex digits; every process computes the same one */
};

struct cfg_places {
	struct arena arena;
	VEC(struct cfg_place) list;
};

/* List the places of @cfg. Fail: ENOMEM; then *ret is empty. */
CHECKED int cfg_places_of(const struct cfg *cfg, struct cfg_places *ret, struct err *err);
/* Read the text that cfg_places_write wrote; other lines are left out. */
CHECKED int cfg_places_read(str text, struct cfg_places *ret, struct err *err);
void cfg_places_write(const struct cfg_places *p, struct buf *out);
void cfg_places_done(struct cfg_places *p);

struct cfg_rename {
	enum cfg_place_kind kind;
	str was, is;
};

struct cfg_renames {
	VEC(struct cfg_rename) list; /* texts of the places */
};

/* Find the places that have one name in @was and another in @is, if the old name is gone and the new one is new.
 * Fails: ENOMEM. */
CHECKED int cfg_renames_find(const struct cfg_places *was, const struct cfg_places *is, struct cfg_renames *ret,
			     struct err *err);
void cfg_renames_done(struct cfg_renames *r);
/* The new name of @name; NULL: it was not renamed. */
const str *cfg_renames_get(const struct cfg_renames *r, enum cfg_place_kind kind, str name);
/* The old name of what is now called @name. */
const str *cfg_renames_before(const struct cfg_renames *r, enum cfg_place_kind kind, str name);

#endif
