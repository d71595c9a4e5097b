/* Kubernetes' quantity and semver libraries.   apiserver/pkg/cel/library/quantity.go, semverlib.go */
#include "cel/cel_func.h"

#include "text/quantity.h"
#include "text/semver.h"

#include <errno.h>

/* ---- quantity ---- */

static cv quantity_value_of(struct cel_ctx *c, struct quantity q, enum cv_rep rep)
{
	struct quantity *copy = arena_alloc(c->arena, sizeof(*copy));

	if (!copy)
		return cel_nomem(c);
	*copy = q;
	return (cv){ .kind = CV_QUANTITY, .rep = (uint8_t)rep, .quantity = copy };
}

static cv failure(struct cel_ctx *c, int r, const struct err *err)
{
	return r == -ENOMEM ? cel_nomem(c) : cel_fail(c, "%s", err->msg);
}

static cv quantity(struct cel_ctx *c, const cv *a, uint32_t n)
{
	struct quantity q;
	struct err err;
	int r = quantity_parse(cv_str(a[0]), c->arena, &q, &err);

	(void)n;
	return r < 0 ? failure(c, r, &err) : quantity_value_of(c, q, CV_NATIVE);
}

static cv is_quantity(struct cel_ctx *c, const cv *a, uint32_t n)
{
	struct quantity q;
	struct err err;

	(void)n;
	return cv_bool(quantity_parse(cv_str(a[0]), c->arena, &q, &err) == 0);
}

static cv sign(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)c;
	(void)n;
	return cv_int(quantity_sign(a[0].quantity));
}

static cv is_integer(struct cel_ctx *c, const cv *a, uint32_t n)
{
	int64_t i;

	(void)c;
	(void)n;
	return cv_bool(quantity_as_int(a[0].quantity, &i));
}

static cv as_integer(struct cel_ctx *c, const cv *a, uint32_t n)
{
	int64_t i;

	(void)n;
	return quantity_as_int(a[0].quantity, &i) ? cv_int(i) : cel_fail(c, "cannot convert value to integer");
}

static cv as_float(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)c;
	(void)n;
	return cv_double(quantity_as_float(a[0].quantity));
}

static cv q_less(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)c;
	(void)n;
	return cv_bool(quantity_compare(a[0].quantity, a[1].quantity) < 0);
}

static cv q_greater(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)c;
	(void)n;
	return cv_bool(quantity_compare(a[0].quantity, a[1].quantity) > 0);
}

static cv q_compare(struct cel_ctx *c, const cv *a, uint32_t n)
{
	int r = quantity_compare(a[0].quantity, a[1].quantity);

	(void)c;
	(void)n;
	return cv_int((r > 0) - (r < 0));
}

static cv combine(struct cel_ctx *c, const cv *a, bool minus)
{
	struct quantity other = a[1].kind == CV_INT ? quantity_from_int(a[1].i) : *a[1].quantity, q;
	struct err err;
	int r = minus ? quantity_sub(a[0].quantity, &other, c->arena, &q, &err)
		      : quantity_add(a[0].quantity, &other, c->arena, &q, &err);

	return r < 0 ? failure(c, r, &err) : quantity_value_of(c, q, CV_COMPUTED);
}

static cv q_add(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)n;
	return combine(c, a, false);
}

static cv q_sub(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)n;
	return combine(c, a, true);
}

static const struct cel_overload quantities[] = {
	CEL_GLOBAL("quantity", "string_to_quantity", "s:Q", quantity, COST_K_FIRST, "an amount such as 1.5Gi"),
	CEL_GLOBAL("isQuantity", "is_quantity_string", "s:b", is_quantity, COST_K_FIRST, "is it an amount?"),
	CEL_GLOBAL("sign", "quantity_sign", "Q:i", sign, COST_ONE, "-1, 0 or 1"),
	CEL_MEMBER("isInteger", "quantity_is_integer", "Q:b", is_integer, COST_ONE, "does asInteger work?"),
	CEL_MEMBER("asInteger", "quantity_as_integer", "Q:i", as_integer, COST_ONE, "as an integer"),
	CEL_MEMBER("asApproximateFloat", "quantity_get_float", "Q:d", as_float, COST_ONE, "as a double"),
	CEL_MEMBER("isLessThan", "quantity_less_than", "QQ:b", q_less, COST_ONE, "less?"),
	CEL_MEMBER("isGreaterThan", "quantity_greater_than", "QQ:b", q_greater, COST_ONE, "more?"),
	CEL_MEMBER("compareTo", "quantity_compare_to", "QQ:i", q_compare, COST_ONE, "-1, 0 or 1"),
	CEL_MEMBER("add", "quantity_add", "QQ:Q", q_add, COST_ONE, "sum"),
	CEL_MEMBER("add", "quantity_add_int", "Qi:Q", q_add, COST_ONE, "sum"),
	CEL_MEMBER("sub", "quantity_sub", "QQ:Q", q_sub, COST_ONE, "difference"),
	CEL_MEMBER("sub", "quantity_sub_int", "Qi:Q", q_sub, COST_ONE, "difference"),
};

const struct cel_library cel_lib_quantity = { quantities, ARRAY_LEN(quantities) };

/* ---- semver ---- */

/* Parse args[0], leniently when args[1] is true. NULL with the error. */
static struct cel_semver *read_version(struct cel_ctx *c, const cv *a, uint32_t n, struct err *err)
{
	struct cel_semver *v = arena_alloc(c->arena, sizeof(*v));
	str text = cv_str(a[0]);

	if (!v) {
		(void)err_nomem(err);
		return NULL;
	}
	if (n > 1 && a[1].b) {
		CLEANUP(buf_done) struct buf b = BUF_INIT(65536);

		if (semver_normalize(text, &b, err) < 0)
			return NULL;
		text = arena_str(c->arena, buf_str(&b));
		if (!text.p) {
			(void)err_nomem(err);
			return NULL;
		}
	}
	return semver_parse_strict(text, &v->version, err) < 0 ? NULL : v;
}

static cv semver(struct cel_ctx *c, const cv *a, uint32_t n)
{
	struct err err;
	struct cel_semver *v = read_version(c, a, n, &err);

	return v ? (cv){ .kind = CV_SEMVER, .semver = v } : failure(c, -err.code, &err);
}

static cv is_semver(struct cel_ctx *c, const cv *a, uint32_t n)
{
	struct err err;

	return cv_bool(read_version(c, a, n, &err) != NULL);
}

static cv major_(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)c;
	(void)n;
	return cv_int((int64_t)a[0].semver->version.major);
}

static cv minor_(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)c;
	(void)n;
	return cv_int((int64_t)a[0].semver->version.minor);
}

static cv patch(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)c;
	(void)n;
	return cv_int((int64_t)a[0].semver->version.patch);
}

static int compare_versions(const cv *a)
{
	return semver_compare(&a[0].semver->version, &a[1].semver->version);
}

static cv v_less(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)c;
	(void)n;
	return cv_bool(compare_versions(a) < 0);
}

static cv v_greater(struct cel_ctx *c, const cv *a, uint32_t n)
{
	(void)c;
	(void)n;
	return cv_bool(compare_versions(a) > 0);
}

static cv v_compare(struct cel_ctx *c, const cv *a, uint32_t n)
{
	int r = compare_versions(a);

	(void)c;
	(void)n;
	return cv_int((r > 0) - (r < 0));
}

static const struct cel_overload versions[] = {
	CEL_GLOBAL("semver", "string_to_semver", "s:V", semver, COST_K_FIRST, "a version"),
	CEL_GLOBAL("semver", "string_bool_to_semver", "sb:V", semver, COST_K_FIRST, "a version, made regular first"),
	CEL_GLOBAL("isSemver", "is_semver_string", "s:b", is_semver, COST_K_FIRST, "is it a version?"),
	CEL_GLOBAL("isSemver", "is_semver_string_bool", "sb:b", is_semver, COST_K_FIRST, "is it a version?"),
	CEL_MEMBER("major", "semver_major", "V:i", major_, COST_ONE, "first number"),
	CEL_MEMBER("minor", "semver_minor", "V:i", minor_, COST_ONE, "second number"),
	CEL_MEMBER("patch", "semver_patch", "V:i", patch, COST_ONE, "third number"),
	CEL_MEMBER("isLessThan", "semver_less_than", "VV:b", v_less, COST_ONE, "earlier?"),
	CEL_MEMBER("isGreaterThan", "semver_greater_than", "VV:b", v_greater, COST_ONE, "later?"),
	CEL_MEMBER("compareTo", "semver_compare_to", "VV:i", v_compare, COST_ONE, "-1, 0 or 1"),
};

const struct cel_library cel_lib_semver = { versions, ARRAY_LEN(versions) };
