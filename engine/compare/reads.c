/* Finds hidden values among what a template reads. */
#include "compare/reads.h"

#define LOOKED_AT_MAX 100         /* how many looked-up objects are searched */
#define KNOWN_MAX 32              /* hidden texts that are looked for in all that is shown; */
#define MADE_MAX TMPL_SECRETS_MAX /* the most texts that were made of hidden ones */

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

/* Whether something is hidden at @p, or at the text where the way to @p ends. */
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
	if (!t || t->text->footprint.everything)
		return mask_hides(r->mask, mask_root(), r->object);
	for (size_t i = 0; i < t->text->footprint.n_paths; i++) {
		if (path_hidden(r, &t->text->footprint.paths[i]))
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

/* ---- what was made of them ---- */

/* Marks copies of the objects, so that the execution of the template shows which values are made of hidden ones. */
struct marking {
	const struct reads *reads;
	const struct tmpl_env *env; /* the environment in which the template was rendered */
	struct arena arena;
};

static bool marked(struct marking *m, val object, val *ret)
{
	*ret = object;
	return mask_mark(m->reads->mask, mask_root(), &m->arena, ret);
}

static int look_up_marked(void *ctx, const struct tmpl_lookup *request, const val **ret, size_t *n, struct err *err)
{
	struct marking *m = ctx;
	const val *found = NULL;
	val *copies;
	int r = m->env->lookup(m->env->ctx, request, &found, n, err);

	if (r < 0 || *n == 0)
		return r;
	copies = arena_array(&m->arena, *n, sizeof(*copies));
	for (size_t i = 0; copies && i < *n; i++) {
		if (!marked(m, found[i], &copies[i]))
			copies = NULL;
	}
	*ret = copies;
	return copies ? 0 : err_nomem(err);
}

static int64_t now(void *ctx, int32_t *nanoseconds)
{
	const struct marking *m = ctx;

	return m->env->now(m->env->ctx, nanoseconds);
}

/* Find the texts that the template made of hidden values. False: there are too many, or they could not be found. */
static bool find_made(const struct reads *r, const struct ref_template *t, val dot, const struct tmpl_env *env,
		      struct tmpl_secrets *ret)
{
	struct marking m = { .reads = r, .env = env };
	struct tmpl_env inner = *env;
	struct err err;
	val copy;
	bool ok;

	arena_init(&m.arena, 0, env->limits->arena_bytes);
	inner.lookup = env->lookup ? look_up_marked : NULL;
	inner.now = env->now ? now : NULL;
	inner.error_text = NULL;
	inner.ctx = &m;
	inner.secrets = ret;
	ok = marked(&m, dot, &copy) && ref_find_secrets(t, copy, &inner, &err) == 0;
	arena_done(&m.arena);
	return ok && !ret->too_many;
}

int reads_mask(const struct reads *r, const struct ref_template *t, val dot, const struct tmpl_env *env,
	       struct arena *a, struct mask_fields *ret, bool *too_many, struct err *err)
{
	struct tmpl_secrets made = { .arena = a };
	size_t n = 0;
	str *known;

	*too_many = false;
	*ret = *r->mask;
	if (!reads_hidden(r, t))
		return 0;
	known = arena_array(a, KNOWN_MAX + MADE_MAX, sizeof(*known));
	if (!known)
		return err_nomem(err);
	*too_many = !collect(r, known, &n);
	if (!find_made(r, t, dot, env, &made))
		*too_many = true;
	for (size_t i = 0; i < made.n; i++)
		known[n++] = made.texts[i];
	ret->known = known;
	ret->n_known = n;
	return 0;
}
