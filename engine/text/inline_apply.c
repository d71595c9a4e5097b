/* Applies the inline diff functions to a whole object. */
#include "text/inline_diff.h"

#include "base/number.h"
#include "go/strconv.h"
#include "text/path_to_list.h"
#include "value/json.h"

#include <errno.h>
#include <inttypes.h>

#define VALUE_DEPTH_MAX 1000

struct job {
	struct inline_field field;
	str *path;
	size_t n_path;
	str pattern, value;
};

struct application {
	const struct inline_trace *trace;
	const struct limits *lim;
	struct arena *a;
	val object, cluster;
	struct inline_captures caps;
	VEC(struct job) jobs;
	struct buf *problems;
	struct err *err;
};

/* ---- Go's texts for values ---- */

static const char *go_type(val v)
{
	static const char *const types[] = {
		[VAL_ABSENT] = "<nil>",  [VAL_NULL] = "<nil>",          [VAL_BOOL] = "bool",
		[VAL_INT] = "int64",     [VAL_UINT] = "uint64",         [VAL_DOUBLE] = "float64",
		[VAL_STRING] = "string", [VAL_LIST] = "[]interface {}", [VAL_MAP] = "map[string]interface {}",
	};

	_Static_assert(ARRAY_LEN(types) == VAL_KINDS, "ORDER val_kind");
	return types[v.kind];
}

/* Append a value as fmt's %v prints it. */
static void write_go_value(val v, uint32_t depth, struct buf *out)
{
	switch ((enum val_kind)v.kind) {
	case VAL_BOOL:
		buf_add_cstr(out, v.b ? "true" : "false");
		break;
	case VAL_INT:
		buf_printf(out, "%" PRId64, v.i);
		break;
	case VAL_UINT:
		buf_printf(out, "%" PRIu64, v.u);
		break;
	case VAL_DOUBLE:
		go_format_float(out, v.d, 'g', -1);
		break;
	case VAL_STRING:
		buf_add_str(out, val_str(v));
		break;
	case VAL_LIST:
	case VAL_MAP:
		buf_add_cstr(out, val_is_map(v) ? "map[" : "[");
		for (uint32_t i = 0; i < v.n && depth < VALUE_DEPTH_MAX; i++) {
			if (i > 0)
				buf_add_byte(out, ' ');
			if (val_is_map(v)) {
				buf_add_str(out, key_str(v.members[i].key));
				buf_add_byte(out, ':');
			}
			write_go_value(val_is_map(v) ? v.members[i].value : v.items[i], depth + 1, out);
		}
		buf_add_byte(out, ']');
		break;
	default:
		buf_add_cstr(out, "<nil>");
	}
}

static void write_path(const str *path, size_t n, struct buf *out)
{
	for (size_t i = 0; i < n; i++) {
		buf_add_byte(out, '.');
		buf_add_str(out, path[i]);
	}
}

/* ---- reaching into objects ---- */

/* Find the value at @path: 1 with *ret; 0 when there is none; -EINVAL with the text of the error appended to @why. */
static int nested_field(val v, const str *path, size_t n, val *ret, struct buf *why)
{
	for (size_t i = 0; i < n; i++) {
		int64_t index;

		if (val_is_null(v))
			return 0;
		if (val_is_map(v)) {
			v = val_get(v, path[i]);
			if (!val_exists(v))
				return 0;
		} else if (val_is_list(v)) {
			if (!int64_parse(path[i], &index)) {
				write_path(path, i + 1, why);
				buf_printf(why,
					   " accessor error: found slice but index %.*s could not be converted into an "
					   "int: "
					   "strconv.Atoi: parsing \"%.*s\": invalid syntax",
					   STR_ARG(path[i]), STR_ARG(path[i]));
				return -EINVAL;
			}
			if (index < 0 || index >= v.n) /* a negative index kills the original */
				return 0;
			v = v.items[index];
		} else {
			write_path(path, i + 1, why);
			buf_add_cstr(why, " accessor error: ");
			write_go_value(v, 0, why);
			buf_printf(why, " is of the type %s, expected map[string]any or []any", go_type(v));
			return -EINVAL;
		}
	}
	*ret = v;
	return 1;
}

/* As nested_field, for a string. A value of another type is an error, for which *found is set. */
static int nested_string(val v, const str *path, size_t n, str *ret, bool *found, struct buf *why)
{
	val field;
	int r = nested_field(v, path, n, &field, why);

	*found = r > 0;
	if (r <= 0)
		return r;
	if (val_is_string(field)) {
		*ret = val_str(field);
		return 1;
	}
	write_path(path, n, why);
	buf_add_cstr(why, " accessor error: ");
	write_go_value(field, 0, why);
	buf_printf(why, " is of the type %s, expected string", go_type(field));
	return -EINVAL;
}

/* A copy of @v in which the text at @path, which exists, is @text. VAL_ABSENT without memory. Paths are as deep as
 * the object. */
static val with_text(struct arena *a, val v, const str *path, size_t n, str text)
{
	int64_t index = 0;
	val *items, inner;

	if (n == 0)
		return val_string(text);
	if (val_is_map(v)) {
		const struct key *key = key_make(NULL, a, path[0]);

		inner = with_text(a, val_get(v, path[0]), path + 1, n - 1, text);
		return key && val_exists(inner) ? val_map_with(a, v, key, inner) : (val){ 0 };
	}
	items = arena_array(a, v.n, sizeof(*items));
	if (!items || !int64_parse(path[0], &index) || index < 0 || index >= v.n)
		return (val){ 0 };
	memcpy(items, v.items, v.n * sizeof(*items));
	items[index] = with_text(a, v.items[index], path + 1, n - 1, text);
	if (!val_exists(items[index]))
		return (val){ 0 };
	return (val){ .kind = VAL_LIST, .n = v.n, .items = items };
}

/* ---- the two passes ---- */

static void problem(struct application *ap, const char *what, str path, const char *between, str why)
{
	if (ap->problems->n > 0)
		buf_add_byte(ap->problems, '\n');
	buf_printf(ap->problems, "%s %.*s%s", what, STR_ARG(path), between);
	buf_add_str(ap->problems, why);
}

/* Find both texts of a field. 1: there is something to do; 0: there is not; negative: an error. */
static int prepare(struct application *ap, struct job *job)
{
	static const char in_template[] = "failed to acces value in template of field";
	CLEANUP(buf_done) struct buf why = BUF_INIT(ap->lim->object_bytes);
	str path = job->field.path;
	bool found;
	struct err err;
	int r = path_to_list(path, ap->a, &job->path, &job->n_path, &err);

	if (r < 0) {
		problem(ap, "failed to parse path of field", path, " that uses inline diff func: ", str_from(err.msg));
		return r == -ENOMEM ? err_nomem(ap->err) : 0;
	}
	r = nested_string(ap->object, job->path, job->n_path, &job->pattern, &found, &why);
	if (why.error == -ENOMEM)
		return err_nomem(ap->err);
	if (r <= 0) {
		problem(ap, in_template, path,
			" that uses inline diff func: ", r < 0 ? buf_str(&why) : STR("Not found"));
		return 0;
	}
	r = nested_string(ap->cluster, job->path, job->n_path, &job->value, &found, &why);
	if (why.error == -ENOMEM)
		return err_nomem(ap->err);
	if (r < 0 && found)
		problem(ap, "failed to acces value in cluster cr of field", path,
			" that uses inline diff func: ", buf_str(&why));
	if (r <= 0)
		return 0;
	r = inline_validate(job->field.func, job->pattern, ap->lim, &why, ap->err);
	if (r < 0)
		return r;
	if (why.n > 0 || why.error) {
		problem(ap, "failed to validate the inline diff for field", path, ", ", buf_str(&why));
		return 0;
	}
	return 1;
}

static int collect(struct application *ap, const struct inline_field *field)
{
	CLEANUP(buf_done) struct buf ignored = BUF_INIT(ap->lim->object_bytes);
	struct job job = { .field = *field };
	int r = prepare(ap, &job);

	if (r <= 0)
		return r;
	if (ap->trace && ap->trace->field)
		ap->trace->field(ap->trace->ctx, field);
	r = inline_diff(field->func, job.pattern, job.value, ap->lim, &ap->caps, &ignored, ap->err);
	if (r < 0)
		return r;
	return vec_push(&ap->jobs, job) ? 0 : err_nomem(ap->err);
}

static int replace(struct application *ap, const struct job *job)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(ap->lim->object_bytes);
	CLEANUP(buf_done) struct buf why = BUF_INIT(ap->lim->object_bytes);
	val parent = val_null(), changed;
	str kept;
	int r = inline_diff(job->field.func, job->pattern, job->value, ap->lim, &ap->caps, &text, ap->err);

	if (r < 0)
		return r;
	r = nested_field(ap->object, job->path, job->n_path - 1, &parent, &why);
	if (r > 0 && !val_is_map(parent)) {
		write_path(job->path, job->n_path, &why);
		buf_add_cstr(&why, " accessor error: ");
		write_go_value(parent, 0, &why);
		buf_printf(&why, " is of type %s, expected map[string]string", go_type(parent));
		r = -EINVAL;
	}
	if (why.error == -ENOMEM)
		return err_nomem(ap->err);
	if (r <= 0) {
		problem(ap, "failed to update value of inline diff func result for field", job->field.path, ", ",
			buf_str(&why));
		return 0;
	}
	kept = arena_str(ap->a, buf_str(&text));
	changed = kept.p ? with_text(ap->a, ap->object, job->path, job->n_path, kept) : (val){ 0 };
	if (!val_exists(changed))
		return err_nomem(ap->err);
	ap->object = changed;
	return 0;
}

static int compare_fields(const void *a, const void *b)
{
	const struct inline_field *x = a, *y = b;

	return str_cmp(x->path, y->path);
}

int inline_apply(const struct inline_field *fields, size_t n, val object, val cluster, const struct limits *lim,
		 const struct inline_trace *trace, struct arena *a, val *ret, struct buf *problems, struct err *err)
{
	struct application ap = { .lim = lim,
				  .trace = trace,
				  .a = a,
				  .object = object,
				  .cluster = cluster,
				  .problems = problems,
				  .err = err };
	struct inline_field *sorted = arena_array(a, n, sizeof(*sorted));
	int r = 0;

	if (!sorted)
		return err_nomem(err);
	if (n > 0) {
		memcpy(sorted, fields, n * sizeof(*sorted));
		qsort(sorted, n, sizeof(*sorted), compare_fields);
	}
	ap.caps.arena = a;
	if (trace) {
		ap.caps.pair = trace->pair;
		ap.caps.ctx = trace->ctx;
	}
	for (size_t i = 0; i < n && r == 0; i++)
		r = collect(&ap, &sorted[i]);
	for (size_t i = 0; i < ap.jobs.n && r == 0; i++)
		r = replace(&ap, &ap.jobs.p[i]);
	if (r == 0)
		r = buf_error(problems, "inline diff problems", err);
	if (r == 0)
		*ret = ap.object;
	inline_captures_done(&ap.caps);
	vec_done(&ap.jobs);
	return r;
}
