/* Reads the settings of inspection rules.   spec/inspection-rules.md, sections 8, 11 and 12 */
#include "config/cfg_internal.h"

#include "base/utf8.h"
#include "rules/inspection/insp_builtin.h"
#include "rules/inspection/insp_call.h"
#include "rules/inspection/insp_run.h"
#include "text/py_regex.h"

#include <errno.h>

#define SCOPE_CHARACTERS_MAX 255

/* ---- values ---- */

/* Set a scope. An empty text would be a valid scope, but more likely means none: it is a mistake. */
void cfg_set_scope(struct settings *s, void *target, const struct node *n)
{
	if (!setting_expect(s, n, NODE_SCALAR, "a scope"))
		return;
	if (n->text.n == 0 || utf8_count(n->text) > SCOPE_CHARACTERS_MAX)
		node_problem(n, s->problems, "a scope is a text of 1 to %d characters", SCOPE_CHARACTERS_MAX);
	else
		*(str *)target = n->text;
}

/* Set the file of built-in rules, relative to the configuration file; an empty text removes the setting of an
 * earlier file. */
static void set_built_in(struct settings *s, void *target, const struct node *n)
{
	struct cfg_loader *l = s->ctx;
	struct cfg_inspection *x = target;

	if (!setting_expect(s, n, NODE_SCALAR, "a path"))
		return;
	x->built_in = arena_str(s->arena, cfg_resolve_path(l, n->text, n->file));
	x->built_in_where = cfg_where(l, n);
	s->no_memory |= !x->built_in.p;
}

static void set_masking(struct settings *s, void *target, const struct node *n)
{
	static const char *const names[] = {
		[INSP_MASK_ALWAYS] = "always", [INSP_MASK_NEVER] = "never", [INSP_MASK_SENSITIVE] = "sensitive"
	};
	size_t i = str_index(n->text, names, ARRAY_LEN(names));

	if (!setting_expect(s, n, NODE_SCALAR, "always, never or sensitive"))
		return;
	if (i < ARRAY_LEN(names))
		*(unsigned *)target = (unsigned)i;
	else
		node_problem(n, s->problems, "'%.*s' is neither always nor never nor sensitive", STR_ARG(n->text));
}

static void set_interfaces(struct settings *s, void *target, const struct node *n)
{
	struct cfg_inspection *x = target;
	struct py_regex *compiled;
	struct err err;
	int r;

	if (!setting_expect(s, n, NODE_SCALAR, "a regular expression"))
		return;
	r = py_regex_compile(n->text, &compiled, &err);
	s->no_memory |= r == -ENOMEM;
	if (r < 0 && r != -ENOMEM)
		node_problem(n, s->problems, "'%.*s' is not a regular expression: %s", STR_ARG(n->text), err.msg);
	if (r < 0)
		return;
	py_regex_free(x->interfaces);
	x->interfaces = compiled;
	x->supported_interfaces = n->text;
}

static bool is_prefix(struct settings *s, str text)
{
	CLEANUP(arena_done) struct arena scratch = ARENA_INIT(0);
	struct err err;
	int r = insp_url_prefix_valid(text, &scratch, &err);

	s->no_memory |= r < 0;
	return r != 0;
}

static void check_prefix(struct settings *s, const struct node *n)
{
	if (n->kind != NODE_SCALAR) /* another kind of node is reported already */
		return;
	if (!is_prefix(s, n->text)) /* the text may hold a password */
		node_problem(n, s->problems,
			     "no prefix of URLs: http or https, a host and a path, such as "
			     "https://hooks.example.com/driftd, without user and query");
}

static void set_calls(struct settings *s, void *target, const struct node *n)
{
	struct cfg_inspection *x = target;
	struct text_list list = { 0 };

	if (n->kind == NODE_SCALAR && str_eq(n->text, STR("true"))) {
		node_problem(n, s->problems,
			     "true would allow URLs that tenants write: give a list of URL prefixes, such as "
			     "[https://hooks.example.com/driftd]");
		return;
	}
	if (n->kind != NODE_SCALAR || !str_eq(n->text, STR("false"))) {
		list = setting_texts(s, n);
		for (size_t i = 0; i < node_count(n); i++)
			check_prefix(s, node_item(n, i));
	}
	x->call_prefixes = list.p;
	x->n_call_prefixes = list.n;
}

/* ---- maps ---- */

static const struct setting inspection_settings[] = {
	{ "built_in", set_built_in, 0, "none",
	  "a file with a list of rules, relative to this file; read at the start, not with a reload" },
	{ "default_scope", cfg_set_scope, offsetof(struct cfg_inspection, default_scope), "none",
	  "of rules that say none, but for built-in ones" },
	{ "mask_secrets", set_masking, offsetof(struct cfg_inspection, mask_secrets), "always",
	  "whether rules read *** for secrets: always, never, or sensitive: but for sensitive rules" },
	{ "supported_interfaces", set_interfaces, 0, ".*",
	  "a regular expression of Python for apiVersion/kind, such as apps/v1/Deployment, of what is inspected" },
	{ "allow_api_call", set_calls, 0, "false", "false, or a list of the URL prefixes that rules may call" },
	{ "severity", setting_severity, offsetof(struct cfg_inspection, severity), "error", "of failed inspections" },
	{ "effects_per_minute", cfg_set_count, offsetof(struct cfg_inspection, effects_per_minute), "600",
	  "how many log entries and calls of one rule; those beyond it are counted" },
};

static const struct setting discovery_settings[] = {
	{ "inspection_scope", cfg_set_scope, offsetof(struct cfg_inspection, discovered_scope), "none",
	  "of objects that match no template: which inspection rules run for them" },
};

void cfg_set_inspection(struct settings *s, void *target, const struct node *n)
{
	settings_read(s, n, inspection_settings, ARRAY_LEN(inspection_settings), target);
}

void cfg_set_discovery(struct settings *s, void *target, const struct node *n)
{
	settings_read(s, n, discovery_settings, ARRAY_LEN(discovery_settings), target);
}

void cfg_print_inspection_settings(struct buf *out)
{
	settings_print(out, "inspection_rules:", inspection_settings, ARRAY_LEN(inspection_settings));
	settings_print(out, "auto_discovery:", discovery_settings, ARRAY_LEN(discovery_settings));
}

void cfg_print_builtin_settings(struct buf *out)
{
	insp_builtins_print_settings(out);
}

/* ---- built-in rules ---- */

int cfg_load_builtins(const struct cfg *cfg, const struct limits *limits, struct insp_builtins *ret,
		      struct problems *problems, struct err *err)
{
	CLEANUP(freep) char *text = NULL;
	size_t n;
	int r;

	if (cfg->inspection.built_in.n == 0) {
		*ret = (struct insp_builtins){ 0 };
		return 0;
	}
	r = cfg_read_named(cfg->inspection.built_in_where, cfg->inspection.built_in.p, limits, &text, &n, problems,
			   err);
	return r < 0 ? r
		     : insp_builtins_parse((str){ text, n }, cfg->inspection.built_in.p, limits, ret, problems, err);
}

int cfg_add_builtins(const char *path, const char *option, const struct limits *limits, struct insp_builtins *to,
		     struct problems *problems, struct err *err)
{
	CLEANUP(freep) char *text = NULL;
	struct insp_builtins more;
	size_t n;
	int r = cfg_read_named(str_from(option), path, limits, &text, &n, problems, err);

	if (r == 0)
		r = insp_builtins_parse((str){ text, n }, path, limits, &more, problems, err);
	return r < 0 ? r : insp_builtins_add(to, &more, err);
}

void cfg_check_builtins(struct cfg_loader *l)
{
	struct insp_builtins rules;
	struct err err;
	int r = cfg_load_builtins(l->cfg, l->limits, &rules, l->settings.problems, &err);

	if (r == 0)
		insp_builtins_done(&rules);
	l->settings.no_memory |= r == -ENOMEM;
}
