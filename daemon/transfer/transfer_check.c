/* Reading what the database keeps as text, as a start does. */
#include "daemon/transfer/transfer_check.h"

#include "daemon/findings/record.h"
#include "value/json.h"

int transfer_check_acceptance(str json, char ret_id[ACCEPTANCE_ID_SIZE], struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct acceptance a;
	int r = json_decode(json, JSON_DEFAULTS, &doc, err);

	if (r == 0)
		r = acceptance_from_json(doc->root, &a, err);
	if (r == 0 && !acceptance_id(&a, ret_id))
		r = err_nomem(err);
	return r;
}

int transfer_check_rule(str json, struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *doc = NULL;

	return json_decode(json, JSON_DEFAULTS, &doc, err);
}

int transfer_check_record(str bytes, struct err *err)
{
	struct record r;
	int status = record_decode(bytes, &r, err);

	record_done(&r);
	return status;
}
