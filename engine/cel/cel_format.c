/* Reads the clauses of a format string, and checks those of literals. */
#include "cel/cel_format.h"

#include "base/ascii.h"
#include "base/utf8.h"

#include <limits.h>

/* ---- clauses ---- */

#define TYPE(kind) (1u << (kind))
#define NUMBERS (TYPE(CT_INT) | TYPE(CT_UINT))

/* The types that each verb accepts. The texts "NaN" and "Infinity" represent doubles. */
static const struct {
	char verb;
	uint32_t types;
	const char *expects;
} verbs[] = {
	{ 's',
	  NUMBERS | TYPE(CT_LIST) | TYPE(CT_MAP) | TYPE(CT_DOUBLE) | TYPE(CT_BOOL) | TYPE(CT_STRING) |
		  TYPE(CT_TIMESTAMP) | TYPE(CT_BYTES) | TYPE(CT_DURATION) | TYPE(CT_TYPE) | TYPE(CT_NULL),
	  "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and "
	  "timestamps" },
	{ 'd', NUMBERS, "decimal clause can only be used on integers" },
	{ 'f', TYPE(CT_DOUBLE) | TYPE(CT_STRING), "fixed-point clause can only be used on doubles" },
	{ 'e', TYPE(CT_DOUBLE) | TYPE(CT_STRING), "scientific clause can only be used on doubles" },
	{ 'b', NUMBERS | TYPE(CT_BOOL), "only integers and bools can be formatted as binary" },
	{ 'x', NUMBERS | TYPE(CT_STRING) | TYPE(CT_BYTES),
	  "only integers, byte buffers, and strings can be formatted as hex" },
	{ 'X', NUMBERS | TYPE(CT_STRING) | TYPE(CT_BYTES),
	  "only integers, byte buffers, and strings can be formatted as hex" },
	{ 'o', NUMBERS, "octal clause can only be used on integers" },
};

static size_t find_verb(char verb)
{
	size_t i = 0;

	while (i < ARRAY_LEN(verbs) && verbs[i].verb != verb)
		i++;
	return i;
}

const char *cel_clause_expects(char verb)
{
	size_t i = find_verb(verb);

	return i < ARRAY_LEN(verbs) ? verbs[i].expects : "";
}

/* Read a precision such as ".3" at *@at. */
static bool read_precision(str format, size_t *at, int *precision, struct buf *why)
{
	size_t start = *at + 1, end = start;
	int64_t n = 0;

	while (end < format.n && ascii_is_digit(format.p[end])) {
		n = n * 10 + (format.p[end++] - '0');
		n = n > INT_MAX ? INT_MAX : n;
	}
	*at = end;
	*precision = (int)n;
	if (end == format.n)
		buf_add_cstr(why, "could not find end of precision specifier");
	else if (end == start)
		buf_add_cstr(why, "error while converting precision to integer: strconv.Atoi: parsing \"\": "
				  "invalid syntax");
	else if (end - start > 18)
		buf_printf(why,
			   "error while converting precision to integer: strconv.Atoi: parsing \"%.*s\": "
			   "value out of range",
			   STR_ARG(str_sub(format, start, end)));
	else
		return true;
	return false;
}

bool cel_clause_read(str format, size_t *at, struct cel_clause *ret, struct buf *why)
{

	++*at;
	ret->precision = CEL_PRECISION_NONE;
	if (*at < format.n && format.p[*at] == '.') {
		buf_add_cstr(why, "could not parse formatting clause: error while parsing precision: ");
		if (!read_precision(format, at, &ret->precision, why))
			return false;
		buf_truncate(why, 0);
	}
	ret->verb = *at < format.n ? format.p[(*at)++] : 0;
	if (find_verb(ret->verb) < ARRAY_LEN(verbs))
		return true;
	/* The original takes one byte of the text for a character. */
	buf_add_cstr(why, "could not parse formatting clause: unrecognized formatting clause \"");
	buf_add_utf8(why, (unsigned char)ret->verb);
	buf_add_byte(why, '"');
	return false;
}

/* ---- literals ---- */

/* The name of a type without its parameters, as its values name it. */
static str plain_name(const struct cel_type *t)
{
	switch (t->kind) {
	case CT_NULL:
		return STR("null_type");
	case CT_TIMESTAMP:
		return STR("google.protobuf.Timestamp");
	case CT_DURATION:
		return STR("google.protobuf.Duration");
	default:
		return t->name;
	}
}

static const struct cel_type *type_of(const struct cel_ast *n)
{
	return n->type && n->type->kind == CT_WRAPPER ? n->type->params[0] : n->type;
}

static bool fits(const struct cel_ast *n, uint32_t types)
{
	const struct cel_type *t = type_of(n);

	return !t || cel_type_is_dyn(t) || types >> t->kind & 1;
}

/* The part of an argument that cannot be written, or NULL. %s also checks parts of literals. */
static const struct cel_ast *misfit(const struct cel_ast *n, size_t verb)
{
	const struct cel_ast *bad = NULL;

	if (!fits(n, verbs[verb].types))
		return n;
	if (verbs[verb].verb != 's' || (n->kind != AST_LIST && n->kind != AST_MAP))
		return NULL;
	for (uint32_t i = 0; i < n->n_args && !bad; i++)
		bad = misfit(n->args[i], verb);
	return bad;
}

/* Check one clause and its argument; false after a mistake, which is reported. */
static bool check_clause(str format, size_t *at, const struct cel_ast *call, uint32_t used, struct cel_issues *is)
{
	CLEANUP(buf_done) struct buf why = BUF_INIT(1024);
	const struct cel_ast *list = call->args[0], *bad;
	struct cel_clause clause;
	str name;

	if (*at + 1 >= format.n)
		cel_issue_add(is, call->at, "unexpected end of string");
	else if (used >= list->n_args)
		cel_issue_add(is, call->at, "index %u out of range", used);
	else if (!cel_clause_read(format, at, &clause, &why))
		cel_issue_add(is, call->at, "%.*s", STR_ARG(buf_str(&why)));
	else if (!(bad = misfit(list->args[used], find_verb(clause.verb))))
		return true;
	else {
		name = plain_name(type_of(bad));
		cel_issue_add(is, bad->at, "error during formatting: %s, was given %.*s",
			      cel_clause_expects(clause.verb), STR_ARG(name));
	}
	return false;
}

void cel_format_check(const struct cel_ast *call, struct cel_issues *is)
{
	const struct cel_ast *text = call->target;
	uint32_t used = 0;
	str format;

	if (!text || call->n_args != 1 || text->kind != AST_LITERAL || text->value.kind != CV_STRING ||
	    call->args[0]->kind != AST_LIST)
		return;
	format = cv_str(text->value);
	for (size_t i = 0; i < format.n;) {
		if (format.p[i] != '%')
			i++;
		else if (i + 1 < format.n && format.p[i + 1] == '%')
			i += 2;
		else if (!check_clause(format, &i, call, used++, is))
			return;
	}
	if (used < call->args[0]->n_args)
		cel_issue_add(is, call->at, "too many arguments supplied to string.format (expected %u, got %u)", used,
			      call->args[0]->n_args);
}
