/* Reading what the database keeps as text, as a start does. */
#include "daemon/transfer/transfer_check.h"

#include "daemon/findings/record.h"
#include "value/json.h"

static int decode(str json, struct doc **ret, struct err *err)
{
	struct limits limits = LIMITS_DEFAULT;
	const struct json_options o = { .limits = &limits };

	return json_decode(json, &o, ret, err);
}

int transfer_check_acceptance(str json, char ret_id[ACCEPTANCE_ID_SIZE], struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct acceptance a;
	int r = decode(json, &doc, err);

	if (r == 0)
		r = acceptance_from_json(doc->root, &a, err);
	if (r == 0 && !acceptance_id(&a, ret_id))
		r = err_nomem(err);
	return r;
}

int transfer_check_rule(str json, struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *doc = NULL;

	return decode(json, &doc, err);
}

int transfer_check_record(str bytes, struct err *err)
{
	struct record r;
	int status = record_decode(bytes, &r, err);

	record_done(&r);
	return status;
}
