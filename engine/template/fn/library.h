/* The functions that references may use: text/template's, Sprig's, and those of kube-compare. */
#ifndef TEMPLATE_FN_LIBRARY_H
#define TEMPLATE_FN_LIBRARY_H

#include "template/tmpl_functions.h"

extern const struct tmpl_functions tmpl_library;
/* The functions of text/template alone. */
extern const struct tmpl_functions tmpl_go_library;

#endif
