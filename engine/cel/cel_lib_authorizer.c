/* Kubernetes' authorizer, of which rules of definitions have only the functions: the variable that every chain of calls
 * begins with exists in admission policies alone. They are declared, so that a mistake is reported as by a server,
 * and none is implemented: no value is of these types.   apiserver/pkg/cel/library/authz.go */
#include "cel/cel_func.h"

#define POLICY(name, id, types, cost) CEL_MEMBER(name, id, types, NULL, cost, "of admission policies")

static const struct cel_overload overloads[] = {
	POLICY("path", "authorizer_path", "as:p", COST_ONE),
	POLICY("group", "authorizer_group", "as:g", COST_ONE),
	POLICY("serviceAccount", "authorizer_serviceaccount", "ass:a", COST_ONE),
	POLICY("resource", "groupcheck_resource", "gs:r", COST_ONE),
	POLICY("subresource", "resourcecheck_subresource", "rs:r", COST_ONE),
	POLICY("namespace", "resourcecheck_namespace", "rs:r", COST_ONE),
	POLICY("name", "resourcecheck_name", "rs:r", COST_ONE),
	POLICY("fieldSelector", "authorizer_fieldselector", "rs:r", COST_ONE),
	POLICY("labelSelector", "authorizer_labelselector", "rs:r", COST_ONE),
	POLICY("check", "pathcheck_check", "ps:c", COST_K_ASK),
	POLICY("check", "resourcecheck_check", "rs:c", COST_K_ASK),
	POLICY("errored", "decision_errored", "c:b", COST_ONE),
	POLICY("error", "decision_error", "c:s", COST_ONE),
	POLICY("allowed", "decision_allowed", "c:b", COST_ONE),
	POLICY("reason", "decision_reason", "c:s", COST_ONE),
};

const struct cel_library cel_lib_authorizer = { overloads, ARRAY_LEN(overloads) };
