/* Judges places of objects, and makes copies of objects that may be shown. */
#include "mask/mask.h"

#include "base/ascii.h"
#include "mask/shapes.h"
#include "value/json.h"
#include "value/kube_names.h"

#define DEPTH_MAX 1000
#define ENTRY_MOST 64 /* members of a map that may consist of a name, its value, and what belongs to them */
#define STARS "***"
#define NUMBER_MAX 512
#define BYTES_A_STEP 8 /* one step for so many bytes of a text in which another one is looked for */

/* What a place hides. Each value also hides what the ones before it hide. HIDE_PAIRS: user:password behind "-u". */
enum hide { HIDE_SHAPES, HIDE_PAIRS, HIDE_TEXTS, HIDE_SCALARS, HIDE_ALL };

static const char why_secret[] = "data of a Secret";
static const char why_field[] = "sensitive_fields";
static const char why_name[] = "the name of its key";
static const char why_label[] = "the name beside it";
static const char why_option[] = "the option before it";
static const char why_known[] = "it is hidden elsewhere";
static const char why_key[] = "below a key that is a secret itself";

bool mask_is_secret(val object)
{
	return str_eq(val_str(VAL_GET(object, "kind")), STR("Secret"));
}

/* Whether a key is that of a Secret's data. Only Secrets, and templates of them, have stringData. */
static bool is_data(str key, bool secret)
{
	return (secret && str_eq(key, STR("data"))) || str_eq(key, STR("stringData"));
}

/* Whether a map is an object. Its kind, namespace and name say where something is; if they were hidden because they
 * are also hidden elsewhere, that would reveal the hidden text. */
static bool is_object(val map)
{
	return val_is_string(VAL_GET(map, "kind")) && val_is_map(VAL_GET(map, "metadata"));
}

static bool is_identity(struct mask_place parent, val e, val a, str key)
{
	if (parent.metadata)
		return str_eq(key, STR("name")) || str_eq(key, STR("namespace"));
	return (str_eq(key, STR("kind")) || str_eq(key, STR("apiVersion"))) && (is_object(e) || is_object(a));
}

/* Whether a text contains a known one. It may also be a part of it, when the lines of a known text were read as
 * YAML, with keys and values. */
static bool is_of_known(str text, str known)
{
	return str_find(text, known) >= 0 || (text.n >= MASK_KNOWN_LEAST && str_find(known, text) >= 0);
}

static bool holds_known(const struct mask_fields *fields, str text)
{
	for (size_t i = 0; fields && i < fields->n_known; i++) {
		str known = fields->known[i];

		if (!mask_spend(fields, 1 + (text.n + known.n) / BYTES_A_STEP) || is_of_known(text, known))
			return true;
	}
	return false;
}

/* Whether a number as it is written contains a known text. */
static bool number_holds_known(const struct mask_fields *fields, val v)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(NUMBER_MAX);
	struct err err;

	if (!fields || !fields->n_known)
		return false;
	return json_encode(v, JSON_PLAIN, NULL, &text, &err) < 0 || holds_known(fields, buf_str(&text));
}

/* Whether a key, or the name of an item, is a secret itself. */
static bool is_secret_text(const struct mask_fields *fields, str text)
{
	return mask_shape(fields, text) != SHAPE_PLAIN || holds_known(fields, text);
}

static uint8_t hide_by_name(enum mask_name name)
{
	switch (name) {
	case NAME_TEXTS:
		return HIDE_TEXTS;
	case NAME_SCALARS:
		return HIDE_SCALARS;
	case NAME_SENSITIVE:
		return HIDE_ALL;
	case NAME_PLAIN:
	case NAME_HOLDER:
	case NAME_SHOWN:
		break;
	}
	return HIDE_SHAPES;
}

static uint8_t most(uint8_t a, uint8_t b)
{
	return a > b ? a : b;
}

/* What an env entry, a tag or a parameter hides because of its name: {name: DB_PASSWORD, value: x}. */
static uint8_t hide_by_label(const struct mask_fields *fields, val map)
{
	uint8_t hide = HIDE_SHAPES;

	if (!val_is_map(map) || map.n > ENTRY_MOST)
		return hide;
	for (uint32_t i = 0; i < map.n; i++) {
		val label = map.members[i].value;

		if (val_is_string(label) && mask_is_label(key_str(map.members[i].key)))
			hide = most(hide, hide_by_name(mask_name(fields, val_str(label))));
	}
	return hide;
}

static void hide_more(struct mask_place *p, uint8_t hide, const char *why)
{
	if (hide <= p->hide)
		return;
	p->hide = hide;
	p->why = why;
}

struct mask_place mask_root(void)
{
	return (struct mask_place){ 0 };
}

/* What a key says about its value. */
struct judged_key {
	const struct key *key; /* set for a key that is remembered */
	enum mask_name name;
	bool secret;
};

static struct judged_key judge_key(const struct mask_fields *fields, str key)
{
	return (struct judged_key){ .name = mask_name(fields, key), .secret = is_secret_text(fields, key) };
}

static struct mask_place place_below(const struct mask_fields *fields, struct mask_place parent, val e, val a, str key,
				     const struct judged_key *judged)
{
	bool secret = mask_is_secret(e) || mask_is_secret(a);
	struct mask_place p = { .secret = parent.secret || secret };
	enum mask_name name = judged->name;

	p.secret_key = parent.secret_key || judged->secret;
	p.shown = name == NAME_SHOWN;
	p.metadata = str_eq(key, STR("metadata")) && (is_object(e) || is_object(a));
	p.identity = is_identity(parent, e, a, key);
	if (parent.hide == HIDE_ALL)
		hide_more(&p, HIDE_ALL, parent.why);
	else if (is_data(key, secret) || (p.secret && str_eq(key, STR(KUBE_LAST_APPLIED))))
		hide_more(&p, HIDE_ALL, why_secret);
	else if (name == NAME_HOLDER)
		hide_more(&p, parent.hide, parent.why);
	else
		hide_more(&p, hide_by_name(name), name == NAME_SENSITIVE ? why_field : why_name);
	if (name == NAME_HOLDER || mask_is_value_name(key))
		hide_more(&p, most(hide_by_label(fields, e), hide_by_label(fields, a)), why_label);
	return p;
}

struct mask_place mask_member(const struct mask_fields *fields, struct mask_place parent, val e, val a, str key)
{
	const struct judged_key judged = judge_key(fields, key);

	return place_below(fields, parent, e, a, key, &judged);
}

static bool is_option(const struct mask_fields *fields, val v)
{
	return val_is_string(v) && mask_is_option(fields, val_str(v));
}

/* Whether the option takes "user:password". These are curl's spellings; for other programs they take a number or a
 * name. */
static bool is_user_option(val v)
{
	str text = val_str(v);

	return str_eq(text, STR("-u")) || str_eq(text, STR("--user")) || str_eq(text, STR("--proxy-user"));
}

static bool is_pair(str text)
{
	ptrdiff_t colon = str_find_byte(text, ':');
	bool number = colon > 0 && ascii_is_digit(text.p[0]);

	return colon > 0 && (size_t)colon + 1 < text.n && text.p[colon + 1] != '$' && !number;
}

struct mask_place mask_item(const struct mask_fields *fields, struct mask_place parent, val e, val a)
{
	if (is_user_option(e) || is_user_option(a))
		hide_more(&parent, HIDE_PAIRS, why_option);
	if (is_option(fields, e) || is_option(fields, a))
		hide_more(&parent, HIDE_SCALARS, why_option);
	return parent;
}

/* Whether a key or a name of the segment is a secret itself. */
static bool is_secret_segment(const struct mask_fields *fields, const struct path_segment *s)
{
	str rest = s->text, key, value;

	if (s->kind == PATH_INDEX)
		return false;
	if (s->kind != PATH_KEYS)
		return is_secret_text(fields, s->text);
	while (path_next_key(&rest, &key, &value)) {
		if (value.p[0] == '"' && is_secret_text(fields, str_sub(value, 1, value.n - 1)))
			return true;
	}
	return false;
}

struct mask_place mask_called_item(const struct mask_fields *fields, struct mask_place parent,
				   const struct path_segment *s)
{
	parent.secret_key = parent.secret_key || is_secret_segment(fields, s);
	return parent;
}

const char *mask_why(const struct mask_fields *fields, struct mask_place p, val v)
{
	struct mask_found found;

	if (p.hide == HIDE_ALL || (val_is_number(v) && p.hide >= HIDE_SCALARS))
		return p.why;
	if (p.secret_key && (val_is_number(v) || val_is_string(v)))
		return why_key;
	if (val_is_number(v) && !p.identity && number_holds_known(fields, v))
		return why_known;
	if (!val_is_string(v))
		return NULL;
	if (p.hide >= HIDE_TEXTS || (p.hide == HIDE_PAIRS && is_pair(val_str(v))))
		return p.why;
	if (!p.identity && holds_known(fields, val_str(v)))
		return why_known;
	found = mask_shape_why(fields, val_str(v));
	return found.shape == SHAPE_SECRET || (found.shape == SHAPE_NAMES && !p.shown) ? found.rule : NULL;
}

static bool hides_scalar(const struct mask_fields *fields, struct mask_place p, val v)
{
	return mask_why(fields, p, v) != NULL;
}

/* A walk over what is hidden, which ends when @found returns true. */
struct search {
	const struct mask_fields *fields;
	bool (*found)(void *ctx, val v);
	void *ctx;
};

static bool search(const struct search *s, struct mask_place p, val v, unsigned depth)
{
	if (depth > DEPTH_MAX || !mask_spend(s->fields, 1))
		return s->found(s->ctx, v);
	if (val_is_list(v)) {
		for (uint32_t i = 0; i < v.n; i++) {
			val before = i ? v.items[i - 1] : (val){ 0 };

			if (search(s, mask_item(s->fields, p, before, (val){ 0 }), v.items[i], depth + 1))
				return true;
		}
		return false;
	}
	if (!val_is_map(v))
		return hides_scalar(s->fields, p, v) && s->found(s->ctx, v);
	for (uint32_t i = 0; i < v.n; i++) {
		struct mask_place below = mask_member(s->fields, p, v, (val){ 0 }, key_str(v.members[i].key));

		if ((below.secret_key && s->found(s->ctx, (val){ 0 })) ||
		    search(s, below, v.members[i].value, depth + 1))
			return true;
	}
	return false;
}

static bool any(void *ctx, val v)
{
	(void)ctx;
	(void)v;
	return true;
}

bool mask_hides(const struct mask_fields *fields, struct mask_place place, val v)
{
	struct search s = { .fields = fields, .found = any };

	return place.secret_key || (val_exists(v) && (place.hide == HIDE_ALL || search(&s, place, v, 0)));
}

struct texts {
	str *p;
	size_t *n;
	size_t max;
};

/* The part of a text of several lines that remains when they are folded or indented: the longest line, without the
 * blanks around it. If that is too short, it is the text itself. */
static str revealing_part(str text)
{
	str longest = { "", 0 }, rest = text, line;

	while (str_next_line(&rest, &line)) {
		line = str_trim(line);
		if (line.n > longest.n)
			longest = line;
	}
	return longest.n < MASK_KNOWN_LEAST ? text : longest;
}

static bool keep_text(void *ctx, val v)
{
	struct texts *t = ctx;

	if (!val_is_string(v) || v.n < MASK_KNOWN_LEAST)
		return false;
	if (*t->n == t->max)
		return true;
	t->p[(*t->n)++] = revealing_part(val_str(v));
	return false;
}

bool mask_texts(const struct mask_fields *fields, val object, str *texts, size_t *n, size_t max)
{
	struct texts t = { texts, n, max };
	struct search s = { .fields = fields, .found = keep_text, .ctx = &t };

	return !search(&s, mask_root(), object, 0);
}

/* Step to the item of a list, and to its place. */
static val step_into_list(const struct mask_fields *fields, struct mask_place *p, val list,
			  const struct path_segment *s)
{
	if (s->kind == PATH_INDEX) {
		*p = mask_item(fields, *p, s->index ? val_at(list, s->index - 1) : (val){ 0 }, (val){ 0 });
		return val_at(list, s->index);
	}
	*p = mask_called_item(fields, *p, s);
	return path_get(list, (struct path){ s, 1 });
}

bool mask_hides_at(const struct mask_fields *fields, val object, struct path path)
{
	struct mask_place p = mask_root();
	val here = object;

	for (size_t i = 0; i < path.n; i++) {
		const struct path_segment *s = &path.segments[i];

		if (s->kind != PATH_KEY) {
			here = step_into_list(fields, &p, here, s);
		} else {
			p = mask_member(fields, p, here, (val){ 0 }, s->text);
			here = val_get(here, s->text);
		}
	}
	return p.hide == HIDE_ALL || mask_hides(fields, p, here);
}

str mask_path_text(const struct mask_fields *fields, struct path p, struct arena *a)
{
	struct path_segment *copy = arena_array(a, p.n, sizeof(*copy));

	if (!copy)
		return (str){ NULL, 0 };
	for (size_t i = 0; i < p.n; i++) {
		copy[i] = p.segments[i];
		if (is_secret_segment(fields, &copy[i]))
			copy[i].text = STR(STARS);
	}
	return path_text((struct path){ copy, p.n }, a);
}

/* ---- copies ---- */

#define KEYS_REMEMBERED 128

struct masker {
	const struct mask_fields *fields;
	struct judged_key keys[KEYS_REMEMBERED]; /* the keys, which lists repeat, each in its own place */
	struct arena *arena;
	bool everything;
	bool failed;
};

struct sides {
	val e, a;
};

static struct sides mask(struct masker *m, struct sides s, struct mask_place p, unsigned depth);

static val stars(const char *text)
{
	return val_string(str_from(text));
}

/* Mask scalars. A value that only one side has looks the same as one that both sides have. */
static struct sides mask_values(const struct masker *m, struct sides s, struct mask_place p)
{
	bool same = val_equal(s.e, s.a);
	bool both = val_exists(s.e) && val_exists(s.a);

	if (!m->everything && !hides_scalar(m->fields, p, s.e) && !hides_scalar(m->fields, p, s.a))
		return s;
	return (struct sides){
		.e = !val_exists(s.e) ? s.e : stars(same || !both ? STARS : STARS " (before)"),
		.a = !val_exists(s.a) ? s.a : stars(same || !both ? STARS : STARS " (after)"),
	};
}

static const struct judged_key *judged_key(struct masker *m, const struct key *key)
{
	struct judged_key *k = &m->keys[key->hash % KEYS_REMEMBERED];

	if (k->key != key) {
		*k = judge_key(m->fields, key_str(key));
		k->key = key;
	}
	return k;
}

static const struct key *shown_key(struct masker *m, const struct key *key, bool *changed)
{
	const struct key *shown;

	if (!judged_key(m, key)->secret)
		return key;
	shown = key_make(NULL, m->arena, STR(STARS));
	m->failed = m->failed || !shown;
	*changed = true;
	return shown;
}

static val map_of(struct masker *m, val from, const struct member *members, size_t n, bool keys_changed)
{
	val map = val_map_sorted(members, (uint32_t)n);

	if (!val_exists(from) || m->failed)
		return from;
	if (keys_changed)
		map = val_map(m->arena, members, n);
	m->failed = !val_exists(map);
	return map;
}

static struct sides mask_maps(struct masker *m, struct sides s, struct mask_place p, unsigned depth)
{
	size_t ne = val_count(s.e), na = val_count(s.a), i = 0, j = 0, n_e = 0, n_a = 0;
	struct member *e = arena_array(m->arena, ne, sizeof(*e));
	struct member *a = arena_array(m->arena, na, sizeof(*a));
	bool keys_changed = false;

	m->failed = m->failed || !e || !a;
	while (!m->failed && (i < ne || j < na)) {
		int order = i == ne ? 1 : j == na ? -1 : key_cmp(s.e.members[i].key, s.a.members[j].key);
		const struct key *key = order <= 0 ? s.e.members[i].key : s.a.members[j].key;
		struct sides v = { .e = order <= 0 ? s.e.members[i].value : (val){ 0 },
				   .a = order >= 0 ? s.a.members[j].value : (val){ 0 } };

		v = mask(m, v, place_below(m->fields, p, s.e, s.a, key_str(key), judged_key(m, key)), depth);
		key = shown_key(m, key, &keys_changed);
		if (order <= 0)
			e[n_e++] = (struct member){ key, v.e };
		if (order >= 0)
			a[n_a++] = (struct member){ key, v.a };
		i += order <= 0;
		j += order >= 0;
	}
	return (struct sides){ map_of(m, s.e, e, n_e, keys_changed), map_of(m, s.a, a, n_a, keys_changed) };
}

static val item_before(val list, uint32_t i)
{
	return i ? val_at(list, i - 1) : (val){ 0 };
}

static struct sides mask_lists(struct masker *m, struct sides s, struct mask_place p, unsigned depth)
{
	uint32_t ne = val_count(s.e), na = val_count(s.a);
	val *e = arena_array(m->arena, ne, sizeof(*e));
	val *a = arena_array(m->arena, na, sizeof(*a));

	m->failed = m->failed || !e || !a;
	for (uint32_t i = 0; !m->failed && (i < ne || i < na); i++) {
		struct mask_place item = mask_item(m->fields, p, item_before(s.e, i), item_before(s.a, i));
		struct sides v = mask(m, (struct sides){ val_at(s.e, i), val_at(s.a, i) }, item, depth);

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

/* Whether both sides share one value, as most values that a template leaves to the object do. */
static bool is_shared(struct sides s)
{
	return s.e.kind == s.a.kind && s.e.n == s.a.n && s.e.n > 0 &&
	       ((val_is_string(s.e) && s.e.s == s.a.s) || (val_is_list(s.e) && s.e.items == s.a.items) ||
		(val_is_map(s.e) && s.e.members == s.a.members));
}

static struct sides mask(struct masker *m, struct sides s, struct mask_place p, unsigned depth)
{
	if (is_shared(s)) {
		struct sides one = mask(m, (struct sides){ .e = s.e }, p, depth);

		return (struct sides){ one.e, one.e };
	}
	if (depth > DEPTH_MAX || !mask_spend(m->fields, 1)) {
		hide_more(&p, HIDE_ALL, why_field);
		return mask_values(m, s, p);
	}
	if (fits(s.e, VAL_MAP) && fits(s.a, VAL_MAP))
		return mask_maps(m, s, p, depth + 1);
	if (fits(s.e, VAL_LIST) && fits(s.a, VAL_LIST))
		return mask_lists(m, s, p, depth + 1);
	if (val_count(s.e) || val_count(s.a)) {
		/* The sides are of different kinds, so that no item of one side belongs to an item of the other. */
		struct sides e = mask(m, (struct sides){ s.e, { 0 } }, p, depth + 1);
		struct sides a = mask(m, (struct sides){ { 0 }, s.a }, p, depth + 1);

		return (struct sides){ e.e, a.a };
	}
	return mask_values(m, s, p);
}

bool mask_sides(const struct mask_fields *fields, val expected, val actual, bool everything, struct arena *a,
		val *ret_expected, val *ret_actual)
{
	struct masker m = { .fields = fields, .arena = a, .everything = everything };
	struct sides s = mask(&m, (struct sides){ expected, actual }, mask_root(), 0);

	*ret_expected = s.e;
	*ret_actual = s.a;
	return !m.failed;
}

/* ---- copies that keep what is equal equal ---- */

struct replacing {
	const struct mask_fields *fields;
	const struct mask_replacer *by;
	struct arena *arena;
	bool failed;
};

static val replace(struct replacing *m, val v, struct mask_place p, bool encoded, unsigned depth);

static val replaced(struct replacing *m, val v, bool encoded)
{
	val other = m->by->replace(m->by->ctx, v, encoded, m->arena);

	m->failed = m->failed || !val_exists(other);
	return other;
}

static const struct key *replace_key(struct replacing *m, const struct key *key)
{
	val text;

	if (!is_secret_text(m->fields, key_str(key)))
		return key;
	text = replaced(m, val_string(key_str(key)), false);
	key = key_make(NULL, m->arena, val_str(text));
	m->failed = m->failed || !key;
	return key;
}

static val replace_map(struct replacing *m, val v, struct mask_place p, bool encoded, unsigned depth)
{
	struct member *members = arena_array(m->arena, v.n, sizeof(*members));
	val map;

	m->failed = m->failed || !members;
	for (uint32_t i = 0; !m->failed && i < v.n; i++) {
		str key = key_str(v.members[i].key);
		bool data = mask_is_secret(v) && str_eq(key, STR("data"));
		struct mask_place below = mask_member(m->fields, p, v, (val){ 0 }, key);

		members[i].key = replace_key(m, v.members[i].key);
		members[i].value = replace(m, v.members[i].value, below, encoded || data, depth + 1);
	}
	map = m->failed ? (val){ 0 } : val_map(m->arena, members, v.n);
	m->failed = m->failed || !val_exists(map);
	return map;
}

static val replace_list(struct replacing *m, val v, struct mask_place p, bool encoded, unsigned depth)
{
	val *items = arena_array(m->arena, v.n, sizeof(*items));

	m->failed = m->failed || !items;
	for (uint32_t i = 0; !m->failed && i < v.n; i++)
		items[i] = replace(m, v.items[i], mask_item(m->fields, p, item_before(v, i), (val){ 0 }), encoded,
				   depth + 1);
	return (val){ .kind = VAL_LIST, .n = v.n, .items = items };
}

static val replace(struct replacing *m, val v, struct mask_place p, bool encoded, unsigned depth)
{
	if (depth > DEPTH_MAX)
		return replaced(m, val_null(), encoded);
	if (val_is_map(v))
		return replace_map(m, v, p, encoded, depth);
	if (val_is_list(v))
		return replace_list(m, v, p, encoded, depth);
	return hides_scalar(m->fields, p, v) ? replaced(m, v, encoded) : v;
}

bool mask_replace(const struct mask_fields *fields, val object, const struct mask_replacer *by, struct arena *a,
		  val *ret)
{
	struct replacing m = { .fields = fields, .by = by, .arena = a };

	*ret = replace(&m, object, mask_root(), false, 0);
	return !m.failed;
}

/* ---- marks ---- */

/* Mark a hidden value, except the text that replaces hidden ones, which reveals nothing. */
static val mark(void *ctx, val v, bool encoded, struct arena *a)
{
	(void)ctx;
	(void)encoded;
	(void)a;
	v.secret = !str_eq(val_str(v), STR("***"));
	return v;
}

bool mask_mark(const struct mask_fields *fields, struct mask_place place, struct arena *a, val *v)
{
	static const struct mask_replacer by = { .replace = mark };
	struct replacing m = { .fields = fields, .by = &by, .arena = a };
	val marked;

	if (!mask_hides(fields, place, *v))
		return true;
	marked = replace(&m, *v, place, false, 0);
	if (!m.failed)
		*v = marked;
	return !m.failed;
}

bool mask_mark_all(struct arena *a, val *v)
{
	return mask_mark(NULL, (struct mask_place){ .hide = HIDE_ALL }, a, v);
}

static bool is_marked(val v, unsigned depth)
{
	bool found = v.secret || depth > DEPTH_MAX;

	for (uint32_t i = 0; !found && i < val_count(v); i++)
		found = is_marked(val_is_map(v) ? v.members[i].value : v.items[i], depth + 1);
	return found;
}

bool mask_is_marked(val v)
{
	return is_marked(v, 0);
}
