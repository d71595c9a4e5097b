/* Semantic versions: Sprig's semver and semverCompare, and the type *semver.Version with its methods. */
#include "template/fn/fn.h"

#include "base/ascii.h"
#include "text/semver.h"

static const struct semver *version_of(tval v)
{
	return v.p;
}

static const struct ttype version_pointer, version_struct;

static int ret_version(struct tmpl_call *c, struct semver v, const struct ttype *type, tval *ret)
{
	struct semver *copy = arena_alloc(&c->mem->arena, sizeof(*copy));

	if (!copy)
		return tmpl_nomem(c);
	*copy = v;
	*ret = (tval){ .type = type, .p = copy };
	return 0;
}

static int run_semver(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	struct semver v;
	struct err err;
	int r = tmpl_spend(c, args[0].s.n / 64);

	(void)n;
	if (r == 0)
		r = semver_parse(args[0].s, &v, &err) < 0 ? tmpl_fail_str(c, str_from(err.msg)) : 0;
	return r < 0 ? r : ret_version(c, v, &version_pointer, ret);
}

static int run_semver_compare(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	struct err err;
	bool yes = false;
	int r = tmpl_spend(c, (args[0].s.n + args[1].s.n) / 16);

	(void)n;
	if (r == 0)
		r = semver_compare_constraint(args[0].s, args[1].s, &yes, &err) < 0
			    ? tmpl_fail_str(c, str_from(err.msg))
			    : 0;
	if (r < 0)
		return r;
	*ret = tval_bool(yes);
	return 0;
}

/* ---- methods ---- */

/* Compare with args[1]; a nil version there is Go's panic. */
static int compare(struct tmpl_call *c, const tval *args, int *ret)
{
	if (!args[0].p || !args[1].p)
		return tmpl_fail(c, "runtime error: invalid memory address or nil pointer dereference");
	*ret = semver_compare(version_of(args[0]), version_of(args[1]));
	return 0;
}

static int method_compare(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	int order = 0;
	int r = compare(c, args, &order);

	(void)n;
	if (r < 0)
		return r;
	*ret = tval_int(order < 0 ? -1 : order > 0);
	return 0;
}

static int method_equal(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	(void)n;
	*ret = tval_bool(args[0].p && args[1].p && semver_compare(version_of(args[0]), version_of(args[1])) == 0);
	return 0;
}

/* A method that is true for one result of the comparison, or also for equality. */
#define ORDER_METHOD(method, op)                                                                                       \
	static int method_##method(struct tmpl_call *c, const tval *args, size_t n, tval *ret)                         \
	{                                                                                                              \
		int order = 0;                                                                                         \
		int r = compare(c, args, &order);                                                                      \
                                                                                                                       \
		(void)n;                                                                                               \
		if (r < 0)                                                                                             \
			return r;                                                                                      \
		*ret = tval_bool(order op 0);                                                                          \
		return 0;                                                                                              \
	}
ORDER_METHOD(less, <)
ORDER_METHOD(less_equal, <=)
ORDER_METHOD(greater, >)
ORDER_METHOD(greater_equal, >=)

#define NUMBER_METHOD(part)                                                                                            \
	static int method_##part(struct tmpl_call *c, const tval *args, size_t n, tval *ret)                           \
	{                                                                                                              \
		(void)c;                                                                                               \
		(void)n;                                                                                               \
		*ret = tval_uint64(version_of(args[0])->part);                                                         \
		return 0;                                                                                              \
	}
NUMBER_METHOD(major)
NUMBER_METHOD(minor)
NUMBER_METHOD(patch)

#define TEXT_METHOD(part)                                                                                              \
	static int method_##part(struct tmpl_call *c, const tval *args, size_t n, tval *ret)                           \
	{                                                                                                              \
		(void)n;                                                                                               \
		return tmpl_ret_str(c, version_of(args[0])->part, ret);                                                \
	}
TEXT_METHOD(pre)
TEXT_METHOD(metadata)
TEXT_METHOD(original)

static void version_text(struct tmem *m, tval v, struct buf *out)
{
	(void)m;
	if (v.p)
		semver_write(version_of(v), out);
	else
		buf_add_cstr(out, "<nil>");
}

static int method_string(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);

	(void)n;
	semver_write(version_of(args[0]), &out);
	return tmpl_ret_buf(c, &out, ret);
}

/* The original of a changed version: "v" if there was one, and the new text. */
static int ret_changed(struct tmpl_call *c, const struct semver *from, struct semver v, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	int r;

	if (str_has_prefix(from->original, STR("v")))
		buf_add_byte(&out, 'v');
	semver_write(&v, &out);
	r = tmpl_buf_str(c, &out, &v.original);
	return r < 0 ? r : ret_version(c, v, &version_struct, ret);
}

static int method_inc_major(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return ret_changed(c, version_of(args[0]), semver_inc_major(version_of(args[0])), ret);
}

static int method_inc_minor(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return ret_changed(c, version_of(args[0]), semver_inc_minor(version_of(args[0])), ret);
}

static int method_inc_patch(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return ret_changed(c, version_of(args[0]), semver_inc_patch(version_of(args[0])), ret);
}

/* Check dot-separated words of letters, digits and '-'; numbers of a pre-release have no leading zeros. Returns
 * NULL, or the mistake. */
static const char *check_words(str s, bool prerelease)
{
	const char *invalid = prerelease ? "Invalid Prerelease string" : "Invalid Metadata string";
	str word;

	while (str_next_part(&s, '.', &word)) {
		bool number = true;

		for (size_t i = 0; i < word.n; i++) {
			char ch = word.p[i];
			bool digit = ascii_is_digit(ch);

			if (!digit && !ascii_is_letter(ch) && ch != '-')
				return invalid;
			number = number && digit;
		}
		if (!word.n)
			return invalid;
		if (prerelease && number && word.n > 1 && word.p[0] == '0')
			return "Version segment starts with 0";
	}
	return NULL;
}

static int set_words(struct tmpl_call *c, const tval *args, bool prerelease, tval *ret)
{
	struct semver v = *version_of(args[0]);
	const char *wrong = args[1].s.n ? check_words(args[1].s, prerelease) : NULL;

	if (wrong)
		return tmpl_fail(c, "%s", wrong);
	if (prerelease)
		v.pre = args[1].s;
	else
		v.metadata = args[1].s;
	return ret_changed(c, version_of(args[0]), v, ret);
}

static int method_set_prerelease(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return set_words(c, args, true, ret);
}

static int method_set_metadata(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	return set_words(c, args, false, ret);
}

static val version_json(struct tmem *m, tval v)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(SIZE_MAX / 4);
	str text;

	if (!v.p)
		return val_null();
	semver_write(version_of(v), &out);
	text = arena_str(&m->arena, buf_str(&out));
	return out.error || !text.p ? (val){ 0 } : val_string(text);
}

static bool version_equal(tval a, tval b)
{
	const struct semver *x = version_of(a);
	const struct semver *y = version_of(b);

	if (!x || !y)
		return x == y;
	return x->major == y->major && x->minor == y->minor && x->patch == y->patch && str_eq(x->pre, y->pre) &&
	       str_eq(x->metadata, y->metadata) && str_eq(x->original, y->original);
}

#define NUMBER_FIELD(part)                                                                                             \
	static tval field_##part(struct tmem *m, tval v)                                                               \
	{                                                                                                              \
		(void)m;                                                                                               \
		return tval_uint64(version_of(v)->part);                                                               \
	}
NUMBER_FIELD(major)
NUMBER_FIELD(minor)
NUMBER_FIELD(patch)

#define TEXT_FIELD(part)                                                                                               \
	static tval field_##part(struct tmem *m, tval v)                                                               \
	{                                                                                                              \
		(void)m;                                                                                               \
		return tval_string(version_of(v)->part);                                                               \
	}
TEXT_FIELD(pre)
TEXT_FIELD(metadata)
TEXT_FIELD(original)

static const struct tfield version_fields[] = {
	{ "major", false, field_major }, { "minor", false, field_minor },       { "patch", false, field_patch },
	{ "pre", false, field_pre },     { "metadata", false, field_metadata }, { "original", false, field_original },
};

/* Methods of semver.Version. Methods of the value come first: a value that a method returns has only them, a pointer
 * has all. */
static const struct tmpl_fn version_methods[] = {
	{ "IncMajor", method_inc_major, { NULL }, false, &version_struct, "the next major version" },
	{ "IncMinor", method_inc_minor, { NULL }, false, &version_struct, "the next minor version" },
	{ "IncPatch", method_inc_patch, { NULL }, false, &version_struct, "the next patch version" },
	{ "Major", method_major, { NULL }, false, &tt_uint64, "the first number" },
	{ "Metadata", method_metadata, { NULL }, false, &tt_string, "what stands behind +" },
	{ "Minor", method_minor, { NULL }, false, &tt_uint64, "the second number" },
	{ "Patch", method_patch, { NULL }, false, &tt_uint64, "the third number" },
	{ "Prerelease", method_pre, { NULL }, false, &tt_string, "what stands behind -" },
	{ "SetMetadata", method_set_metadata, { &tt_string }, false, &version_struct, "with other metadata" },
	{ "SetPrerelease", method_set_prerelease, { &tt_string }, false, &version_struct, "with another pre-release" },
	{ "String", method_string, { NULL }, false, &tt_string, "the complete version" },
	{ "Compare", method_compare, { &version_pointer }, false, &tt_int, "-1, 0 or 1" },
	{ "Equal", method_equal, { &version_pointer }, false, &tt_bool, "whether it is the same version" },
	{ "GreaterThan", method_greater, { &version_pointer }, false, &tt_bool, "whether it is later" },
	{ "GreaterThanEqual",
	  method_greater_equal,
	  { &version_pointer },
	  false,
	  &tt_bool,
	  "whether it is not earlier" },
	{ "LessThan", method_less, { &version_pointer }, false, &tt_bool, "whether it is earlier" },
	{ "LessThanEqual", method_less_equal, { &version_pointer }, false, &tt_bool, "whether it is not later" },
	{ "Original", method_original, { NULL }, false, &tt_string, "the text it was read from" },
};
#define VALUE_METHODS 11

static const struct ttype version_struct = {
	.name = "semver.Version",
	.kind = TK_STRUCT,
	.fields = version_fields,
	.n_fields = ARRAY_LEN(version_fields),
	.methods = version_methods,
	.n_methods = VALUE_METHODS,
	.text = version_text,
	.json = version_json,
	.equal = version_equal,
};

static const struct ttype version_pointer = {
	.name = "*semver.Version",
	.kind = TK_PTR,
	.elem = &version_struct,
	.fields = version_fields,
	.n_fields = ARRAY_LEN(version_fields),
	.methods = version_methods,
	.n_methods = ARRAY_LEN(version_methods),
	.text = version_text,
	.json = version_json,
	.equal = version_equal,
};

static const struct tmpl_fn rows[] = {
	{ "semver",
	  run_semver,
	  { &tt_string },
	  false,
	  &version_pointer,
	  "a semantic version: .Major .Minor .Patch .Prerelease …" },
	{ "semverCompare",
	  run_semver_compare,
	  { &tt_string, &tt_string },
	  false,
	  &tt_bool,
	  "whether a version satisfies a constraint such as ^1.2 || >=3" },
};
TMPL_FN_FAMILY(fn_semver, rows);
