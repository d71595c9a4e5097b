/* Writes the result of a rehearsal: counts, unknown kinds, and the first transitions. */
#include "daemon/api/api.h"

#include "base/assert.h"
#include "daemon/api/finding_doc.h"
#include "value/json_out.h"

static void add_item(const struct rehearsed *x, struct buf *out)
{
	json_open(out, NULL, '{');
	ASSERT(x->transition < TRANSITIONS);
	json_text(out, "event", str_from(transition_names[x->transition]));
	json_text(out, "severity", str_from(severity_name(x->severity)));
	json_text(out, "message", x->message);
	json_text(out, "id", str_from(x->id));
	json_text(out, "type", str_from(finding_type(x->kind)));
	finding_doc_subject(&x->subject, out);
	buf_add_byte(out, '}');
}

void rehearsal_doc(const struct rehearsal_result *result, struct buf *out)
{
	buf_add_cstr(out, "{\"apiVersion\":\"driftd/v1\",\"kind\":\"Rehearsal\"");
	for (size_t i = 0; i < TRANSITIONS; i++)
		json_number(out, transition_names[i], result->n[i]);
	json_bool(out, "complete", result->complete);
	json_open(out, "unknown", '[');
	for (size_t i = 0; i < result->unknown.n; i++)
		json_item(out, result->unknown.p[i]);
	buf_add_byte(out, ']');
	json_open(out, "items", '[');
	for (size_t i = 0; i < result->first.n; i++)
		add_item(&result->first.p[i], out);
	buf_add_cstr(out, "]}\n");
}
