/* Go's fmt package over template values: Sprint, Sprintf, Sprintln. */
#ifndef TEMPLATE_TMPL_PRINT_H
#define TEMPLATE_TMPL_PRINT_H

#include "template/tmpl_value.h"

/* Append fmt.Sprint(v), as {{ v }} prints it ("<nil>" for nil). */
void tmpl_sprint(struct tmem *m, tval v, struct buf *out);
/* Append fmt.Sprintf(format, args…). */
void tmpl_sprintf(struct tmem *m, str format, const tval *args, size_t n, struct buf *out);
/* Append fmt.Sprint or fmt.Sprintln of several operands. */
void tmpl_sprint_all(struct tmem *m, const tval *args, size_t n, struct buf *out);
void tmpl_sprintln(struct tmem *m, const tval *args, size_t n, struct buf *out);

#endif
