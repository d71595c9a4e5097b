/* Evaluates the conditions of a rule. */
#include "rules/inspection/insp_condition.h"

#include "base/assert.h"
#include "go/ip.h"
#include "rules/inspection/insp_mask.h"
#include "rules/inspection/insp_python.h"

#define ARGS_MAX 2 /* arguments of a condition */

/* ---- truth ---- */

static bool is_word(val v, const char *a, const char *b)
{
	return str_eq_nocase(val_str(v), str_from(a)) || str_eq_nocase(val_str(v), str_from(b));
}

static bool is_true(val v)
{
	val number;

	return py_number(v, &number) ? py_true(number) : is_word(v, "yes", "true");
}

static bool is_false(val v)
{
	val number;

	return py_number(v, &number) ? !py_true(number) : val_is_null(v) || is_word(v, "no", "false");
}

static bool is_empty(val v)
{
	return val_is_null(v) || (v.kind >= VAL_STRING && v.n == 0);
}

/* ---- comparing ---- */

static int compare_pair(struct insp_work *w, enum insp_code code, val a, val b, struct err *err)
{
	int order, r;

	if (code == INSP_EQ)
		return py_equal(w, a, b, err);
	r = py_compare(w, a, b, &order, err);
	return r < 0 ? r : code == INSP_LT ? order < 0 : order > 0;
}

static int as_texts(struct insp_work *w, val *a, val *b, struct err *err)
{
	str x = STR(""), y = STR("");
	int r = py_text_of(w, *a, &x, err);

	if (r == 0)
		r = py_text_of(w, *b, &y, err);
	if (r < 0)
		return r;
	*a = val_string(x);
	*b = val_string(y);
	return 0;
}

static int compare(struct insp_work *w, const struct insp_op *op, const val *args, struct err *err)
{
	val values = args[0];
	bool texts = py_true(args[insp_param(op->code, "force_strings")]);
	int r = 1;

	if (op->spread && values.n == 1 && val_is_list(values.items[0]))
		values = values.items[0];
	if (!val_is_list(values))
		return err_set(err, EINVAL, "expected a list for 'values'");
	for (uint32_t i = 1; r == 1 && i < values.n; i++) {
		val a = values.items[i - 1], b = values.items[i];

		r = texts ? as_texts(w, &a, &b, err) : 0;
		if (r == 0)
			r = compare_pair(w, op->code, a, b, err);
	}
	return r;
}

static int one_of(struct insp_work *w, val v, val values, struct err *err)
{
	int r = 0;

	if (!val_is_list(values))
		return err_set(err, EINVAL, "expected a list for 'values'");
	for (uint32_t i = 0; r == 0 && i < values.n; i++)
		r = py_equal(w, v, values.items[i], err);
	return r;
}

/* ---- networks ---- */

/* The length of the prefix that a netmask stands for; -1: some of its ones come after a zero. */
static int mask_length(const struct go_ip *mask)
{
	int bits = 0;

	while (bits < mask->n * 8 && (mask->b[bits / 8] & (0x80 >> bits % 8)))
		bits++;
	for (int i = bits; i < mask->n * 8; i++) {
		if (mask->b[i / 8] & (0x80 >> i % 8))
			return -1;
	}
	return bits;
}

static int prefix_length(str s, const struct go_ip *net)
{
	struct go_ip mask;
	unsigned bits;

	if (go_ip_parse(s, &mask, NULL))
		return mask.n == net->n ? mask_length(&mask) : -1;
	return go_ip_parse_bits(s, &bits) && bits <= net->n * 8u ? (int)bits : -1;
}

/* Parse "address", "address/prefix" or "address/netmask". */
static bool parse_net(str s, struct go_ip *net, int *bits)
{
	ptrdiff_t slash = str_find_byte(s, '/');

	if (!go_ip_parse(slash < 0 ? s : str_sub(s, 0, (size_t)slash), net, NULL))
		return false;
	*bits = slash < 0 ? net->n * 8 : prefix_length(str_sub(s, (size_t)slash + 1, s.n), net);
	return *bits >= 0;
}

static int in_net(struct insp_work *w, val address, val subnet, struct err *err)
{
	struct go_ip ip, net;
	str a = STR(""), n = STR("");
	int bits, r = py_text_of(w, address, &a, err);

	if (r == 0)
		r = py_text_of(w, subnet, &n, err);
	if (r < 0)
		return r;
	if (!parse_net(n, &net, &bits))
		return err_set(err, EINVAL, "invalid network '%.*s'", STR_ARG(n));
	if (!go_ip_parse(a, &ip, NULL))
		return err_set(err, EINVAL, "invalid address '%.*s'", STR_ARG(a));
	return go_ip_in_net(&ip, &net, (unsigned)bits);
}

/* ---- regular expressions ---- */

static int compile(struct insp_work *w, val pattern, struct py_regex **ret, struct err *err)
{
	struct err why;
	str text = STR("");
	int r = py_text_of(w, pattern, &text, err);

	if (r == 0)
		r = insp_spend(w, 1 + text.n, err);
	if (r < 0)
		return r;
	r = py_regex_compile(text, ret, &why);
	if (r == -ENOMEM)
		return err_nomem(err);
	return r == 0 ? 0 : err_set(err, EINVAL, "invalid regular expression '%.*s': %s", STR_ARG(text), why.msg);
}

static int match(struct insp_work *w, const struct insp_op *op, const val *args, struct err *err)
{
	CLEANUP(py_regex_freep) struct py_regex *own = NULL;
	str text = STR("");
	int r = op->regex ? 0 : compile(w, args[insp_param(op->code, "regex")], &own, err);

	if (r == 0)
		r = py_text_of(w, args[0], &text, err);
	if (r < 0)
		return r;
	r = py_regex_match(op->regex ? op->regex : own, &w->regex, text, op->code == INSP_MATCHES, &w->steps, err);
	return r == -EBADMSG ? err_set(err, EINVAL, "not a text") : r;
}

/* ---- one evaluation, and loops of them ---- */

static int judge(struct insp_work *w, const struct insp_op *op, const val *args, struct err *err)
{
	switch (op->code) {
	case INSP_IS_TRUE:
		return is_true(args[0]);
	case INSP_IS_FALSE:
		return is_false(args[0]);
	case INSP_IS_NONE:
		return val_is_null(args[0]);
	case INSP_IS_EMPTY:
		return is_empty(args[0]);
	case INSP_EQ:
	case INSP_LT:
	case INSP_GT:
		return compare(w, op, args, err);
	case INSP_IN_NET:
		return in_net(w, args[0], args[1], err);
	case INSP_CONTAINS:
	case INSP_MATCHES:
		return match(w, op, args, err);
	case INSP_ONE_OF:
		return one_of(w, args[0], args[1], err);
	default:
		ASSERT(!"a condition");
		return 0;
	}
}

static int holds_once(struct insp_scope *s, const struct insp_op *op, struct err *err)
{
	val args[ARGS_MAX];
	int r = insp_spend(s->work, 1, err);

	for (size_t i = 0; r == 0 && i < ARRAY_LEN(args); i++)
		r = insp_evaluate(s, &op->args[i], op->code == INSP_IS_EMPTY, &args[i], err);
	if (r == 0)
		r = judge(s->work, op, args, err);
	return r < 0 ? r : (r == 1) != op->inverted;
}

/* Whether @op reads something that may not be shown. If that cannot be found out, it counts as such. */
static bool reads_secret(struct insp_scope *s, const struct insp_op *op)
{
	struct err ignored;
	bool failed;
	val v;

	s->secret = false;
	s->follows = true;
	failed = op->looped && insp_evaluate(s, &op->loop, false, &v, &ignored) < 0;
	for (size_t i = 0; !failed && i < ARGS_MAX; i++)
		failed = insp_evaluate(s, &op->args[i], false, &v, &ignored) < 0;
	s->follows = false;
	return failed || s->secret;
}

/* Evaluates a condition, and after a mistake also checks whether it read a secret, because only the message of a
 * mistake quotes what was read. */
static int judge_followed(struct insp_scope *s, const struct insp_op *op, struct err *err)
{
	int r = holds_once(s, op, err);

	s->secret = r == -EINVAL && reads_secret(s, op);
	return r;
}

int insp_loop(struct insp_scope *s, const struct insp_op *op, val *one, val *ret, struct err *err)
{
	int r = insp_evaluate(s, &op->loop, op->code == INSP_IS_EMPTY, ret, err);

	if (r == 0 && s->masked && !op->loop.string) /* the items are written in the rule itself */
		r = insp_masked(s->work, INSP_PLAIN, *ret, ret, err);
	if (r < 0)
		return r;
	if (val_is_map(*ret)) {
		*one = *ret;
		*ret = (val){ .kind = VAL_LIST, .n = one->n > 0, .items = one };
	}
	return val_is_list(*ret) ? 0 : err_set(err, EINVAL, "loop must be a list or a map");
}

/* Evaluate a condition with a loop. Every item that counts is evaluated, so that a mistake in any of them is always
 * reported. */
static int holds_in_loop(struct insp_scope *s, const struct insp_op *op, struct err *err)
{
	val items, one;
	uint32_t n_true = 0, first = 0, end;
	int r = insp_loop(s, op, &one, &items, err);

	if (r < 0)
		return r;
	end = op->multiple == INSP_FIRST && items.n > 1 ? 1 : items.n;
	if (op->multiple == INSP_LAST && items.n > 1)
		first = items.n - 1;
	for (uint32_t i = first; i < end; i++) {
		s->item = items.items[i];
		r = judge_followed(s, op, err);
		s->item = (val){ 0 };
		if (r < 0)
			return r;
		n_true += r == 1;
	}
	return op->multiple == INSP_ALL ? n_true == items.n : n_true > 0;
}

int insp_condition_holds(struct insp_scope *s, const struct insp_op *op, struct err *err)
{
	if (op->error.p)
		return err_set(err, EINVAL, "%.*s", STR_ARG(op->error));
	return op->looped ? holds_in_loop(s, op, err) : judge_followed(s, op, err);
}
