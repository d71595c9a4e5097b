#include "daemon/watch/validator_internal.h"

#include "daemon/watch/validator_report.h"
#include "rules/crd_schema.h"

#include <errno.h>
#include <stdio.h>

#define ZONES "/usr/share/zoneinfo"
#define ALL_RULES "(all rules of the object)"

const char *rule_source_name(enum rule_source s)
{
	return s == SOURCE_CRD ? RULE_SOURCE_CRD : RULE_SOURCE_FILE;
}

static enum rule_source source_of(str name)
{
	return str_eq(name, STR(RULE_SOURCE_CRD)) ? SOURCE_CRD : SOURCE_FILE;
}

/* The groups of the API server itself that look like those of a CRD. */
bool validator_is_custom(str api_version)
{
	static const char *const built_in[] = {
		"admissionregistration",
		"apiextensions",
		"apiregistration",
		"authentication",
		"authorization",
		"certificates",
		"coordination",
		"discovery",
		"events",
		"flowcontrol.apiserver",
		"internal.apiserver",
		"metrics",
		"networking",
		"node",
		"rbac.authorization",
		"resource",
		"scheduling",
		"storage",
		"storagemigration",
	};
	ptrdiff_t slash = str_find_byte(api_version, '/');
	str group = slash < 0 ? STR("") : str_sub(api_version, 0, (size_t)slash);

	if (str_find_byte(group, '.') < 0)
		return false;
	if (!str_has_suffix(group, STR(".k8s.io")))
		return true;
	group.n -= sizeof(".k8s.io") - 1;
	for (size_t i = 0; i < ARRAY_LEN(built_in); i++) {
		if (str_eq(group, str_from(built_in[i])))
			return false;
	}
	return true;
}

/* ---- what is open for an object ---- */

static void open_free(struct open *x)
{
	free(x->rule);
	free(x->path);
}

static void validated_free(struct validated *x)
{
	for (size_t i = 0; x && i < x->list.n; i++)
		open_free(&x->list.p[i]);
	if (x)
		vec_done(&x->list);
	free(x);
}

static bool add_open(struct validated *to, bool costly, enum rule_source source, str rule, str path)
{
	struct open x = { .costly = costly, .source = source, .rule = str_dup(rule), .path = str_dup(path) };

	if (x.rule && x.path && vec_push(&to->list, x))
		return true;
	open_free(&x);
	return false;
}

static bool is_open(const struct validated *in, bool costly, enum rule_source source, str rule, str path)
{
	for (size_t i = 0; i < in->list.n; i++) {
		const struct open *x = &in->list.p[i];

		if (x->costly == costly && x->source == source && str_eq(str_from(x->rule), rule) &&
		    str_eq(str_from(x->path), path))
			return true;
	}
	return false;
}

static str object_key(struct arena *a, str api_version, str kind, str namespace, str name)
{
	return arena_printf(a, "%.*s\x1f%.*s\x1f%.*s\x1f%.*s", STR_ARG(api_version), STR_ARG(kind), STR_ARG(namespace),
			    STR_ARG(name));
}

static struct validated *take_restored(struct validator *v, const struct object *o)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct ref_identity id = object_identity(o->doc->root);
	str key;

	if (v->restored.n == 0)
		return NULL;
	key = object_key(&a, o->kind->api_version, o->kind->name, id.namespace, id.name);
	return key.p ? strmap_remove(&v->restored, key) : NULL;
}

static int restore(struct validator *v, const struct finding *x, struct err *err)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	const struct finding_subject *s = &x->subject;
	str key = object_key(&a, s->api_version, s->kind, s->namespace, s->name);
	struct validated *open = key.p ? strmap_get(&v->restored, key) : NULL;

	if (key.p && !open) {
		open = calloc(1, sizeof(*open));
		if (open && !strmap_put(&v->restored, key, open, NULL)) {
			free(open);
			open = NULL;
		}
	}
	if (!open || !add_open(open, false, source_of(s->rule_source), s->rule, s->rule_path))
		return err_nomem(err);
	return 0;
}

/* ---- life ---- */

void validator_free(struct validator *v)
{
	const struct strmap_entry *e;
	size_t at = 0;

	if (!v)
		return;
	while ((e = strmap_each(&v->restored, &at)))
		validated_free(e->value);
	strmap_done(&v->restored);
	for (size_t i = 0; i < v->kinds.n; i++)
		kind_rules_free(v->kinds.p[i]);
	vec_done(&v->kinds);
	arena_done(&v->arena);
	free(v);
}

int validator_new(const struct validator_options *o, struct validator **ret, struct err *err)
{
	CLEANUP(validator_freep) struct validator *v = calloc(1, sizeof(*v));
	const struct finding *x;
	size_t at = 0;

	if (!v)
		return err_nomem(err);
	v->o = *o;
	v->zone_dir.path = ZONES;
	v->zones = (struct cel_zones){ .load = cel_zone_dir_load, .ctx = &v->zone_dir };
	arena_init(&v->arena, 0, o->limits->arena_bytes);
	while ((x = findings_each(o->findings, &at))) {
		if (x->kind == FINDING_VALIDATION && str_eq(x->subject.cluster, o->cluster) && restore(v, x, err) < 0)
			return -err->code;
	}
	*ret = TAKE(v);
	return 0;
}

static struct kind_rules *rules_of(const struct validator *v, const struct kind *k)
{
	for (size_t i = 0; i < v->kinds.n; i++) {
		if (v->kinds.p[i]->kind == k)
			return v->kinds.p[i];
	}
	return NULL;
}

int validator_add_kind(struct validator *v, struct kind *kind, struct err *err)
{
	struct kind_rules *k;

	if (rules_of(v, kind))
		return 0;
	k = calloc(1, sizeof(*k));
	if (!k || !vec_push(&v->kinds, k)) {
		free(k);
		return err_nomem(err);
	}
	k->kind = kind;
	return kind_rules_compile(v, k, NULL, err);
}

/* ---- CRDs ---- */

static val schema_of(const struct kind_rules *k, const struct doc *crd)
{
	return crd ? crd_schema(crd->root, k->kind->api_version, k->kind->name) : (val){ 0 };
}

static void replace(struct validator *v, struct kind_rules *k, struct doc *crd)
{
	val before = schema_of(k, k->crd), now = schema_of(k, crd);
	struct err err;

	/* The rules point into the definition that they were compiled from: an equal one is not needed. */
	if (val_exists(before) == val_exists(now) && (!val_exists(now) || val_equal(before, now)))
		return;
	if (kind_rules_compile(v, k, crd, &err) == 0)
		v->o.again(v->o.ctx, k->kind);
}

void validator_crd(struct validator *v, struct doc *crd)
{
	for (size_t i = 0; i < v->kinds.n; i++) {
		struct kind_rules *k = v->kinds.p[i];

		if (crd_is_for(crd->root, k->kind->api_version, k->kind->name))
			replace(v, k, crd);
	}
}

void validator_crd_gone(struct validator *v, str name)
{
	for (size_t i = 0; i < v->kinds.n; i++) {
		struct kind_rules *k = v->kinds.p[i];

		if (k->crd && str_eq(val_str(val_dig(k->crd->root, "metadata", "name", NULL)), name))
			replace(v, k, NULL);
	}
}

void validator_crds_known(struct validator *v, bool known)
{
	bool news = known && !v->crds_known;

	v->crds_known = known;
	for (size_t i = 0; news && i < v->kinds.n; i++) {
		if (validator_is_custom(v->kinds.p[i]->kind->api_version))
			v->o.again(v->o.ctx, v->kinds.p[i]->kind);
	}
}

/* ---- one object ---- */

struct judging {
	struct validator *v;
	struct kind_rules *k;
	const struct object *o;
	val managed_fields;
	val old; /* VAL_ABSENT: it has not changed, or nothing is known of before */
	bool changed;
	bool stopped[SOURCES]; /* over budget: nothing is known of the rules that were left */
	const struct compiled *set;
	struct validated *open; /* what is open now */
	int64_t budget;
};

static struct finding_subject object_subject(const struct judging *j, enum rule_source source, str rule, str path)
{
	struct finding_subject s = rule_subject(j->v, j->k, source, rule, path);
	val root = j->o->doc ? j->o->doc->root : val_null();
	struct ref_identity id = object_identity(root);

	s.namespace = id.namespace;
	s.name = id.name;
	s.uid = val_str(val_dig(root, "metadata", "uid", NULL));
	s.resource_version = val_str(val_dig(root, "metadata", "resourceVersion", NULL));
	return s;
}

static enum severity severity_of(const struct judging *j, const struct cel_rule *rule)
{
	const struct rule_set *set = j->set->set;
	size_t i = (size_t)(rule - cel_rules_at(j->set->rules, 0));
	int own = set && i < val_count(set->list) ? set->severities[i] : 0;

	return own ? (enum severity)own : j->v->o.cfg->validation_severity;
}

static int over_budget(struct judging *j, const struct cel_failure *f)
{
	str rule = f->rule ? f->rule->rule : STR(ALL_RULES);
	enum rule_source source = j->set->source;

	j->stopped[source] = true;
	if (is_open(j->open, true, source, rule, STR("")))
		return 0;
	if (!add_open(j->open, true, source, rule, STR("")))
		return -ENOMEM;
	rule_costs_too_much(j->v, j->k, &j->open->list.p[j->open->list.n - 1], f->message);
	return 0;
}

static int failed(struct judging *j, const struct cel_failure *failure)
{
	const struct object *o = j->o;
	enum rule_source source = j->set->source;
	struct cel_failure f = *failure;
	struct finding_subject s;
	struct failure_context c = {
		.failure = &f,
		.object = o->doc->root,
		.managed_fields = j->managed_fields,
		.writers_before = o->writers && j->changed ? o->writers->root : (val){ 0 },
		.subject = &s,
		.received_ns = o->received_ns,
		.sensitive_fields = j->v->o.cfg->sensitive_fields,
		.n_sensitive_fields = j->v->o.cfg->n_sensitive_fields,
	};
	str place;

	if (f.kind == CEL_COMPILE)
		return 0;
	if (f.kind == CEL_COST)
		return over_budget(j, &f);
	if (source == SOURCE_FILE)
		f.path = rule_failure_path(&f, &j->v->arena);
	if (!f.path.p)
		return -ENOMEM;
	place = f.path.n ? f.path : STR(".");
	s = object_subject(j, source, f.rule->rule, place);
	s.reason = str_from(cel_reason_name((enum cel_reason)f.reason));
	if (is_open(j->open, false, source, s.rule, s.rule_path)) /* the same rule twice at one place */
		return 0;
	if (!add_open(j->open, false, source, s.rule, s.rule_path))
		return -ENOMEM;
	c.severity = severity_of(j, f.rule);
	failure_report(j->v->o.findings, &c);
	return 0;
}

static int validate(void *ctx, val self, val old, str path, struct err *err)
{
	struct judging *j = ctx;
	struct cel_validation run = {
		.object = self,
		.old = old,
		.root = path,
		.arena = &j->v->arena,
		.limits = j->v->o.limits,
		.zones = &j->v->zones,
		.budget = j->budget,
		.call_limit = CEL_CALL_COST,
	};
	int r = cel_rules_validate(j->set->rules, &run, err);

	j->v->evaluations += run.evaluated;
	j->budget = run.budget > 0 ? run.budget : 0;
	for (const struct cel_failure *f = run.failures; r == 0 && f; f = f->next)
		r = failed(j, f) < 0 ? err_nomem(err) : 0;
	return r;
}

static int validate_set(struct judging *j, const struct compiled *set, struct err *err)
{
	val object = j->o->doc->root;

	j->set = set;
	if (!set->set)
		return validate(j, object, j->old, STR(""), err);
	if (!rule_set_for_object(set->set, object))
		return 0;
	return cel_at_walk(&set->set->at, object, j->old, STR(""), validate, j, err);
}

/* The first rule of the kind that reads so. */
static const struct cel_rule *find_rule(const struct kind_rules *k, enum rule_source source, str text)
{
	for (size_t i = 0; i < k->sets.n; i++) {
		const struct compiled *c = &k->sets.p[i];

		for (size_t r = 0; c->source == source && r < cel_rules_count(c->rules); r++) {
			if (str_eq(cel_rules_at(c->rules, r)->rule, text))
				return cel_rules_at(c->rules, r);
		}
	}
	return NULL;
}

/* Whether something that was open and has not been seen now may be called over. */
static bool is_over(const struct judging *j, const struct open *x)
{
	const struct cel_rule *rule;

	if (x->source == SOURCE_CRD && !j->v->crds_known && !j->k->crd && validator_is_custom(j->k->kind->api_version))
		return false;
	rule = find_rule(j->k, x->source, str_from(x->rule));
	if (!rule)
		return true;
	return !j->stopped[x->source] && (val_exists(j->old) || !rule->transition);
}

static void end_open(struct judging *j, const struct open *x, const char *why)
{
	struct finding_subject s = object_subject(j, x->source, str_from(x->rule), str_from(x->path));

	if (x->costly)
		rule_costs_less(j->v, j->k, x);
	else
		findings_clear(j->v->o.findings, FINDING_VALIDATION, &s, why);
}

static void settle(struct judging *j, struct validated *before)
{
	for (size_t i = 0; before && i < before->list.n; i++) {
		struct open *x = &before->list.p[i];
		struct finding_subject s = object_subject(j, x->source, str_from(x->rule), str_from(x->path));

		if (x->costly) {
			rule_costs_less(j->v, j->k, x); /* counted anew if it still does */
		} else if (is_open(j->open, false, x->source, s.rule, s.rule_path)) {
			continue;
		} else if (is_over(j, x)) {
			end_open(j, x, find_rule(j->k, x->source, s.rule) ? NULL : "the rule is gone");
		} else if (add_open(j->open, false, x->source, s.rule, s.rule_path)) {
			findings_confirm(j->v->o.findings, FINDING_VALIDATION, &s);
		}
	}
}

int validator_judge(struct validator *v, struct object *o, val managed_fields, struct err *err)
{
	struct judging j = { .v = v, .k = rules_of(v, o->kind), .o = o, .managed_fields = managed_fields };
	struct validated *before;
	int r = 0;

	j.changed = o->received_ns != 0;
	j.old = o->previous && j.changed ? o->previous->root : (val){ 0 };
	if (!j.k)
		return 0;
	before = o->validated ? o->validated : take_restored(v, o);
	o->validated = before;
	if (j.k->sets.n == 0 && !before)
		return 0;
	j.open = calloc(1, sizeof(*j.open));
	if (!j.open)
		return err_nomem(err);
	for (size_t i = 0; r == 0 && i < j.k->sets.n; i++) {
		j.budget = CEL_TOTAL_COST;
		r = validate_set(&j, &j.k->sets.p[i], err);
		arena_reset(&v->arena);
	}
	j.stopped[SOURCE_CRD] |= r < 0;
	j.stopped[SOURCE_FILE] |= r < 0;
	settle(&j, before);
	validated_free(before);
	o->validated = TAKE(j.open);
	if (o->validated->list.n == 0)
		validated_free(TAKE(o->validated));
	return r;
}

void validator_forget(struct validator *v, struct object *o)
{
	struct judging j = { .v = v, .k = rules_of(v, o->kind), .o = o };

	if (!o->validated && o->doc)
		o->validated = take_restored(v, o);
	for (size_t i = 0; j.k && o->validated && i < o->validated->list.n; i++)
		end_open(&j, &o->validated->list.p[i], "object deleted");
	validator_release(o);
}

void validator_release(struct object *o)
{
	validated_free(TAKE(o->validated));
}

/* ---- facts ---- */

struct validator_facts validator_facts(const struct validator *v)
{
	struct validator_facts f = { .evaluations = v->evaluations };

	for (size_t i = 0; i < v->kinds.n; i++) {
		const struct kind_rules *k = v->kinds.p[i];

		for (size_t s = 0; s < k->sets.n; s++) {
			const struct compiled *c = &k->sets.p[s];

			for (size_t r = 0; r < cel_rules_count(c->rules); r++) {
				const struct cel_rule *rule = cel_rules_at(c->rules, r);

				f.rules[c->source] += !rule->error.p && !rule->empty;
				f.invalid[c->source] += rule->error.p != NULL;
			}
		}
	}
	return f;
}
