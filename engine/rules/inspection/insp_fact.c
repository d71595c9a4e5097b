/* The table of the facts of the inventory. */
#include "rules/inspection/insp_fact.h"

const struct insp_fact insp_facts[] = {
	{ "cluster", INSP_OF_KIND, INSP_EARLY },
	{ "api_version", INSP_OF_KIND, INSP_EARLY },
	{ "kind", INSP_OF_KIND, INSP_EARLY },
	{ "namespace", INSP_OF_IDENTITY, INSP_EARLY },
	{ "name", INSP_OF_IDENTITY, INSP_EARLY },
	{ "uid", INSP_OF_IDENTITY, INSP_EARLY },
	{ "raw", INSP_OF_OBJECT, INSP_EARLY },
	{ "previous", INSP_OF_FORMER, INSP_EARLY },
	{ "event", INSP_OF_EVENT, INSP_EARLY },
	{ "reference", INSP_OF_IDENTITY, INSP_PREPROCESS },
	{ "template", INSP_OF_IDENTITY, INSP_PREPROCESS },
	{ "drifted", INSP_OF_VERDICT, INSP_MAIN },
	{ "changes", INSP_OF_VERDICT, INSP_MAIN },
	{ "events", INSP_OF_VERDICT, INSP_MAIN },
	{ 0 },
};

const struct insp_fact *insp_fact_find(str name)
{
	for (const struct insp_fact *f = insp_facts; f->name; f++) {
		if (str_eq(name, str_from(f->name)))
			return f;
	}
	return NULL;
}
