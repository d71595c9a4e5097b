/* Objects that Helm keeps revisions in, and others: tests/data/release/triples.
 *
 * In "open" the program is the object and the input the text of its release. The object's data.release says how that
 * becomes data.release, in order: "gzip", "base64", "again" (twice, one behind the other), "cut" (without its last
 * byte), "zeros" and "begin" (with four zero bytes, or the beginning of something gzipped, behind it); a text with
 * other words stays as it is. */
#include "release/helm_release.h"
#include "support/triples.h"
#include "value/yaml.h"

#include "go/base64.h"

#include <zlib.h>

#define PACKED_MAX ((size_t)2 << 20)

static void gzip(struct buf *text)
{
	z_stream z = { .next_in = (unsigned char *)text->p, .avail_in = (unsigned)text->n };
	static unsigned char out[PACKED_MAX];
	int r = deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY);

	z.next_out = out;
	z.avail_out = sizeof(out);
	if (r != Z_OK || deflate(&z, Z_FINISH) != Z_STREAM_END)
		abort();
	buf_clear(text);
	buf_add(text, out, sizeof(out) - z.avail_out);
	(void)deflateEnd(&z);
}

static void base64(struct buf *text)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(PACKED_MAX);

	go_base64_encode(&out, buf_str(text));
	buf_clear(text);
	buf_add_str(text, buf_str(&out));
}

static void double_up(struct buf *text)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(PACKED_MAX);

	buf_add_str(&out, buf_str(text));
	buf_add_str(text, buf_str(&out));
}

/* False: @word says nothing. */
static bool pack_by(str word, struct buf *text)
{
	if (str_eq(word, STR("gzip")))
		gzip(text);
	else if (str_eq(word, STR("base64")))
		base64(text);
	else if (str_eq(word, STR("again")))
		double_up(text);
	else if (str_eq(word, STR("cut")))
		buf_truncate(text, text->n - 1);
	else if (str_eq(word, STR("zeros")))
		buf_fill(text, '\0', 4);
	else if (str_eq(word, STR("begin")))
		buf_add(text, "\x1f\x8b\x08", 4);
	else
		return false;
	return true;
}

/* @object with its data.release replaced by what its words make of @text. */
static val pack(val object, str text, struct arena *a)
{
	val data = VAL_GET(object, "data"), release = VAL_GET(data, "release");
	struct buf packed = BUF_INIT(PACKED_MAX);
	str rest = val_str(release), word;

	buf_add_str(&packed, text);
	while (val_is_string(release) && str_next_part(&rest, ' ', &word)) {
		if (!pack_by(word, &packed)) {
			buf_done(&packed);
			return object;
		}
	}
	text = arena_str(a, buf_str(&packed));
	buf_done(&packed);
	if (!val_is_string(release))
		return object;
	data = val_map_with(a, data, key_make(NULL, a, STR("release")), val_string(text));
	return val_map_with(a, object, key_make(NULL, a, STR("data")), data);
}

static int run_revision(const struct triple *t, struct arena *a, struct buf *out)
{
	const struct limits limits = LIMITS_DEFAULT;
	CLEANUP(doc_unrefp) struct doc *object = NULL;
	struct yaml_options o = { .limits = &limits };
	struct helm_revision r;
	struct err err;

	(void)a;
	if (yaml_decode(t->program, &o, &object, &err) < 0)
		return triple_error(-1, &err, out);
	if (!helm_revision_of(object->root, &r)) {
		buf_add_cstr(out, "none");
		return 0;
	}
	buf_printf(out, "%.*s/%.*s %u %s%s", STR_ARG(r.namespace), STR_ARG(r.release), r.revision,
		   helm_status_name(r.status), helm_status_is_pending(r.status) ? ", pending" : "");
	return 0;
}

static void add_release(const struct helm_release *r, struct buf *out)
{
	buf_printf(out, "%.*s/%.*s %u %s\n", STR_ARG(r->namespace), STR_ARG(r->name), r->revision,
		   helm_status_name(r->status));
	buf_printf(out, "chart '%.*s' '%.*s' '%.*s' at '%.*s'\n", STR_ARG(r->chart), STR_ARG(r->chart_version),
		   STR_ARG(r->app_version), STR_ARG(r->deployed_at));
	buf_add_str(out, r->manifest);
}

static int run_open(const struct triple *t, struct arena *a, struct buf *out)
{
	const struct limits limits = LIMITS_DEFAULT;
	CLEANUP(doc_unrefp) struct doc *object = NULL;
	struct yaml_options o = { .limits = &limits };
	struct helm_release r = { 0 };
	struct err err;
	int status = yaml_decode(t->program, &o, &object, &err);

	if (status == 0)
		status = helm_release_open(pack(object->root, t->input, a), &limits, NULL, &r, &err);
	if (status == 0)
		add_release(&r, out);
	else
		status = triple_error(status, &err, out);
	helm_release_done(&r);
	return status;
}

/* Values are no part of what is kept: of 1 MB of them nothing is left. */
static bool keeps_little(void)
{
	static const struct limits limits = LIMITS_DEFAULT;
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	CLEANUP(buf_done) struct buf text = BUF_INIT(PACKED_MAX);
	CLEANUP(doc_unrefp) struct doc *object = NULL;
	struct yaml_options o = { .limits = &limits };
	struct helm_release r = { 0 };
	struct err err;
	bool little;

	buf_add_cstr(&text, "{\"name\":\"web\",\"namespace\":\"shop\",\"version\":3,\"config\":{\"password\":\"");
	buf_fill(&text, 'x', PACKED_MAX / 2);
	buf_add_cstr(&text, "\"},\"manifest\":\"kind: A\"}");
	if (yaml_decode(STR("{apiVersion: v1, kind: ConfigMap, metadata: {namespace: shop, name: "
			    "sh.helm.release.v1.web.v3, labels: {owner: helm, name: web, version: '3'}}, data: "
			    "{release: gzip base64}}"),
			&o, &object, &err) < 0 ||
	    helm_release_open(pack(object->root, buf_str(&text), &a), &limits, NULL, &r, &err) < 0) {
		fprintf(stderr, "%s\n", err.msg);
		return false;
	}
	little = r.arena.used < 16384;
	if (!little)
		fprintf(stderr, "a release of %zu bytes keeps %zu\n", text.n, r.arena.used);
	helm_release_done(&r);
	return little;
}

int main(void)
{
	static const struct triple_file files[] = {
		{ "revision", run_revision },
		{ "open", run_open },
	};

	return triples_main(TEST_DATA "/release/triples", files, ARRAY_LEN(files)) || !keeps_little();
}
