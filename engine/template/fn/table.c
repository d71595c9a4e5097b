/* The tables of all template functions. */
#include "template/fn/library.h"

#include "template/fn/fn.h"

/* The families, of which text/template's is the first. */
static const struct tmpl_fn_family *const families[] = {
	&fn_builtins, &fn_conv,  &fn_crypto, &fn_data,  &fn_date,    &fn_defaults, &fn_dicts,  &fn_encoding, &fn_flow,
	&fn_kube,     &fn_lists, &fn_math,   &fn_paths, &fn_reflect, &fn_regex,    &fn_semver, &fn_strings,
};

const struct tmpl_functions tmpl_library = { families, ARRAY_LEN(families), fn_takes_pattern };
const struct tmpl_functions tmpl_go_library = { families, 1, NULL };
