/* Lists of failed rules. */
#include "daemon/watch/open_rules.h"

static void open_rule_done(struct open_rule *x)
{
	free(x->rule);
	free(x->path);
}

void open_rules_free(struct open_rules *x)
{
	if (!x)
		return;
	for (size_t i = 0; i < x->list.n; i++)
		open_rule_done(&x->list.p[i]);
	vec_done(&x->list);
	free(x);
}

bool open_rules_add(struct open_rules *to, bool costly, enum rule_source source, str rule, str path)
{
	struct open_rule x = { .costly = costly, .source = source, .rule = str_dup(rule), .path = str_dup(path) };

	if (x.rule && x.path && vec_push(&to->list, x))
		return true;
	open_rule_done(&x);
	return false;
}

bool open_rules_has(const struct open_rules *in, bool costly, enum rule_source source, str rule, str path)
{
	for (size_t i = 0; i < in->list.n; i++) {
		const struct open_rule *x = &in->list.p[i];

		if (x->costly == costly && x->source == source && str_eq(str_from(x->rule), rule) &&
		    str_eq(str_from(x->path), path))
			return true;
	}
	return false;
}
