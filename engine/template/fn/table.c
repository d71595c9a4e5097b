/* The table of all functions: the families, and what is asked of them together. */
#include "template/fn/fn.h"

static const struct tmpl_fn_family *const families[] = {
	&fn_builtins, &fn_conv,  &fn_crypto, &fn_data,  &fn_date,    &fn_defaults, &fn_dicts,  &fn_encoding, &fn_flow,
	&fn_kube,     &fn_lists, &fn_math,   &fn_paths, &fn_reflect, &fn_regex,    &fn_semver, &fn_strings,
};

const struct tmpl_fn *tmpl_fn_find(str name)
{
	for (size_t f = 0; f < ARRAY_LEN(families); f++) {
		for (size_t i = 0; i < families[f]->n; i++) {
			if (str_eq(str_from(families[f]->rows[i].name), name))
				return &families[f]->rows[i];
		}
	}
	return NULL;
}

/* By rank, without a sorted copy: for display only. */
const struct tmpl_fn *tmpl_fn_at(size_t n)
{
	const struct tmpl_fn *last = NULL, *best = NULL;

	for (size_t rank = 0; rank <= n; rank++) {
		best = NULL;
		for (size_t f = 0; f < ARRAY_LEN(families); f++) {
			for (size_t i = 0; i < families[f]->n; i++) {
				const struct tmpl_fn *row = &families[f]->rows[i];

				if ((!last || strcmp(row->name, last->name) > 0) &&
				    (!best || strcmp(row->name, best->name) < 0))
					best = row;
			}
		}
		if (!best)
			return NULL;
		last = best;
	}
	return best;
}

void tmpl_fn_signature(const struct tmpl_fn *fn, struct buf *out)
{
	size_t n = 0;

	buf_add_cstr(out, "func(");
	while (n < TMPL_FN_PARAMS && fn->params[n])
		n++;
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			buf_add_cstr(out, ", ");
		if (fn->variadic && i == n - 1)
			buf_add_cstr(out, "...");
		buf_add_cstr(out, fn->params[i]->name);
	}
	buf_add_cstr(out, ") ");
	buf_add_cstr(out, fn->result->name);
}
