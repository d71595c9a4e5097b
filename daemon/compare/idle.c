/* Looks for parts of the input that had no effect. */
#include "daemon/compare/idle.h"

#include "base/nearest.h"
#include "daemon/compare/klog.h"

#define KINDS_SHOWN 8
#define TEXT_MAX ((size_t)1 << 20)

/* ---- objects ---- */

static bool is_used(const struct compare_run *run)
{
	for (size_t i = 0; i < run->n_results; i++) {
		if (run->results[i].state != VERDICT_UNMATCHED)
			return true;
	}
	return false;
}

bool compare_kind_before(const struct reference *ref, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (str_eq(ref->templates[k]->identity.kind, ref->templates[i]->identity.kind))
			return true;
	}
	return false;
}

/* Append the kinds, such as "ConfigMap, Deployment". */
static void add_kinds(const struct reference *ref, struct buf *out)
{
	size_t n = 0;

	for (size_t i = 0; i < ref->n_templates; i++) {
		if (compare_kind_before(ref, i))
			continue;
		if (n < KINDS_SHOWN)
			buf_printf(out, "%s%.*s", n ? ", " : "", STR_ARG(ref->templates[i]->identity.kind));
		n++;
	}
	if (n > KINDS_SHOWN)
		buf_printf(out, " and %zu more", n - KINDS_SHOWN);
}

/* Warn when no template is for any object. When something could not be read, an error says so already. */
static void warn_unused_objects(const struct compare_run *run)
{
	const struct reference *ref = matcher_reference(run->matcher);
	CLEANUP(buf_done) struct buf kinds = BUF_INIT(TEXT_MAX);
	size_t n = run->input->objects.n;

	if (problems_any(&run->input->problems) || is_used(run))
		return;
	add_kinds(ref, &kinds);
	if (n == 0)
		klog_warning("There is no object that a template could be for: templates are for %.*s",
			     STR_ARG(buf_str(&kinds)));
	else
		klog_warning(
			"Nothing was compared: of %zu object%s there is none that a template is for; templates are "
			"for %.*s",
			n, plural_s(n), STR_ARG(buf_str(&kinds)));
}

/* ---- pairs ---- */

static void warn_unused_pairs(const struct compare_run *run)
{
	const struct compare_input *in = run->input;
	const struct strmap_entry *e;
	size_t at = 0;

	while (run->manual && (e = strmap_each(run->manual, &at))) {
		const struct ref_template *t = e->value;
		struct nearest nearest = { 0 };
		str name = { e->key, e->n };

		if (strmap_has(&in->seen, name))
			continue;
		for (size_t i = 0; i < in->names.n; i++)
			nearest_offer(&nearest, name, in->names.p[i]);
		klog_warning("The diff config has a template for %.*s (%.*s), and there is no such object%s",
			     STR_ARG(name), STR_ARG(t->path), nearest_hint(&nearest));
	}
}

/* ---- overrides ---- */

static bool is_applied(const struct compare_run *run, const struct override *o)
{
	for (size_t i = 0; i < run->n_results; i++) {
		for (size_t k = 0; k < run->results[i].n_overrides; k++) {
			if (run->results[i].overrides[k] == o)
				return true;
		}
	}
	return false;
}

static void warn_unused_overrides(const struct compare_run *run)
{
	for (size_t i = 0; run->overrides && i < overrides_count(run->overrides); i++) {
		const struct override *o = overrides_at(run->overrides, i);
		CLEANUP(buf_done) struct buf name = BUF_INIT(TEXT_MAX);

		if (is_applied(run, o))
			continue;
		if (o->exact_match.n)
			buf_add_str(&name, o->exact_match);
		else
			identity_text(&o->identity, &name);
		klog_warning("An override was applied to no object: number %zu, for %.*s", i + 1,
			     STR_ARG(buf_str(&name)));
	}
}

/* ---- templates to generate overrides for ---- */

static bool is_template(const struct reference *ref, str path)
{
	for (size_t i = 0; i < ref->n_templates; i++) {
		if (str_eq(ref->templates[i]->path, path))
			return true;
	}
	return false;
}

static void warn_unknown_templates(const struct compare_run *run)
{
	const struct reference *ref = matcher_reference(run->matcher);

	for (size_t i = 0; i < run->generate_for->v.n; i++) {
		struct nearest nearest = { 0 };
		str path = str_from(run->generate_for->v.p[i]);

		if (is_template(ref, path))
			continue;
		for (size_t t = 0; t < ref->n_templates; t++)
			nearest_offer(&nearest, path, ref->templates[t]->path);
		klog_warning("No override is generated for %.*s: the reference has no such template%s", STR_ARG(path),
			     nearest_hint(&nearest));
	}
}

void compare_warn_idle(const struct compare_run *run)
{
	const struct reference *ref = matcher_reference(run->matcher);

	if (!ref->n_templates) {
		klog_warning("The reference has no template: nothing is compared with it");
		return;
	}
	warn_unused_objects(run);
	warn_unused_pairs(run);
	warn_unused_overrides(run);
	warn_unknown_templates(run);
}

bool compare_only_forbids(const struct reference *ref)
{
	bool any = false;

	for (size_t i = 0; i < ref->n_parts; i++) {
		for (size_t k = 0; k < ref->parts[i].n_components; k++) {
			if (ref->parts[i].components[k].group != REF_NONE_OF)
				return false;
			any = true;
		}
	}
	return any;
}
