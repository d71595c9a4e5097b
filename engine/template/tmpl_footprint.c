/* Finds what a template can read of dot, without executing it.
 *
 * Every expression is followed as one path from the root of dot, or as a value that does not come from dot. A path
 * that is used in any way other than by going further down counts as read with all that is below it; so nothing that
 * comes out of a function, a range or a truth test needs to be followed. Each template is analysed once for each
 * path it is called with. */
#include "template/tmpl.h"

#include "base/hash.h"
#include "base/vec.h"
#include "template/tmpl_functions.h"
#include "template/tmpl_node.h"

#define LONGEST_PATH 32 /* the most keys of a path; longer ones are cut, which claims more */
#define MOST_CALLS 1000 /* the most pairs of template and path; beyond that everything counts as read */

/* A value of the analysis. */
struct place {
	/* the value is the one of dot at these keys; else it has nothing of dot that is not counted already */
	bool tracked;
	const str *keys;
	size_t n;
};

/* The paths read so far, as a tree of keys. */
struct step {
	str key;
	bool whole;
	struct step *children, *next;
};

struct call {
	const struct ttree *tree;
	struct place dot;
};

struct scope_var {
	str name;
	struct place place;
};

struct analysis {
	const struct tmpl *set;
	struct tmpl_footprint *f;
	struct step root;
	VEC(struct call) calls; /* grows while the analysis walks it */
	VEC(struct scope_var) vars;
	VEC(struct tmpl_lookup_use) uses;
	bool nomem;
};

static struct place eval_pipe(struct analysis *a, struct place dot, const struct tnode *pipe);
static void scan_list(struct analysis *a, struct place dot, const struct tnode *list);

static const struct place nowhere = { 0 };

/* ---- paths ---- */

static struct place extend(struct analysis *a, struct place p, const str *keys, size_t n)
{
	str *all;
	size_t total;

	if (!p.tracked)
		return p;
	total = p.n + n < LONGEST_PATH ? p.n + n : LONGEST_PATH;
	all = arena_array(&a->f->arena, total ? total : 1, sizeof(*all));
	if (!all) {
		a->nomem = true;
		return nowhere;
	}
	for (size_t i = 0; i < total; i++)
		all[i] = i < p.n ? p.keys[i] : keys[i - p.n];
	return (struct place){ true, all, total };
}

static struct step *child(struct analysis *a, struct step *s, str key)
{
	struct step **at = &s->children, *new;

	while (*at && str_cmp((*at)->key, key) < 0)
		at = &(*at)->next;
	if (*at && str_eq((*at)->key, key))
		return *at;
	new = arena_zalloc(&a->f->arena, sizeof(*new));
	if (!new) {
		a->nomem = true;
		return NULL;
	}
	new->key = key;
	new->next = *at;
	*at = new;
	return new;
}

/* Note that the value at @p is taken, though perhaps never read. Even then the way to it must lead through maps,
 * because anything else on it is an error; the first key below dot needs no note, because dot is a map. */
static void read_place(struct analysis *a, struct place p);

static void take_place(struct analysis *a, struct place p)
{
	if (p.n > 1)
		read_place(a, p);
}

/* Note that the value at @p is read. */
static void read_place(struct analysis *a, struct place p)
{
	struct step *s = &a->root;

	if (!p.tracked)
		return;
	for (size_t i = 0; s && i < p.n && !s->whole; i++)
		s = child(a, s, p.keys[i]);
	if (s)
		s->whole = true;
}

/* ---- growing arrays ---- */

static bool same_place(struct place x, struct place y)
{
	if (x.tracked != y.tracked || x.n != y.n)
		return false;
	for (size_t i = 0; i < x.n; i++) {
		if (!str_eq(x.keys[i], y.keys[i]))
			return false;
	}
	return true;
}

static void add_call(struct analysis *a, const struct ttree *tree, struct place dot)
{
	for (size_t i = 0; i < a->calls.n; i++) {
		if (a->calls.p[i].tree == tree && same_place(a->calls.p[i].dot, dot))
			return;
	}
	if (a->calls.n >= MOST_CALLS) {
		a->root.whole = true;
		return;
	}
	if (!vec_push(&a->calls, (struct call){ tree, dot }))
		a->nomem = true;
}

static void push_var(struct analysis *a, str name, struct place p)
{
	if (!vec_push(&a->vars, (struct scope_var){ name, p }))
		a->nomem = true;
}

static struct place find_var(const struct analysis *a, str name)
{
	for (size_t i = a->vars.n; i > 0; i--) {
		if (str_eq(a->vars.p[i - 1].name, name))
			return a->vars.p[i - 1].place;
	}
	return nowhere;
}

/* ---- functions ---- */

static bool is_named(const struct tmpl_fn *fn, const char *const *names)
{
	for (; *names; names++) {
		if (strcmp(fn->name, *names) == 0)
			return true;
	}
	return false;
}

static void note_lookup(struct analysis *a, const struct tmpl_fn *fn, const struct tnode_list *words)
{
	struct tmpl_lookup_use use = { .many = strcmp(fn->name, "lookupCRs") == 0 };
	str *to[] = { &use.args.api_version, &use.args.kind, &use.args.namespace, &use.args.name };

	for (size_t i = 0; i < ARRAY_LEN(to); i++) {
		use.known[i] = i + 1 < words->n && words->items[i + 1]->type == NODE_STRING;
		if (use.known[i])
			*to[i] = words->items[i + 1]->string;
	}
	if (!vec_push(&a->uses, use))
		a->nomem = true;
}

static void note_function(struct analysis *a, const struct tmpl_fn *fn, const struct tnode_list *words)
{
	static const char *const lookups[] = { "lookupCR", "lookupCRs", NULL };
	static const char *const exclusion[] = { "doNotMatch", NULL };
	static const char *const clock[] = { "now",
					     "ago",
					     "date",
					     "dateInZone",
					     "date_in_zone",
					     "htmlDate",
					     "htmlDateInZone",
					     "genCA",
					     "genCAWithKey",
					     "genSelfSignedCert",
					     "genSelfSignedCertWithKey",
					     "genSignedCert",
					     "genSignedCertWithKey",
					     NULL };
	static const char *const chance[] = { "randAlpha",
					      "randAlphaNum",
					      "randAscii",
					      "randNumeric",
					      "randBytes",
					      "randInt",
					      "shuffle",
					      "uuidv4",
					      "genPrivateKey",
					      "genCA",
					      "genCAWithKey",
					      "genSelfSignedCert",
					      "genSelfSignedCertWithKey",
					      "genSignedCert",
					      "genSignedCertWithKey",
					      "bcrypt",
					      "htpasswd",
					      "encryptAES",
					      NULL };

	if (is_named(fn, lookups))
		note_lookup(a, fn, words);
	a->f->may_exclude |= is_named(fn, exclusion);
	a->f->uses_time |= is_named(fn, clock);
	a->f->uses_random |= is_named(fn, chance);
}

static struct place eval_operand(struct analysis *a, struct place dot, const struct tnode *n);

/* Follow the keys of a call: index X "a" "b", get X "a", hasKey X "a". False when they are not constants. */
static bool eval_keys(struct analysis *a, struct place dot, const struct tmpl_fn *fn, const struct tnode_list *words,
		      struct place *ret)
{
	static const char *const names[] = { "index", "get", "hasKey", NULL };
	struct place p;

	if (!is_named(fn, names) || words->n < 3)
		return false;
	for (size_t i = 2; i < words->n; i++) {
		if (words->items[i]->type != NODE_STRING)
			return false;
	}
	p = eval_operand(a, dot, words->items[1]);
	for (size_t i = 2; i < words->n; i++)
		p = extend(a, p, &words->items[i]->string, 1);
	*ret = p;
	if (strcmp(fn->name, "hasKey") == 0) {
		read_place(a, p);
		*ret = nowhere;
	}
	return true;
}

static struct place eval_function(struct analysis *a, struct place dot, const struct tmpl_fn *fn,
				  const struct tnode_list *words, const struct place *final)
{
	struct place p;

	note_function(a, fn, words);
	if (!final && eval_keys(a, dot, fn, words, &p))
		return p;
	for (size_t i = 1; i < words->n; i++)
		read_place(a, eval_operand(a, dot, words->items[i]));
	if (final)
		read_place(a, *final);
	return nowhere;
}

/* ---- expressions ---- */

static struct place eval_operand(struct analysis *a, struct place dot, const struct tnode *n)
{
	struct tnode_list alone = { .n = 1 };

	switch (n->type) {
	case NODE_DOT:
		return dot;
	case NODE_FIELD:
		return extend(a, dot, n->ident.items, n->ident.n);
	case NODE_VARIABLE:
		return extend(a, find_var(a, n->ident.items[0]), n->ident.items + 1, n->ident.n - 1);
	case NODE_CHAIN:
		return extend(a, eval_operand(a, dot, n->chain.node), n->chain.field.items, n->chain.field.n);
	case NODE_PIPE:
		return eval_pipe(a, dot, n);
	case NODE_IDENTIFIER:
		return eval_function(a, dot, n->function.fn, &alone, NULL);
	default:
		return nowhere;
	}
}

static struct place eval_command(struct analysis *a, struct place dot, const struct tnode *cmd,
				 const struct place *final)
{
	const struct tnode *first = cmd->list.items[0];

	if (first->type == NODE_IDENTIFIER)
		return eval_function(a, dot, first->function.fn, &cmd->list, final);
	/* The call is one of a method, or of a word that will fail because it is no function. */
	for (size_t i = 1; i < cmd->list.n; i++)
		read_place(a, eval_operand(a, dot, cmd->list.items[i]));
	if (final)
		read_place(a, *final);
	return eval_operand(a, dot, first);
}

static struct place eval_pipe(struct analysis *a, struct place dot, const struct tnode *pipe)
{
	struct place p = nowhere;

	for (size_t i = 0; i < pipe->pipe.cmds.n; i++)
		p = eval_command(a, dot, pipe->pipe.cmds.items[i], i > 0 ? &p : NULL);
	for (size_t i = 0; i < pipe->pipe.decl.n; i++) {
		/* Text before an assignment may see its value in the next turn of a loop: count the value as read. */
		if (pipe->pipe.is_assign)
			read_place(a, p);
		else
			push_var(a, pipe->pipe.decl.items[i]->ident.items[0], p);
	}
	return p;
}

/* ---- statements ---- */

static void scan_branch(struct analysis *a, struct place dot, const struct tnode *n)
{
	size_t mark = a->vars.n;
	struct place p = eval_pipe(a, dot, n->branch.pipe);

	read_place(a, p);
	scan_list(a, n->type == NODE_IF ? dot : nowhere, n->branch.list);
	if (n->branch.else_list)
		scan_list(a, dot, n->branch.else_list);
	a->vars.n = mark;
}

static void scan_call(struct analysis *a, struct place dot, const struct tnode *n)
{
	const struct ttree *tree = strmap_get(&a->set->trees, n->text);
	struct place p = n->branch.pipe ? eval_pipe(a, dot, n->branch.pipe) : nowhere;

	take_place(a, p);
	if (tree)
		add_call(a, tree, p);
}

static void scan_list(struct analysis *a, struct place dot, const struct tnode *list)
{
	for (size_t i = 0; i < list->list.n; i++) {
		const struct tnode *n = list->list.items[i];
		struct place p;

		switch (n->type) {
		case NODE_ACTION:
			p = eval_pipe(a, dot, n->branch.pipe);
			if (n->branch.pipe->pipe.decl.n > 0)
				take_place(a, p);
			else
				read_place(a, p);
			break;
		case NODE_IF:
		case NODE_WITH:
		case NODE_RANGE:
			scan_branch(a, dot, n);
			break;
		case NODE_TEMPLATE:
			scan_call(a, dot, n);
			break;
		default:
			break;
		}
	}
}

/* ---- the result ---- */

static size_t count_paths(const struct step *s)
{
	size_t n = s->whole ? 1 : 0;

	for (const struct step *c = s->whole ? NULL : s->children; c; c = c->next)
		n += count_paths(c);
	return n;
}

/* @way holds the keys down to @s; the recursion is at most LONGEST_PATH deep. */
static bool list_paths(struct analysis *a, const struct step *s, str *way, size_t depth, struct tmpl_path *paths,
		       size_t *n)
{
	if (s->whole) {
		str *keys = arena_array(&a->f->arena, depth ? depth : 1, sizeof(*keys));

		if (!keys)
			return false;
		if (depth)
			memcpy(keys, way, depth * sizeof(*keys));
		paths[(*n)++] = (struct tmpl_path){ keys, depth };
		return true;
	}
	for (const struct step *c = s->children; c; c = c->next) {
		way[depth] = c->key;
		if (!list_paths(a, c, way, depth + 1, paths, n))
			return false;
	}
	return true;
}

static uint64_t hash_of(const struct tmpl_path *paths, size_t n)
{
	uint64_t h = hash_mix(hash_seed(), n);

	for (size_t i = 0; i < n; i++) {
		h = hash_mix(h, paths[i].n);
		for (size_t k = 0; k < paths[i].n; k++)
			h = hash_str(paths[i].keys[k], h);
	}
	return h;
}

static bool finish(struct analysis *a)
{
	str way[LONGEST_PATH + 1];
	struct tmpl_path *paths;
	struct tmpl_lookup_use *uses;

	a->f->everything = a->root.whole;
	uses = arena_array(&a->f->arena, a->uses.n ? a->uses.n : 1, sizeof(*uses));
	paths = arena_array(&a->f->arena, count_paths(&a->root) + 1, sizeof(*paths));
	if (!uses || !paths)
		return false;
	if (a->uses.n)
		memcpy(uses, a->uses.p, a->uses.n * sizeof(*uses));
	a->f->lookups = uses;
	a->f->n_lookups = a->uses.n;
	a->f->paths = paths;
	if (!a->f->everything && !list_paths(a, &a->root, way, 0, paths, &a->f->n_paths))
		return false;
	a->f->paths_hash = hash_of(paths, a->f->n_paths);
	return true;
}

int tmpl_footprint(const struct tmpl *t, struct tmpl_footprint *ret, struct err *err)
{
	struct tmpl_footprint f = { 0 };
	struct analysis a = { .set = t, .f = &f };
	bool ok;

	arena_init(&f.arena, 0, 0);
	add_call(&a, t->main, (struct place){ .tracked = true });
	for (size_t i = 0; i < a.calls.n && !a.nomem; i++) {
		struct call call = a.calls.p[i];

		a.vars.n = 0;
		push_var(&a, STR("$"), call.dot);
		scan_list(&a, call.dot, call.tree->root);
	}
	ok = !a.nomem && finish(&a);
	vec_done(&a.calls);
	vec_done(&a.vars);
	vec_done(&a.uses);
	if (!ok) {
		arena_done(&f.arena);
		return err_nomem(err);
	}
	*ret = f;
	return 0;
}

void tmpl_footprint_done(struct tmpl_footprint *f)
{
	arena_done(&f->arena);
	*f = (struct tmpl_footprint){ 0 };
}

static bool same_at(val a, val b, const struct tmpl_path *path)
{
	for (size_t i = 0; i < path->n; i++) {
		if (!val_is_map(a) || !val_is_map(b))
			break;
		a = val_get(a, path->keys[i]);
		b = val_get(b, path->keys[i]);
	}
	return val_equal(a, b);
}

bool tmpl_footprint_same(const struct tmpl_footprint *f, val a, val b)
{
	if (f->everything)
		return val_equal(a, b);
	for (size_t i = 0; i < f->n_paths; i++) {
		if (!same_at(a, b, &f->paths[i]))
			return false;
	}
	return true;
}
