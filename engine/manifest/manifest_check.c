/* Reports mistakes in single manifests that an API server refuses as well. */
#include "manifest/manifest_set_internal.h"
#include "topology/list_pairs.h"

#include <errno.h>
#include <stdio.h>

/* ---- texts ---- */

static void check_map(struct manifest_set *s, const struct manifest *m, struct path_segment *at, size_t n, val map)
{
	if (val_exists(map) && !val_is_null(map) && !val_is_map(map)) {
		manifest_mistake(s, m, (struct path){ at, n }, "%.*s must be a map of texts", STR_ARG(at[n - 1].text));
		return;
	}
	for (uint32_t i = 0; i < val_count(map); i++) {
		val v = map.members[i].value;

		if (val_is_string(v) || val_is_null(v))
			continue;
		at[n] = (struct path_segment){ .kind = PATH_KEY, .text = key_str(map.members[i].key) };
		manifest_mistake(
			s, m, (struct path){ at, n + 1 },
			"%.*s of %.*s is not text but a JSON %s, which the API server refuses: put it in quotes",
			STR_ARG(at[n].text), STR_ARG(at[n - 1].text), val_kind_name(v));
	}
}

void manifest_check_texts(struct manifest_set *s, const struct manifest *m)
{
	static const struct {
		const char *kind, *parent, *map;
	} maps[] = {
		{ NULL, "metadata", "annotations" }, { NULL, "metadata", "labels" },
		{ "ConfigMap", NULL, "binaryData" }, { "ConfigMap", NULL, "data" },
		{ "Secret", NULL, "data" },          { "Secret", NULL, "stringData" },
	};

	for (size_t i = 0; i < ARRAY_LEN(maps); i++) {
		struct path_segment at[3];
		val v = m->object;
		size_t n = 0;

		if (maps[i].kind &&
		    (!str_eq(m->id.kind, str_from(maps[i].kind)) || !str_eq(m->id.api_version, STR("v1"))))
			continue;
		if (maps[i].parent) {
			at[n++] = (struct path_segment){ .kind = PATH_KEY, .text = str_from(maps[i].parent) };
			v = val_get(v, str_from(maps[i].parent));
		}
		at[n++] = (struct path_segment){ .kind = PATH_KEY, .text = str_from(maps[i].map) };
		check_map(s, m, at, n, val_get(v, str_from(maps[i].map)));
	}
}

/* ---- keys ---- */

struct key_check {
	struct manifest_set *set;
	const struct manifest *manifest;
	VEC(struct path_segment) at;
	struct arena arena; /* for the work on one list */
	struct err *err;
};

static struct path at_index(struct key_check *c, uint32_t index)
{
	c->at.p[c->at.n - 1] = (struct path_segment){ .kind = PATH_INDEX, .index = index };
	return (struct path){ c->at.p, c->at.n };
}

/* Report elements of a list that have the same key: the second one is a mistake, and so are all that follow it. */
static void report_repeated(struct key_check *c, const struct list_keys *keys, const struct list_pairs *p, val list)
{
	for (uint32_t i = 0; i < list.n && !problems_full(&c->set->mistakes); i++) {
		const struct list_element *e = &p->before[i];
		CLEANUP(buf_done) struct buf name = BUF_INIT(4096);
		struct path_segment s;
		str first;

		if (e->bare || !e->next || e->again)
			continue;
		first = manifest_where(c->set, c->manifest, at_index(c, i));
		s = list_element_segment(keys, e, list.items[i], i, &c->arena);
		path_format((struct path){ &s, 1 }, &name);
		manifest_mistake(c->set, c->manifest, at_index(c, e->next - 1),
				 "%.*s is in its list twice, which the API server refuses; first at %.*s",
				 STR_ARG(buf_str(&name)), STR_ARG(first));
	}
}

static int check_list(struct key_check *c, const struct topo *t, val list)
{
	struct list_keys keys;
	struct list_pairs pairs;
	int r;

	topo_list_keys(t, list, &keys);
	if (!keys.sure || list.n < 2)
		return 0;
	arena_reset(&c->arena);
	if (!vec_push(&c->at, (struct path_segment){ .kind = PATH_INDEX }))
		return err_nomem(c->err);
	r = list_pairs_make(list, list, &keys, &c->arena, &pairs);
	if (r > 0 && pairs.twice)
		report_repeated(c, &keys, &pairs, list);
	c->at.n--;
	return r < 0 ? err_nomem(c->err) : 0;
}

static int check_value(struct key_check *c, struct topo t, val v)
{
	bool map = val_is_map(v);
	int r = 0;

	if (c->at.n >= c->set->limits->depth)
		return 0;
	if (val_is_list(v))
		r = check_list(c, &t, v);
	for (uint32_t i = 0; (map || val_is_list(v)) && i < v.n && r == 0; i++) {
		str key = map ? key_str(v.members[i].key) : STR("");
		struct path_segment s = { .kind = map ? PATH_KEY : PATH_INDEX, .index = i, .text = key };

		if (!vec_push(&c->at, s))
			return err_nomem(c->err);
		r = check_value(c, map ? topo_member(&t, key) : topo_element(&t),
				map ? v.members[i].value : v.items[i]);
		c->at.n--;
	}
	return r;
}

int manifest_check_keys(struct manifest_set *s, const struct manifest *m, val schema, struct err *err)
{
	struct key_check c = { .set = s, .manifest = m, .err = err };
	int r;

	arena_init(&c.arena, 0, 0);
	r = check_value(&c, topo_root(m->id.api_version, m->id.kind, schema), m->object);
	vec_done(&c.at);
	arena_done(&c.arena);
	return r;
}
