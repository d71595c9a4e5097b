/* The names that a finding's parts have in JSON. */
#include "daemon/findings/finding_json.h"

#include "base/hex.h"
#include "value/json.h"

#include <errno.h>
#include <inttypes.h>

/* The texts of a subject by the names that they have in the file. */
static const struct {
	const char *name;
	size_t offset;
} texts[] = {
	{ "cluster", offsetof(struct finding, subject.cluster) },
	{ "reference", offsetof(struct finding, subject.reference) },
	{ "part", offsetof(struct finding, subject.part) },
	{ "component", offsetof(struct finding, subject.component) },
	{ "template", offsetof(struct finding, subject.template_path) },
	{ "apiVersion", offsetof(struct finding, subject.api_version) },
	{ "kind", offsetof(struct finding, subject.kind) },
	{ "namespace", offsetof(struct finding, subject.namespace) },
	{ "name", offsetof(struct finding, subject.name) },
	{ "uid", offsetof(struct finding, subject.uid) },
	{ "resource", offsetof(struct finding, subject.resource) },
	{ "rule", offsetof(struct finding, subject.rule) },
	{ "rulePath", offsetof(struct finding, subject.rule_path) },
	{ "ruleSource", offsetof(struct finding, subject.rule_source) },
	{ "reason", offsetof(struct finding, subject.reason) },
	{ "acceptance", offsetof(struct finding, subject.acceptance) },
	{ "owner", offsetof(struct finding, subject.owner) },
	{ "until", offsetof(struct finding, subject.until) },
	{ "phase", offsetof(struct finding, subject.phase) },
	{ "shard", offsetof(struct finding, subject.shard) },
	{ "summary", offsetof(struct finding, summary) },
	{ "paths", offsetof(struct finding, paths) },
	{ "places", offsetof(struct finding, places) },
	{ "removals", offsetof(struct finding, removals) },
	{ "manager", offsetof(struct finding, manager) },
	{ "actions", offsetof(struct finding, actions) },
};

void finding_to_json(const struct finding *x, struct buf *out)
{
	buf_printf(out,
		   "{\"finding\":%d,\"severity\":%d,\"id\":\"%s\",\"state\":\"%s\",\"firstSeenUsec\":%" PRId64
		   ",\"announced\":%s",
		   (int)x->kind, (int)x->severity, x->id, x->state_hash, x->first_seen_usec,
		   x->announced ? "true" : "false");
	if (x->flaps)
		buf_printf(out, ",\"flaps\":%" PRIu64 ",\"dormant\":%s", x->flaps, x->dormant ? "true" : "false");
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		const str *s = (const str *)((const char *)x + texts[i].offset);

		if (!s->n)
			continue;
		buf_printf(out, ",\"%s\":", texts[i].name);
		json_encode_string(*s, JSON_PLAIN, out);
	}
	buf_add_byte(out, '}');
}

/* Copy a number in hexadecimal digits. Other characters are refused, since they would be written as they are. */
static bool copy_hex(val v, const char *name, char out[FINDING_ID_SIZE])
{
	str text = val_str(val_get(v, str_from(name)));

	if (text.n != FINDING_ID_SIZE - 1 || !hex_is(text))
		return false;
	memcpy(out, text.p, text.n);
	out[text.n] = '\0';
	return true;
}

static int64_t integer(val v, const char *name)
{
	val i = val_get(v, str_from(name));

	return val_int_or(i, -1);
}

bool finding_from_json(val v, struct finding *x)
{
	int64_t kind = integer(v, "finding"), severity = integer(v, "severity"), flaps = integer(v, "flaps");

	*x = (struct finding){ .kind = (enum finding_kind)kind, .severity = (enum severity)severity };
	if (kind < 0 || kind >= FINDING_KINDS || severity < SEVERITY_CRITICAL || severity > SEVERITY_INFO ||
	    !copy_hex(v, "id", x->id) || !copy_hex(v, "state", x->state_hash))
		return false;
	x->first_seen_usec = integer(v, "firstSeenUsec");
	if (x->first_seen_usec < 0) /* the difference of two times after 1970 cannot overflow */
		return false;
	x->announced = val_is_true(VAL_GET(v, "announced"));
	x->flaps = flaps > 0 ? (uint64_t)flaps : 0;
	x->dormant = x->flaps && val_is_true(VAL_GET(v, "dormant"));
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		*(str *)((char *)x + texts[i].offset) = val_str(val_get(v, str_from(texts[i].name)));
	return true;
}

int finding_from_text(str text, struct doc **ret, struct finding *x, struct err *err)
{
	int r = json_decode(text, JSON_DEFAULTS, ret, err);

	if (r < 0)
		return r == -ENOMEM ? r : 0;
	return finding_from_json((*ret)->root, x);
}
