/* Field omission by examples: tests/data/reference/triples. */
#include "support/triples.h"

#include "reference/ref.h"
#include "value/json.h"

static const struct limits limits = LIMITS_DEFAULT;

static int decode(str text, struct arena *a, val *ret, struct err *err)
{
	struct json_options o = { .limits = &limits };
	size_t used;

	return json_decode_value(text, &o, a, ret, &used, err);
}

/* A path is a list of keys; "*" at the end of the last one makes it a prefix. */
static struct omit_path path_of(val list, struct arena *a)
{
	str *keys = arena_array(a, val_count(list), sizeof(*keys));
	struct omit_path p = { keys, val_count(list), false };

	for (uint32_t i = 0; i < p.n; i++)
		keys[i] = val_str(val_at(list, i));
	if (p.n && str_has_suffix(keys[p.n - 1], STR("*"))) {
		keys[p.n - 1].n--;
		p.prefix = true;
	}
	return p;
}

/* The program is a list of paths; what is left of the input. */
static int run_omit(const struct triple *t, struct arena *a, struct buf *out)
{
	struct omit_list omit;
	struct omit_path *list;
	val paths, object;
	struct err err;
	int r = decode(t->program, a, &paths, &err);

	if (r == 0)
		r = decode(t->input, a, &object, &err);
	if (r < 0)
		return triple_error(r, &err, out);
	list = arena_array(a, val_count(paths), sizeof(*list));
	for (uint32_t i = 0; list && i < val_count(paths); i++)
		list[i] = path_of(val_at(paths, i), a);
	r = omit_list_make(list, val_count(paths), a, &omit, &err);
	if (r == 0)
		r = json_encode(omit_fields(object, omit, a), JSON_PLAIN, NULL, out, &err);
	return r < 0 ? triple_error(r, &err, out) : 0;
}

static const struct triple_file files[] = { { "omit", run_omit } };

int main(void)
{
	return triples_main(TEST_DATA "/reference/triples", files, ARRAY_LEN(files));
}
