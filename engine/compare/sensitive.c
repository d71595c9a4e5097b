/* Names and kinds that say that a value is a secret. */
#include "compare/sensitive.h"

#define LAST_APPLIED "kubectl.kubernetes.io/last-applied-configuration"
#define NAME_MAX_BYTES 256 /* of a key that is compared with the list */

/* A key that is called so hides everything below it. Without case, "-", "_" and ".". */
static const char *const hidden[] = {
	"password",        "passwd",  "passphrase", "token",        "bearertoken", "accesstoken",
	"refreshtoken",    "idtoken", "authtoken",  "clientsecret", "privatekey",  "secretkey",
	"secretaccesskey", "apikey",  "credential", "credentials",
};

/* A key that ends so hides its value where that is a text or a number: "automountServiceAccountToken" holds a boolean,
 * and a volume's "secret" only the name of one. */
static const char *const hidden_endings[] = {
	"password",  "passwd",    "passphrase", "token",      "secret",      "privatekey",
	"secretkey", "accesskey", "apikey",     "credential", "credentials",
};

/* Lower case without punctuation. */
static str normalise(str name, char out[NAME_MAX_BYTES])
{
	size_t n = 0;

	for (size_t i = 0; i < name.n && n < NAME_MAX_BYTES; i++) {
		char c = name.p[i];

		if (c == '-' || c == '_' || c == '.')
			continue;
		out[n++] = c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
	}
	return (str){ out, n };
}

struct names {
	const str *extra;
	size_t n_extra;
};

static bool is_hidden(const struct names *names, str name)
{
	char space[NAME_MAX_BYTES];
	str n = normalise(name, space);

	for (size_t i = 0; i < ARRAY_LEN(hidden); i++) {
		if (str_eq(n, str_from(hidden[i])))
			return true;
	}
	for (size_t i = 0; i < names->n_extra; i++) {
		if (str_eq_nocase(name, names->extra[i]))
			return true;
	}
	return false;
}

static bool ends_hidden(const struct names *names, str name)
{
	char space[NAME_MAX_BYTES];
	str n = normalise(name, space);

	if (name.n > NAME_MAX_BYTES) /* too long to be checked as a whole: its end still is */
		n = normalise(str_sub(name, name.n - NAME_MAX_BYTES, name.n), space);
	for (size_t i = 0; i < ARRAY_LEN(hidden_endings); i++) {
		if (str_has_suffix(n, str_from(hidden_endings[i])))
			return true;
	}
	return is_hidden(names, name);
}

/* Texts and numbers can hold a credential; what is gone may have. */
static bool holds_text(val v)
{
	return !val_exists(v) || val_is_string(v) || val_is_number(v);
}

static bool key_hides(const struct names *names, str key, val v)
{
	return is_hidden(names, key) || (holds_text(v) && ends_hidden(names, key));
}

/* Whether something in @v is hidden: its keys, or an environment variable. */
static bool hides_below(const struct names *names, val v, unsigned depth)
{
	if (depth > 1000)
		return true;
	if (val_is_list(v)) {
		for (uint32_t i = 0; i < v.n; i++) {
			if (hides_below(names, v.items[i], depth + 1))
				return true;
		}
		return false;
	}
	if (!val_is_map(v))
		return false;
	if (val_is_string(VAL_GET(v, "value")) && ends_hidden(names, val_str(VAL_GET(v, "name"))))
		return true;
	for (uint32_t i = 0; i < v.n; i++) {
		if (key_hides(names, key_str(v.members[i].key), v.members[i].value) ||
		    hides_below(names, v.members[i].value, depth + 1))
			return true;
	}
	return false;
}

static bool key_at(struct path p, size_t i, const char *name)
{
	return i >= p.n || (p.segments[i].kind == PATH_KEY && str_eq(p.segments[i].text, str_from(name)));
}

/* Secret data, its copy in the annotation, and every place that contains one of them. */
static bool is_secret_data(struct path p)
{
	if (p.n == 0 || key_at(p, 0, "data") || key_at(p, 0, "stringData"))
		return true;
	return key_at(p, 0, "metadata") && key_at(p, 1, "annotations") && key_at(p, 2, LAST_APPLIED);
}

bool object_is_secret(val object)
{
	return str_eq(val_str(VAL_GET(object, "kind")), STR("Secret"));
}

/* The value of a list's item called like a credential: env[name="DB_PASSWORD"].value. */
static bool is_named_value(const struct names *names, val item, struct path p, size_t i)
{
	const struct path_segment *s = &p.segments[i];
	str name = s->kind == PATH_NAME ? s->text : val_str(VAL_GET(item, "name"));

	return s->kind != PATH_KEY && key_at(p, i + 1, "value") && ends_hidden(names, name) &&
	       (i + 1 < p.n || val_is_string(VAL_GET(item, "value")));
}

bool path_is_sensitive(val object, struct path p, const str *extra, size_t n_extra)
{
	struct names names = { extra, n_extra };
	val here = object;

	if (object_is_secret(object) && is_secret_data(p))
		return true;
	for (size_t i = 0; i < p.n; i++) {
		const struct path_segment *s = &p.segments[i];

		here = path_get(here, (struct path){ s, 1 });
		if (s->kind == PATH_KEY ? key_hides(&names, s->text, here) : is_named_value(&names, here, p, i))
			return true;
	}
	return hides_below(&names, here, 0);
}

bool value_is_sensitive(val v, const str *extra, size_t n_extra)
{
	struct names names = { extra, n_extra };

	return hides_below(&names, v, 0);
}

/* ---- masking ---- */

enum hide { HIDE_NAMED, HIDE_DIFFERENCES, HIDE_ALL };

struct masker {
	struct arena *arena;
	bool secret; /* the object is one: so is what was last applied */
	bool failed;
};

struct sides {
	val e, a;
};

static struct sides mask(struct masker *m, struct sides s, enum hide hide, unsigned depth);

static val stars(const char *text)
{
	return val_string(str_from(text));
}

/* Where the kinds or values differ; what one side alone has shows as the same on both sides would. */
static struct sides mask_values(struct sides s, enum hide hide)
{
	bool same = val_equal(s.e, s.a);
	bool both = val_exists(s.e) && val_exists(s.a);

	if (hide == HIDE_NAMED || (hide == HIDE_DIFFERENCES && same))
		return s;
	return (struct sides){
		.e = !val_exists(s.e) ? s.e : stars(same || !both ? "***" : "*** (before)"),
		.a = !val_exists(s.a) ? s.a : stars(same || !both ? "***" : "*** (after)"),
	};
}

static enum hide hide_below(const struct masker *m, val parent_e, val parent_a, str key, struct sides s, enum hide hide)
{
	static const struct names none = { NULL, 0 };
	val name = VAL_GET(parent_e, "name");

	if (!val_exists(name))
		name = VAL_GET(parent_a, "name");
	if (key_hides(&none, key, s.e) || key_hides(&none, key, s.a) || (m->secret && str_eq(key, STR(LAST_APPLIED))))
		return HIDE_ALL;
	if (str_eq(key, STR("value")) && ends_hidden(&none, val_str(name)))
		return HIDE_ALL;
	return hide;
}

static struct sides mask_maps(struct masker *m, struct sides s, enum hide hide, unsigned depth)
{
	size_t ne = val_count(s.e), na = val_count(s.a), i = 0, j = 0, n_e = 0, n_a = 0;
	struct member *e = arena_array(m->arena, ne, sizeof(*e));
	struct member *a = arena_array(m->arena, na, sizeof(*a));

	m->failed = m->failed || !e || !a;
	while (!m->failed && (i < ne || j < na)) {
		int order = i == ne   ? 1
			    : j == na ? -1
				      : str_cmp(key_str(s.e.members[i].key), key_str(s.a.members[j].key));
		const struct key *key = order <= 0 ? s.e.members[i].key : s.a.members[j].key;
		struct sides v = { .e = order <= 0 ? s.e.members[i].value : (val){ 0 },
				   .a = order >= 0 ? s.a.members[j].value : (val){ 0 } };

		v = mask(m, v, hide_below(m, s.e, s.a, key_str(key), v, hide), depth);
		if (order <= 0)
			e[n_e++] = (struct member){ key, v.e };
		if (order >= 0)
			a[n_a++] = (struct member){ key, v.a };
		i += order <= 0;
		j += order >= 0;
	}
	return (struct sides){ val_exists(s.e) ? val_map_sorted(e, (uint32_t)n_e) : s.e,
			       val_exists(s.a) ? val_map_sorted(a, (uint32_t)n_a) : s.a };
}

static struct sides mask_lists(struct masker *m, struct sides s, enum hide hide, unsigned depth)
{
	uint32_t ne = val_count(s.e), na = val_count(s.a);
	val *e = arena_array(m->arena, ne, sizeof(*e));
	val *a = arena_array(m->arena, na, sizeof(*a));

	m->failed = m->failed || !e || !a;
	for (uint32_t i = 0; !m->failed && (i < ne || i < na); i++) {
		struct sides v = mask(m, (struct sides){ val_at(s.e, i), val_at(s.a, i) }, hide, depth);

		if (i < ne)
			e[i] = v.e;
		if (i < na)
			a[i] = v.a;
	}
	return (struct sides){ val_exists(s.e) ? (val){ .kind = VAL_LIST, .n = ne, .items = e } : s.e,
			       val_exists(s.a) ? (val){ .kind = VAL_LIST, .n = na, .items = a } : s.a };
}

static bool fits(val v, enum val_kind kind)
{
	return !val_exists(v) || v.kind == kind;
}

static struct sides mask(struct masker *m, struct sides s, enum hide hide, unsigned depth)
{
	bool maps = fits(s.e, VAL_MAP) && fits(s.a, VAL_MAP);
	bool lists = fits(s.e, VAL_LIST) && fits(s.a, VAL_LIST);

	if (depth > 1000)
		return mask_values(s, HIDE_ALL);
	if (maps)
		return mask_maps(m, s, hide, depth + 1);
	if (lists)
		return mask_lists(m, s, hide, depth + 1);
	if (val_count(s.e) || val_count(s.a)) {
		/* Of two kinds: no item of the one belongs to one of the other. */
		struct sides e = mask(m, (struct sides){ s.e, { 0 } }, hide, depth + 1);
		struct sides a = mask(m, (struct sides){ { 0 }, s.a }, hide, depth + 1);

		return (struct sides){ e.e, a.a };
	}
	return mask_values(s, hide);
}

static void mask_member(struct masker *m, struct sides *s, str key)
{
	struct sides v = mask(m, (struct sides){ val_get(s->e, key), val_get(s->a, key) }, HIDE_ALL, 0);
	const struct key *k = key_make(NULL, m->arena, key);

	m->failed = m->failed || !k;
	if (!m->failed && val_exists(v.e))
		s->e = val_map_with(m->arena, s->e, k, v.e);
	if (!m->failed && val_exists(v.a))
		s->a = val_map_with(m->arena, s->a, k, v.a);
	m->failed = m->failed || !val_exists(s->e) || !val_exists(s->a);
}

bool sensitive_mask(val expected, val actual, bool differences, struct arena *a, val *ret_expected, val *ret_actual)
{
	struct masker m = { .arena = a, .secret = object_is_secret(actual) };
	struct sides s = { expected, actual };

	if (m.secret) {
		mask_member(&m, &s, STR("data"));
		mask_member(&m, &s, STR("stringData"));
	}
	s = mask(&m, s, differences ? HIDE_DIFFERENCES : HIDE_NAMED, 0);
	*ret_expected = s.e;
	*ret_actual = s.a;
	return !m.failed;
}
