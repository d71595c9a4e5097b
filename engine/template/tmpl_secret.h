/* Following what may not be shown through an execution: which values are made of it, and what of it is printed.
 *
 * Only explicit data flow counts: that a branch was taken, that two texts are equal, or how long one is, is no secret.
 */
#ifndef TEMPLATE_TMPL_SECRET_H
#define TEMPLATE_TMPL_SECRET_H

#include "template/tmpl.h"
#include "template/tmpl_functions.h"

/* Texts shorter than this are not kept: they stand in many others. */
#define TMPL_SECRET_LEAST 8

/* @fn has made @v of @args; returns it with what it is now. A text that shows a list or map as it is (toYaml, print)
 * holds what is secret in it, which is added to @all. */
tval tmpl_secret_result(struct tmem *m, const struct tmpl_fn *fn, const tval *args, size_t n, tval v,
			struct tmpl_secrets *all);

/* @text was printed for @v. */
void tmpl_secret_printed(struct tmpl_secrets *all, tval v, str text);

#endif
