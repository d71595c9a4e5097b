/* Evaluates comprehensions: folds over lists and maps, and the values that their steps build. */
#include "cel/cel_eval.h"

cv cel_eval_append(struct cel_ctx *c, const struct cel_node *node)
{
	cv list = cel_eval_node(c, node->args[0]), item = cel_eval_node(c, node->args[1]);

	if (cv_is_error(list))
		return list;
	if (cv_is_error(item))
		return item;
	c->cost += CEL_LIST_COST + 1;
	if (list.rep != CV_BUILD)
		return cv_no_overload();
	return cv_builder_add(c->arena, list.build, item) ? list : cel_nomem(c);
}

static cv insert_entry(struct cel_ctx *c, struct cv_map *m, cv key, cv value)
{
	cv old;
	int r = cv_map_find(c->arena, cv_from_map(m), key, &old);

	if (r < 0)
		return old;
	if (r > 0) { /* null and types, which are no texts, are printed as in the original's source */
		cv text = key.kind == CV_NULL ? cv_string(STR("0")) : key.kind == CV_TYPE ? key : cel_to_string(c, key);

		return cel_fail(c, "insert failed: key %.*s already exists", STR_ARG(cv_str(text)));
	}
	value = cel_put_entry(c, m, key, value);
	return cv_is_error(value) ? value : cv_from_map(m);
}

/* cel.@mapInsert(accu, key, value) or (accu, map) */
cv cel_eval_insert(struct cel_ctx *c, const struct cel_node *node)
{
	cv m = cel_eval_node(c, node->args[0]), x = cel_eval_node(c, node->args[1]), y = cv_null(), r;

	if (node->n == 3)
		y = cel_eval_node(c, node->args[2]);
	c->cost++;
	if (cv_is_error(m) || cv_is_error(x) || cv_is_error(y))
		return cv_is_error(m) ? m : cv_is_error(x) ? x : y;
	if (m.kind != CV_MAP || m.rep == CV_VIEW)
		return cv_no_overload();
	if (node->n == 3)
		r = insert_entry(c, m.map, x, y);
	else if (x.kind != CV_MAP)
		return cv_no_overload();
	else
		r = m;
	for (uint32_t i = 0; node->n == 2 && i < cv_count(x) && !cv_is_error(r); i++) {
		cv key, value;

		cv_entry_at(c->arena, x, i, &key, &value);
		r = insert_entry(c, m.map, key, value);
	}
	if (!cv_is_error(r))
		r.rep = m.rep;
	return r;
}

/* The accu of a fold that builds: a list or map that no one else sees. */
static cv start_building(struct cel_ctx *c, cv init)
{
	struct cv_builder *b;
	struct cv_map *m;

	if (init.kind == CV_MAP) {
		m = cv_map_new(c->arena, 0);
		return m ? cv_from_map(m) : cel_nomem(c);
	}
	b = arena_zalloc(c->arena, sizeof(*b));
	return b ? (cv){ .kind = CV_LIST, .rep = CV_BUILD, .build = b } : cel_nomem(c);
}

static void set_variables(struct cel_ctx *c, const struct cel_fold_node *f, cv range, uint32_t i)
{
	cv key, value;

	if (range.kind == CV_LIST) {
		value = range.rep == CV_VIEW
				? cel_read(c->arena, &range.vals[i], range.schema ? range.schema->items : NULL)
				: cv_item(c->arena, range, i);
		key = f->two ? cv_int(i) : value;
	} else {
		cv_entry_at(c->arena, range, i, &key, &value);
	}
	c->slots[f->slot + 1] = key;
	if (f->two)
		c->slots[f->slot + 2] = value;
}

#define ALL_COST 3    /* the cost of the accu, its condition, the accu again */
#define EXISTS_COST 4 /* the cost of these, and of a negation */

/* Do rounds of all() as long as it is true, or of exists() as long as it is false: then all but the predicate has
 * one value and one cost. Returns how many rounds were done; *accu is the result of the last one. The general loop
 * continues from there: after the round that decides or fails, and where the cost has to be watched. */
static uint32_t quick_rounds(struct cel_ctx *c, const struct cel_fold_node *f, cv range, cv *accu)
{
	uint32_t n = cv_count(range), cost = f->quick == FOLD_ALL ? ALL_COST : EXISTS_COST;
	bool undecided = f->quick == FOLD_ALL;

	if (accu->kind != CV_BOOL || accu->b != undecided)
		return 0;
	c->slots[f->slot] = *accu;
	for (uint32_t i = 0; i < n; i++) {
		cv v;

		if (c->cost >= c->watch_from || c->watch_from - c->cost <= cost || !c->work.left)
			return i;
		set_variables(c, f, range, i);
		c->cost += cost;
		v = cel_eval_node(c, f->step->args[1]);
		if (v.kind == CV_BOOL && v.b == undecided)
			continue;
		*accu = v.kind == CV_BOOL || cv_is_error(v) ? v : cv_no_overload();
		return i + 1;
	}
	return n;
}

static cv fold_loop(struct cel_ctx *c, const struct cel_fold_node *f, cv range, cv accu)
{
	uint32_t i = f->quick ? quick_rounds(c, f, range, &accu) : 0;

	if (i && cel_is_fatal(accu))
		return accu;
	for (; i < cv_count(range); i++) {
		cv going;

		set_variables(c, f, range, i);
		c->slots[f->slot] = accu;
		going = cel_eval_node(c, f->condition);
		if (cel_is_fatal(going) || cel_out_of_cost(c))
			return cv_error(&cel_error_cost);
		if (!cv_is_true(going))
			break;
		accu = cel_eval_node(c, f->step);
		if (cel_is_fatal(accu))
			return accu;
		if (f->builds && cv_is_error(accu))
			return accu;
	}
	return accu;
}

static cv no_range(struct cel_ctx *c, cv v)
{
	return c->kubernetes ? cel_fail(c, "got '%s', expected iterable type", cv_go_name(v)) : cv_no_overload();
}

cv cel_eval_fold(struct cel_ctx *c, const struct cel_node *node)
{
	const struct cel_fold_node *f = node->fold;
	cv range = cel_eval_node(c, f->range), accu;

	if (cv_is_error(range))
		return range;
	if (range.kind != CV_LIST && range.kind != CV_MAP)
		return no_range(c, range);
	accu = cel_eval_node(c, f->init);
	if (f->builds && !cv_is_error(accu))
		accu = start_building(c, accu);
	accu = fold_loop(c, f, range, accu);
	if (cel_is_fatal(accu))
		return accu;
	if (accu.rep == CV_BUILD && accu.kind == CV_LIST)
		accu = cv_list(accu.build->items, accu.build->n);
	c->slots[f->slot] = accu;
	return cel_eval_node(c, f->result);
}
