/* Renders a template, with or without an object. */
#include "reference/go_decode.h"
#include "reference/ref_internal.h"
#include "reference/ref_shapes.h"
#include "value/yaml.h"

#include <errno.h>
#include <stdio.h>

#define NO_VALUE "<no value>"

/* Remove what text/template prints for a missing key, wherever it stands. */
static bool drop_no_value(str text, struct buf *out, struct spans *printed)
{
	ptrdiff_t at;

	while ((at = str_find(text, STR(NO_VALUE))) >= 0) {
		buf_add(out, text.p, (size_t)at);
		spans_cut(printed, out->n, sizeof(NO_VALUE) - 1);
		text = str_sub(text, (size_t)at + sizeof(NO_VALUE) - 1, text.n);
	}
	buf_add_str(out, text);
	return !out->error;
}

static int execute(const struct ref_template *t, val dot, const struct tmpl_env *env, struct buf *out,
		   struct spans *printed, struct err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(env->limits->template_output_bytes);
	struct tmpl_env inner = *env;
	int r;

	inner.error_text = env->error_text ? &text : NULL;
	inner.printed = printed;
	r = tmpl_execute(t->text->tmpl, dot, &inner, out, err);
	if (r == 0 || r == -ENOMEM)
		return r;
	if (text.error == -ENOMEM)
		return err_nomem(err);
	if (env->error_text) {
		buf_add_cstr(env->error_text, "failed to constuct template: ");
		if (text.n)
			buf_add_str(env->error_text, buf_str(&text));
		else
			buf_add_cstr(env->error_text, err->msg);
		if (env->error_text->error == -ENOMEM)
			return err_nomem(err);
	}
	return err_wrap(err, "failed to constuct template");
}

static int not_yaml(const struct ref_template *t, const struct tmpl_env *env, const char *why, str rendered,
		    struct err *err)
{
	if (env->error_text) {
		buf_printf(env->error_text,
			   "template: %.*s isn't a yaml file after injection. yaml unmarshal error: %s",
			   STR_ARG(t->path), why);
		buf_add_cstr(env->error_text, ". The Template After Execution: ");
		buf_add_str(env->error_text, rendered);
		if (env->error_text->error == -ENOMEM)
			return err_nomem(err);
	}
	return err_set(err, EBADMSG, "template: %.*s isn't a yaml file after injection. yaml unmarshal error: %s",
		       STR_ARG(t->path), why);
}

/* Refuse several documents. Only the first would be compared, and what the others want would be ignored. */
static int not_one(const struct ref_template *t, const struct tmpl_env *env, struct err *err)
{
	if (env->error_text)
		buf_printf(env->error_text, "template %.*s renders several documents", STR_ARG(t->path));
	return env->error_text && env->error_text->error == -ENOMEM
		       ? err_nomem(err)
		       : err_set(err, EBADMSG, "template %.*s renders several documents", STR_ARG(t->path));
}

/* Render a template. @several may be NULL. */
static int render(const struct ref_template *t, val dot, const struct tmpl_env *env, struct key_table *keys,
		  bool *several, struct doc **ret, struct err *err)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(env->limits->template_output_bytes);
	CLEANUP(buf_done) struct buf clean = BUF_INIT(env->limits->template_output_bytes);
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct yaml_options o = { .limits = env->limits, .keys = keys, .valid_text = true, .uints_as_double = true };
	struct spans printed;
	char why[sizeof(err->msg) + 64];
	str text;
	int r;

	printed.n = 0; /* the other members are filled as far as they are used */
	r = execute(t, dot, env, &out, &printed, err);
	if (env->steps)
		*env->steps += out.n * REF_STEPS_A_BYTE;
	if (r < 0)
		return r;
	text = buf_str(&out);
	if (str_find_byte(text, '<') >= 0 && str_find(text, STR(NO_VALUE)) >= 0) {
		if (!drop_no_value(text, &clean, &printed))
			return buf_error(&clean, "rendered template", err);
		text = buf_str(&clean);
	}
	if (several)
		*several = ref_second_document(text) > 0;
	r = ref_shapes_decode(t->text->shapes, t->index, text, &printed, &o, &doc, err);
	if (r == -EBADMSG || r == -E2BIG) {
		snprintf(why, sizeof(why), "error converting YAML to JSON: %s", err->msg);
		return not_yaml(t, env, why, buf_str(&out), err);
	}
	if (r < 0)
		return r;
	if (val_is_null(doc->root)) /* an empty result is an empty object */
		doc->root = val_map_sorted(NULL, 0);
	if (!val_is_map(doc->root)) {
		snprintf(
			why, sizeof(why),
			"error unmarshaling JSON: while decoding JSON: json: cannot unmarshal %s into Go value of type "
			"map[string]interface {}",
			go_json_kind(doc->root));
		return not_yaml(t, env, why, buf_str(&out), err);
	}
	*ret = TAKE(doc);
	return 0;
}

int ref_render_any(const struct ref_template *t, val dot, const struct tmpl_env *env, bool *several, struct doc **ret,
		   struct err *err)
{
	return render(t, dot, env, NULL, several, ret, err);
}

int ref_render(const struct ref_template *t, val dot, const struct tmpl_env *env, struct key_table *keys,
	       struct doc **ret, struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	bool several = false;
	int r = render(t, dot, env, keys, t->text->one_document ? &several : NULL, &doc, err);

	if (r < 0)
		return r;
	if (several)
		return not_one(t, env, err);
	*ret = TAKE(doc);
	return 0;
}

int ref_find_secrets(const struct ref_template *t, val dot, const struct tmpl_env *env, struct err *err)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(env->limits->template_output_bytes);

	return tmpl_execute(t->text->tmpl, dot, env, &out, err);
}
