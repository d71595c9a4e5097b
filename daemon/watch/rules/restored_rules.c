/* Keeps the violations of objects that were not seen yet. */
#include "daemon/watch/rules/restored_rules.h"

#include "base/assert.h"
#include "daemon/watch/rules/open_rules.h"

#include <stdio.h>

#define KEY_BYTES_MAX 65536

static struct open_rules *take(struct restored_rules *x, const struct object *o)
{
	struct identity id = object_identity(o);

	return x->by_object.n ? identity_remove(&x->by_object, &id) : NULL;
}

static struct open_rules *new_open(struct restored_rules *x, const struct identity *id)
{
	CLEANUP(buf_done) struct buf key = BUF_INIT(KEY_BYTES_MAX);
	struct open_rules *open = calloc(1, sizeof(*open));

	identity_text(id, &key);
	if (!open || key.error || !strmap_put(&x->by_object, buf_str(&key), open, NULL)) {
		free(open);
		return NULL;
	}
	return open;
}

int restored_rules_add(struct restored_rules *x, const struct finding *of, struct err *err)
{
	const struct finding_subject *s = &of->subject;
	struct identity id = { s->api_version, s->kind, s->namespace, s->name };
	struct open_rules *open = identity_get(&x->by_object, &id);
	char acceptance[ACCEPTANCE_ID_SIZE];

	ASSERT(finding_is_violation(of->kind, s)); /* the next validation would end a finding of another judge */
	(void)snprintf(acceptance, sizeof(acceptance), "%.*s", STR_ARG(s->acceptance));
	if (!open)
		open = new_open(x, &id);
	if (open && str_eq(s->rule, STR(OPEN_RULE_MORE))) {
		open->more_reported = true;
		memcpy(open->more_acceptance, acceptance, sizeof(acceptance));
		return 0;
	}
	if (!open)
		return err_nomem(err);
	if (open_rules_find(open, false, rule_source_parse(s->rule_source), s->rule, s->rule_path))
		return 0;
	if (open_rules_add(open, false, rule_source_parse(s->rule_source), s->rule, s->rule_path, acceptance))
		return 0;
	return err_nomem(err);
}

void restored_rules_recall(struct restored_rules *x, struct object *o)
{
	struct open_rules *known = take(x, o);

	if (!known || !o->open_rules) {
		o->open_rules = known ? known : o->open_rules;
		return;
	}
	for (size_t i = 0; i < known->list.n; i++) {
		const struct open_rule *was = &known->list.p[i];

		if (!open_rules_find(o->open_rules, false, was->source, str_from(was->rule), str_from(was->path)))
			(void)!open_rules_add(o->open_rules, false, was->source, str_from(was->rule),
					      str_from(was->path), was->acceptance);
	}
	if (known->more_reported && !o->open_rules->more_reported)
		memcpy(o->open_rules->more_acceptance, known->more_acceptance, ACCEPTANCE_ID_SIZE);
	o->open_rules->more_reported |= known->more_reported;
	open_rules_free(known);
}

void restored_rules_done(struct restored_rules *x)
{
	const struct strmap_entry *e;
	size_t at = 0;

	while ((e = strmap_each(&x->by_object, &at)))
		open_rules_free(e->value);
	strmap_done(&x->by_object);
}
