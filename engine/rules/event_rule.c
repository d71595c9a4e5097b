/* Reads the words of event rules. */
#include "rules/event_rule.h"

#include <errno.h>

int event_change_read(str text, const struct event_path *path, bool *any, enum event_change *ret, struct err *err)
{
	*any = str_eq(text, STR("any"));
	if (*any)
		return 0;
	for (int c = 0; c < EVENT_CHANGES; c++) {
		*ret = (enum event_change)c;
		if (str_eq(text, str_from(event_change_name(*ret))))
			return 0;
	}
	return err_set(
		err, EINVAL,
		"Rule \"%.*s\": Invalid change type \"%.*s\". Valid change types are: [ none create modify delete]",
		STR_ARG(path->text), STR_ARG(text));
}

static const struct {
	const char *name;
	uint8_t type;
} types[] = {
	{ "allow", EVENT_ALLOW },
	{ "warn", EVENT_WARN },
	{ "error", EVENT_ERROR },
	{ "ignore", EVENT_IGNORE },
};

bool event_type_read(str text, uint8_t *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		if (str_eq(text, str_from(types[i].name))) {
			*ret = types[i].type;
			return true;
		}
	}
	return false;
}

static size_t known_type(uint8_t type)
{
	size_t i = ARRAY_LEN(types) - 1;

	while (types[i].type > type)
		i--;
	return i;
}

const char *event_type_name(uint8_t type)
{
	return types[known_type(type)].name;
}
