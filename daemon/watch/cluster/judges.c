/* The judges of a cluster's objects, in this order: each of its references, the validation rules, and, for objects
 * without a reference, inspection. Questions to all of them are asked here. */
#include "daemon/watch/cluster/cluster_internal.h"

#include "daemon/findings/notice.h"

/* The functions of a judge. The number @judge says which reference the judge is. A function that is NULL: the judge
 * has nothing to do. */
struct judge_table {
	bool of_foreign; /* the judge also looks at objects that another process reports */
	int (*judge)(struct cluster *c, size_t judge, struct object *o, struct err *err);
	bool (*still_valid)(struct cluster *c, size_t judge, struct object *o, struct kc_object *e);
	bool (*may_look_ahead)(const struct cluster *c, const struct object *o);
	void (*changed)(struct cluster *c, size_t judge, const struct object *o);
	void (*forget_seen)(struct cluster *c, size_t judge, struct object *o);
	int (*refuse)(struct cluster *c, size_t judge, struct object *o, const char *reason, bool *reported);
	void (*forget)(struct cluster *c, size_t judge, struct object *o);
	void (*release)(struct cluster *c, size_t judge, struct object *o);
};

/* ---- a reference ---- */

static int judge_by_reference(struct cluster *c, size_t judge, struct object *o, struct err *err)
{
	struct judge_context j = cluster_judge_context(c);
	/* an object without an event of its own is judged because of something else */
	bool force = o->received_ns == 0 || o->judged[judge].waits;

	return reference_judge_object(&c->references[judge], o, force, &j, err);
}

static bool reference_still_valid(struct cluster *c, size_t judge, struct object *o, struct kc_object *e)
{
	struct judge_context j = cluster_judge_context(c);

	return reference_judge_still_valid(&c->references[judge], o, e, &j);
}

static void reference_changed(struct cluster *c, size_t judge, const struct object *o)
{
	reference_judge_changed(&c->references[judge], o);
}

static void reference_forget_seen(struct cluster *c, size_t judge, struct object *o)
{
	reference_judge_forget_seen(&c->references[judge], o);
}

static int reference_refuse(struct cluster *c, size_t judge, struct object *o, const char *reason, bool *reported)
{
	struct judge_context j = cluster_judge_context(c);

	return reference_judge_refuse(&c->references[judge], o, reason, &j, reported);
}

static void reference_forget(struct cluster *c, size_t judge, struct object *o)
{
	struct judge_context j = cluster_judge_context(c);

	reference_judge_forget(&c->references[judge], o, o->gone_why, &j);
}

static void reference_release(struct cluster *c, size_t judge, struct object *o)
{
	if (o->judged)
		reference_judge_release(&c->references[judge], o);
}

static const struct judge_table reference = {
	.of_foreign = true,
	.judge = judge_by_reference,
	.still_valid = reference_still_valid,
	.changed = reference_changed,
	.forget_seen = reference_forget_seen,
	.refuse = reference_refuse,
	.forget = reference_forget,
	.release = reference_release,
};

/* ---- the rules ---- */

static int judge_by_rules(struct cluster *c, size_t judge, struct object *o, struct err *err)
{
	int r = rule_judge_object(c->rules, o, err);

	(void)judge;
	o->ruled = true;
	if (r < 0) {
		CLEANUP(freep) char *resource = str_dup(o->kind->resource);

		record_notice(c->context.sink, c->config->name, SEVERITY_ERROR, resource, err->msg);
	}
	return r;
}

static bool rules_still_valid(struct cluster *c, size_t judge, struct object *o, struct kc_object *e)
{
	(void)judge;
	return rule_judge_still_valid(c->rules, o, e);
}

static bool rules_may_look_ahead(const struct cluster *c, const struct object *o)
{
	return rule_judge_has_passed(c->rules, o);
}

static int rules_refuse(struct cluster *c, size_t judge, struct object *o, const char *reason, bool *reported)
{
	(void)judge;
	(void)reason;
	(void)reported;
	rule_judge_keep(c->rules, o);
	return 0;
}

static void rules_forget(struct cluster *c, size_t judge, struct object *o)
{
	(void)judge;
	rule_judge_forget(c->rules, o, o->gone_why);
}

static void rules_release(struct cluster *c, size_t judge, struct object *o)
{
	(void)c;
	(void)judge;
	rule_judge_release(o);
}

static const struct judge_table rules = {
	.judge = judge_by_rules,
	.still_valid = rules_still_valid,
	.may_look_ahead = rules_may_look_ahead,
	.refuse = rules_refuse,
	.forget = rules_forget,
	.release = rules_release,
};

/* ---- inspection ---- */

static int judge_by_inspection(struct cluster *c, size_t judge, struct object *o, struct err *err)
{
	(void)judge;
	return cluster_inspect(c, o, err);
}

static bool inspection_still_valid(struct cluster *c, size_t judge, struct object *o, struct kc_object *e)
{
	(void)judge;
	(void)e;
	return cluster_inspection_still_valid(c, o);
}

static int inspection_refuse(struct cluster *c, size_t judge, struct object *o, const char *reason, bool *reported)
{
	(void)judge;
	(void)reason;
	(void)reported;
	watch_inspector_keep(c->inspector, o, NULL);
	return 0;
}

static void inspection_forget(struct cluster *c, size_t judge, struct object *o)
{
	(void)judge;
	cluster_inspect_gone(c, o);
}

static const struct judge_table inspection = {
	.judge = judge_by_inspection,
	.still_valid = inspection_still_valid,
	.refuse = inspection_refuse,
	.forget = inspection_forget,
};

/* ---- questions to all judges ---- */

static size_t judges_count(const struct cluster *c)
{
	return c->n_references + 2;
}

static const struct judge_table *table_of(const struct cluster *c, size_t judge)
{
	if (judge < c->n_references)
		return &reference;
	return judge == c->n_references ? &rules : &inspection;
}

bool judges_judge(struct cluster *c, struct object *o, uint64_t until_ns)
{
	size_t n = judges_count(c);

	for (;;) {
		const struct judge_table *t = table_of(c, o->stage);
		struct err err;

		if ((t->of_foreign || !object_is_foreign(o)) && t->judge(c, o->stage, o, &err) < 0)
			cluster_judge_later(c, o);
		o->stage = (uint16_t)((o->stage + 1u) % n);
		if (++o->n_stages >= n)
			return true;
		if (uv_hrtime() >= until_ns)
			return false;
	}
}

/* References are asked last, because the answer takes reading the object. */
bool judges_still_valid(struct cluster *c, struct object *o, struct kc_object *e)
{
	for (size_t i = judges_count(c); i > 0; i--) {
		if (!table_of(c, i - 1)->still_valid(c, i - 1, o, e))
			return false;
	}
	return true;
}

bool judges_may_look_ahead(const struct cluster *c, const struct object *o)
{
	for (size_t i = 0; i < judges_count(c); i++) {
		const struct judge_table *t = table_of(c, i);

		if (t->may_look_ahead && !t->may_look_ahead(c, o))
			return false;
	}
	return true;
}

void judges_changed(struct cluster *c, const struct object *o)
{
	lent_kind_end(o->kind);
	for (size_t i = 0; i < judges_count(c); i++) {
		if (table_of(c, i)->changed)
			table_of(c, i)->changed(c, i, o);
	}
}

void judges_forget_seen(struct cluster *c, struct object *o)
{
	for (size_t i = 0; i < judges_count(c); i++) {
		if (table_of(c, i)->forget_seen)
			table_of(c, i)->forget_seen(c, i, o);
	}
}

int judges_refuse(struct cluster *c, struct object *o, const char *reason, bool *reported)
{
	int r = 0;

	*reported = false;
	for (size_t i = 0; i < judges_count(c); i++) {
		const struct judge_table *t = table_of(c, i);
		int one = object_is_foreign(o) && !t->of_foreign ? 0 : t->refuse(c, i, o, reason, reported);

		r = one < 0 ? one : r;
	}
	return r;
}

/* Inspection comes first, because the last inspection may also read what the other judges know of the object. */
void judges_forget(struct cluster *c, struct object *o)
{
	for (size_t n = judges_count(c), i = 0; i < n; i++)
		table_of(c, (i + n - 1) % n)->forget(c, (i + n - 1) % n, o);
}

void judges_release(struct cluster *c, struct object *o)
{
	for (size_t i = 0; i < judges_count(c); i++) {
		if (table_of(c, i)->release)
			table_of(c, i)->release(c, i, o);
	}
}
