/* Writes acceptances as documents of the API. */
#include "daemon/api/api.h"

#include "value/json_out.h"

static void add_members(const struct accepted *x, struct buf *out)
{
	json_text(out, "id", str_from(x->is.id));
	json_text(out, "source", x->configured ? STR("configuration") : STR("command"));
	json_text(out, "state", !x->in_force ? STR("expired") : x->holds ? STR("holds") : STR("not needed"));
	json_number(out, "count", x->holds);
	json_key(out, "accepted");
	acceptance_to_json(&x->is.says, out);
}

void accepted_doc(const struct accepted *x, struct buf *out)
{
	buf_add_cstr(out, "{\"apiVersion\":\"driftd/v1\",\"kind\":\"Acceptance\"");
	add_members(x, out);
	buf_add_cstr(out, "}\n");
}

void accepted_list_doc(const struct acceptances *s, struct buf *out)
{
	const struct accepted *x = NULL;

	buf_add_cstr(out, "{\"apiVersion\":\"driftd/v1\",\"kind\":\"AcceptanceList\",\"items\":[");
	while ((x = acceptances_next(s, x))) {
		json_open(out, NULL, '{');
		add_members(x, out);
		buf_add_byte(out, '}');
	}
	buf_add_cstr(out, "]}\n");
}
