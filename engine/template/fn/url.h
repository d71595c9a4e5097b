/* URLs as Go's net/url reads and writes them. */
#ifndef TEMPLATE_FN_URL_H
#define TEMPLATE_FN_URL_H

#include "template/fn/fn.h"

/* The run functions of fn_paths' rows. */
tmpl_fn_run run_url_parse, run_url_join;

#endif
