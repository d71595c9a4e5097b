/* Followed references (support/source_states.h) as documents: tests/data/sources/api/documents.txt. The program says
 * which document: "one", "list" or "status", whether who asks is "trusted" or "anybody", and of which. */
#include "daemon/api/api_internal.h"

#include "support/source_states.h"
#include "support/triples.h"
#include "value/json.h"

static void make(str document, bool trusted, const struct metrics_view *view, struct buf *out)
{
	if (str_eq(document, STR("one"))) {
		source_doc(&view->sources[0], trusted, out);
	} else if (str_eq(document, STR("list"))) {
		sources_doc(view, trusted, out);
	} else {
		buf_add_byte(out, '{');
		sources_short_doc(view, out);
		buf_add_byte(out, '}');
	}
}

static int run(const struct triple *t, struct arena *a, struct buf *out)
{
	const struct limits limits = LIMITS_DEFAULT;
	const struct json_options o = { .limits = &limits };
	CLEANUP(buf_done) struct buf text = BUF_INIT(1u << 20);
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct source_state views[ARRAY_LEN(all_views)];
	struct metrics_view view = { .sources = views };
	str names = t->program, document, who;
	struct err err;

	(void)a;
	(void)str_next_part(&names, ' ', &document);
	(void)str_next_part(&names, ' ', &who);
	view.n_sources = names.p ? views_called(names, views) : 0;
	make(document, str_eq(who, STR("trusted")), &view, &text);
	if (json_decode(buf_str(&text), &o, &d, &err) < 0 || json_encode(d->root, JSON_PLAIN, "  ", out, &err) < 0)
		buf_printf(out, "%s in %.*s", err.msg, STR_ARG(buf_str(&text)));
	buf_add_byte(out, '\n');
	return 0;
}

static const struct triple_file files[] = {
	{ "documents", run },
};

int main(void)
{
	return triples_main(TEST_DATA "/sources/api", files, ARRAY_LEN(files));
}
