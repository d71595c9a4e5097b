/* Manifests of a version in which the server does not have their kind, while it has it in another: nothing can be said
 * of their objects, and least of all that they are not there (spec/manifests.md, section 2). */
#include "daemon/watch/cluster/cluster_internal.h"

#include "daemon/findings/finding_owner.h"
#include "daemon/watch/verdict/shown.h"
#include "kubeclient/kc_resources.h"

#define VERSIONS_BYTES_MAX 1024
#define VERSIONS_SHOWN 8

/* "v1, v1beta1": the other versions of the kind, as far as discovery has asked for them. */
static void other_versions(const struct cluster_kind *k, struct buf *out)
{
	struct group_version of = group_version_of(k->kind->api_version);
	struct watch_source *s = k->cluster->source;
	const struct kc_resource *r;
	size_t at = 0, n = 0;

	while (s && n < VERSIONS_SHOWN && (r = s->does->listable(s, &at))) {
		if (str_eq(str_from(r->kind), k->kind->name) && str_eq(str_from(r->group), of.group) &&
		    !str_eq(str_from(r->version), of.version))
			buf_printf(out, "%s%s", n++ ? ", " : "", r->version);
	}
}

static bool is_of(const struct cluster_kind *k, const struct ref_template *t)
{
	return t->use == REF_MANIFEST && str_eq(t->identity.kind, k->kind->name) &&
	       str_eq(t->identity.api_version, k->kind->api_version);
}

static void report(const struct reference_judge *rj, const struct finding_subject *s, str versions,
		   const struct cluster *c)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct finding_report r = { .kind = FINDING_ERROR,
				    .severity = cfg_severity(rj->reference, s->component),
				    .subject = *s };
	struct err err;

	finding_report_say(&r, &a, shown_object(&a, s),
			   arena_printf(&a, "cannot be judged: %.*s is not served; served are %.*s",
					STR_ARG(s->api_version), STR_ARG(versions)));
	r.state = r.what;
	/* without memory nothing is reported, and the component stays unknown */
	(void)!findings_report(c->context.findings, &r, &err);
}

static void report_versions(const struct cluster_kind *k, const struct reference_judge *rj,
			    const struct ref_template *t, str versions)
{
	const struct cluster *c = k->cluster;
	const struct finding_subject s = {
		.cluster = c->config->name,
		.reference = rj->reference->name,
		.reference_hash = str_from(rj->in_force->hash),
		.part = rj->in_force->parts[0].name,
		.component = t->component->name,
		.template_path = t->path,
		.api_version = t->identity.api_version,
		.kind = t->identity.kind,
		.namespace = t->identity.namespace,
		.name = t->identity.name,
	};

	if (cfg_excluded_by(rj->reference, &t->identity) || !finding_is_own(c->context.shard, FINDING_ERROR, &s))
		return;
	if (versions.n)
		report(rj, &s, versions, c);
	else
		findings_clear(c->context.findings, FINDING_ERROR, &s, END_REPAIRED);
}

void cluster_note_versions(struct cluster_kind *k)
{
	CLEANUP(buf_done) struct buf versions = BUF_INIT(VERSIONS_BYTES_MAX);
	struct cluster *c = k->cluster;
	bool before = k->misversioned;

	if (k->kind->known && cluster_kind_absent(k))
		other_versions(k, &versions);
	k->misversioned = versions.n > 0;
	if (!before && !k->misversioned)
		return;
	for (size_t i = 0; i < c->n_references; i++) {
		const struct reference_judge *rj = &c->references[i];

		for (size_t t = 0; t < rj->in_force->n_templates; t++) {
			if (is_of(k, rj->in_force->templates[t]))
				report_versions(k, rj, rj->in_force->templates[t], buf_str(&versions));
		}
	}
}
