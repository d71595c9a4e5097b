/* JSON, YAML and paths by examples: tests/data/value/triples. */
#include "support/triples.h"

#include "value/json.h"
#include "value/path.h"
#include "value/yaml.h"

#include <errno.h>

static const struct limits limits = LIMITS_DEFAULT;

static int encoded(int r, val v, enum json_style style, struct buf *out, struct err *err)
{
	if (r == 0)
		r = json_encode(v, style, NULL, out, err);
	return r < 0 ? triple_error(r, err, out) : 0;
}

static int run_json(const struct triple *t, struct arena *a, struct buf *out)
{
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct json_options o = { .limits = &limits };
	struct err err;
	int r = json_decode(t->program, &o, &doc, &err);

	(void)a;
	return encoded(r, r < 0 ? val_null() : doc->root, JSON_PLAIN, out, &err);
}

static int decode_yaml(const struct triple *t, struct yaml_options o, struct buf *out)
{
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct err err;
	int r;

	o.limits = &limits;
	r = yaml_decode(t->program, &o, &doc, &err);
	return encoded(r, r < 0 ? val_null() : doc->root, JSON_GO, out, &err);
}

static int run_yaml(const struct triple *t, struct arena *a, struct buf *out)
{
	(void)a;
	return decode_yaml(t, (struct yaml_options){ 0 }, out);
}

static int run_yaml_strict(const struct triple *t, struct arena *a, struct buf *out)
{
	(void)a;
	return decode_yaml(t, (struct yaml_options){ .strict = true }, out);
}

/* The program is JSON; what is written must mean the same when it is read. */
static int run_yaml_encode(const struct triple *t, struct arena *a, struct buf *out)
{
	CLEANUP(doc_unrefp) struct doc *doc = NULL, *again = NULL;
	struct json_options o = { .limits = &limits };
	struct yaml_options yaml = { .limits = &limits };
	struct err err;
	int r = json_decode(t->program, &o, &doc, &err);

	(void)a;
	if (r == 0)
		r = yaml_encode(doc->root, out, &err);
	if (r == 0)
		r = yaml_decode(buf_str(out), &yaml, &again, &err);
	if (r < 0)
		return triple_error(r, &err, out);
	if (!val_equal(doc->root, again->root))
		buf_add_cstr(out, "(reads back as another value)");
	return 0;
}

/* The parts of a stream: the line each begins on, and its text as JSON. */
static int run_yaml_parts(const struct triple *t, struct arena *a, struct buf *out)
{
	str rest = t->program;
	struct yaml_part part;
	size_t line = 1;

	(void)a;
	while (yaml_next_part(&rest, &line, &part)) {
		buf_printf(out, "%s%zu%s ", out->n ? " " : "", part.line, part.bad_separator ? "!" : "");
		json_encode_string(part.text, JSON_PLAIN, out);
	}
	return 0;
}

/* The path as it is written, and what lies there. */
static int run_path(const struct triple *t, struct arena *a, struct buf *out)
{
	struct json_options o = { .limits = &limits };
	struct path p;
	struct err err;
	size_t used;
	val root, found;
	int r = json_decode_value(t->input, &o, a, &root, &used, &err);

	if (r == 0 && !path_parse(t->program, a, &p))
		r = err_set(&err, EINVAL, "malformed");
	if (r < 0)
		return triple_error(r, &err, out);
	path_format(p, out);
	buf_add_byte(out, ' ');
	found = path_get(root, p);
	if (!val_exists(found)) {
		buf_add_cstr(out, "absent");
		return 0;
	}
	return encoded(0, found, JSON_PLAIN, out, &err);
}

static const struct triple_file files[] = {
	{ "json", run_json },
	{ "yaml", run_yaml },
	{ "yaml_strict", run_yaml_strict },
	{ "yaml_encode", run_yaml_encode },
	{ "yaml_parts", run_yaml_parts },
	{ "path", run_path },
};

int main(void)
{
	return triples_main(TEST_DATA "/value/triples", files, ARRAY_LEN(files));
}
