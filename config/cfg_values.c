/* Reads values of driftd.yaml that must be more than texts. */
#include "config/cfg_internal.h"

#include "base/number.h"
#include "rules/rule_set.h"

#define COUNT_MAX 1000000

bool cfg_output_parse(str s, enum cfg_output *ret)
{
	static const char *const names[] = { [CFG_OUTPUT_AUTO] = "auto",
					     [CFG_OUTPUT_JOURNAL] = "journal",
					     [CFG_OUTPUT_TEXT] = "text",
					     [CFG_OUTPUT_JSON] = "json" };
	size_t i = str_index(s, names, ARRAY_LEN(names));

	if (i < ARRAY_LEN(names))
		*ret = (enum cfg_output)i;
	return i < ARRAY_LEN(names);
}

void cfg_set_output(struct settings *s, void *target, const struct node *n)
{
	if (setting_expect(s, n, NODE_SCALAR, "auto, journal, text or json") && !cfg_output_parse(n->text, target))
		node_problem(n, s->problems, "'%.*s' is not an output: auto, journal, text or json", STR_ARG(n->text));
}

/* Set the state folder, which must be absolute: systemd starts a daemon in "/", a person anywhere. */
void cfg_set_state_dir(struct settings *s, void *target, const struct node *n)
{
	setting_text(s, target, n);
	if (n->kind == NODE_SCALAR && n->text.n && n->text.p[0] != '/')
		node_problem(n, s->problems, "'%.*s' is not an absolute path", STR_ARG(n->text));
}

void cfg_set_path(struct settings *s, void *target, const struct node *n)
{
	setting_text(s, target, n);
	if (n->kind == NODE_SCALAR)
		*(str *)target = cfg_resolve_path(s->ctx, n->text, n->file);
}

/* The number that digits without a sign spell; above COUNT_MAX when it is larger, or the text is no number. */
static unsigned count_of(str text)
{
	unsigned count = text.n ? 0 : COUNT_MAX + 1;

	for (size_t i = 0; i < text.n && count <= COUNT_MAX; i++) {
		unsigned digit = (unsigned char)text.p[i] - (unsigned)'0';

		count = digit <= 9 ? count * 10 + digit : COUNT_MAX + 1;
	}
	return count;
}

void cfg_set_count(struct settings *s, void *target, const struct node *n)
{
	unsigned count;

	if (!setting_expect(s, n, NODE_SCALAR, "a number"))
		return;
	count = count_of(n->text);
	if (count == 0 || count > COUNT_MAX)
		node_problem(n, s->problems, "'%.*s' is not a number from 1 to %d", STR_ARG(n->text), COUNT_MAX);
	else
		*(unsigned *)target = count;
}

void cfg_set_flapping_changes(struct settings *s, void *target, const struct node *n)
{
	unsigned count;

	if (!setting_expect(s, n, NODE_SCALAR, "a number"))
		return;
	count = count_of(n->text);
	if (count == 1 || count > CFG_FLAPPING_CHANGES_MAX)
		node_problem(n, s->problems, "'%.*s' is not a number from 2 to %d, and not 0, for never",
			     STR_ARG(n->text), CFG_FLAPPING_CHANGES_MAX);
	else
		*(unsigned *)target = count;
}

void cfg_set_flapping_window(struct settings *s, void *target, const struct node *n)
{
	int64_t ns = 0;

	if (!setting_expect(s, n, NODE_SCALAR, "a duration such as 10m"))
		return;
	if (!rule_hold_parse(n->text, &ns) || ns == 0)
		node_problem(n, s->problems, "'%.*s' is not a duration up to 24h, such as 10m", STR_ARG(n->text));
	else
		*(int64_t *)target = ns;
}

void cfg_set_hold(struct settings *s, void *target, const struct node *n)
{
	if (setting_expect(s, n, NODE_SCALAR, "a duration such as 30s") && !rule_hold_parse(n->text, target))
		node_problem(n, s->problems, "'%.*s' is not a duration from 0s to 24h, such as 30s or 5m",
			     STR_ARG(n->text));
}

void cfg_set_evidence(struct settings *s, void *target, const struct node *n)
{
	int64_t ns = 0;

	if (!setting_expect(s, n, NODE_SCALAR, "a duration such as 90s"))
		return;
	if (!rule_hold_parse(n->text, &ns) || ns < CFG_EVIDENCE_MIN_NS || ns > CFG_EVIDENCE_MAX_NS)
		node_problem(n, s->problems, "'%.*s' is not a duration from 10s to 1h, such as 90s", STR_ARG(n->text));
	else
		*(int64_t *)target = ns;
}

void cfg_set_telemetry_path(struct settings *s, void *target, const struct node *n)
{
	setting_text(s, target, n);
	if (n->kind == NODE_SCALAR && (n->text.n < 2 || n->text.p[0] != '/'))
		node_problem(n, s->problems, "'%.*s' is not a path: it begins with '/' and names a page",
			     STR_ARG(n->text));
}

/* Set the path of the control socket, which must fit a struct sockaddr_un. */
void cfg_set_control_socket(struct settings *s, void *target, const struct node *n)
{
	if (!setting_expect(s, n, NODE_SCALAR, "a path"))
		return;
	*(str *)target = n->text.n ? n->text : STR("");
	if (n->text.n && (n->text.p[0] != '/' || n->text.n > 107))
		node_problem(n, s->problems, "'%.*s' is not an absolute path of at most 107 bytes", STR_ARG(n->text));
}

/* Read names of keys, which must not consist of punctuation only. */
static struct text_list key_list(struct settings *s, const struct node *n)
{
	struct text_list list = setting_texts(s, n);

	for (size_t i = 0; i < list.n; i++) {
		if (mask_same_name(list.p[i], STR("")))
			node_problem(n, s->problems, "'%.*s' is not a name of a field", STR_ARG(list.p[i]));
	}
	return list;
}

void cfg_set_sensitive(struct settings *s, void *target, const struct node *n)
{
	struct text_list list = key_list(s, n);
	struct cfg *cfg = target;

	cfg->mask.sensitive = list.p;
	cfg->mask.n_sensitive = list.n;
}

void cfg_set_shown(struct settings *s, void *target, const struct node *n)
{
	struct text_list list = key_list(s, n);
	struct cfg_loader *l = s->ctx;
	struct cfg *cfg = target;

	l->shown_fields = n;
	cfg->mask.shown = list.p;
	cfg->mask.n_shown = list.n;
}

/* Whether @s is host:port with a port number; [v6]:port too. */
static bool is_address(str s)
{
	ptrdiff_t colon = str_rfind(s, STR(":"));
	int64_t port;

	if (colon < 0 || (size_t)colon + 1 == s.n || s.n - (size_t)colon > 6)
		return false;
	s = str_sub(s, (size_t)colon + 1, s.n);
	port = digits_parse(s, s.n, 10);
	return port >= 0 && port <= 65535;
}

void cfg_set_listen(struct settings *s, void *target, const struct node *n)
{
	struct text_list list = setting_texts(s, n);
	struct cfg *cfg = target;

	for (size_t i = 0; i < node_count(n); i++) {
		const struct node *item = node_item(n, i);

		if (item->kind == NODE_SCALAR && !is_address(item->text))
			node_problem(item, s->problems,
				     "'%.*s' is not an address: host:port is expected, such as " CFG_LISTEN_DEFAULT,
				     STR_ARG(item->text));
	}
	cfg->listen = list.p;
	cfg->n_listen = list.n;
}

void cfg_set_hosts(struct settings *s, void *target, const struct node *n)
{
	struct text_list list = setting_texts(s, n);
	struct cfg *cfg = target;

	cfg->allowed_hosts = list.p;
	cfg->n_allowed_hosts = list.n;
}
