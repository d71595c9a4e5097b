/* A store of inspection rules in memory, for tests. */
#ifndef SUPPORT_MEMORY_RULES_H
#define SUPPORT_MEMORY_RULES_H

#include "rules/inspection/insp_api.h"

struct memory_rules {
	VEC(struct insp_stored) list;
};

static inline const struct insp_stored *memory_rules_at(void *ctx, size_t i)
{
	const struct memory_rules *m = ctx;

	return i < m->list.n ? &m->list.p[i] : NULL;
}

static inline void memory_rules_free(struct insp_stored *s)
{
	insp_rule_free((struct insp_rule *)s->rule);
	free((char *)s->created_at.p);
	free((char *)s->updated_at.p);
}

static inline str memory_rules_copy(str s)
{
	return s.p ? (str){ str_dup(s), s.n } : (str){ NULL, 0 };
}

static inline int memory_rules_put(void *ctx, struct insp_rule *rule, str created_at, str updated_at, struct err *err)
{
	struct insp_stored s = { rule, memory_rules_copy(created_at), memory_rules_copy(updated_at) };
	struct memory_rules *m = ctx;

	if (!s.created_at.p || (updated_at.p && !s.updated_at.p)) {
		memory_rules_free(&s);
		return err_nomem(err);
	}
	for (size_t i = 0; i < m->list.n; i++) {
		if (!str_eq_nocase(m->list.p[i].rule->uuid, rule->uuid))
			continue;
		memory_rules_free(&m->list.p[i]);
		m->list.p[i] = s;
		return 0;
	}
	if (vec_push(&m->list, s))
		return 0;
	memory_rules_free(&s);
	return err_nomem(err);
}

static inline int memory_rules_remove(void *ctx, const struct insp_rule *rule, struct err *err)
{
	struct memory_rules *m = ctx;
	size_t i = 0;

	(void)err;
	while (m->list.p[i].rule != rule)
		i++;
	memory_rules_free(&m->list.p[i]);
	memmove(m->list.p + i, m->list.p + i + 1, (m->list.n - i - 1) * sizeof(*m->list.p));
	m->list.n--;
	return 0;
}

static inline int memory_rules_clear(void *ctx, struct err *err)
{
	struct memory_rules *m = ctx;

	(void)err;
	for (size_t i = 0; i < m->list.n; i++)
		memory_rules_free(&m->list.p[i]);
	m->list.n = 0;
	return 0;
}

static inline struct insp_store memory_rules_store(struct memory_rules *m)
{
	return (struct insp_store){ memory_rules_at, memory_rules_put, memory_rules_remove, memory_rules_clear, m };
}

static inline void memory_rules_done(struct memory_rules *m)
{
	struct err err;

	(void)memory_rules_clear(m, &err);
	vec_done(&m->list);
}

#endif
