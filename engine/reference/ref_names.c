/* Collects the names in a rendered reference. */
#include "reference/ref.h"

val ref_names(val rendered, struct key_table *keys, struct arena *a)
{
	struct member *names;

	if (!val_is_map(rendered))
		return val_null();
	names = arena_array(a, rendered.n, sizeof(*names));
	if (!names)
		return (val){ 0 };
	for (uint32_t i = 0; i < rendered.n; i++) {
		const struct member *m = &rendered.members[i];

		names[i] = (struct member){ key_make(keys, a, key_str(m->key)), ref_names(m->value, keys, a) };
		if (!names[i].key || !val_exists(names[i].value))
			return (val){ 0 };
	}
	return val_map_sorted(names, rendered.n);
}
