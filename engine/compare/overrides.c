/* Reads overrides, selects those for an object, and applies their patches. */
#include "compare/overrides.h"

#include "base/assert.h"
#include "base/strmap.h"
#include "reference/go_decode.h"
#include "template/fn/library.h"
#include "text/json_patch.h"
#include "value/json.h"
#include "value/yaml.h"

#include <errno.h>

#define NESTING_MAX 10 /* levels of templates that render templates */

struct overrides {
	struct arena arena;
	struct override *list;
	size_t n;
	struct strmap exact; /* identity text → struct override */
	struct correlator *groups;
	const struct override **by_slot;
	const struct override **by_entry; /* a pointer to each override, for the result of an exact match */
};

static const struct go_type patch_type = { .kind = GO_STRING, .name = "compare.patchType" };
static const struct go_field override_fields[] = {
	{ .name = "name", .type = &go_string, .omitempty = true },
	{ .name = "apiVersion", .type = &go_string, .omitempty = true },
	{ .name = "kind", .type = &go_string, .omitempty = true },
	{ .name = "namespace", .type = &go_string, .omitempty = true },
	{ .name = "exactMatch", .type = &go_string, .omitempty = true },
	{ .name = "reason", .type = &go_string },
	{ .name = "type", .type = &patch_type },
	{ .name = "patch", .type = &go_string },
	{ .name = "templatePath", .type = &go_string },
};
static const struct go_type override_type = {
	.kind = GO_STRUCT, .name = "compare.UserOverride", .label = "UserOverride", GO_FIELDS(override_fields)
};
static const struct go_type overrides_type = { .kind = GO_SLICE,
					       .name = "[]*compare.UserOverride",
					       .elem = &override_type };

/* ---- loading ---- */

static int fail(struct buf *message, struct err *err, const char *prefix, const char *text)
{
	if (message)
		buf_printf(message, "%s%s", prefix, text);
	if (message && message->error == -ENOMEM)
		return err_nomem(err);
	return err_set(err, EINVAL, "%s%s", prefix, text);
}

/* Read a patched object. It is JSON, but the original reads it as YAML, which refuses some texts that JSON may
 * contain. */
static int read_patched(str text, const struct limits *limits, struct doc **ret)
{
	struct json_options o = { .limits = limits };
	struct err ignored;

	return json_decode(text, &o, ret, &ignored) < 0 ? -EBADMSG : 0;
}

/* Decode YAML into a Go type, as yaml.Unmarshal does. The value lives in @a. */
static int unmarshal(str text, const struct go_type *type, const struct limits *limits, struct arena *a, val *ret,
		     struct buf *message, struct err *err)
{
	static const struct go_decode_options options = { .from_yaml = true };
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	CLEANUP(buf_done) struct buf why = BUF_INIT(64 << 10);
	struct yaml_options o = { .limits = limits };
	struct err e;
	val copy;
	int r = yaml_decode(text, &o, &doc, &e);

	if (r == -ENOMEM)
		return err_nomem(err);
	if (r == -EBADMSG && type == &go_object)
		r = read_patched(text, limits, &doc);
	if (r < 0)
		return fail(message, err, "error converting YAML to JSON: ", e.msg);
	copy = val_copy(a, NULL, doc->root);
	if (!val_exists(copy))
		return err_nomem(err);
	r = go_decode(copy, type, &options, a, ret, &why, err);
	if (r == -EINVAL)
		return fail(message, err, "error unmarshaling JSON: while decoding JSON: ", why.p ? why.p : err->msg);
	return r;
}

static struct override read_override(val v)
{
	return (struct override){
		.identity = { .api_version = val_str(VAL_GET(v, "apiVersion")),
			      .kind = val_str(VAL_GET(v, "kind")),
			      .namespace = val_str(VAL_GET(v, "namespace")),
			      .name = val_str(VAL_GET(v, "name")) },
		.exact_match = val_str(VAL_GET(v, "exactMatch")),
		.reason = val_str(VAL_GET(v, "reason")),
		.type = val_str(VAL_GET(v, "type")),
		.patch = val_str(VAL_GET(v, "patch")),
		.template_path = val_str(VAL_GET(v, "templatePath")),
	};
}

static int read_list(struct overrides *o, val list, struct buf *message, struct err *err)
{
	o->list = arena_array(&o->arena, val_count(list), sizeof(*o->list));
	if (!o->list)
		return err_nomem(err);
	for (uint32_t i = 0; i < val_count(list); i++) {
		struct override *u = &o->list[i];

		*u = read_override(val_at(list, i));
		if (!u->reason.n)
			return fail(message, err, "missing reason", "");
	}
	o->n = val_count(list);
	return 0;
}

static int build_index(struct overrides *o, struct err *err)
{
	const struct identity **ids = arena_array(&o->arena, o->n, sizeof(*ids));
	const uint32_t *slots;
	size_t n_slots;
	int r;

	o->by_entry = arena_array(&o->arena, o->n, sizeof(*o->by_entry));
	if (!ids || !o->by_entry)
		return err_nomem(err);
	for (size_t i = 0; i < o->n; i++) {
		ids[i] = &o->list[i].identity;
		o->by_entry[i] = &o->list[i];
		if (o->list[i].exact_match.n && !strmap_put(&o->exact, o->list[i].exact_match, &o->by_entry[i], NULL))
			return err_nomem(err);
	}
	r = correlator_new(ids, o->n, CORRELATE_OVERRIDES, &o->groups, err);
	if (r < 0)
		return r;
	slots = correlator_slots(o->groups, &n_slots);
	o->by_slot = arena_array(&o->arena, n_slots, sizeof(*o->by_slot));
	if (!o->by_slot)
		return err_nomem(err);
	for (size_t i = 0; i < n_slots; i++)
		o->by_slot[i] = &o->list[slots[i]];
	return 0;
}

int overrides_load(str text, const struct limits *limits, struct overrides **ret, struct buf *message, struct err *err)
{
	CLEANUP(overrides_freep) struct overrides *o = calloc(1, sizeof(*o));
	val list = { 0 };
	int r;

	if (!o)
		return err_nomem(err);
	arena_init(&o->arena, 0, limits->arena_bytes);
	r = unmarshal(text, &overrides_type, limits, &o->arena, &list, message, err);
	if (r == 0)
		r = read_list(o, list, message, err);
	if (r == 0)
		r = build_index(o, err);
	if (r < 0)
		return r;
	*ret = TAKE(o);
	return 0;
}

void overrides_free(struct overrides *o)
{
	if (!o)
		return;
	strmap_done(&o->exact);
	correlator_free(o->groups);
	arena_done(&o->arena);
	free(o);
}

size_t overrides_count(const struct overrides *o)
{
	return o->n;
}

const struct override *overrides_at(const struct overrides *o, size_t i)
{
	ASSERT(i < o->n);
	return &o->list[i];
}

size_t overrides_find(const struct overrides *o, val object, const struct override *const **ret)
{
	struct identity id = identity_of(object);
	const struct override **exact = o->exact.n ? identity_get(&o->exact, &id) : NULL;
	size_t first = 0, n;

	if (exact) {
		*ret = exact;
		return 1;
	}
	n = correlator_find(o->groups, &id, &first);
	if (n)
		*ret = o->by_slot + first;
	return n;
}

struct collisions {
	const struct overrides *o;
	void (*found)(void *ctx, unsigned fields, const struct override *const *list, size_t n);
	void *ctx;
};

static void forward(void *ctx, unsigned fields, const uint32_t *entries, size_t n)
{
	const struct collisions *c = ctx;
	size_t n_slots;
	size_t first = (size_t)(entries - correlator_slots(c->o->groups, &n_slots));

	c->found(c->ctx, fields, c->o->by_slot + first, n);
}

void overrides_collisions(const struct overrides *o,
			  void (*found)(void *ctx, unsigned fields, const struct override *const *list, size_t n),
			  void *ctx)
{
	struct collisions c = { o, found, ctx };

	correlator_collisions(o->groups, forward, &c);
}

/* ---- applying ---- */

struct application {
	const struct override_env *env;
	str rendered; /* the result as JSON */
	struct buf *out;
	bool *fault;
	struct buf *message;
	struct err *err;
	unsigned nesting;
};

static int apply(struct application *p, str type, str patch);

static int apply_merge_patch(struct application *p, str patch)
{
	struct err e;
	int r = json_merge_patch(p->rendered, patch, p->env->limits, p->out, &e);

	if (r == -ENOMEM)
		return err_nomem(p->err);
	if (r < 0) {
		*p->fault = p->nesting == 1;
		return fail(p->message, p->err, "failed to apply user patch: ", e.msg);
	}
	return 0;
}

static int apply_json_patch(struct application *p, str patch)
{
	struct err e;
	int r = json_patch_check(patch, p->env->limits, &e);

	if (r == -ENOMEM)
		return err_nomem(p->err);
	if (r < 0) {
		*p->fault = p->nesting == 1;
		return fail(p->message, p->err, "failed to decode user patch: ", e.msg);
	}
	r = json_patch_apply(patch, p->rendered, p->env->limits, p->out, &e);
	if (r == -ENOMEM)
		return err_nomem(p->err);
	if (r == 0)
		return 0;
	*p->fault =
		/* no such operation exists */
		p->nesting == 1 && str_has_prefix(str_from(e.msg), STR("Unexpected kind: "));
	return fail(p->message, p->err, "failed to apply user patch: ", e.msg);
}

/* Render the override in a template, with the live object as its data. */
static int render_patch(struct application *p, str text, struct arena *a, str *type, str *patch)
{
	CLEANUP(tmpl_freep) struct tmpl *t = NULL;
	CLEANUP(buf_done) struct buf out = BUF_INIT(p->env->limits->template_output_bytes);
	CLEANUP(buf_done) struct buf why = BUF_INIT(1 << 20);
	struct tmpl_source source = { { "", 0 }, text };
	struct tmpl_env env = *p->env->tmpl;
	struct err e;
	val v = { 0 };
	int r = tmpl_parse(&source, 1, &tmpl_library, p->env->limits, &t, &why, &e);

	if (r == -ENOMEM || why.error == -ENOMEM)
		return err_nomem(p->err);
	if (r < 0) {
		*p->fault = p->nesting == 1;
		return fail(p->message, p->err, "failed to parse patch as template: ", why.p ? why.p : e.msg);
	}
	env.error_text = &why;
	r = tmpl_execute(t, p->env->live, &env, &out, &e);
	if (r == -ENOMEM || why.error == -ENOMEM)
		return err_nomem(p->err);
	if (r < 0) {
		int failed = fail(p->message, p->err, "failed to execute patch template: ", why.p ? why.p : e.msg);

		return r == -TMPL_NO_MATCH && failed != -ENOMEM ? r : failed;
	}
	buf_clear(&why);
	r = unmarshal(buf_str(&out), &override_type, p->env->limits, a, &v, &why, &e);
	if (r == -ENOMEM)
		return err_nomem(p->err);
	if (r < 0)
		return fail(p->message, p->err, "failed to unmarshal templated patch: ", why.p ? why.p : e.msg);
	*type = val_str(VAL_GET(v, "type"));
	*patch = val_str(VAL_GET(v, "patch"));
	return 0;
}

static int apply_template(struct application *p, str text)
{
	struct arena a;
	str type, patch;
	int r;

	if (p->nesting == NESTING_MAX)
		return fail(p->message, p->err, "patch templates render patch templates without end", "");
	arena_init(&a, 0, p->env->limits->arena_bytes);
	r = render_patch(p, text, &a, &type, &patch);
	if (r == 0)
		r = apply(p, type, patch); /* the recursion is at most NESTING_MAX deep */
	arena_done(&a);
	return r;
}

static int apply(struct application *p, str type, str patch)
{
	int r;

	p->nesting++;
	if (str_eq(type, STR("mergepatch")))
		r = apply_merge_patch(p, patch);
	else if (str_eq(type, STR("rfc6902")))
		r = apply_json_patch(p, patch);
	else if (str_eq(type, STR("go-template")))
		r = apply_template(p, patch);
	else {
		CLEANUP(buf_done) struct buf name = BUF_INIT(1 << 20);

		buf_add_str(&name, type);
		*p->fault = p->nesting == 1;
		r = name.error == -ENOMEM ? err_nomem(p->err)
					  : fail(p->message, p->err, "unknown patch type: ", name.p ? name.p : "");
	}
	p->nesting--;
	return r;
}

int override_apply(const struct override *o, val rendered, const struct override_env *env, val *ret, bool *fault,
		   struct buf *message, struct err *err)
{
	CLEANUP(buf_done) struct buf before = BUF_INIT(env->limits->arena_bytes);
	CLEANUP(buf_done) struct buf after = BUF_INIT(env->limits->arena_bytes);
	CLEANUP(buf_done) struct buf why = BUF_INIT(64 << 10);
	struct application p = { .env = env, .out = &after, .fault = fault, .message = message, .err = err };
	val v = { 0 };
	struct err e;
	int r;

	*fault = false;
	r = json_encode(rendered, JSON_GO, NULL, &before, &e);
	if (r == -ENOMEM)
		return err_nomem(err);
	if (r < 0)
		return fail(message, err, "failed to marshal reference CR: ", e.msg);
	p.rendered = buf_str(&before);
	r = apply(&p, o->type, o->patch);
	if (r < 0)
		return r;
	r = unmarshal(buf_str(&after), &go_object, env->limits, env->arena, &v, &why, &e);
	if (r == -ENOMEM)
		return err_nomem(err);
	if (r < 0) {
		*fault = str_eq(o->type,
				STR("mergepatch")); /* only a patch that is no object gives a result that is none */
		return fail(message, err, "failed to unmarshal updated manifest: ", why.p ? why.p : e.msg);
	}
	*ret = val_is_map(v) ? v : val_map_sorted(NULL, 0);
	return 0;
}
