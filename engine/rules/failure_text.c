/* Writes failures of rules without values that may not be shown. */
#include "rules/failure_text.h"

#include "mask/shapes.h"
#include "rules/rule_path.h"

bool failure_hides(const struct mask_fields *mask, val object, const struct cel_failure *f)
{
	return mask_hides_at(mask, object, f->path.at) || mask_hides(mask, mask_root(), f->value) ||
	       mask_hides(mask, mask_root(), f->old);
}

/* The message of a failure. The texts of expressions and of evaluation errors may contain parts of what they read. */
str failure_message(const struct cel_failure *f, bool hidden, struct arena *a)
{
	str fixed = f->rule ? str_trim(f->rule->message) : STR("");
	str rule = f->rule ? str_trim(f->rule->rule) : STR("");

	if (!hidden || f->kind == CEL_COST || f->kind == CEL_COMPILE)
		return f->message;
	if (f->kind == CEL_RUNTIME)
		return arena_printf(a, "the evaluation failed (the error is hidden) evaluating rule: %.*s",
				    STR_ARG(fixed.n ? fixed : rule));
	return fixed.n ? fixed : arena_printf(a, "failed rule: %.*s", STR_ARG(rule));
}

#define ELEMENTS_A_STEP 8

struct spending {
	const struct mask_fields *mask;
	bool all;
};

static bool spend(void *ctx, uint64_t n)
{
	struct spending *s = ctx;

	s->all = s->mask && !mask_spend(s->mask, n / ELEMENTS_A_STEP);
	return !s->all;
}

static bool has_elements(struct path p)
{
	for (size_t i = 0; i < p.n; i++) {
		if (p.segments[i].kind == PATH_INDEX)
			return true;
	}
	return false;
}

str failure_path(const struct mask_fields *mask, val object, const struct topo *type, const struct cel_where *path,
		 struct arena *a)
{
	struct spending spending = { .mask = mask };
	struct path p = path->at;
	str text = path->text;

	if (type && has_elements(p) && !rule_place(path, object, type, spend, &spending, a, &text, &p))
		return spending.all ? path->text : (str){ NULL, 0 };
	/* nearly all texts are plain */
	return mask_shape(mask, text) == SHAPE_PLAIN ? text : mask_path_text(mask, p, a);
}

str failure_path_shown(val object, const struct topo *type, const struct cel_where *path, struct arena *a)
{
	struct spending all = { 0 };
	struct path p;
	str text = path->text;

	if (has_elements(path->at) && !rule_place(path, object, type, spend, &all, a, &text, &p))
		return (str){ NULL, 0 };
	return text;
}
