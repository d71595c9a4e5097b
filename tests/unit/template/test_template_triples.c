/* Templates by examples: tests/data/template/triples, one file for each part of the language and each family of
 * functions. */
#include "support/triples.h"

#include "go/zoneinfo.h"
#include "template/fn/library.h"
#include "template/tmpl.h"
#include "value/json.h"

/* 2024-02-29T12:30:45.5Z, whenever the cases run. */
static int64_t now(void *ctx, int32_t *nanoseconds)
{
	(void)ctx;
	*nanoseconds = 500000000;
	return 1709209845;
}

/* The output; of a template that fails the error, and on a line of its own "after: " with what it had written. */
static int run(const struct triple *t, struct arena *a, struct buf *out)
{
	CLEANUP(tmpl_freep) struct tmpl *tmpl = NULL;
	CLEANUP(buf_done) struct buf text = BUF_INIT(TRIPLES_OUT_MAX);
	struct limits limits = LIMITS_DEFAULT;
	struct json_options o = { .limits = &limits };
	struct tmpl_env env = { .limits = &limits, .now = now, .zones = &go_zoneinfo, .error_text = &text };
	struct tmpl_source source = { STR("t"), t->program };
	val dot = val_null();
	struct err err = { 0 };
	size_t used;
	int r = 0;

	if (t->has_input)
		r = json_decode_value(t->input, &o, a, &dot, &used, &err);
	if (r == 0)
		r = tmpl_parse(&source, 1, &tmpl_library, &limits, &tmpl, &text, &err);
	if (r == 0)
		r = tmpl_execute(tmpl, dot, &env, out, &err);
	if (r == 0)
		return 0;
	if (text.n == 0)
		buf_add_cstr(&text, err.msg);
	if (out->n)
		buf_printf(&text, "\nafter: %.*s", STR_ARG(buf_str(out)));
	buf_clear(out);
	buf_add_str(out, buf_str(&text));
	return r;
}

static const struct triple_file files[] = {
	{ "language", run },   { "families", run }, { "parse_errors", run }, { "builtins", run }, { "printf", run },
	{ "strings", run },    { "lists", run },    { "dicts", run },        { "math", run },     { "dates", run },
	{ "encoding", run },   { "regex", run },    { "semver", run },       { "data", run },     { "reflect", run },
	{ "paths_urls", run }, { "flow", run },
};

int main(void)
{
	return triples_main(TEST_DATA "/template/triples", files, ARRAY_LEN(files));
}
