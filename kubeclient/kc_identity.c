/* Reads the identity of an object from a document, or from text with a scanner that knows brackets and quotes only. */
#include "kubeclient/kc_identity.h"

#include "mask/foreign.h"
#include "value/json_scan.h"

#include <errno.h>

bool kc_identity_holds_nul(const struct kc_identity *id)
{
	/* A NUL means a broken answer: no server writes one, and reported texts end at it. */
	return str_find_byte(id->namespace, '\0') >= 0 || str_find_byte(id->name, '\0') >= 0 ||
	       str_find_byte(id->uid, '\0') >= 0;
}

int kc_identity_of(val object, struct kc_identity *ret, struct err *err)
{
	val meta = VAL_GET(object, "metadata");
	const struct kc_identity id = { .namespace = foreign_name(VAL_GET(meta, "namespace")),
					.name = foreign_name(VAL_GET(meta, "name")),
					.uid = foreign_name(VAL_GET(meta, "uid")),
					.resource_version =
						foreign_data(foreign_of(VAL_GET(meta, "resourceVersion"))) };

	if (!id.name.n)
		return err_set(err, EBADMSG, "an object without metadata.name");
	if (kc_identity_holds_nul(&id))
		return err_set(err, EBADMSG, "an object whose name, namespace or uid holds a NUL character");
	*ret = id;
	return 0;
}

/* ---- texts ---- */

struct scan {
	const char *p, *end;
	bool brief; /* stop as soon as the identity is known */
};

/* Take a string, from its quote to the next one that is not escaped; false when there is none. */
static bool take_string(struct scan *s, str *ret)
{
	const char *from = ++s->p;

	for (; s->p < s->end && *s->p != '"'; s->p++) {
		if (*s->p == '\\')
			s->p++;
	}
	if (s->p >= s->end)
		return false;
	*ret = (str){ from, (size_t)(s->p - from) };
	s->p++;
	return true;
}

static void skip_space(struct scan *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\n' || *s->p == '\r'))
		s->p++;
}

/* Skip one value of any depth. */
static bool skip_value(struct scan *s)
{
	size_t depth = 0;
	str ignored;

	if (s->brief && s->p < s->end && (*s->p == '{' || *s->p == '[')) {
		const char *behind = json_brackets_end(s->p, s->end);

		s->p = behind ? behind : s->end;
		return behind;
	}
	while (s->p < s->end) {
		char c = *s->p;

		if (c == '"') {
			if (!take_string(s, &ignored))
				return false;
		} else if (depth == 0 && (c == ',' || c == '}' || c == ']')) {
			return true;
		} else {
			depth += c == '{' || c == '[';
			depth -= c == '}' || c == ']';
			s->p++;
		}
		if (depth == 0 && (c == '"' || c == '}' || c == ']'))
			return true;
	}
	return false;
}

/* Visit the members of an object, from its brace on, until @member says that it has seen enough, or the text ends. */
static void each_member(struct scan *s, bool (*member)(struct scan *s, str key, void *ctx), void *ctx)
{
	str key;

	s->p++;
	for (;;) {
		skip_space(s);
		if (s->p >= s->end || *s->p != '"' || !take_string(s, &key))
			return;
		skip_space(s);
		if (s->p >= s->end || *s->p++ != ':')
			return;
		skip_space(s);
		if (member(s, key, ctx))
			return;
		skip_space(s);
		if (s->p >= s->end || *s->p++ != ',')
			return;
	}
}

static bool on_field(struct scan *s, str key, void *ctx)
{
	struct kc_identity *id = ctx;
	const struct {
		str name;
		str *to;
	} fields[] = { { STR("namespace"), &id->namespace },
		       { STR("name"), &id->name },
		       { STR("uid"), &id->uid },
		       { STR("resourceVersion"), &id->resource_version } };
	str text;

	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		if (!str_eq(key, fields[i].name) || s->p >= s->end || *s->p != '"')
			continue;
		if (!take_string(s, &text))
			return true;
		if (str_find_byte(text, '\\') < 0)
			*fields[i].to = text;
		return s->brief && id->name.n && id->uid.n && id->resource_version.n;
	}
	return !skip_value(s);
}

static bool on_member(struct scan *s, str key, void *ctx)
{
	if (!str_eq(key, STR("metadata")) || s->p >= s->end || *s->p != '{')
		return !skip_value(s);
	each_member(s, on_field, ctx);
	return true;
}

static bool scan(str text, bool brief, struct kc_identity *ret)
{
	struct scan s = { text.p, text.p + text.n, brief };

	*ret = (struct kc_identity){ STR(""), STR(""), STR(""), STR("") };
	skip_space(&s);
	if (s.p < s.end && *s.p == '{')
		each_member(&s, on_member, ret);
	return ret->name.n > 0;
}

bool kc_identity_scan(str text, struct kc_identity *ret)
{
	return scan(text, false, ret);
}

bool kc_identity_glance(str text, struct kc_identity *ret)
{
	return scan(text, true, ret);
}

struct type {
	str api_version, kind;
	bool is_another;
};

static bool on_type(struct scan *s, str key, void *ctx)
{
	struct type *t = ctx;
	bool is_version = str_eq(key, STR("apiVersion"));
	str text;

	if ((!is_version && !str_eq(key, STR("kind"))) || s->p >= s->end || *s->p != '"' || !take_string(s, &text))
		return true;
	t->is_another = str_find_byte(text, '\\') < 0 && !str_eq(text, is_version ? t->api_version : t->kind);
	return t->is_another;
}

bool kc_identity_may_be(str text, str api_version, str kind)
{
	struct scan s = { text.p, text.p + text.n, true };
	struct type t = { .api_version = api_version, .kind = kind };

	skip_space(&s);
	if (s.p < s.end && *s.p == '{')
		each_member(&s, on_type, &t);
	return !t.is_another;
}
