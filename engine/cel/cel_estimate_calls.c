/* Estimates calls whose cost depends on the sizes of their arguments, grouped by how it depends. */
#include "cel/cel_estimate_internal.h"

#define TENTH 0.1             /* one unit for ten bytes of text that is read */
#define QUARTER 0.25          /* one step of a pattern for four of its bytes */
#define NAME_PATTERN_SIZE 128 /* the size of the longest pattern that format.named() knows */
#define FORMAT_SIZE 64
#define ADDRESS_SIZE 16

/* The guess for a new list of @size, which costs @factor for each item. */
static struct guess makes_list(double factor, struct span size)
{
	return makes(cel_cost_add(scaled(size.max, factor), 1 + LIST_COST), size);
}

/* The number of a literal; @otherwise when @n is none. */
static uint64_t number_of(const struct cel_ast *n, uint64_t otherwise)
{
	if (n->kind != AST_LITERAL || n->value.kind != CV_INT)
		return otherwise;
	return n->value.i < 0 ? 0 : (uint64_t)n->value.i;
}

static bool has_texts(const struct cel_type *list)
{
	return list->n && (list->params[0]->kind == CT_STRING || list->params[0]->kind == CT_BYTES);
}

/* The guess for sum, isSorted, indexOf …, which visit each item once, and the text of those that are text. */
static struct guess walk(struct estimator *e, struct cel_ast *target)
{
	struct span size = cel_size_or_any(e, target);
	uint64_t each = 1;

	if (target->type->n == 0)
		return costs(scaled(size.max, TENTH));
	if (has_texts(target->type))
		each = cel_cost_add(each, scaled(cel_item_size(e, target).max, TENTH));
	return costs(cel_cost_times(size.max, each));
}

/* One end of the size that a text of @size has when @new replaces each @old in it. @changes: whether the replacement
 * moves the size beyond that end. An empty @old is found before and behind each character. */
static uint64_t replaced(uint64_t size, uint64_t old, uint64_t new, bool changes)
{
	if (old == 0)
		return cel_cost_add(cel_cost_times(cel_cost_add(size, 1), new), size);
	return changes ? cel_cost_times(size / old + (size % old != 0), new) : size;
}

static struct guess replace(struct estimator *e, struct cel_ast *target, struct cel_ast **args)
{
	struct span size = cel_size_or_any(e, target), old = cel_size_or_any(e, args[0]),
		    new = cel_size_or_any(e, args[1]);
	struct span result = { replaced(size.min, old.max, new.min, old.max > new.min),
			       replaced(size.max, old.min, new.max, new.max > old.min) };

	return makes(scaled(size.max, 2 * TENTH), result);
}

static struct guess split(struct estimator *e, struct cel_ast *target, struct cel_ast **args, uint32_t n)
{
	struct span size = cel_size_or_any(e, target), parts = { 0, size.max };

	if (n > 1 && args[1]->kind == AST_LITERAL && args[1]->value.kind == CV_INT)
		parts.max = (uint64_t)args[1]->value.i;
	return makes(scaled(size.max, 2 * TENTH), parts);
}

static struct guess join(struct estimator *e, struct cel_ast *target, struct cel_ast **args, uint32_t n)
{
	struct span list = cel_size_or_any(e, target), size = { 0, 0 };

	if (target->type->n)
		size = product(list, cel_item_size(e, target));
	if (n > 0) {
		struct span gaps = { list.min ? list.min - 1 : 0, list.max ? list.max - 1 : 0 };

		size = sum(size, product(cel_size_or_any(e, args[0]), gaps));
	}
	return makes(scaled(size.max, TENTH), size);
}

static uint64_t match(struct span text, struct span pattern)
{
	return cel_cost_times(scaled(cel_cost_add(text.max, 1), TENTH), scaled(pattern.max, QUARTER));
}

static struct guess slice(struct estimator *e, struct cel_ast *target, struct cel_ast **args)
{
	uint64_t from = number_of(args[0], 0), to = number_of(args[1], cel_size_or_any(e, target).max);

	return makes_list(1, fixed(to - from)); /* overflows when it ends before it begins */
}

/* The guess for comparing all items with one another. */
static struct guess compare_all(struct estimator *e, struct cel_ast *list, bool text)
{
	struct span size = cel_size_or_any(e, list);

	return makes_list(text ? 2 + TENTH : 2, product(size, size));
}

/* The guess for sort, and for what sortBy becomes, by the type that is compared, in the notation of the table. */
static struct guess sort(struct estimator *e, const struct cel_overload *o, struct cel_ast *target,
			 struct cel_ast **args, uint32_t n)
{
	char type = n ? o->types[3] : o->types[1];

	return compare_all(e, n ? args[0] : target, type == 's' || type == 'y');
}

static uint64_t contains_address(struct estimator *e, struct cel_ast *other, bool cidr)
{
	uint64_t c = scaled(2 * ADDRESS_SIZE, TENTH);

	if (cidr)
		c += scaled(ADDRESS_SIZE, TENTH) + 1;
	return other->type->kind == CT_STRING ? cel_cost_add(c, scaled(cel_size_or_any(e, other).max, TENTH)) : c;
}

/* The cost of comparing two values of one type that Kubernetes added to CEL; 0 for any other type. */
static uint64_t own_equality(struct estimator *e, struct cel_ast *const *args)
{
	static const char *const cheap[] = { "net.IP", "net.CIDR", "kubernetes.Quantity", "kubernetes.Semver" };
	const struct cel_type *t = args[0]->type;
	struct span size = fixed(1);

	if (t->kind != CT_OPAQUE || !cel_type_equal(t, args[1]->type))
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(cheap); i++) {
		if (str_eq(t->name, str_from(cheap[i])))
			return 1;
	}
	if (str_has_prefix(t->name, STR("kubernetes.authorization.")))
		return 1;
	if (str_eq(t->name, STR("kubernetes.NamedFormat")))
		return scaled(FORMAT_SIZE, TENTH);
	if (!str_eq(t->name, STR("kubernetes.URL")))
		return 0;
	(void)cel_size_of(e, args[1], &size);
	return scaled(size.max, TENTH);
}

static uint64_t smaller(struct estimator *e, struct cel_ast **args)
{
	uint64_t x = cel_size_or_any(e, args[0]).max, y = cel_size_or_any(e, args[1]).max;

	return scaled(x < y ? x : y, TENTH);
}

static uint64_t equality(struct estimator *e, const struct cel_overload *o, struct cel_ast **args)
{
	uint64_t own = is_called(o, "_==_") ? own_equality(e, args) : 0;

	return own ? own : smaller(e, args);
}

static struct guess concatenation(struct estimator *e, struct cel_ast *n, bool list)
{
	struct span size = sum(cel_size_or_any(e, n->args[0]), cel_size_or_any(e, n->args[1]));

	cel_hold_either(e, n, n->args[0], n->args[1]);
	return makes(list ? 1 : scaled(size.max, TENTH), size);
}

/* Functions that walk through a text; of what others than those of a text, and url, make, nothing is known. */
static struct guess walk_text(struct estimator *e, const struct cel_overload *o, struct cel_ast *target,
			      struct cel_ast **args)
{
	struct cel_ast *text = o->member ? target : args[0];
	struct span size = cel_size_or_any(e, text);

	if (o->member || is_called(o, "url"))
		return makes(scaled(size.max, TENTH), size);
	return costs(scaled(size.max, TENTH));
}

/* The guess for format, and for converting bytes from text and back. */
static struct guess convert(struct estimator *e, const struct cel_overload *o, struct cel_ast *target,
			    struct cel_ast **args)
{
	struct span size = cel_size_or_any(e, o->member ? target : args[0]);
	uint64_t c = scaled(size.max, TENTH);

	if (o->member)
		return costs(c);
	if (is_called(o, "strings.quote"))
		return makes(c,
			     (struct span){ cel_cost_add(size.min, 2), cel_cost_add(cel_cost_times(size.max, 2), 2) });
	/* overflows, as the server's size does */
	return is_called(o, "bytes") ? makes(c, (struct span){ size.min, size.max * 4 })
				     : makes(c, (struct span){ size.min / 4, size.max });
}

static struct guess new_list(struct estimator *e, const struct cel_overload *o, struct cel_ast *target,
			     struct cel_ast **args)
{
	if (is_called(o, "slice"))
		return slice(e, target, args);
	return makes_list(1, o->member ? cel_size_or_any(e, target) : fixed(number_of(args[0], UNBOUNDED)));
}

struct guess cel_call_guess(struct estimator *e, const struct cel_overload *o, struct cel_ast *n)
{
	struct cel_ast *target = o->member ? n->target : NULL, **args = n->args;

	switch ((enum cel_cost)o->cost) {
	case COST_FIRST:
		return convert(e, o, target, args);
	case COST_SECOND:
		return costs(scaled(cel_size_or_any(e, args[0]).max, TENTH));
	case COST_SMALLER:
		return costs(smaller(e, args));
	case COST_BOTH:
		return concatenation(e, n, false);
	case COST_MATCH:
		return costs(
			match(cel_size_or_any(e, target ? target : args[0]), cel_size_or_any(e, args[target ? 0 : 1])));
	case COST_CONTAINS:
		return costs(cel_cost_times(scaled(cel_size_or_any(e, target).max, TENTH),
					    scaled(cel_size_or_any(e, args[0]).max, TENTH)));
	case COST_IN_LIST:
		return costs(cel_size_or_any(e, args[1]).max);
	case COST_LIST_OUT:
		return new_list(e, o, target, args);
	case COST_FLATTEN:
		return makes_list(n->n_args ? (double)number_of(args[0], UNBOUNDED) : 1, cel_size_or_any(e, target));
	case COST_SORT:
		return is_called(o, "distinct") ? compare_all(e, target, has_texts(target->type))
						: sort(e, o, target, args, n->n_args);
	case COST_SETS:
	case COST_SETS_TWICE:
		return costs(cel_cost_add(scaled(product(cel_size_or_any(e, args[0]), cel_size_or_any(e, args[1])).max,
						 o->cost == COST_SETS ? 1 : 2),
					  1));
	case COST_TRAVERSE:
		return walk(e, target);
	case COST_K_FIRST:
		return walk_text(e, o, target, args);
	case COST_K_FIRST_TWICE:
		if (is_called(o, "replace"))
			return replace(e, target, args);
		if (is_called(o, "split"))
			return split(e, target, args, n->n_args);
		return costs(scaled(cel_size_or_any(e, args[0]).max, 2 * TENTH)); /* ip.isCanonical */
	case COST_K_RESULT:
		return join(e, target, args, n->n_args);
	case COST_K_MATCH: {
		struct span text = cel_size_or_any(e, target);

		return makes(match(text, cel_size_or_any(e, args[0])), (struct span){ 0, text.max });
	}
	case COST_K_CONTAINS_IP:
	case COST_K_CONTAINS_CIDR:
		return costs(contains_address(e, args[0], o->cost == COST_K_CONTAINS_CIDR));
	case COST_K_VALIDATE:
		return costs(scaled(scaled(cel_size_or_any(e, args[0]).max, TENTH), NAME_PATTERN_SIZE * QUARTER));
	case COST_K_ASK:
		return costs(COST_OF_ASKING);
	default:
		if (is_called(o, "_==_") || is_called(o, "_!=_"))
			return costs(equality(e, o, args));
		return is_called(o, "_+_") && o->types[0] == 'L' ? concatenation(e, n, true) : costs(1);
	}
}
