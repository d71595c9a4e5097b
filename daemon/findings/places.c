/* Paths as JSON, and back. */
#include "daemon/findings/places.h"

#include "value/json.h"

#define PLACES_BYTES_MAX (1u << 20)

/*   "key"   7   {"name":"web"}   {"keys":"port=53,protocol=\"UDP\"","at":2}   with "again":1 the second one */
static void add_segment(struct buf *out, const struct path_segment *s)
{
	if (s->kind == PATH_KEY) {
		json_encode_string(s->text, JSON_PLAIN, out);
		return;
	}
	if (s->kind == PATH_INDEX) {
		buf_printf(out, "%u", s->index);
		return;
	}
	buf_printf(out, "{\"%s\":", s->kind == PATH_NAME ? "name" : "keys");
	json_encode_string(s->text, JSON_PLAIN, out);
	if (s->kind == PATH_KEYS && s->index != UINT32_MAX)
		buf_printf(out, ",\"at\":%u", s->index);
	if (s->again)
		buf_printf(out, ",\"again\":%u", (unsigned)s->again);
	buf_add_byte(out, '}');
}

str places_join(const struct finding_report *r, struct arena *a)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(PLACES_BYTES_MAX);
	bool any = false;

	for (size_t i = 0; i < r->n_paths; i++) {
		const struct path *p = &r->paths[i].place;

		buf_add_cstr(&out, i ? "," : "[");
		buf_add_cstr(&out, p->n ? "[" : "null");
		for (size_t k = 0; k < p->n; k++) {
			if (k)
				buf_add_byte(&out, ',');
			add_segment(&out, &p->segments[k]);
		}
		if (p->n)
			buf_add_byte(&out, ']');
		any |= p->n > 0;
	}
	buf_add_byte(&out, ']');
	return any && !out.error ? arena_str(a, buf_str(&out)) : arena_str(a, STR(""));
}

val places_read(str text, const struct limits *limits, struct arena *a)
{
	const struct json_options o = { .limits = limits };
	struct err ignored;
	size_t used = 0;
	val v;

	if (!text.n || json_decode_value(text, &o, a, &v, &used, &ignored) < 0)
		return (val){ 0 };
	return v;
}

/* False: @v is no number of an element. */
static bool take_number(val v, uint32_t most, uint32_t *ret)
{
	if (v.kind != VAL_INT || v.i < 0 || v.i > most)
		return false;
	*ret = (uint32_t)v.i;
	return true;
}

static bool take_segment(val v, struct path_segment *ret)
{
	val name = VAL_GET(v, "name"), keys = VAL_GET(v, "keys");
	uint32_t at = UINT32_MAX, again = 0;

	if (v.kind == VAL_STRING) {
		*ret = (struct path_segment){ .kind = PATH_KEY, .text = val_str(v) };
		return true;
	}
	if (take_number(v, UINT32_MAX, &at)) {
		*ret = (struct path_segment){ .kind = PATH_INDEX, .index = at };
		return true;
	}
	(void)take_number(VAL_GET(v, "at"), UINT32_MAX, &at);
	(void)take_number(VAL_GET(v, "again"), PATH_AGAIN_MAX, &again);
	*ret = (struct path_segment){ .kind = name.kind == VAL_STRING ? PATH_NAME : PATH_KEYS,
				      .again = again & PATH_AGAIN_MAX,
				      .index = at,
				      .text = val_str(name.kind == VAL_STRING ? name : keys) };
	return name.kind == VAL_STRING || keys.kind == VAL_STRING;
}

bool places_at(val places, size_t i, struct arena *a, struct path *ret)
{
	val place = val_is_list(places) && i < val_count(places) ? val_at(places, (uint32_t)i) : (val){ 0 };
	size_t n = val_is_list(place) ? val_count(place) : 0;
	struct path_segment *segments = n ? arena_array(a, n, sizeof(*segments)) : NULL;

	if (!segments)
		return false;
	for (size_t k = 0; k < n; k++) {
		if (!take_segment(val_at(place, (uint32_t)k), &segments[k]))
			return false;
	}
	*ret = (struct path){ segments, n };
	return true;
}
