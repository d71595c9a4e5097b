/* TOML as BurntSushi/toml 1.5 writes it. */
#ifndef TEMPLATE_FN_TOML_H
#define TEMPLATE_FN_TOML_H

#include "template/fn/fn.h"

/* toToml: the text of a value, or the text of the error. */
tmpl_fn_run run_to_toml;

#endif
