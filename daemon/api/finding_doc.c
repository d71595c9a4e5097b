/* Names and order of the members. */
#include "daemon/api/finding_doc.h"

#include "daemon/api/json_out.h"

#include <inttypes.h>

/* ORDER enum finding_kind */
static const char *const types[] = { "drift", "component", "error", "gap", "validation" };
_Static_assert(ARRAY_LEN(types) == FINDING_KINDS, "a name for each kind");

const char *finding_type(enum finding_kind kind)
{
	return types[kind];
}

bool finding_type_parse(str s, enum finding_kind *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		if (str_eq(s, str_from(types[i]))) {
			*ret = (enum finding_kind)i;
			return true;
		}
	}
	return false;
}

static const struct {
	const char *name;
	size_t offset;
} texts[] = {
	{ "cluster", offsetof(struct finding_subject, cluster) },
	{ "apiVersion", offsetof(struct finding_subject, api_version) },
	{ "kind", offsetof(struct finding_subject, kind) },
	{ "resource", offsetof(struct finding_subject, resource) },
	{ "namespace", offsetof(struct finding_subject, namespace) },
	{ "name", offsetof(struct finding_subject, name) },
	{ "uid", offsetof(struct finding_subject, uid) },
	{ "reference", offsetof(struct finding_subject, reference) },
	{ "part", offsetof(struct finding_subject, part) },
	{ "component", offsetof(struct finding_subject, component) },
	{ "template", offsetof(struct finding_subject, template_path) },
	{ "rule", offsetof(struct finding_subject, rule) },
	{ "rulePath", offsetof(struct finding_subject, rule_path) },
	{ "ruleSource", offsetof(struct finding_subject, rule_source) },
	{ "reason", offsetof(struct finding_subject, reason) },
};

static void add_paths(const struct finding *x, struct buf *out)
{
	str rest = x->paths, path;

	if (!rest.n)
		return;
	json_key(out, "paths");
	buf_add_byte(out, '[');
	while (rest.n && str_next_part(&rest, '\n', &path))
		json_item(out, path);
	buf_add_byte(out, ']');
}

void finding_doc(const struct finding *x, uint64_t now_ns, struct buf *out)
{
	buf_add_byte(out, '{');
	json_text(out, "id", str_from(x->id));
	json_text(out, "type", str_from(finding_type(x->kind)));
	json_text(out, "severity", str_from(severity_name(x->severity)));
	json_time(out, "since", x->first_seen_usec);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		json_text(out, texts[i].name, *(const str *)((const char *)&x->subject + texts[i].offset));
	add_paths(x, out);
	json_text(out, "manager", x->manager);
	if (now_ns < x->told_from_ns)
		json_bool(out, "held", true);
	if (x->flaps)
		json_number(out, "flaps", x->flaps);
	if (!x->confirmed)
		json_bool(out, "unconfirmed", true);
	buf_add_byte(out, '}');
}
