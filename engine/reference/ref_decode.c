/* Turns the decoded metadata.yaml into parts, components and templates. */
#include "base/unicode.h"
#include "base/vec.h"
#include "reference/ref_internal.h"
#include "reference/ref_schema.h"
#include "value/yaml.h"

#include <errno.h>

#define FORMAT_PROBLEM "Reference config isn't in correct format. error: "
#define JSON_PROBLEM FORMAT_PROBLEM "error unmarshaling JSON: while decoding JSON: "

bool ref_copy(struct ref_loader *l, str s, str *ret)
{
	*ret = arena_str(&l->ref->arena, s);
	return ret->p != NULL;
}

static int refuse(struct ref_loader *l)
{
	return err_set(l->err, EINVAL, "reference '%.*s' refused", STR_ARG(l->o->name));
}

/* ---- metadata.yaml ---- */

static int read_metadata(struct ref_loader *l, struct doc **ret)
{
	char *text = NULL;
	struct yaml_options o = { .limits = l->o->limits, .strict = true };
	size_t len = 0;
	struct err e;
	int r = l->source->read(l->source->ctx, l->o->metadata_path, l->o->limits->file_bytes, &text, &len, &e);

	if (r == -ENOMEM)
		return err_nomem(l->err);
	if (r < 0) {
		/* The mistake is in the file that names the reference. */
		problems_add(l->problems, "Reference config file not found. error: %s", e.msg);
		return refuse(l);
	}
	l->text = (str){ text, len };
	r = yaml_decode(l->text, &o, ret, &e);
	if (r == -ENOMEM)
		return err_nomem(l->err);
	if (r < 0) {
		ref_mistake_in(l, NULL, FORMAT_PROBLEM "error converting YAML to JSON: %s", e.msg);
		return refuse(l);
	}
	return 0;
}

/* Find the version in the document, or report that there is none. */
static int find_version(struct ref_loader *l, val root)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(4096);
	val v = VAL_GET(root, "apiVersion");
	str version;

	if (val_exists(v))
		go_print(v, true, &text);
	else
		buf_add_cstr(&text, "v1");
	if (text.error == -ENOMEM)
		return err_nomem(l->err);
	version = unicode_trim(buf_str(&text));
	if (str_eq_nocase(version, STR("v1")))
		l->ref->version = 1;
	else if (str_eq_nocase(version, STR("v2")))
		l->ref->version = 2;
	else {
		ref_mistake(l, val_str(v), "unknown reference file apiVersion: '%.*s'", STR_ARG(version));
		return refuse(l);
	}
	return 0;
}

int ref_decode_metadata(struct ref_loader *l)
{
	str mistake = { 0 };
	const struct go_decode_options options = {
		.strict = true, .from_yaml = true, .mistake = &mistake, .unknown = ref_unknown_field, .ctx = l
	};
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	CLEANUP(buf_done) struct buf message = BUF_INIT(64 << 10);
	int r = read_metadata(l, &doc);

	if (r < 0)
		return r;
	if (val_is_null(doc->root)) {
		ref_mistake(l, (str){ 0 }, FORMAT_PROBLEM "the file is empty");
		return refuse(l);
	}
	if (!val_is_map(doc->root)) {
		ref_mistake(l, (str){ 0 },
			    JSON_PROBLEM "json: cannot unmarshal %s into Go value of type map[string]interface {}",
			    go_json_kind(doc->root));
		return refuse(l);
	}
	l->raw = val_copy(&l->ref->arena, NULL, doc->root); /* the decoded value shares with it */
	if (!val_exists(l->raw))
		return err_nomem(l->err);
	r = find_version(l, l->raw);
	if (r < 0)
		return r;
	r = go_decode(l->raw, l->ref->version == 1 ? &ref_schema_v1 : &ref_schema_v2, &options, &l->ref->arena,
		      &l->meta, &message, l->err);
	if (r == -EINVAL) {
		ref_mistake(l, mistake, JSON_PROBLEM "%.*s", STR_ARG(buf_str(&message)));
		return refuse(l);
	}
	return r;
}

/* ---- parts, components, templates ---- */

struct builder {
	struct ref_loader *l;
	VEC(struct ref_template *) templates;
	VEC(val) configs;
	const struct ref_part *part;
};

static int add_template(struct builder *b, val entry, struct ref_component *c, struct ref_template **ret)
{
	struct ref_template *t = arena_zalloc(&b->l->ref->arena, sizeof(*t));
	str description = val_str(VAL_GET(entry, "description"));

	if (!t)
		return err_nomem(b->l->err);
	t->text = arena_zalloc(&b->l->ref->arena, sizeof(*t->text));
	if (!t->text || !vec_push(&b->templates, t) || !vec_push(&b->configs, VAL_GET(entry, "config")))
		return err_nomem(b->l->err);
	if (!val_is_map(entry))
		ref_mistake(b->l, c->name, "component %.*s lists an empty template", STR_ARG(c->name));
	t->path = val_str(VAL_GET(entry, "path"));
	t->description = description.n ? description : c->description.n ? c->description : b->part->description;
	t->index = b->templates.n - 1;
	t->component = c;
	t->same_path = t;
	t->text->ignore_unspecified = VAL_GET(b->configs.p[t->index], "ignore-unspecified-fields").b;
	*ret = t;
	return 0;
}

/* Add the templates of up to two lists, one list behind the other. */
static int add_templates(struct builder *b, val first, val second, struct ref_component *c)
{
	uint32_t n = val_count(first) + val_count(second);
	struct ref_template **list = arena_array(&b->l->ref->arena, n, sizeof(struct ref_template *));

	if (!list)
		return err_nomem(b->l->err);
	for (uint32_t i = 0; i < n; i++) {
		val entry = i < val_count(first) ? val_at(first, i) : val_at(second, i - val_count(first));
		int r = add_template(b, entry, c, &list[i]);

		if (r < 0)
			return r;
	}
	c->templates = list;
	c->n_templates = n;
	c->n_required = val_count(first);
	return 0;
}

static int build_component_v1(struct builder *b, val v, struct ref_component *c)
{
	str type = val_str(VAL_GET(v, "type"));
	int r = add_templates(b, VAL_GET(v, "requiredTemplates"), VAL_GET(v, "optionalTemplates"), c);

	if (r < 0)
		return r;
	c->group = str_eq(type, STR("Required")) ? REF_V1_REQUIRED : REF_V1_OPTIONAL;
	if (!type.n)
		c->n_required = 0; /* a component without a type requires nothing */
	else if (c->group == REF_V1_OPTIONAL && !str_eq(type, STR("Optional")))
		ref_mistake(b->l, type, "component %.*s has the unknown type \"%.*s\", expected Required or Optional",
			    STR_ARG(c->name), STR_ARG(type));
	return 0;
}

static int build_component_v2(struct builder *b, val v, uint32_t index, struct ref_component *c)
{
	/* the order in which a message names several groups */
	static const enum ref_group named[] = { REF_ONE_OF, REF_NONE_OF,    REF_ALL_OF,
						REF_ANY_OF, REF_ANY_ONE_OF, REF_ALL_OR_NONE_OF };
	CLEANUP(buf_done) struct buf keys = BUF_INIT(256);
	val templates = { 0 };
	size_t n = 0;

	_Static_assert(ARRAY_LEN(named) == REF_V2_GROUPS && REF_V2_GROUPS == REF_ONE_OF - REF_ALL_OF + 1,
		       "ORDER ref_group");
	for (size_t i = 0; i < ARRAY_LEN(named); i++) {
		const char *key = ref_v2_groups[named[i] - REF_ALL_OF];
		val group = val_get(v, str_from(key));

		if (val_count(group) == 0)
			continue;
		if (n++)
			buf_add_byte(&keys, ',');
		else {
			templates = group;
			c->group = named[i];
		}
		buf_add_cstr(&keys, key);
	}
	if (keys.error)
		return err_nomem(b->l->err);
	if (n == 0) {
		ref_mistake(b->l, c->name, "component %.*s has no templates", STR_ARG(c->name));
		c->group = REF_ANY_OF;
	}
	if (n > 1)
		ref_mistake(b->l, c->name, "too many keys (%.*s) in index %u of component %.*s",
			    STR_ARG(buf_str(&keys)), index, STR_ARG(c->name));
	return add_templates(b, templates, (val){ 0 }, c);
}

static int build_part(struct builder *b, val v, struct ref_part *part)
{
	val list = VAL_GET(v, "components");
	struct ref_component *components = arena_array(&b->l->ref->arena, val_count(list), sizeof(*components));

	if (!components)
		return err_nomem(b->l->err);
	part->name = val_str(VAL_GET(v, "name"));
	part->description = val_str(VAL_GET(v, "description"));
	part->components = components;
	part->n_components = val_count(list);
	b->part = part;
	for (uint32_t i = 0; i < val_count(list); i++) {
		struct ref_component *c = &components[i];
		val entry = val_at(list, i);
		int r;

		*c = (struct ref_component){ .name = val_str(VAL_GET(entry, "name")),
					     .description = val_str(VAL_GET(entry, "description")) };
		r = b->l->ref->version == 1 ? build_component_v1(b, entry, c) : build_component_v2(b, entry, i, c);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Keep the templates in the reference and their settings in the loader; both live in the arena. */
static int keep(struct builder *b)
{
	struct reference *ref = b->l->ref;
	size_t n = b->templates.n;
	struct ref_template **templates = arena_array(&ref->arena, n, sizeof(struct ref_template *));
	val *configs = arena_array(&ref->arena, n, sizeof(*configs));

	if (!templates || !configs)
		return err_nomem(b->l->err);
	if (n) {
		memcpy(templates, b->templates.p, n * sizeof(struct ref_template *));
		memcpy(configs, b->configs.p, n * sizeof(*configs));
	}
	ref->templates = templates;
	ref->n_templates = n;
	b->l->configs = configs;
	return 0;
}

int ref_build_parts(struct ref_loader *l)
{
	struct reference *ref = l->ref;
	val list = VAL_GET(l->meta, "parts");
	struct ref_part *parts = arena_array(&ref->arena, val_count(list), sizeof(*parts));
	struct builder b = { .l = l };
	int r = parts ? 0 : err_nomem(l->err);

	for (uint32_t i = 0; i < val_count(list) && r == 0; i++)
		r = build_part(&b, val_at(list, i), &parts[i]);
	if (r == 0)
		r = keep(&b);
	if (r == 0) {
		ref->parts = parts;
		ref->n_parts = val_count(list);
	}
	vec_done(&b.templates);
	vec_done(&b.configs);
	return r;
}
