/* Decides which kinds and objects a rule set is for. */
#include "rules/rule_set.h"

#include "base/pattern.h"
#include "go/duration.h"
#include "rules/rule_path.h"

#define HOLD_MAX_NS (24 * GO_HOUR)

bool rule_set_for_version(const struct rule_set *s, str api_version)
{
	return pattern_allows(s->api_version, api_version);
}

bool rule_set_for_kind(const struct rule_set *s, str api_version, str kind)
{
	return rule_set_for_version(s, api_version) && pattern_allows(s->kind, kind);
}

bool rule_set_means_kind(const struct rule_set *s, str api_version, str kind)
{
	bool written_out = s->kind.n && str_find_byte(s->kind, '*') < 0;

	return rule_set_for_kind(s, api_version, kind) &&
	       (written_out || !(str_eq(kind, STR("Event")) || str_eq(kind, STR("Lease"))));
}

bool rule_set_for_object(const struct rule_set *s, val object)
{
	return pattern_allows(s->namespace, val_str(val_dig(object, "metadata", "namespace", NULL))) &&
	       pattern_allows(s->name, val_str(val_dig(object, "metadata", "name", NULL))) &&
	       label_selector_matches(&s->labels, val_dig(object, "metadata", "labels", NULL));
}

bool rule_set_is_selective(const struct rule_set *s)
{
	return s->namespace.n > 0 || s->name.n > 0;
}

bool rule_failure_place(struct cel_failure *f, struct arena *a)
{
	str field = f->rule ? f->rule->field_path : STR("");

	if (f->kind != CEL_FAILED || field.n == 0 || f->rule->sub_path.text.p)
		return true;
	if (f->path.text.n == 0 && field.p[0] == '.')
		field = str_sub(field, 1, field.n);
	return rule_path_below(&f->path, field, f->value, a);
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
