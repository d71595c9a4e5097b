/* Changes that are offered before they are decoded: whatever the lines, what is reported, and what is known after, is
 * the same but for the changes that the owner has seen to be none. */
#include "kubeclient/kc_report.h"

#include "base/buf.h"
#include "base/vec.h"
#include "kubeclient/kc_key_store.h"
#include "value/object_text.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LINE(type, metadata, rest) "{\"type\":\"" type "\",\"object\":{\"metadata\":{" metadata "}" rest "}}"
#define META(name, uid, version) "\"name\":\"" name "\",\"uid\":\"" uid "\",\"resourceVersion\":\"" version "\""

/* In turn, of one watch. */
static const struct line_case {
	const char *line;
	bool initial;
	int offered; /* 0: not; 1: it is; 2: and it is none to the owner, who sees to spec only */
} lines[] = {
	{ LINE("ADDED", META("a", "1", "1"), ",\"spec\":1"), true, 0 },
	{ LINE("MODIFIED", META("a", "1", "1"), ",\"spec\":1"), true, 0 },
	{ LINE("BOOKMARK", "\"resourceVersion\":\"9\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}", ""),
	  true, 0 },
	{ LINE("MODIFIED", META("a", "1", "11"), ",\"spec\":1"), false, 2 },
	{ LINE("MODIFIED", META("a", "1", "11"), ",\"spec\":1"), false, 0 }, /* the same again */
	{ LINE("MODIFIED", META("a", "1", "12"), ",\"spec\":2"), false, 1 },
	{ LINE("MODIFIED", META("a", "1", "13"), ",\"spec\":1,\"status\":{\"x\":[]}"), false, 2 },
	{ LINE("ADDED", META("a", "1", "14"), ",\"spec\":1"), false, 0 },
	{ LINE("MODIFIED", META("b", "2", "15"), ",\"spec\":1"), false, 0 }, /* of what is not known */
	{ LINE("MODIFIED", META("b", "2", "16"), ",\"spec\":1"), false, 2 },
	{ LINE("MODIFIED", META("a", "3", "17"), ",\"spec\":1"), false, 0 }, /* deleted and made again */
	{ LINE("MODIFIED", META("\\u0061", "3", "18"), ",\"spec\":1"), false, 0 },
	/* what the glance finds is not what the text says */
	{ LINE("MODIFIED", META("a", "3", "19") ",\"name\":\"b\",\"uid\":\"2\"", ",\"spec\":1"), false, 1 },
	{ LINE("MODIFIED", META("a", "3", "20"), ",\"spec\":1,\"metadata\":{" META("b", "2", "21") "}"), false, 1 },
	{ LINE("MODIFIED", META("a", "3", "22") ",\"uid\":7", ",\"spec\":1"), false, 1 },
	{ LINE("MODIFIED", META("a", "", "23"), ",\"spec\":1"), false, 2 }, /* known without a uid */
	{ LINE("MODIFIED", META("a", "4", "24"), ",\"spec\":1"), false, 0 },
	{ LINE("MODIFIED", META("a", "4", "25") ",\"namespace\":\"n\"", ",\"spec\":1"), false, 1 },
	/* what cannot be read */
	{ LINE("MODIFIED", META("a", "4", "26"), ",\"spec\":1,\"k\\u0000\":1"), false, 1 },
	{ LINE("MODIFIED", META("a", "4", "27"), ",\"spec\":1,\"deep\":[[[[[[[[[[[[]]]]]]]]]]]]"), false, 1 },
	{ LINE("MODIFIED", META("a", "4", "28"), ",\"spec\":1,\"x\":\"\\x\""), false, 1 },
	{ LINE("MODIFIED", META("a", "4", "29"), ",\"spec\":1"), false, 2 },
	{ LINE("MODIFIED", META("a", "4", "30"), ",\"spec\":1,"), false, 1 },
	{ LINE("MODIFIED", META("a", "4", "28"), ",\"spec\":1"), false, 2 }, /* versions go back */
	{ LINE("MODIFIED", META("a", "4", "31"), ",\"spec\":1"), false, 2 },
	{ LINE("MODIFIED", META("a", "4", ""), ",\"spec\":1"), false, 2 },
	{ LINE("MODIFIED", "\"name\":\"a\",\"uid\":\"4\"", ",\"spec\":1"), false, 0 },
	{ LINE("DELETED", META("a", "4", "32"), ",\"spec\":1"), false, 0 },
	{ LINE("MODIFIED", META("a", "4", "33"), ",\"spec\":1"), false, 0 },
};

struct side {
	struct kc_report rep;
	struct kc_key_store known;
	uint32_t lists;
	struct buf log;
	int offered; /* by the line */
	bool unseen;
};

static struct limits limits;

static void on_object(void *ctx, const struct kc_object *o)
{
	struct side *s = ctx;

	buf_printf(&s->log, "%d %.*s/%.*s %.*s %.*s%s%s%s %d\n", (int)o->event, STR_ARG(o->namespace), STR_ARG(o->name),
		   STR_ARG(o->uid), STR_ARG(o->resource_version), o->unchanged ? " unchanged" : "",
		   o->unreadable ? ": " : "", o->unreadable ? o->unreadable : "", o->doc != NULL);
	assert_true(kc_key_store_take_in(&s->known, o));
}

static bool on_find(void *ctx, str key, struct kc_known *ret)
{
	const struct side *s = ctx;

	return kc_key_store_find(&s->known, key, ret);
}

static int on_absent(void *ctx, uint32_t list, struct kc_knowns *ret, struct err *err)
{
	const struct side *s = ctx;

	return kc_key_store_absent(&s->known, list, ret, err);
}

static bool on_unseen(void *ctx, const struct kc_object *o)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	static const str spec = { "spec", 4 };
	struct side *s = ctx;
	struct json_pick pick, spec_pick;
	struct err err;
	str managed;
	val root;

	assert_null(o->doc);
	assert_int_equal(o->event, KC_MODIFIED);
	s->offered = 1;
	assert_true(object_pick(NULL, &a, &pick) && json_pick_path(&spec, 1, NULL, &a, &spec_pick) &&
		    json_pick_both(&pick, &spec_pick, &a, &pick));
	if (object_decode_part(o->text, &limits, NULL, NULL, &pick, NULL, &a, &root, &managed, &err) < 0 ||
	    !kc_object_confirmed(o, root) || VAL_GET(root, "spec").i != 1)
		return false;
	s->offered = 2;
	assert_true(kc_key_store_take_in(&s->known, o));
	return s->unseen = true;
}

static void begin(struct side *s, const struct kc_collection *what, bool offers)
{
	*s = (struct side){ .log = BUF_INIT(1 << 20), .known = KC_KEY_STORE };
	kc_report_init(&s->rep);
	s->rep.what = what;
	s->rep.limits = &limits;
	s->rep.handler = (struct kc_handler){
		.object = on_object, .find = on_find, .absent = on_absent, .unseen = offers ? on_unseen : NULL
	};
	s->rep.ctx = s;
	s->rep.lists = &s->lists;
}

static void end(struct side *s)
{
	kc_report_done(&s->rep);
	kc_key_store_done(&s->known);
	buf_done(&s->log);
}

static enum kc_line take(struct side *s, const struct line_case *l, struct err *err)
{
	struct kc_result status = { 0 };
	enum kc_line r;

	*err = (struct err){ 0 };
	s->offered = 0;
	s->unseen = false;
	buf_clear(&s->log);
	r = kc_report_line(&s->rep, str_from(l->line), l->initial, NULL, 1, &status, err);
	if (status.err.code)
		*err = status.err;
	return r;
}

static void same_store(const struct line_case *l, const struct side *x, const struct side *y)
{
	struct kc_knowns all = { 0 };
	struct kc_known b;
	struct err err;

	if (x->known.known.n != y->known.known.n || x->rep.n_objects != y->rep.n_objects)
		fail_msg("%s: other objects are known", l->line);
	assert_int_equal(kc_key_store_absent(&x->known, 1, &all, &err), 0);
	assert_int_equal(all.n, x->known.known.n);
	for (size_t i = 0; i < all.n; i++) {
		const struct kc_known *a = &all.p[i];

		if (!kc_key_store_find(&y->known, a->key, &b) || !str_eq(a->uid, b.uid) ||
		    !str_eq(a->resource_version, b.resource_version))
			fail_msg("%s: %.*s is known otherwise", l->line, STR_ARG(a->key));
	}
	vec_done(&all);
}

static void step(const struct line_case *l, struct side *plain, struct side *offering)
{
	struct err err, other;

	if (take(plain, l, &err) != take(offering, l, &other) || err.code != other.code)
		fail_msg("%s: %s, not %s", l->line, other.msg, err.msg);
	if (offering->offered != l->offered)
		fail_msg("%s: offered %d", l->line, offering->offered);
	if (offering->unseen ? offering->log.n != 0 : !str_eq(buf_str(&offering->log), buf_str(&plain->log)))
		fail_msg("%s: %.*s, not %.*s", l->line, STR_ARG(buf_str(&offering->log)),
			 STR_ARG(buf_str(&plain->log)));
	assert_memory_equal(&plain->rep.counters, &offering->rep.counters, sizeof(plain->rep.counters));
	assert_string_equal(plain->rep.version ? plain->rep.version : "",
			    offering->rep.version ? offering->rep.version : "");
	same_store(l, plain, offering);
}

static void test_lines(void **state)
{
	struct kc_collection what = { .api_version = (char *)"v1", .kind = (char *)"Pod", .shown = (char *)"pods" };
	struct side plain, offering;

	(void)state;
	limits = LIMITS_DEFAULT;
	limits.depth = 8;
	begin(&plain, &what, false);
	begin(&offering, &what, true);
	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		step(&lines[i], &plain, &offering);
	end(&plain);
	end(&offering);
}

/* Where all have to be reported, few are offered; once none has to be, most are again. */
static void test_rest(void **state)
{
	struct kc_collection what = { .api_version = (char *)"v1", .kind = (char *)"Pod", .shown = (char *)"pods" };
	static const char *const spec[] = { "2", "1" };
	size_t offered[ARRAY_LEN(spec)] = { 0 };
	struct side s;

	(void)state;
	limits = LIMITS_DEFAULT;
	begin(&s, &what, true);
	for (size_t i = 0; i < 20000; i++) {
		CLEANUP(buf_done) struct buf text = BUF_INIT(4096);
		struct line_case l = { 0 };
		struct err err;

		buf_printf(&text,
			   "{\"type\":\"MODIFIED\",\"object\":{\"metadata\":{\"name\":\"a\",\"uid\":\"1\","
			   "\"resourceVersion\":\"%zu\"},\"spec\":%s}}%c",
			   i + 1, spec[i / 10000], '\0');
		l.line = text.p;
		assert_int_equal(take(&s, &l, &err), KC_LINE_GOOD);
		offered[i / 10000] += s.offered > 0;
	}
	print_message("offered: %zu, then %zu\n", offered[0], offered[1]);
	assert_in_range(offered[0], 64, 500);
	assert_in_range(offered[1], 7000, 10000);
	assert_int_equal(s.rep.counters.events, 20000);
	end(&s);
}

/* ---- what the owner does not need ---- */

#define NEEDED ",\"spec\":1"
#define UNNEEDED ",\"spec\":0"

/* In turn; what is reported then, by name and uid ("-": gone), and how many are known. */
static const struct need_case {
	const char *line, *reported;
	size_t known;
	bool decoded; /* before it was known not to be needed */
} needs[] = {
	{ LINE("ADDED", META("a", "1", "1"), NEEDED), "+a1", 1, true },
	{ LINE("ADDED", META("b", "x2", "2"), NEEDED), "", 1, false },
	{ LINE("MODIFIED", META("b", "x2", "3"), NEEDED), "", 1, false },
	{ LINE("DELETED", META("b", "x2", "4"), NEEDED), "", 1, false },
	{ LINE("MODIFIED", META("a", "1", "5"), NEEDED), "+a1", 1, true },
	/* made again under its name, unseen, and nobody's; then ours again */
	{ LINE("MODIFIED", META("a", "x6", "6"), NEEDED), "-a1", 0, true },
	{ LINE("ADDED", META("a", "7", "7"), NEEDED), "+a7", 1, true },
	/* deleted as another one than is known */
	{ LINE("DELETED", META("a", "x8", "8"), NEEDED), "-ax8", 0, true },
	/* what only its document says */
	{ LINE("ADDED", META("c", "9", "9"), UNNEEDED), "", 0, true },
	{ LINE("ADDED", META("c", "9", "10"), NEEDED), "+c9", 1, true },
	{ LINE("MODIFIED", META("c", "9", "11"), UNNEEDED), "-c9", 0, true },
	/* a glance does not find who it is */
	{ LINE("ADDED", META("d", "x\\u0031", "12"), NEEDED), "", 0, true },
	/* what cannot be read, and is not needed, is not even looked at */
	{ LINE("ADDED", META("e", "x1", "13"), ",\"spec\":1,\"deep\":[[[[[[[[[[[[]]]]]]]]]]]]"), "", 0, false },
	{ LINE("ADDED", META("e", "1", "14"), ",\"spec\":1,\"deep\":[[[[[[[[[[[[]]]]]]]]]]]]"), "+e1", 1, true },
};

static bool decoded;

static bool is_unneeded(void *ctx, const struct kc_object *o)
{
	(void)ctx;
	decoded |= o->doc != NULL;
	return str_has_prefix(o->uid, STR("x")) || (o->doc && !o->unreadable && VAL_GET(o->doc->root, "spec").i == 0);
}

static void note(void *ctx, const struct kc_object *o)
{
	struct side *s = ctx;

	buf_printf(&s->log, "%c%.*s%.*s", o->event == KC_DELETED ? '-' : '+', STR_ARG(o->name), STR_ARG(o->uid));
	assert_true(kc_key_store_take_in(&s->known, o));
}

static void test_what_is_not_needed(void **state)
{
	struct kc_collection what = { .api_version = (char *)"v1", .kind = (char *)"Pod", .shown = (char *)"pods" };
	struct side s;

	(void)state;
	limits = LIMITS_DEFAULT;
	limits.depth = 8;
	begin(&s, &what, false);
	s.rep.handler =
		(struct kc_handler){ .object = note, .find = on_find, .absent = on_absent, .unneeded = is_unneeded };
	for (size_t i = 0; i < ARRAY_LEN(needs); i++) {
		struct line_case l = { .line = needs[i].line };
		char version[24];
		struct err err;

		decoded = false;
		if (take(&s, &l, &err) != KC_LINE_GOOD)
			fail_msg("%s: %s", l.line, err.msg);
		if (!str_eq(buf_str(&s.log), str_from(needs[i].reported)) || s.known.known.n != needs[i].known ||
		    s.rep.n_objects != needs[i].known)
			fail_msg("%s: %.*s, %zu are known", l.line, STR_ARG(buf_str(&s.log)), s.known.known.n);
		if (*needs[i].reported != '-' && decoded != needs[i].decoded)
			fail_msg("%s: decoded", l.line);
		assert_int_equal(s.rep.counters.events, i + 1); /* each is a place to resume from */
		(void)snprintf(version, sizeof(version), "%zu", i + 1);
		assert_string_equal(s.rep.version, version);
	}
	end(&s);
}

/* What a server sends in place of what was asked for. */
static void test_of_another_kind(void **state)
{
#define TYPED(type, api_version, kind, metadata)                                                                       \
	"{\"type\":\"" type "\",\"object\":{\"kind\":\"" kind "\",\"apiVersion\":\"" api_version                       \
	"\",\"metadata\":{" metadata "}}}"
	static const struct {
		const char *line;
		enum kc_line read;
	} cases[] = {
		{ TYPED("ADDED", "v1", "ConfigMap", META("a", "1", "11")), KC_LINE_GOOD },
		{ LINE("MODIFIED", META("a", "1", "12"), ""), KC_LINE_GOOD }, /* it does not say */
		{ TYPED("MODIFIED", "v1", "Pod", META("a", "1", "13")), KC_LINE_BAD },
		{ TYPED("MODIFIED", "v1", "Pod", META("a", "2", "13")), KC_LINE_BAD },
		{ TYPED("MODIFIED", "v2", "ConfigMap", META("a", "1", "13")), KC_LINE_BAD },
		{ TYPED("ADDED", "v1", "Pod", META("b", "3", "13")), KC_LINE_BAD },
		{ TYPED("DELETED", "v1", "Pod", META("a", "1", "13")), KC_LINE_BAD },
		{ TYPED("BOOKMARK", "v1", "Pod", "\"resourceVersion\":\"13\""), KC_LINE_BAD },
		{ TYPED("BOOKMARK", "v1", "ConfigMap", "\"resourceVersion\":\"14\""), KC_LINE_GOOD },
		{ TYPED("DELETED", "v1", "ConfigMap", META("a", "1", "15")), KC_LINE_GOOD },
	};
	static char api_version[] = "v1", kind[] = "ConfigMap", shown[] = "configmaps";
	const struct kc_collection what = { .api_version = api_version, .kind = kind, .shown = shown };
	struct side s;

	(void)state;
	limits = LIMITS_DEFAULT;
	begin(&s, &what, false);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct line_case l = { .line = cases[i].line };
		struct err err = { 0 };

		if (take(&s, &l, &err) != cases[i].read)
			fail_msg("%s: %s", l.line, err.msg);
		if (cases[i].read == KC_LINE_BAD && s.log.n)
			fail_msg("%s: it is reported: %.*s", l.line, STR_ARG(buf_str(&s.log)));
	}
	end(&s);
}

/* Two watches of one client, which lists the one while the other goes on: what came meanwhile is not absent, whoever
 * it came from; what neither list nor event held is. */
static void test_absence(void **state)
{
	struct kc_collection what = { .api_version = (char *)"v1", .kind = (char *)"Pod", .shown = (char *)"pods" };
	static const char *const listed[] = { "a", "b" };
	struct line_case added = { .line = LINE("ADDED", META("c", "3", "7"), "") };
	struct side s;
	struct err err;

	(void)state;
	limits = LIMITS_DEFAULT;
	begin(&s, &what, false);
	s.lists = UINT32_MAX - 1; /* numbers wrap */
	s.rep.handler.object = note;
	for (size_t n = ARRAY_LEN(listed); n > 0; n--) {
		buf_clear(&s.log);
		kc_report_begin(&s.rep);
		for (size_t i = 0; i < n; i++) {
			char text[200];

			(void)snprintf(text, sizeof(text),
				       "{\"metadata\":{\"name\":\"%s\",\"uid\":\"%s1\","
				       "\"resourceVersion\":\"5\"}}",
				       listed[i], listed[i]);
			assert_int_equal(kc_report_item(&s.rep, str_from(text), NULL, 1, &err), 0);
		}
		s.lists++; /* another watch begins to list */
		if (n == ARRAY_LEN(listed))
			assert_int_equal(kc_report_absent(&s.rep, &err), 0);
	}
	assert_int_equal(kc_report_line(&s.rep, str_from(added.line), false, NULL, 1, &(struct kc_result){ 0 }, &err),
			 KC_LINE_GOOD);
	buf_clear(&s.log);
	assert_int_equal(kc_report_absent(&s.rep, &err), 0);
	assert_true(str_eq(buf_str(&s.log), STR("-bb1")));
	assert_true(s.rep.changed);
	assert_int_equal(s.rep.n_objects, 2);
	end(&s);
}

static void test_too_many(void **state)
{
	struct kc_collection what = { .api_version = (char *)"v1", .kind = (char *)"Pod", .shown = (char *)"pods" };
	const struct {
		const char *line;
		enum kc_line read;
	} rows[] = {
		{ LINE("ADDED", META("a", "1", "1"), ""), KC_LINE_GOOD },
		{ LINE("ADDED", META("b", "2", "2"), ""), KC_LINE_GOOD },
		{ LINE("ADDED", META("c", "3", "3"), ""), KC_LINE_BAD },
		{ LINE("MODIFIED", META("b", "2", "4"), ""), KC_LINE_GOOD },
		{ LINE("ADDED", META("b", "4", "5"), ""), KC_LINE_GOOD }, /* made again */
		{ LINE("DELETED", META("a", "1", "6"), ""), KC_LINE_GOOD },
		{ LINE("ADDED", META("c", "3", "7"), ""), KC_LINE_GOOD },
		{ LINE("DELETED", META("d", "5", "8"), ""), KC_LINE_GOOD }, /* of what is not known */
		{ LINE("ADDED", META("d", "5", "9"), ""), KC_LINE_BAD },
	};
	struct side s;

	(void)state;
	limits = LIMITS_DEFAULT;
	begin(&s, &what, false);
	s.rep.max_objects = 2;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct line_case l = { .line = rows[i].line };
		struct err err;

		if (take(&s, &l, &err) != rows[i].read)
			fail_msg("%s: %s", l.line, err.msg);
		if (rows[i].read == KC_LINE_BAD)
			assert_int_equal(err.code, E2BIG);
	}
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_lines),
					    cmocka_unit_test(test_rest),
					    cmocka_unit_test(test_absence),
					    cmocka_unit_test(test_too_many),
					    cmocka_unit_test(test_what_is_not_needed),
					    cmocka_unit_test(test_of_another_kind) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
