/* Knows which template functions pass their arguments on, and which only derive something from them. */
#include "template/tmpl_secret.h"

#include "template/tmpl_print.h"

/* The result of these is one of the arguments, a part of one, or a list or map of them: each value knows whether it
 * is secret. */
static const char *const pick[] = {
	"and",
	"append",
	"coalesce",
	"compact",
	"concat",
	"default",
	"dict",
	"dig",
	"first",
	"get",
	"index",
	"initial",
	"last",
	"list",
	"lookupCR",
	"lookupCRs",
	"merge",
	"mergeOverwrite",
	"mustAppend",
	"mustCompact",
	"mustFirst",
	"mustInitial",
	"mustLast",
	"mustMerge",
	"mustMergeOverwrite",
	"mustPrepend",
	"mustPush",
	"mustRest",
	"mustReverse",
	"mustUniq",
	"mustWithout",
	"omit",
	"or",
	"pick",
	"pluck",
	"prepend",
	"push",
	"rest",
	"reverse",
	"set",
	"ternary",
	"tuple",
	"uniq",
	"unset",
	"values",
	"without",
};
/* The result of these says something about the arguments, but contains nothing of them. */
static const char *const revealing[] = {
	"all",        "any",           "contains", "deepEqual",  "empty",          "eq",     "ge",
	"gt",         "has",           "hasKey",   "hasPrefix",  "hasSuffix",      "kindIs", "kindOf",
	"le",         "len",           "lt",       "mustHas",    "mustRegexMatch", "ne",     "not",
	"regexMatch", "semverCompare", "typeIs",   "typeIsLike", "typeOf",
};

static bool is_among(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

/* ---- what was found ---- */

static void add(struct tmpl_secrets *all, str line)
{
	str text = str_trim(line);

	if (text.n < TMPL_SECRET_LEAST)
		return;
	for (size_t i = 0; i < all->n; i++) {
		if (str_eq(all->texts[i], text))
			return;
	}
	if (all->n < TMPL_SECRETS_MAX)
		all->texts[all->n] = arena_str(all->arena, text);
	all->too_many |= all->n == TMPL_SECRETS_MAX || !all->texts[all->n].p;
	all->n += !all->too_many;
}

static bool is_blank_at(str s, size_t at)
{
	return at >= s.n || s.p[at] == ' ' || s.p[at] == '\t';
}

/* Whether YAML may see the end of a key or a value at this byte. */
static bool is_indicator(str line, size_t at)
{
	switch (line.p[at]) {
	case ',':
	case '[':
	case ']':
	case '{':
	case '}':
	case '"':
	case '\'':
	case '#':
		return true;
	case ':':
	case '-':
	case '?':
		return is_blank_at(line, at + 1);
	default:
		return false;
	}
}

/* Add both ends of a line: what precedes the first byte at which YAML may see the end of a value, and what follows
 * the last one. Text before or after the line may become one value with such an end; then neither this value nor the
 * line contains the other. The middle remains a part of the line in any case. */
static void add_ends(struct tmpl_secrets *all, str line)
{
	size_t first = 0, last = line.n;

	while (first < line.n && !is_indicator(line, first))
		first++;
	while (last > first && !is_indicator(line, last - 1))
		last--;
	if (first == line.n)
		return;
	add(all, str_sub(line, 0, first));
	add(all, str_sub(line, last, line.n));
}

static void add_lines(struct tmpl_secrets *all, str text)
{
	str line;

	while (str_next_line(&text, &line)) {
		add(all, line);
		add_ends(all, str_trim(line));
	}
}

void tmpl_secret_printed(struct tmpl_secrets *all, tval v, str text)
{
	if (v.secret == TS_SECRET)
		add_lines(all, text);
}

static void add_scalar(struct tmem *m, tval v, struct tmpl_secrets *all)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(m->limits->template_output_bytes);

	tmpl_sprint(m, v, &text);
	all->too_many |= text.error != 0;
	add_lines(all, buf_str(&text));
}

/* Add the secret texts in @v, a list or a map; false: there are none. */
static bool add_within(struct tmem *m, tval v, struct tmpl_secrets *all, unsigned depth)
{
	enum tkind kind = tval_kind(v);
	const struct tentry *entries;
	bool found = false;
	size_t n;

	if (depth == 0 || !tmem_walk(m)) {
		all->too_many = true;
		return true;
	}
	if (kind == TK_SLICE && v.type != &tt_bytes) {
		for (size_t i = 0; i < tval_len(m, v); i++)
			found |= add_within(m, tval_at(v, i), all, depth - 1);
		return found;
	}
	if (kind == TK_MAP) {
		entries = tmap_entries(m, v, &n);
		all->too_many |= n == SIZE_MAX;
		for (size_t i = 0; n != SIZE_MAX && i < n; i++)
			found |= add_within(m, entries[i].value, all, depth - 1);
		return found;
	}
	if (v.secret == TS_SECRET)
		add_scalar(m, v, all);
	return v.secret != TS_NONE;
}

/* ---- what a function makes ---- */

static bool is_container(tval v)
{
	return (tval_kind(v) == TK_SLICE && v.type != &tt_bytes) || tval_kind(v) == TK_MAP;
}

tval tmpl_secret_result(struct tmem *m, const struct tmpl_fn *fn, const tval *args, size_t n, tval v,
			struct tmpl_secrets *all)
{
	enum tsecret most = TS_NONE;

	if (is_among(fn->name, pick, ARRAY_LEN(pick)))
		return v;
	v.secret = TS_NONE;
	if (is_among(fn->name, revealing, ARRAY_LEN(revealing)))
		return v;
	for (size_t i = 0; i < n; i++) {
		enum tsecret of = args[i].secret ? TS_SECRET : TS_NONE;

		/* The printed text may be a part of a line, or in quotes that no value has any more; the value has
		 * the text that it was made of. */
		if (args[i].secret == TS_SECRET && !is_container(args[i]))
			add_scalar(m, args[i], all);
		if (!of && is_container(args[i]) && add_within(m, args[i], all, TVAL_DEPTH))
			of = tval_is_string(v) ? TS_HOLDS : TS_SECRET;
		most = of > most ? of : most;
	}
	v.secret = (uint8_t)most;
	return v;
}
