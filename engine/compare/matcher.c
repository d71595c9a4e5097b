/* The index of templates by their identity, and by what owner references and subjects name.
 *
 * A template may be for many objects, and is found by the fields that it fixes (correlate.h). A manifest is only for
 * the object with its identity. Other objects of its kind may be orphans, or be compared with what was applied to
 * them. */
#include "compare/matcher.h"

#include "base/strmap.h"
#include "compare/correlate.h"
#include "value/object_text.h"

#define IDENTITY_MAX (1u << 20)

/* A template in the list of those with one complete identity. */
struct same_identity {
	const struct ref_template *t;
	struct same_identity *next;
};

struct matcher {
	struct reference *ref;
	struct correlator *groups;
	const struct ref_template **by_slot; /* the templates, by the slots of @groups */
	struct strmap by_identity;           /* text → struct same_identity, in the order of the reference */
	struct same_identity *identities;    /* one for each template, and one more for each manifest of any scope */
	size_t n_identities;
	bool in_namespaces; /* some template is for all objects of a kind in one namespace */
};

static int build_groups(struct matcher *m, struct err *err)
{
	size_t n = m->ref->n_templates;
	const struct identity **ids = calloc(n + 1, sizeof(*ids));
	const uint32_t *slots;
	size_t n_slots = 0;
	int r;

	if (!ids)
		return err_nomem(err);
	for (size_t i = 0; i < n; i++)
		ids[i] = &m->ref->templates[i]->identity;
	r = correlator_new(ids, n, CORRELATE_TEMPLATES, &m->groups, err);
	free(ids);
	if (r < 0)
		return r;
	slots = correlator_slots(m->groups, &n_slots);
	m->by_slot = calloc(n_slots + 1, sizeof(*m->by_slot));
	if (!m->by_slot)
		return err_nomem(err);
	for (size_t i = 0; i < n_slots; i++)
		m->by_slot[i] = m->ref->templates[slots[i]];
	return 0;
}

static int add_identity(struct matcher *m, const struct ref_template *t, const struct identity *id, struct err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(IDENTITY_MAX);
	struct same_identity *s = &m->identities[m->n_identities++];
	void *next = NULL;
	int r;

	identity_text(id, &text);
	r = buf_error(&text, "a template's identity", err);
	if (r < 0)
		return r;
	s->t = t;
	if (!strmap_put(&m->by_identity, buf_str(&text), s, &next))
		return err_nomem(err);
	s->next = next;
	return 0;
}

/* Add the last template first, so that each list comes out in the order of the reference. */
static int build_identities(struct matcher *m, struct err *err)
{
	size_t n = m->ref->n_templates;
	int r = 0;

	m->identities = calloc(2 * n + 1, sizeof(*m->identities));
	if (!m->identities)
		return err_nomem(err);
	for (size_t i = n; i-- > 0 && r == 0;) {
		const struct ref_template *t = m->ref->templates[i];
		struct identity outside = t->identity;

		outside.namespace = STR("");
		m->in_namespaces |= t->identity.namespace.n && !t->identity.name.n;
		r = add_identity(m, t, &t->identity, err);
		if (r == 0 && t->any_scope)
			r = add_identity(m, t, &outside, err);
	}
	return r;
}

int matcher_new(struct reference *ref, struct matcher **ret, struct err *err)
{
	CLEANUP(matcher_freep) struct matcher *m = calloc(1, sizeof(*m));
	int r;

	if (!m)
		return err_nomem(err);
	m->ref = reference_ref(ref);
	r = ref->manifests ? 0 : build_groups(m, err);
	if (r == 0)
		r = build_identities(m, err);
	if (r < 0)
		return r;
	*ret = TAKE(m);
	return 0;
}

void matcher_free(struct matcher *m)
{
	if (!m)
		return;
	correlator_free(m->groups);
	free(m->by_slot);
	free(m->identities);
	strmap_done(&m->by_identity);
	reference_unref(m->ref);
	free(m);
}

struct reference *matcher_reference(const struct matcher *m)
{
	return m->ref;
}

/* Find the manifest of the object, else the templates for all objects of its kind, in its namespace or in any. */
static size_t find_manifest(const struct matcher *m, const struct identity *object,
			    const struct ref_template *const **ret)
{
	struct identity kind = {
		.api_version = object->api_version, .kind = object->kind, .namespace = STR(""), .name = STR("")
	};
	const struct same_identity *s = identity_get(&m->by_identity, object);

	if (!s)
		s = identity_get(&m->by_identity, &kind);
	kind.namespace = object->namespace;
	if (!s && m->in_namespaces)
		s = identity_get(&m->by_identity, &kind);
	if (s)
		*ret = &s->t;
	return s != NULL;
}

size_t matcher_candidates(const struct matcher *m, const struct identity *object,
			  const struct ref_template *const **ret)
{
	size_t first = 0, n;

	if (m->ref->manifests)
		return find_manifest(m, object, ret);
	n = correlator_find(m->groups, object, &first);
	if (n)
		*ret = m->by_slot + first;
	return n;
}

struct collisions {
	const struct matcher *m;
	void (*found)(void *ctx, unsigned fields, const struct ref_template *const *templates, size_t n);
	void *ctx;
};

static void forward(void *ctx, unsigned fields, const uint32_t *entries, size_t n)
{
	const struct collisions *c = ctx;
	size_t n_slots;
	size_t first = (size_t)(entries - correlator_slots(c->m->groups, &n_slots));

	c->found(c->ctx, fields, c->m->by_slot + first, n);
}

void matcher_collisions(const struct matcher *m,
			void (*found)(void *ctx, unsigned fields, const struct ref_template *const *templates,
				      size_t n),
			void *ctx)
{
	struct collisions c = { m, found, ctx };

	if (m->groups)
		correlator_collisions(m->groups, forward, &c);
}

/* ---- references ---- */

struct finder {
	const struct matcher *m;
	void (*found)(void *ctx, const struct ref_template *t);
	void *ctx;
};

/* Report the templates with this identity, but never manifests: they need the object itself, not only its name in
 * another object. */
static void find_identity(const struct finder *f, struct identity id)
{
	if (f->m->ref->manifests)
		return;
	for (struct same_identity *s = identity_get(&f->m->by_identity, &id); s; s = s->next)
		f->found(f->ctx, s->t);
}

/* Report the templates for a named object, with and without its namespace, because its kind may or may not have one. */
static void find_named(const struct finder *f, struct identity id)
{
	str namespace = id.namespace;

	if (!id.api_version.n || !id.kind.n || !id.name.n)
		return;
	id.namespace = (str){ "", 0 };
	find_identity(f, id);
	if (!namespace.n)
		return;
	id.namespace = namespace;
	find_identity(f, id);
}

static bool is_text_or_absent(val v)
{
	return !val_exists(v) || val_is_string(v);
}

static void find_owners(const struct finder *f, val object)
{
	val metadata = VAL_GET(object, "metadata");
	val owners = VAL_GET(metadata, "ownerReferences");

	for (uint32_t i = 0; i < val_count(owners); i++) {
		val o = val_at(owners, i);

		find_named(f, (struct identity){ .api_version = val_str(VAL_GET(o, "apiVersion")),
						 .kind = val_str(VAL_GET(o, "kind")),
						 .namespace = val_str(VAL_GET(metadata, "namespace")),
						 .name = val_str(VAL_GET(o, "name")) });
	}
}

static void find_subjects(const struct finder *f, val object)
{
	str kind = val_str(VAL_GET(object, "kind"));
	val subjects = VAL_GET(object, "subjects");

	if (!str_eq(kind, STR("RoleBinding")) && !str_eq(kind, STR("ClusterRoleBinding")))
		return;
	for (uint32_t i = 0; i < val_count(subjects); i++) {
		val s = val_at(subjects, i);

		if (!str_eq(val_str(VAL_GET(s, "kind")), STR("ServiceAccount")) ||
		    !is_text_or_absent(VAL_GET(s, "namespace")))
			continue;
		find_named(f, (struct identity){ .api_version = STR("v1"),
						 .kind = STR("ServiceAccount"),
						 .namespace = val_str(VAL_GET(s, "namespace")),
						 .name = val_str(VAL_GET(s, "name")) });
	}
}

void matcher_owner_references(const struct matcher *m, val object,
			      void (*found)(void *ctx, const struct ref_template *t), void *ctx)
{
	find_owners(&(struct finder){ m, found, ctx }, object);
}

void matcher_subjects(const struct matcher *m, val object, void (*found)(void *ctx, const struct ref_template *t),
		      void *ctx)
{
	find_subjects(&(struct finder){ m, found, ctx }, object);
}

void matcher_references(const struct matcher *m, val object, void (*found)(void *ctx, const struct ref_template *t),
			void *ctx)
{
	matcher_owner_references(m, object, found, ctx);
	matcher_subjects(m, object, found, ctx);
}

bool matcher_references_pick(struct key_table *keys, struct arena *a, struct json_pick *pick)
{
	static const str owners[] = { { "metadata", 8 }, { "ownerReferences", 15 } }, subjects = { "subjects", 8 };
	struct json_pick of;

	return json_pick_path(owners, ARRAY_LEN(owners), keys, a, &of) && json_pick_both(pick, &of, a, pick) &&
	       json_pick_path(&subjects, 1, keys, a, &of) && json_pick_both(pick, &of, a, pick) &&
	       object_pick(keys, a, &of) && json_pick_both(pick, &of, a, pick);
}
