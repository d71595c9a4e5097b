/* A template up to the first NUL, then the JSON that is dot: parse, describe, execute under small limits. The same
 * execution twice gives the same text, and what the footprint leaves out makes no difference. */
#include "template/fn/library.h"
#include "template/tmpl.h"
#include "value/json.h"

#include <errno.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int64_t fixed_time(void *ctx, int32_t *nanoseconds)
{
	(void)ctx;
	*nanoseconds = 0;
	return 1600000000;
}

static bool fixed_bytes(void *ctx, void *bytes, size_t n)
{
	(void)ctx;
	memset(bytes, 7, n);
	return true;
}

static void render(const struct tmpl *t, val dot, const struct limits *limits, struct buf *out)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(16u << 20);
	struct tmpl_env env = { .limits = limits, .now = fixed_time, .random = fixed_bytes, .error_text = &text };
	struct err err = { 0 };

	if (tmpl_execute(t, dot, &env, out, &err) < 0)
		buf_add_str(out, buf_str(&text));
}

/* dot with a key that the template cannot read. */
static void check_footprint(const struct tmpl *t, val dot, const struct limits *limits, const struct buf *want)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(4u << 20);
	struct tmpl_footprint f;
	struct arena arena;
	struct err err;
	val other;

	if (tmpl_footprint(t, &f, &err) < 0)
		return;
	arena_init(&arena, 0, 0);
	other = val_map_with(&arena, dot, key_make(NULL, &arena, STR("zzUnread")), val_int(1));
	if (val_is_map(dot) && val_exists(other) && tmpl_footprint_same(&f, dot, other) && !f.uses_random) {
		render(t, other, limits, &out);
		if (!str_eq(buf_str(&out), buf_str(want)))
			abort();
	}
	arena_done(&arena);
	tmpl_footprint_done(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(tmpl_freep) struct tmpl *t = NULL;
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	CLEANUP(buf_done) struct buf tree = BUF_INIT(4u << 20);
	CLEANUP(buf_done) struct buf first = BUF_INIT(4u << 20);
	CLEANUP(buf_done) struct buf second = BUF_INIT(4u << 20);
	struct limits limits = LIMITS_DEFAULT;
	struct json_options o = { .limits = &limits };
	str all = { (const char *)data, size }, rest = all, part;
	struct tmpl_source source = { STR("fuzz.yaml"), { NULL, 0 } };
	struct err err = { 0 };

	limits.template_steps = 5000;
	limits.template_output_bytes = 1u << 20;
	limits.arena_bytes = 8u << 20;
	limits.document_nodes = 10000;
	limits.regex_match_limit = 10000;
	(void)str_next_part(&rest, '\0', &part);
	source.text = part;
	if (tmpl_parse(&source, 1, &tmpl_library, &limits, &t, NULL, &err) < 0)
		return 0;
	tmpl_print_tree(t, &tree);
	if (rest.p && json_decode(rest, &o, &doc, &err) < 0)
		doc = NULL;
	render(t, doc ? doc->root : val_map_sorted(NULL, 0), &limits, &first);
	render(t, doc ? doc->root : val_map_sorted(NULL, 0), &limits, &second);
	if (!str_eq(buf_str(&first), buf_str(&second)))
		abort();
	if (doc)
		check_footprint(t, doc->root, &limits, &first);
	return 0;
}
