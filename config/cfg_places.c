/* Hashes the places of clusters and references, and finds changed names. */
#include "config/cfg_places.h"

#include "base/assert.h"
#include "base/hex.h"

#include <openssl/sha.h>

#define TEXT_MAX ((size_t)1 << 20)
#define PLACE_DIGITS (SOURCE_HASH_SIZE - 1)

/* ---- places ---- */

/* Append a text after its length, so that two places never look alike. */
static void add_text(struct buf *out, str s)
{
	buf_printf(out, "%zu:", s.n);
	buf_add_str(out, s);
}

static void add_texts(struct buf *out, struct text_list l)
{
	buf_printf(out, "%zu;", l.n);
	for (size_t i = 0; i < l.n; i++)
		add_text(out, l.p[i]);
}

static void add_cluster(const struct cfg_cluster *c, struct buf *out)
{
	add_text(out, c->kubeconfig);
	add_text(out, c->context);
}

/* Append the place of a reference. The paths of a published one are below its revision. */
static bool add_reference(const struct cfg_reference *r, struct buf *out)
{
	char source[SOURCE_HASH_SIZE] = "";

	if (r->published.source.kind != SOURCE_NONE && !source_place(&r->published.source, source))
		return false;
	add_text(out, str_from(source));
	add_text(out, r->path);
	add_text(out, r->manifests.path);
	add_texts(out, r->manifests.include);
	add_texts(out, r->manifests.exclude);
	add_text(out, r->manifests.namespace);
	add_texts(out, r->applied.kinds.texts);
	add_texts(out, r->applied.namespaces);
	buf_printf(out, "%d,%d;", r->helm.given, r->helm.given ? (int)r->helm.driver : 0);
	add_texts(out, r->helm.namespaces);
	add_texts(out, r->helm.names);
	return true;
}

static int add_place(struct cfg_places *p, enum cfg_place_kind kind, str name, const struct buf *text, struct err *err)
{
	unsigned char digest[SHA256_DIGEST_LENGTH];
	char place[SOURCE_HASH_SIZE];
	struct cfg_place x = { .kind = kind, .name = arena_str(&p->arena, name) };

	if (text->error || !SHA256((const unsigned char *)text->p, text->n, digest))
		return err_nomem(err);
	hex_write(digest, sizeof(digest), place);
	x.place = arena_str(&p->arena, str_from(place));
	return x.name.p && x.place.p && vec_push(&p->list, x) ? 0 : err_nomem(err);
}

static int add_all(const struct cfg *cfg, struct cfg_places *p, struct buf *text, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < cfg->n_clusters; i++) {
		buf_clear(text);
		add_cluster(&cfg->clusters[i], text);
		r = add_place(p, CFG_PLACE_CLUSTER, cfg->clusters[i].name, text, err);
	}
	for (size_t i = 0; r == 0 && i < cfg->n_references; i++) {
		buf_clear(text);
		if (!add_reference(&cfg->references[i], text))
			return err_nomem(err);
		r = add_place(p, CFG_PLACE_REFERENCE, cfg->references[i].name, text, err);
	}
	return r;
}

static void begin(struct cfg_places *p)
{
	*p = (struct cfg_places){ 0 };
	arena_init(&p->arena, 0, 0);
}

int cfg_places_of(const struct cfg *cfg, struct cfg_places *ret, struct err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(TEXT_MAX);
	int r;

	begin(ret);
	r = add_all(cfg, ret, &text, err);
	if (r < 0)
		cfg_places_done(ret);
	return r;
}

void cfg_places_done(struct cfg_places *p)
{
	vec_done(&p->list);
	arena_done(&p->arena);
	*p = (struct cfg_places){ 0 };
}

/* ---- as text ---- */

/* ORDER enum cfg_place_kind */
static const char *const kinds[] = { "cluster", "reference" };
_Static_assert(ARRAY_LEN(kinds) == CFG_PLACE_REFERENCE + 1, "a name for each kind");

const char *cfg_place_kind_name(enum cfg_place_kind kind)
{
	ASSERT(kind < ARRAY_LEN(kinds));
	return kinds[kind];
}

void cfg_places_write(const struct cfg_places *p, struct buf *out)
{
	for (size_t i = 0; i < p->list.n; i++) {
		const struct cfg_place *x = &p->list.p[i];

		if (str_find_byte(x->name, '\n') < 0)
			buf_printf(out, "%s %.*s %.*s\n", kinds[x->kind], STR_ARG(x->place), STR_ARG(x->name));
	}
}

static bool read_line(str line, struct arena *a, struct cfg_place *ret)
{
	str kind, place;
	size_t i;

	if (!str_next_part(&line, ' ', &kind) || !str_next_part(&line, ' ', &place) || place.n != PLACE_DIGITS ||
	    !hex_is(place) || !line.n)
		return false;
	i = str_index(kind, kinds, ARRAY_LEN(kinds));
	*ret = (struct cfg_place){ (enum cfg_place_kind)i, arena_str(a, line), arena_str(a, place) };
	return i < ARRAY_LEN(kinds);
}

int cfg_places_read(str text, struct cfg_places *ret, struct err *err)
{
	struct cfg_place x;
	str line;

	begin(ret);
	while (text.n && str_next_part(&text, '\n', &line)) {
		if (!read_line(line, &ret->arena, &x))
			continue;
		if (!x.name.p || !x.place.p || !vec_push(&ret->list, x)) {
			cfg_places_done(ret);
			return err_nomem(err);
		}
	}
	return 0;
}

/* ---- names that changed ---- */

static bool has_name(const struct cfg_places *p, enum cfg_place_kind kind, str name)
{
	bool has = false;

	for (size_t i = 0; i < p->list.n && !has; i++)
		has = p->list.p[i].kind == kind && str_eq(p->list.p[i].name, name);
	return has;
}

/* The only place equal to that of @x; NULL: there is none, or there are several. */
static const struct cfg_place *only_at(const struct cfg_places *p, const struct cfg_place *x)
{
	const struct cfg_place *found = NULL;

	for (size_t i = 0; i < p->list.n; i++) {
		if (p->list.p[i].kind != x->kind || !str_eq(p->list.p[i].place, x->place))
			continue;
		if (found)
			return NULL;
		found = &p->list.p[i];
	}
	return found;
}

int cfg_renames_find(const struct cfg_places *was, const struct cfg_places *is, struct cfg_renames *ret,
		     struct err *err)
{
	*ret = (struct cfg_renames){ 0 };
	for (size_t i = 0; i < was->list.n; i++) {
		const struct cfg_place *old = &was->list.p[i], *new = NULL;

		if (!has_name(is, old->kind, old->name) && only_at(was, old))
			new = only_at(is, old);
		if (!new || has_name(was, new->kind, new->name))
			continue;
		if (!vec_push(&ret->list, ((struct cfg_rename){ old->kind, old->name, new->name }))) {
			cfg_renames_done(ret);
			return err_nomem(err);
		}
	}
	return 0;
}

void cfg_renames_done(struct cfg_renames *r)
{
	vec_done(&r->list);
	*r = (struct cfg_renames){ 0 };
}

const str *cfg_renames_get(const struct cfg_renames *r, enum cfg_place_kind kind, str name)
{
	for (size_t i = 0; i < r->list.n; i++) {
		if (r->list.p[i].kind == kind && str_eq(r->list.p[i].was, name))
			return &r->list.p[i].is;
	}
	return NULL;
}

const str *cfg_renames_before(const struct cfg_renames *r, enum cfg_place_kind kind, str name)
{
	for (size_t i = 0; i < r->list.n; i++) {
		if (r->list.p[i].kind == kind && str_eq(r->list.p[i].is, name))
			return &r->list.p[i].was;
	}
	return NULL;
}
