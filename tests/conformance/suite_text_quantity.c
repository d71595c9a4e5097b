/* text/quantity: Kubernetes resource quantities. */
#include "suite_text.h"

#include "text/quantity.h"
#include "value/json.h"

#include <inttypes.h>
#include <stdio.h>

#define OUT_MAX (1u << 20)

static void expect(val line, const char *name, str got, struct verdict *v)
{
	str want = val_str(val_get(line, str_from(name)));

	if (v->outcome == PASSED && !str_eq(want, got))
		verdict_failf(v, want, "%s %.*s", name, STR_ARG(got));
}

static void expect_int(val line, const char *name, int64_t got, struct verdict *v)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%" PRId64, got);
	expect(line, name, str_from(text), v);
}

static void judge_parse(val line, struct verdict *v)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(OUT_MAX);
	val error = VAL_GET(line, "error");
	struct quantity q;
	struct err err;
	double want_float;
	int r = quantity_parse(val_str(line_text(line, "text", v)), v->arena, &q, &err);

	if (r < 0 || val_exists(error)) {
		verdict_text(v, val_str(error), r < 0 ? str_from(err.msg) : STR("no error"));
		return;
	}
	expect(line, "format", str_from(quantity_format_name(q.format)), v);
	quantity_string(&q, v->arena, &out);
	expect(line, "string", buf_str(&out), v);
	if (quantity_sign(&q) != VAL_GET(line, "sign").i)
		verdict_failf(v, STR("another sign"), "%d", quantity_sign(&q));
	expect_int(line, "value", quantity_value(&q), v);
	expect_int(line, "milli_value", quantity_milli_value(&q), v);
	buf_clear(&out);
	quantity_dec_string(&q, &out);
	expect(line, "dec", buf_str(&out), v);
	want_float = strtod(arena_printf(v->arena, "%.*s", STR_ARG(val_str(VAL_GET(line, "float")))).p, NULL);
	if (v->outcome == PASSED && !(quantity_as_float(&q) == want_float))
		verdict_failf(v, val_str(VAL_GET(line, "float")), "float %.17g", quantity_as_float(&q));
}

void judge_quantity(val line, struct verdict *v)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(OUT_MAX);
	struct quantity a, b, c;
	struct err err;

	if (str_eq(val_str(VAL_GET(line, "op")), STR("parse"))) {
		judge_parse(line, v);
		return;
	}
	if (quantity_parse(val_str(VAL_GET(line, "a")), v->arena, &a, &err) < 0 ||
	    quantity_parse(val_str(VAL_GET(line, "b")), v->arena, &b, &err) < 0 ||
	    quantity_add(&a, &b, v->arena, &c, &err) < 0) {
		verdict_fail(v, STR("two quantities"), str_from(err.msg));
		return;
	}
	quantity_string(&c, v->arena, &out);
	expect(line, "sum", buf_str(&out), v);
	if (quantity_sub(&a, &b, v->arena, &c, &err) < 0)
		verdict_fail(v, STR("a difference"), str_from(err.msg));
	buf_clear(&out);
	quantity_string(&c, v->arena, &out);
	expect(line, "difference", buf_str(&out), v);
	if (quantity_compare(&a, &b) != VAL_GET(line, "cmp").i)
		verdict_failf(v, STR("another order"), "%d", quantity_compare(&a, &b));
}
