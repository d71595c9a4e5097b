/* Checks the texts of the database with the same functions that read them at a start. */
#include "daemon/transfer/transfer_check.h"

#include "daemon/findings/record.h"
#include "value/json.h"

int transfer_check_acceptance(str json, char ret_id[ACCEPTANCE_ID_SIZE], struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct acceptance a;

	return acceptance_decode(json, &doc, &a, ret_id, err);
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
