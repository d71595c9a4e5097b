/* References as commands print them: tests/data/sources/control/text.txt. The program says how: "list", "wide", "show"
 * or "outcome"; the input is a document of the API. */
#include "daemon/control/control_internal.h"

#include "support/json_values.h"
#include "support/triples.h"

#define NOW 1800000000 /* Unix time */

static int run(const struct triple *t, struct arena *a, struct buf *out)
{
	const struct references_table how = { .wide = str_eq(t->program, STR("wide")) };
	CLEANUP(doc_unrefp) struct doc *d = document_of_json(t->input);
	struct err err;
	int r = 0;

	(void)a;
	if (str_eq(t->program, STR("show")))
		r = reference_describe(d->root, out, &err);
	else if (str_eq(t->program, STR("outcome")))
		reference_outcome(d->root, out);
	else
		r = references_table(&how, d->root, NOW, out, &err);
	return r;
}

static const struct triple_file files[] = {
	{ "text", run },
};

int main(void)
{
	return triples_main(TEST_DATA "/sources/control", files, ARRAY_LEN(files));
}
