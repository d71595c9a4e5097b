/* The table of operations, and the reader of one operation. */
#include "rules/inspection/insp_op.h"

#include "base/assert.h"
#include "base/unicode.h"

#define TEXT_MAX 4096 /* bytes of the mistakes in one operation */

struct param {
	const char *name;
	bool optional;
	bool named; /* can only be given in a map */
};

/* ORDER insp_code */
static const struct operation {
	const char *name;
	bool spread; /* a list of arguments is the value of the first parameter */
	bool early;  /* the action may be used in the early phase, too */
	struct param params[INSP_PARAMS_MAX + 1];
} operations[] = {
	{ "is-true", .params = { { "value" } } },
	{ "is-false", .params = { { "value" } } },
	{ "is-none", .params = { { "value" } } },
	{ "is-empty", .params = { { "value" } } },
	{ "eq", .spread = true, .params = { { "values" }, { "force_strings", true, true } } },
	{ "lt", .spread = true, .params = { { "values" }, { "force_strings", true, true } } },
	{ "gt", .spread = true, .params = { { "values" }, { "force_strings", true, true } } },
	{ "in-net", .params = { { "address" }, { "subnet" } } },
	{ "contains", .params = { { "value" }, { "regex" } } },
	{ "matches", .params = { { "value" }, { "regex" } } },
	{ "one-of", .params = { { "value" }, { "values" } } },
	{ "fail", .early = true, .params = { { "msg" } } },
	{ "log", .early = true, .params = { { "msg" }, { "level", true } } },
	{ "set-plugin-data", .early = true, .params = { { "path" }, { "value" } } },
	{ "extend-plugin-data", .early = true, .params = { { "path" }, { "value" }, { "unique", true, true } } },
	{ "unset-plugin-data", .early = true, .params = { { "path" } } },
	{ "set-attribute", .params = { { "path" }, { "value" } } },
	{ "extend-attribute", .params = { { "path" }, { "value" }, { "unique", true, true } } },
	{ "del-attribute", .params = { { "path" } } },
	{ "set-port-attribute", .params = { { "port_id" }, { "path" }, { "value" } } },
	{ "extend-port-attribute", .params = { { "port_id" }, { "path" }, { "value" }, { "unique", true, true } } },
	{ "del-port-attribute", .params = { { "port_id" }, { "path" } } },
	{ "set-capability", .params = { { "name" }, { "value" } } },
	{ "unset-capability", .params = { { "name" } } },
	{ "add-trait", .params = { { "name" } } },
	{ "remove-trait", .params = { { "name" } } },
	{ "api-call", .early = true,
	  .params = { { "url" },
		      { "headers", true, true },
		      { "proxies", true, true },
		      { "timeout", true, true },
		      { "retries", true, true },
		      { "backoff_factor", true, true } } },
};

_Static_assert(ARRAY_LEN(operations) == INSP_CODES, "ORDER insp_code");

const char *insp_code_name(enum insp_code code)
{
	ASSERT(code < INSP_CODES);
	return operations[code].name;
}

size_t insp_param(enum insp_code code, const char *name)
{
	size_t i = 0;

	ASSERT(code < INSP_CODES);
	while (operations[code].params[i].name && strcmp(operations[code].params[i].name, name) != 0)
		i++;
	ASSERT(operations[code].params[i].name);
	return i;
}

/* ---- reading ---- */

struct reader {
	const char *field;
	uint32_t index;
	bool action, early;
	struct arena *arena;
	const struct insp_report *report;
	struct buf wrong; /* all mistakes, for insp_op.error */
	struct insp_op *op;
	struct err *err;
};

static void wrong(struct reader *r, const char *key, const char *text)
{
	if (r->wrong.n)
		buf_add_cstr(&r->wrong, "; ");
	buf_add_cstr(&r->wrong, text);
	r->report->mistake(r->report->ctx, r->field, r->index, key, text);
}

static void wrong_name(struct reader *r, const char *key, const char *before, str name, const char *behind)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(TEXT_MAX);

	buf_add_cstr(&text, before);
	buf_add_str(&text, str_sub(name, 0, 256));
	buf_add_cstr(&text, behind);
	wrong(r, key, buf_str(&text).p);
}

/* Remove "!" and blanks before the name of a condition, and blanks behind it. False: the rest cannot be a name. */
static bool read_inversion(struct reader *r, str *name)
{
	size_t marks = 0;

	for (size_t i = 0; i < name->n; i++)
		marks += name->p[i] == '!';
	if (marks > 1) {
		wrong(r, "op", "multiple exclamation marks are not allowed");
		return false;
	}
	*name = unicode_trim(*name);
	if (name->n > 0 && name->p[0] == '!') {
		r->op->inverted = true;
		*name = unicode_trim(str_sub(*name, 1, name->n));
	}
	return true;
}

static bool read_name(struct reader *r, val v)
{
	size_t first = r->action ? INSP_FAIL : 0, end = r->action ? INSP_CODES : INSP_FAIL;
	str name = val_str(v);

	if (!val_exists(v))
		wrong(r, NULL, "'op' is required");
	else if (!val_is_string(v))
		wrong(r, "op", "op must be a string");
	if (!val_is_string(v) || (!r->action && !read_inversion(r, &name)))
		return false;
	for (size_t i = first; i < end; i++) {
		if (str_eq(name, str_from(operations[i].name))) {
			r->op->code = (enum insp_code)i;
			return true;
		}
	}
	wrong_name(r, "op", r->action ? "unsupported action '" : "unsupported operator '", name, "'");
	return false;
}

static int read_value(struct reader *r, val v, size_t param)
{
	r->op->given[param] = true;
	return insp_value_read(v, r->arena, &r->op->args[param], r->err);
}

static int bind_list(struct reader *r, const struct operation *o, val args)
{
	uint32_t n = 0;
	int status = 0;

	if (o->spread) {
		r->op->spread = true;
		return read_value(r, args, 0);
	}
	for (; status == 0 && n < args.n && o->params[n].name && !o->params[n].named; n++)
		status = read_value(r, args.items[n], n);
	if (status == 0 && n < args.n)
		wrong_name(r, "args", "too many arguments for ", str_from(o->name), "");
	return status;
}

static int bind_map(struct reader *r, const struct operation *o, val args)
{
	CLEANUP(buf_done) struct buf unexpected = BUF_INIT(TEXT_MAX);
	int status = 0;

	for (uint32_t i = 0; status == 0 && i < args.n; i++) {
		str name = key_str(args.members[i].key);
		size_t p = 0;

		while (o->params[p].name && !str_eq(name, str_from(o->params[p].name)))
			p++;
		if (o->params[p].name) {
			status = read_value(r, args.members[i].value, p);
			continue;
		}
		buf_add_cstr(&unexpected, unexpected.n ? ", " : "unexpected argument(s): ");
		buf_add_str(&unexpected, str_sub(name, 0, 256));
	}
	if (status == 0 && unexpected.error == -ENOMEM)
		status = err_nomem(r->err);
	if (unexpected.n)
		wrong(r, "args", buf_str(&unexpected).p);
	return status;
}

static int check_required(struct reader *r, const struct operation *o)
{
	CLEANUP(buf_done) struct buf missing = BUF_INIT(TEXT_MAX);

	for (size_t i = 0; o->params[i].name; i++) {
		if (o->params[i].optional || r->op->given[i])
			continue;
		buf_add_cstr(&missing, missing.n ? ", " : "missing required argument(s): ");
		buf_add_cstr(&missing, o->params[i].name);
	}
	if (missing.error == -ENOMEM)
		return err_nomem(r->err);
	if (missing.n)
		wrong(r, "args", buf_str(&missing).p);
	return 0;
}

/* Read the arguments. @o is NULL when the operation is not known. */
static int read_args(struct reader *r, const struct operation *o, val args)
{
	int status = 0;

	if (!val_exists(args)) {
		wrong(r, NULL, "'args' is required");
		return 0;
	}
	if (!val_is_list(args) && !val_is_map(args)) {
		wrong(r, "args", "args must be either a list or a map");
		return 0;
	}
	if (!o)
		return 0;
	status = val_is_list(args) ? bind_list(r, o, args) : bind_map(r, o, args);
	return status < 0 ? status : check_required(r, o);
}

/* Read the loop; "[]" and "{}" are no loop. */
static int read_loop(struct reader *r, val v)
{
	struct insp_value *loop = &r->op->loop;
	int status;

	if (!val_exists(v) || (v.kind >= VAL_LIST && v.n == 0))
		return 0;
	status = insp_value_read(v, r->arena, loop, r->err);
	if (status < 0)
		return status;
	if (v.kind < VAL_LIST && (!loop->string || !insp_string_is_field(loop->string)))
		wrong(r, "loop", "loop must be a list, a map or a single replacement field");
	else
		r->op->looped = true;
	return 0;
}

static void read_multiple(struct reader *r, val v)
{
	static const char *const names[] = { "any", "all", "first", "last" };

	if (!val_exists(v))
		return;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (val_is_string(v) && str_eq(val_str(v), str_from(names[i]))) {
			r->op->multiple = (enum insp_multiple)i;
			return;
		}
	}
	wrong(r, "multiple", "invalid multiple: it is any, all, first or last");
}

/* Compile a constant expression once. An expression that is wrong is reported when it is evaluated. */
static int compile_regex(struct reader *r)
{
	struct insp_op *op = r->op;
	size_t p;
	int status;

	if (op->code != INSP_CONTAINS && op->code != INSP_MATCHES)
		return 0;
	p = insp_param(op->code, "regex");
	if (!op->given[p] || !val_is_string(op->args[p].constant))
		return 0;
	status = py_regex_compile(val_str(op->args[p].constant), &op->regex, r->err);
	return status == -ENOMEM ? status : 0;
}

static int read_members(struct reader *r, val v)
{
	const struct operation *o = read_name(r, VAL_GET(v, "op")) ? &operations[r->op->code] : NULL;
	int status;

	if (o && r->action && r->early && !o->early)
		wrong_name(r, "op", "action '", str_from(o->name), "' is not available in the early phase");
	status = read_args(r, o, VAL_GET(v, "args"));
	if (status == 0)
		status = read_loop(r, VAL_GET(v, "loop"));
	if (!r->action)
		read_multiple(r, VAL_GET(v, "multiple"));
	return status < 0 ? status : compile_regex(r);
}

static int read_op(struct reader *r, val v)
{
	int status = 0;

	*r->op = (struct insp_op){ 0 };
	for (size_t i = 0; i < INSP_PARAMS_MAX; i++)
		r->op->args[i].constant = val_null();
	if (val_is_map(v))
		status = read_members(r, v);
	else
		wrong(r, NULL, "must be a map");
	if (status == 0 && r->wrong.error == -ENOMEM)
		status = err_nomem(r->err);
	if (status == 0 && r->wrong.n > 0) {
		r->op->error = arena_str(r->arena, buf_str(&r->wrong));
		if (!r->op->error.p)
			status = arena_error(r->arena, r->err);
	}
	buf_done(&r->wrong);
	if (status < 0)
		insp_op_done(r->op);
	return status;
}

int insp_condition_read(val v, uint32_t index, struct arena *a, const struct insp_report *report, struct insp_op *ret,
			struct err *err)
{
	struct reader r = {
		.field = "conditions",
		.index = index,
		.arena = a,
		.report = report,
		.wrong = BUF_INIT(TEXT_MAX),
		.op = ret,
		.err = err,
	};

	return read_op(&r, v);
}

int insp_action_read(val v, uint32_t index, bool early, struct arena *a, const struct insp_report *report,
		     struct insp_op *ret, struct err *err)
{
	struct reader r = {
		.field = "actions",
		.index = index,
		.action = true,
		.early = early,
		.arena = a,
		.report = report,
		.wrong = BUF_INIT(TEXT_MAX),
		.op = ret,
		.err = err,
	};

	return read_op(&r, v);
}

void insp_op_done(struct insp_op *op)
{
	py_regex_free(op->regex);
	op->regex = NULL;
}
