#include "suites.h"

/* One row a suite; see README.md. */
const struct suite suites[] = {
	{ .name = "gotmpl", .judge = judge_gotmpl },
	{ .name = "text/yaml_parse", .judge = judge_yaml_parse },
	{ .name = "text/yaml_emit", .judge = judge_yaml_emit },
};
const size_t n_suites = sizeof(suites) / sizeof(suites[0]);
