/* Loads published references, in the revision of those fetched by driftd-fetch that is in force. */
#include "config/cfg_internal.h"

#include "base/assert.h"
#include "base/hash.h"
#include "config/source_choice.h"

#include <errno.h>

/* ---- one revision ---- */

static void name_revision(struct cfg_reference *r, str id)
{
	memcpy(r->published.id, id.p, id.n);
	r->published.id[id.n] = '\0';
}

/* Load a revision; false when it cannot be loaded. Its problems go to @found only, even those with a place, since
 * they belong to this revision and not to the configuration. */
static bool load_revision(struct cfg_loader *l, struct cfg_reference *r, str id, struct problems *found)
{
	name_revision(r, id);
	cfg_load_revision(l, r, found, found);
	if (!problems_any(found) && r->reference)
		return true;
	ASSERT(problems_any(found) || l->settings.no_memory);
	reference_unref(TAKE(r->reference));
	r->published.id[0] = '\0';
	return false;
}

/* ---- which one ---- */

/* Find the id of the revision to load: the one in force. Fails when there is none: a fetched revision comes into
 * force only in a running daemon, once the choice is stored. */
static int choose(struct cfg_loader *l, const struct cfg_reference *r, char id[SOURCE_ID_SIZE], struct err *err)
{
	CLEANUP(freep) char *state = str_dup(l->cfg->state_dir);
	struct source_choice c = { 0 };
	int e = !state ? err_nomem(err) : *state ? source_choice_load(state, r->name, &c, err) : 0;

	if (e < 0 && e != -ENOENT)
		return e;
	if (*c.in_force) {
		memcpy(id, c.in_force, SOURCE_ID_SIZE);
		return 0;
	}
	e = source_store_find(l->cfg->sources_dir.p, r->name, id, err);
	return e < 0 ? e : err_set(err, EAGAIN, "what was fetched of it is not in force yet");
}

/* Mark the reference as absent, with the reason in words. */
static void be_absent(struct cfg_loader *l, struct cfg_reference *r, const struct problems *found,
		      const struct err *none)
{
	CLEANUP(freep) char *text = problems_any(found) ? problems_text(found) : str_dup(str_from(none->msg));

	r->published.why_absent = arena_str(&l->cfg->arena, str_from(text ? text : "out of memory"));
	l->settings.no_memory |= !r->published.why_absent.p;
	r->content = hash_str(STR("absent"), hash_seed());
	cfg_warn(l, "%.*s: reference '%.*s' is not there yet: %.*s", STR_ARG(r->where), STR_ARG(r->name),
		 STR_ARG(r->published.why_absent));
}

static void load_choice(struct cfg_loader *l, struct cfg_reference *r)
{
	char id[SOURCE_ID_SIZE];
	struct problems found = { 0 };
	struct err none = { .msg = "" };
	int e = choose(l, r, id, &none);

	l->settings.no_memory |= e == -ENOMEM;
	if (e < 0 || !load_revision(l, r, str_from(id), &found))
		be_absent(l, r, &found, &none);
	problems_done(&found);
}

void cfg_load_published(struct cfg_loader *l, struct cfg_reference *r, struct problems *found)
{
	if (!l->candidate || !str_eq(l->candidate->name, r->name)) {
		load_choice(l, r);
		return;
	}
	name_revision(r, l->candidate->id);
	cfg_load_revision(l, r, l->settings.problems, found);
}

void cfg_part_absent(struct cfg_loader *l)
{
	for (size_t i = 0; i < l->cfg->n_clusters; i++) {
		struct cfg_cluster *c = &l->clusters[i];
		const struct cfg_reference **there = arena_array(&l->cfg->arena, c->n_references + 1, sizeof(*there));
		const struct cfg_reference **absent = arena_array(&l->cfg->arena, c->n_references + 1, sizeof(*absent));
		size_t n = c->n_references;

		l->settings.no_memory |= !there || !absent;
		if (l->settings.no_memory)
			return;
		c->n_references = 0;
		for (size_t k = 0; k < n; k++) {
			if (c->references[k]->published.why_absent.p)
				absent[c->n_absent++] = c->references[k];
			else
				there[c->n_references++] = c->references[k];
		}
		c->references = there;
		c->absent = absent;
	}
}
