/* The table of suites. */
#include "suites.h"

#include "suite_eventrules.h"
#include "suite_inspection.h"
#include "suite_kubegen.h"
#include "suite_text.h"

/* One row a suite; see README.md. */
const struct suite suites[] = {
	{ .name = "gotmpl", .judge = judge_gotmpl },
	{ .name = "text/yaml_parse", .judge = judge_yaml_parse },
	{ .name = "text/yaml_emit", .judge = judge_yaml_emit },
	{ .name = "text/k8s_print", .judge = judge_k8s_print },
	{ .name = "text/unified_diff", .judge = judge_unified_diff },
	{ .name = "text/dmp", .judge = judge_dmp },
	{ .name = "text/inline", .judge = judge_inline },
	{ .name = "text/jsonpatch", .judge = judge_jsonpatch },
	{ .name = "text/re2", .judge = judge_re2 },
	{ .name = "text/path_to_list", .judge = judge_path_to_list },
	{ .name = "text/quantity", .judge = judge_quantity },
	{ .name = "text/slug", .judge = judge_slug },
	{ .name = "text/semver", .judge = judge_semver },
	{ .name = "cel", .judge = judge_cel },
	{ .name = "eventrules/rulepath", .judge = judge_event_path },
	{ .name = "eventrules/validate", .judge = judge_event_validate },
	{ .name = "eventrules/events", .judge = judge_events },
	{ .name = "inspection/conditions", .judge = judge_inspection_condition },
	{ .name = "inspection/actions", .judge = judge_inspection_action },
	{ .name = "inspection/rules", .judge = judge_inspection_rules },
	{ .name = "inspection/validate", .judge = judge_inspection_validate },
	{ .name = "inspection/api", .judge = judge_inspection_api },
	{ .name = "kubegen/lang", .judge = judge_kubegen_lang },
	{ .name = "kubegen/module-errors", .judge = judge_kubegen_module_errors },
	{ .name = "kubegen/modules", .judge_dir = judge_kubegen_modules },
};
const size_t n_suites = sizeof(suites) / sizeof(suites[0]);
