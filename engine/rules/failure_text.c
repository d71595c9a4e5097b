/* Failures of rules over values that may not be shown. */
#include "rules/failure_text.h"

#include "mask/shapes.h"
#include "rules/rule_path.h"

bool failure_hides(const struct mask_fields *mask, val object, struct path path, const struct cel_failure *f)
{
	return mask_hides_at(mask, object, path) || mask_hides(mask, mask_root(), f->value) ||
	       mask_hides(mask, mask_root(), f->old);
}

/* The texts of expressions and of evaluation errors hold parts of what they read. */
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

str failure_path(const struct mask_fields *mask, val object, const struct topo *type, str text, struct arena *a)
{
	struct spending spending = { .mask = mask };
	struct path p;

	if (type && str_find_byte(text, '[') >= 0) {
		str place = text;

		if (!rule_place(&place, object, type, spend, &spending, a, &p))
			return spending.all ? text : (str){ NULL, 0 };
		return mask_shape(mask, place) == SHAPE_PLAIN ? place : mask_path_text(mask, p, a);
	}
	if (mask_shape(mask, text) == SHAPE_PLAIN) /* as nearly all of them */
		return text;
	return mask_path_text(mask, rule_path(text, object, a), a);
}

str failure_path_shown(val object, const struct topo *type, str text, struct arena *a)
{
	struct spending all = { 0 };
	struct path p;

	if (str_find_byte(text, '[') >= 0 && !rule_place(&text, object, type, spend, &all, a, &p))
		return (str){ NULL, 0 };
	return text;
}
