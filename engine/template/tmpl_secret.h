/* Follows secret values through an execution: which values are made of them, and what of them is printed.
 *
 * Only explicit data flow counts: that a branch was taken, that two texts are equal, or how long a text is, is not
 * secret. */
#ifndef TEMPLATE_TMPL_SECRET_H
#define TEMPLATE_TMPL_SECRET_H

#include "template/tmpl.h"
#include "template/tmpl_functions.h"

/* Shorter texts are not kept, because they occur within many other texts. */
#define TMPL_SECRET_LEAST 8

/* Mark @v, the result of @fn for @args, as secret if it is, and return it. A text that shows a list or map as it is
 * (toYaml, print) holds the secret texts of that, which are added to @all. */
tval tmpl_secret_result(struct tmem *m, const struct tmpl_fn *fn, const tval *args, size_t n, tval v,
			struct tmpl_secrets *all);

/* Add to @all the secret texts of @text, which was printed for @v. */
void tmpl_secret_printed(struct tmpl_secrets *all, tval v, str text);

#endif
