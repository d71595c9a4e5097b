/* Which kinds and objects a rule set is for. */
#include "rules/rule_set.h"

#include "go/duration.h"

#define HOLD_MAX_NS (24 * GO_HOUR)

/* "*" stands for any text. The last star is where a mismatch goes back to: linear in practice, no recursion. */
static bool pattern_matches(str pattern, str text)
{
	size_t p = 0, t = 0, star = SIZE_MAX, mark = 0;

	if (pattern.n == 0)
		return true;
	while (t < text.n) {
		if (p < pattern.n && pattern.p[p] == '*') {
			star = p++;
			mark = t;
		} else if (p < pattern.n && pattern.p[p] == text.p[t]) {
			p++;
			t++;
		} else if (star != SIZE_MAX) {
			p = star + 1;
			t = ++mark;
		} else {
			return false;
		}
	}
	while (p < pattern.n && pattern.p[p] == '*')
		p++;
	return p == pattern.n;
}

bool rule_set_for_version(const struct rule_set *s, str api_version)
{
	return pattern_matches(s->api_version, api_version);
}

bool rule_set_for_kind(const struct rule_set *s, str api_version, str kind)
{
	return rule_set_for_version(s, api_version) && pattern_matches(s->kind, kind);
}

bool rule_set_for_object(const struct rule_set *s, val object)
{
	return pattern_matches(s->namespace, val_str(val_dig(object, "metadata", "namespace", NULL))) &&
	       pattern_matches(s->name, val_str(val_dig(object, "metadata", "name", NULL))) &&
	       label_selector_matches(&s->labels, val_dig(object, "metadata", "labels", NULL));
}

str rule_failure_path(const struct cel_failure *f, struct arena *a)
{
	str field = f->rule ? f->rule->field_path : STR("");

	if (f->kind != CEL_FAILED || field.n == 0 || f->rule->sub_path.p)
		return f->path;
	if (f->path.n == 0 && field.p[0] == '.')
		field = str_sub(field, 1, field.n);
	return arena_printf(a, "%.*s%.*s", STR_ARG(f->path), STR_ARG(field));
}

bool rule_set_names_kind(const struct rule_set *s)
{
	return str_find_byte(s->api_version, '*') < 0 && str_find_byte(s->kind, '*') < 0;
}

bool rule_hold_parse(str text, int64_t *ret)
{
	int64_t ns;

	if (!go_duration_parse(text, &ns, NULL) || ns < 0 || ns > HOLD_MAX_NS)
		return false;
	*ret = ns;
	return true;
}
