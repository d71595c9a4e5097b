/* Finds the entry of managedFields that owns a path. */
#include "compare/blame.h"

#include "base/number.h"
#include "mask/shapes.h"
#include "value/json.h"

#define KEY_BYTES_MAX (64u << 10)
#define BLAME_ARENA_MAX (1u << 20)

/* ---- fieldsV1 ---- */

/* Whether the JSON text of a "k:" or "v:" key describes @item: each of its members, or the value itself. */
static bool describes(str json, bool value, val item)
{
	static const struct limits limits = {
		.object_bytes = KEY_BYTES_MAX, .depth = 100, .document_nodes = 10000, .arena_bytes = BLAME_ARENA_MAX
	};
	struct json_options o = { .limits = &limits };
	struct arena a;
	size_t used = 0;
	val v = { 0 };
	struct err e;
	bool same = false;

	arena_init(&a, 0, BLAME_ARENA_MAX);
	if (json_decode_value(json, &o, &a, &v, &used, &e) == 0 && used == json.n) {
		same = value ? val_equal(v, item) : val_is_map(v) && v.n > 0;
		for (uint32_t i = 0; !value && same && i < v.n; i++)
			same = val_equal(v.members[i].value, val_get_key(item, v.members[i].key));
	}
	arena_done(&a);
	return same;
}

/* The part of @fields about a map's member, which is under "f:" and its key. Members are sorted by key. */
static val member_fields(val fields, str key)
{
	uint32_t lo = 0, hi = val_is_map(fields) ? fields.n : 0;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		str name = key_str(fields.members[mid].key);
		int order = str_cmp(str_sub(name, 0, 2), STR("f:"));

		if (order == 0)
			order = str_cmp(str_sub(name, 2, name.n), key);
		if (order == 0)
			return fields.members[mid].value;
		if (order < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return (val){ 0 };
}

static bool spend(uint64_t *steps, uint64_t n)
{
	*steps -= n < *steps ? n : *steps;
	return *steps > 0;
}

#define BYTES_A_STEP 64

/* The part of @fields about a list's item, which is described by its key fields, its value or its index. */
static val item_fields(val fields, val item, uint32_t index, uint64_t *steps)
{
	int64_t at;

	for (uint32_t i = 0; i < val_count(fields) && val_is_map(fields); i++) {
		str key = key_str(fields.members[i].key);
		str rest = str_sub(key, 2, key.n);

		if (!spend(steps, 1 + key.n / BYTES_A_STEP))
			break;
		if ((str_has_prefix(key, STR("k:")) && describes(rest, false, item)) ||
		    (str_has_prefix(key, STR("v:")) && describes(rest, true, item)))
			return fields.members[i].value;
		if (str_has_prefix(key, STR("i:")) && int64_parse(rest, &at) && at == (int64_t)index)
			return fields.members[i].value;
	}
	return (val){ 0 };
}

/* How many segments of @p the fields of @entry own: all of them when it owns the place or something below it, fewer
 * when it owns a value above as a whole, 0 when it owns neither. *ret is the part of the fields about the last
 * segment. */
static size_t owned_depth(val entry, val object, struct path p, uint64_t *steps, val *ret)
{
	val fields = VAL_GET(entry, "fieldsV1"), here = object;

	for (size_t i = 0; i < p.n; i++) {
		const struct path_segment *s = &p.segments[i];
		val next;

		if (val_is_map(fields) && fields.n == 0 && i > 0)
			return i; /* the value here is owned as a whole */
		if (s->kind == PATH_KEY) {
			next = member_fields(fields, s->text);
			here = val_get(here, s->text);
		} else {
			uint32_t index = path_item(here, s);

			here = val_at(here, index);
			next = item_fields(fields, here, index, steps);
		}
		if (!val_exists(next))
			return 0;
		*ret = fields = next;
	}
	return p.n;
}

/* ---- entries ---- */

/* A client names itself, and may by mistake use its credentials for that. Such a name is hidden. */
static str shown(str manager)
{
	return mask_shape(NULL, manager) == SHAPE_SECRET ? STR("(hidden)") : manager;
}

struct blame blame_from(val entry)
{
	return (struct blame){
		.manager = shown(val_str(VAL_GET(entry, "manager"))),
		.operation = val_str(VAL_GET(entry, "operation")),
		.subresource = val_str(VAL_GET(entry, "subresource")),
		.time = val_str(VAL_GET(entry, "time")),
	};
}

bool blame_field(val managed_fields, val object, struct path p, uint64_t *steps, struct blame *ret)
{
	size_t best = 0;
	str latest = { "", 0 };
	val fields = { 0 };

	if (!val_exists(path_get(object, p)))
		return false;
	for (uint32_t i = 0; i < val_count(managed_fields) && spend(steps, 1 + p.n / BYTES_A_STEP); i++) {
		val entry = val_at(managed_fields, i);
		size_t depth = owned_depth(entry, object, p, steps, &fields);
		str time = val_str(VAL_GET(entry, "time"));

		/* Times are UTC and of one form: their order is that of their bytes. */
		if (!depth || depth < best || (depth == best && str_cmp(time, latest) <= 0))
			continue;
		best = depth;
		latest = time;
		*ret = blame_from(entry);
	}
	return best > 0 && *steps > 0;
}

bool blame_owned_by(val managed_fields, val object, struct path p, uint64_t *steps,
		    bool (*is)(const void *ctx, str manager), const void *ctx)
{
	size_t best = 0;
	bool found = false;
	val fields = { 0 };

	if (!val_exists(path_get(object, p)))
		return false;
	for (uint32_t i = 0; i < val_count(managed_fields) && spend(steps, 1 + p.n / BYTES_A_STEP); i++) {
		val entry = val_at(managed_fields, i);
		size_t depth = owned_depth(entry, object, p, steps, &fields);

		if (!depth || depth < best)
			continue;
		found = (depth == best && found) || is(ctx, val_str(VAL_GET(entry, "manager")));
		best = depth;
	}
	return found && *steps > 0;
}

bool blame_by_member(val managed_fields, val object, struct path p, uint64_t *steps)
{
	bool found = false;

	for (uint32_t i = 0; i < val_count(managed_fields) && !found && spend(steps, 1 + p.n / BYTES_A_STEP); i++) {
		val fields = { 0 };

		if (owned_depth(val_at(managed_fields, i), object, p, steps, &fields) < p.n)
			continue;
		for (uint32_t k = 0; val_is_map(fields) && k < fields.n; k++)
			found |= str_has_prefix(key_str(fields.members[k].key), STR("f:"));
	}
	return found && *steps > 0;
}
