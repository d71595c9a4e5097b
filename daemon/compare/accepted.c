/* Holds the differences that compare finds against what is accepted. */
#include "daemon/compare/accepted.h"

#include "kubeclient/kc_plural.h"

#include <errno.h>

#define RESOURCE_MAX 1024

struct compare_accepted {
	struct cfg *cfg;
	struct acceptances *set;
};

void compare_accepted_free(struct compare_accepted *a)
{
	if (!a)
		return;
	acceptances_free(a->set);
	cfg_unref(a->cfg);
	free(a);
}

static void freep_accepted(struct compare_accepted **a)
{
	compare_accepted_free(*a);
}

int compare_accepted_load(const char *path, const struct limits *limits, struct key_table *keys, int64_t now_usec,
			  struct compare_accepted **ret, char **mistakes, struct err *err)
{
	CLEANUP(freep_accepted) struct compare_accepted *a = calloc(1, sizeof(*a));
	struct problems problems = { 0 };
	int r = a ? cfg_load_accepted(path, limits, keys, &a->cfg, &problems, err) : err_nomem(err);

	*mistakes = problems_any(&problems) ? problems_text(&problems) : NULL;
	problems_done(&problems);
	if (r == 0)
		r = acceptances_new(&a->set, err);
	if (r == 0)
		r = acceptances_configure(a->set, a->cfg, err);
	if (r < 0)
		return r;
	acceptances_tick(a->set, now_usec);
	*ret = TAKE(a);
	return 0;
}

static struct report_accepted accepted_of(const struct accepted *by)
{
	const struct acceptance *says = &by->is.says;

	return (struct report_accepted){ .reason = says->reason, .owner = says->owner, .until = says->until };
}

/* ---- objects ---- */

void compare_acceptances_done(struct compare_acceptances *a)
{
	arena_done(&a->arena);
}

static bool copy_identity(struct identity id, struct arena *a, struct identity *ret)
{
	*ret = (struct identity){ arena_str(a, id.api_version), arena_str(a, id.kind), arena_str(a, id.namespace),
				  arena_str(a, id.name) };
	return ret->api_version.p && ret->kind.p && ret->namespace.p && ret->name.p;
}

/* No server is asked what its resource is called. */
static bool remember(val object, struct compare_acceptances *ret)
{
	CLEANUP(buf_done) struct buf plural = BUF_INIT(RESOURCE_MAX);
	struct identity *id = &ret->is.identity;
	str group;

	if (!copy_identity(identity_of(object), &ret->arena, id))
		return false;
	group = group_version_of(id->api_version).group;
	kc_plural_guess(id->kind, &plural);
	if (group.n)
		buf_printf(&plural, ".%.*s", STR_ARG(group));
	ret->is.resource = plural.error ? id->kind : arena_str(&ret->arena, buf_str(&plural));
	return ret->is.resource.p;
}

static struct finding_subject subject_of(const struct offender *o)
{
	return (struct finding_subject){
		.api_version = o->identity.api_version,
		.kind = o->identity.kind,
		.namespace = o->identity.namespace,
		.name = o->identity.name,
		.resource = o->resource,
	};
}

int compare_accept(const struct compare_accepted *a, val object, const struct verdict *v,
		   struct compare_acceptances *ret, struct err *err)
{
	const struct changes *changes = &v->changes;
	const struct change whole = { 0 }; /* what is not listed */
	struct report_accepted *list;
	struct finding_subject s;

	arena_init(&ret->arena, 0, 0);
	list = arena_array(&ret->arena, changes->n, sizeof(*list));
	if (!list || !remember(object, ret))
		return err_nomem(err);
	s = subject_of(&ret->is);
	for (size_t i = 0; i < changes->n; i++) {
		const struct accepted *by = accepted_by(a->set, &s, &changes->p[i]);

		if (!by)
			continue;
		list[ret->n] = accepted_of(by);
		list[ret->n].path = arena_str(&ret->arena, changes->p[i].path_text);
		if (!list[ret->n++].path.p)
			return err_nomem(err);
	}
	ret->p = list;
	ret->all = changes->total > 0 && v->state == VERDICT_DRIFTED && ret->n == changes->n &&
		   (changes->total == changes->n || accepted_by(a->set, &s, &whole));
	return 0;
}

/* ---- components ---- */

static struct finding_subject component_subject(const struct component_verdict *v)
{
	return (struct finding_subject){ .part = v->part->name, .component = v->component->name };
}

bool compare_accepts_members(const struct compare_accepted *a, const struct component_verdict *v)
{
	const struct accepted_judge j = { .set = a ? a->set : NULL };
	const struct finding_subject s = component_subject(v);

	return accepted_names_members(&j, &s);
}

struct noting {
	struct arena *arena;
	struct compare_accepted_list *list;
};

static int note(void *ctx, const struct accepted *by, const struct component_verdict *taken, struct err *err)
{
	const struct noting *to = ctx;
	struct report_accepted x = accepted_of(by);
	CLEANUP(buf_done) struct buf templates = BUF_INIT(1u << 20);

	for (size_t i = 0; i < taken->n_templates; i++)
		buf_printf(&templates, "%s%.*s", i ? ", " : "", STR_ARG(taken->templates[i]->path));
	x.part = taken->part->name;
	x.component = taken->component->name;
	x.templates = arena_str(to->arena, buf_str(&templates));
	return !templates.error && x.templates.p && vec_push(&to->list->list, x) ? 0 : err_nomem(err);
}

int compare_accept_component(const struct compare_accepted *a, struct component_verdict *v,
			     struct component_member *members, size_t n_members, struct arena *arena,
			     struct compare_accepted_list *list, struct err *err)
{
	struct noting to = { arena, list };
	const struct accepted_judge j = { .set = a->set, .note = note, .ctx = &to };
	const struct finding_subject s = component_subject(v);
	const struct component_terms terms = { FINDING_COMPONENT, SEVERITY_WARNING, 0 };
	const struct accepted *by;

	return accepted_component(&j, v, members, n_members, &s, &terms, 0, arena, &by, err);
}
