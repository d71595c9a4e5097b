/* The state of one verb of fmt, and how scalars are printed with it (tmpl_print_scalar.c); shared by the files of
 * fmt. */
#ifndef TEMPLATE_TMPL_PRINT_INTERNAL_H
#define TEMPLATE_TMPL_PRINT_INTERNAL_H

#include "template/tmpl_print.h"

#define WIDTH_MAX 1000000 /* fmt ignores larger widths and precisions */

struct printer {
	struct tmem *m;
	struct buf *out;
	bool has_width, has_prec, minus, plus, sharp, space, zero;
	bool plus_v, sharp_v; /* the flags of %+v and %#v, which are moved here */
	int width, prec;
	/* What the text of a bad verb shows: an operand, or a value inside one. */
	bool has_arg, has_value;
	tval arg, value;
	bool erroring;
	bool reordered, good_arg_num;
};

/* Append "%!verb(type=value)" (tmpl_print.c). */
void fmt_bad_verb(struct printer *p, uint32_t verb);

/* Append @s with the padding that the width asks for. */
void fmt_padded(struct printer *p, str s);
/* The first p->prec characters of @s. */
str fmt_truncated(const struct printer *p, str s);
/* Append a number in hexadecimal, with 0x when @leading. */
void fmt_0x(struct printer *p, uint64_t u, bool leading);

void fmt_integer(struct printer *p, uint64_t u, bool is_signed, uint32_t verb);
void fmt_float(struct printer *p, double d, uint32_t verb);
void fmt_complex(struct printer *p, const double c[2], uint32_t verb);
void fmt_string(struct printer *p, str s, uint32_t verb);

#endif
