/* Hidden values among what a template reads. */
#include "compare/reads.h"

#define LOOKED_AT_MAX 100 /* objects that were looked up and are searched */
#define KNOWN_MAX 32      /* texts that are looked for in all that is shown */

bool reads_add(struct reads *r, const struct tmpl_lookup *request, const val *objects, size_t n)
{
	struct looked_up found = { objects, n };

	if (n == 0)
		return true;
	r->secret = r->secret || str_eq(request->kind, STR("Secret"));
	return vec_push(&r->found, found);
}

void reads_done(struct reads *r)
{
	vec_done(&r->found);
}

bool reads_secret(const struct reads *r)
{
	return r->secret || mask_is_secret(r->object);
}

static bool found_hidden(const struct reads *r)
{
	size_t left = LOOKED_AT_MAX;

	for (size_t i = 0; i < r->found.n; i++) {
		const struct looked_up *l = &r->found.p[i];

		if (l->n > left)
			return true;
		left -= l->n;
		for (size_t k = 0; k < l->n; k++) {
			if (mask_hides(r->mask, mask_root(), l->objects[k]))
				return true;
		}
	}
	return false;
}

/* Whether something is hidden at @p, or where the way to it ends in a text. */
static bool path_hidden(const struct reads *r, const struct tmpl_path *p)
{
	CLEANUP(freep) struct path_segment *segments = calloc(p->n + 1, sizeof(*segments));
	val here = r->object;
	size_t n = 0;

	if (!segments)
		return true;
	while (n < p->n && val_is_map(here)) {
		segments[n] = (struct path_segment){ .kind = PATH_KEY, .text = p->keys[n] };
		here = val_get(here, p->keys[n++]);
	}
	return val_exists(here) && mask_hides_at(r->mask, r->object, (struct path){ segments, n });
}

bool reads_hidden(const struct reads *r, const struct ref_template *t)
{
	if (reads_secret(r) || found_hidden(r))
		return true;
	if (!t || t->footprint.everything)
		return mask_hides(r->mask, mask_root(), r->object);
	for (size_t i = 0; i < t->footprint.n_paths; i++) {
		if (path_hidden(r, &t->footprint.paths[i]))
			return true;
	}
	return false;
}

static bool collect(const struct reads *r, str *known, size_t *n)
{
	size_t left = LOOKED_AT_MAX;

	if (!mask_texts(r->mask, r->object, known, n, KNOWN_MAX))
		return false;
	for (size_t i = 0; i < r->found.n; i++) {
		for (size_t k = 0; k < r->found.p[i].n && left > 0; k++, left--) {
			if (!mask_texts(r->mask, r->found.p[i].objects[k], known, n, KNOWN_MAX))
				return false;
		}
	}
	return true;
}

int reads_mask(const struct reads *r, const struct ref_template *t, struct arena *a, struct mask_fields *ret,
	       bool *too_many, struct err *err)
{
	size_t n = 0;
	str *known;

	*too_many = false;
	*ret = *r->mask;
	if (!reads_hidden(r, t))
		return 0;
	known = arena_array(a, KNOWN_MAX, sizeof(*known));
	if (!known)
		return err_nomem(err);
	*too_many = !collect(r, known, &n);
	ret->known = known;
	ret->n_known = *too_many ? 0 : n;
	return 0;
}
