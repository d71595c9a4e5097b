/* Go's fmt package over template values: Sprint, Sprintf, Sprintln. See also fn.h. */
#ifndef TEMPLATE_TMPL_PRINT_H
#define TEMPLATE_TMPL_PRINT_H

#include "template/fn/fn.h"

/* fmt.Sprint and Sprintln of several operands. */
void tmpl_sprint_all(struct tmem *m, const tval *args, size_t n, struct buf *out);
void tmpl_sprintln(struct tmem *m, const tval *args, size_t n, struct buf *out);

#endif
