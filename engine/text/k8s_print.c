/* Masks Secrets as kubectl diff does, and prints both sides. */
#include "text/k8s_print.h"

#include "value/yaml.h"

#include <errno.h>

static int without_managed_fields(val *object, struct arena *a, struct err *err)
{
	val metadata = VAL_GET(*object, "metadata");
	const struct key *key;

	if (!val_exists(VAL_GET(metadata, "managedFields")))
		return 0;
	metadata = val_map_without(a, metadata, STR("managedFields"));
	key = key_make(NULL, a, STR("metadata"));
	if (val_exists(metadata) && key)
		*object = val_map_with(a, *object, key, metadata);
	return val_exists(metadata) && key && val_exists(*object) ? 0 : err_nomem(err);
}

bool k8s_print_masks(val live)
{
	str version = val_str(VAL_GET(live, "apiVersion"));
	ptrdiff_t slash = str_find_byte(version, '/');

	if (slash >= 0)
		version = str_sub(version, (size_t)slash + 1, version.n);
	return str_eq(version, STR("v1")) && str_eq(val_str(VAL_GET(live, "kind")), STR("Secret"));
}

/* Fail with Go's %v and %T of a value, without showing its content. */
static int not_a_map(val data, struct err *err)
{
	static const char *const types[] = {
		[VAL_NULL] = "<nil>",     [VAL_BOOL] = "bool",     [VAL_INT] = "int64",           [VAL_UINT] = "uint64",
		[VAL_DOUBLE] = "float64", [VAL_STRING] = "string", [VAL_LIST] = "[]interface {}",
	};
	const char *shown = "***";

	if (val_is_null(data))
		shown = "<nil>";
	else if (val_is_list(data) && data.n == 0)
		shown = "[]";
	else if (val_is_string(data) && data.n == 0)
		shown = "";
	return err_set(err, EINVAL,
		       "run masker: extract 'data' field: get nested map: .data accessor error: %s is of the type %s, "
		       "expected "
		       "map[string]interface{}",
		       shown, types[data.kind]);
}

enum mask { MASK_SAME, MASK_BEFORE, MASK_AFTER };

static val mask(enum mask m)
{
	static const str texts[] = { { "***", 3 }, { "*** (before)", 12 }, { "*** (after)", 11 } };

	return val_string(texts[m]);
}

/* Mask the data of one side. */
static int mask_side(val *object, val data, val other, enum mask different, struct arena *a, struct err *err)
{
	const struct key *key = key_make(NULL, a, STR("data"));
	struct member *members = arena_array(a, data.n, sizeof(*members));

	if (!key || !members)
		return err_nomem(err);
	for (uint32_t i = 0; i < data.n; i++) {
		val mine = data.members[i].value, theirs = val_get_key(other, data.members[i].key);
		bool same = !val_exists(theirs) || val_equal(mine, theirs);

		if (mine.kind == theirs.kind && !val_is_scalar(mine))
			return err_set(err, EINVAL, "runtime error: comparing uncomparable type %s",
				       val_is_map(mine) ? "map[string]interface {}" : "[]interface {}");
		members[i] = (struct member){ data.members[i].key, mask(same ? MASK_SAME : different) };
	}
	*object = val_map_with(a, *object, key, val_map_sorted(members, data.n));
	return val_exists(*object) ? 0 : err_nomem(err);
}

/* Mask the two sides; the results share what did not change with @merged and @live. */
static int mask_both(val merged, val live, bool show_managed_fields, struct arena *a, val *ret_merged, val *ret_live,
		     struct err *err)
{
	val from, to;
	int r = 0;

	if (!show_managed_fields) {
		r = without_managed_fields(&merged, a, err);
		if (r == 0)
			r = without_managed_fields(&live, a, err);
	}
	from = VAL_GET(merged, "data");
	to = VAL_GET(live, "data");
	if (r == 0 && k8s_print_masks(live)) {
		if (val_exists(from) && !val_is_map(from))
			return not_a_map(from, err);
		if (val_exists(to) && !val_is_map(to))
			return not_a_map(to, err);
		if (val_is_map(from))
			r = mask_side(&merged, from, to, MASK_BEFORE, a, err);
		if (r == 0 && val_is_map(to))
			r = mask_side(&live, to, from, MASK_AFTER, a, err);
	}
	if (r < 0)
		return r;
	*ret_merged = merged;
	*ret_live = live;
	return 0;
}

int k8s_print(val merged, val live, bool show_managed_fields, struct arena *a, struct buf *merged_text,
	      struct buf *live_text, struct err *err)
{
	int r = mask_both(merged, live, show_managed_fields, a, &merged, &live, err);

	if (r == 0)
		r = yaml_encode(merged, merged_text, err);
	if (r == 0)
		r = yaml_encode(live, live_text, err);
	return r;
}

int k8s_print_side(val object, bool show_managed_fields, struct arena *a, struct buf *text, struct err *err)
{
	int r = show_managed_fields ? 0 : without_managed_fields(&object, a, err);

	return r < 0 ? r : yaml_encode(object, text, err);
}

int k8s_print_any(val merged, val live, bool show_managed_fields, struct arena *a, struct buf *merged_text,
		  struct buf *live_text, struct err *err)
{
	int r = mask_both(merged, live, show_managed_fields, a, &merged, &live, err);

	return r < 0 ? r : yaml_encode_both(merged, live, merged_text, live_text, err);
}
