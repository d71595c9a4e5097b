/* Parses the YAML of one kubeconfig file, field by field. */
#include "kubeclient/kubeconfig_internal.h"

#include "go/base64.h"
#include "value/json.h"
#include "value/yaml.h"

#include <errno.h>
#include <yaml.h>

/* Limit on the keys of a mapping that is read field by field. */
#define FIELDS_MAX 256
#define EXEC_EXTENSION "client.authentication.k8s.io/exec"
/* The most bytes of a plugin's configuration, which reaches the plugin in an environment variable. The kernel takes 128
 * KiB of it. */
#define EXEC_CONFIG_MAX ((size_t)64 << 10)

struct parse {
	yaml_document_t doc;
	str text;
	struct doc *values; /* the values as Kubernetes reads them; NULL until they are needed */
	const char *path;
	uint32_t item; /* the index of the current section */
	struct kubeconfig *k;
	struct err *err;
};

CHECKED static int fail_at(struct parse *p, const yaml_node_t *at, const char *fmt, ...) PRINTF(3, 4);
static int fail_at(struct parse *p, const yaml_node_t *at, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	int r = err_vset(p->err, EINVAL, fmt, ap);
	va_end(ap);
	if (r == -ENOMEM)
		return r;
	return err_wrap(p->err, "%s:%zu:%zu", p->path, at->start_mark.line + 1, at->start_mark.column + 1);
}

static const char *copy(struct parse *p, const void *text, size_t n)
{
	return arena_str(&p->k->arena, (str){ text, n }).p;
}

static const char *where(struct parse *p, const yaml_node_t *at)
{
	return arena_printf(&p->k->arena, "%s:%zu:%zu", p->path, at->start_mark.line + 1, at->start_mark.column + 1).p;
}

static bool is_null(const yaml_node_t *n)
{
	static const char *const words[] = { "", "~", "null", "Null", "NULL" };

	return n->type == YAML_SCALAR_NODE && n->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
	       str_index(str_from((const char *)n->data.scalar.value), words, ARRAY_LEN(words)) < ARRAY_LEN(words);
}

/* The value of a field, NULL when it is absent or null. Of a repeated key the last counts. */
static int field(struct parse *p, const yaml_node_t *map, const char *name, yaml_node_t **ret)
{
	const yaml_node_pair_t *first = map->data.mapping.pairs.start, *at = map->data.mapping.pairs.top;

	*ret = NULL;
	if (at - first > FIELDS_MAX)
		return fail_at(p, map, "too many fields (limit is %d)", FIELDS_MAX);
	while (at-- > first) {
		yaml_node_t *key = yaml_document_get_node(&p->doc, at->key);
		yaml_node_t *value = yaml_document_get_node(&p->doc, at->value);

		if (key->type != YAML_SCALAR_NODE || strcmp((const char *)key->data.scalar.value, name) != 0)
			continue;
		if (!is_null(value))
			*ret = value;
		return 0;
	}
	return 0;
}

static int typed_field(struct parse *p, const yaml_node_t *map, const char *name, yaml_node_type_t type,
		       yaml_node_t **ret)
{
	int r = field(p, map, name, ret);

	if (r < 0 || !*ret || (*ret)->type == type)
		return r;
	return fail_at(p, *ret, "%s: must be a %s", name,
		       type == YAML_SCALAR_NODE    ? "string"
		       : type == YAML_MAPPING_NODE ? "mapping"
						   : "list");
}

/* The text of a scalar. The value itself is never quoted in a message: it may be a secret. */
static int node_text(struct parse *p, const yaml_node_t *n, const char *name, const char **ret)
{
	if (n->type != YAML_SCALAR_NODE)
		return fail_at(p, n, "%s: must be a string", name);
	if (memchr(n->data.scalar.value, '\0', n->data.scalar.length))
		return fail_at(p, n, "%s: holds a NUL character", name);
	*ret = copy(p, n->data.scalar.value, n->data.scalar.length);
	return *ret ? 0 : err_nomem(p->err);
}

/* An empty text counts as absent, as it does for kubectl. */
static int text_field(struct parse *p, const yaml_node_t *map, const char *name, const char **ret)
{
	yaml_node_t *n;
	int r = field(p, map, name, &n);

	if (r < 0 || !n)
		return r;
	r = node_text(p, n, name, ret);
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): node_text sets it on success */
	if (r == 0 && !**ret)
		*ret = NULL;
	return r;
}

static int bool_field(struct parse *p, const yaml_node_t *map, const char *name, bool *ret)
{
	static const char *const words[] = { "true",  "True",  "TRUE",  "yes", "Yes", "YES", "on",  "On",  "ON",
					     "false", "False", "FALSE", "no",  "No",  "NO",  "off", "Off", "OFF" };
	yaml_node_t *n;
	int r = typed_field(p, map, name, YAML_SCALAR_NODE, &n);
	size_t i;

	if (r < 0 || !n)
		return r;
	i = str_index(str_from((const char *)n->data.scalar.value), words, ARRAY_LEN(words));
	*ret = i < ARRAY_LEN(words) / 2;
	return i < ARRAY_LEN(words) ? 0 : fail_at(p, n, "%s: must be true or false", name);
}

/* Relative paths count from the folder of the file. @bare: a name without a slash stays as it is. */
static int path_field(struct parse *p, const yaml_node_t *map, const char *name, bool bare, const char **ret)
{
	const char *text = NULL;
	const char *slash = strrchr(p->path, '/');
	int r = text_field(p, map, name, &text);

	if (r < 0 || !text)
		return r;
	if (*text == '/' || !slash || (bare && !strchr(text, '/')))
		*ret = text;
	else
		*ret = arena_printf(&p->k->arena, "%.*s/%s", (int)(slash - p->path), p->path, text).p;
	return *ret ? 0 : err_nomem(p->err);
}

static int decode_base64(struct parse *p, const yaml_node_t *n, const char *name, str *ret)
{
	str text = { (const char *)n->data.scalar.value, n->data.scalar.length };
	int r = go_base64_decode(&go_base64_std, text, &p->k->arena, ret, NULL);

	if (r == -ENOMEM)
		return err_nomem(p->err);
	return r < 0 ? fail_at(p, n, "%s: not base64", name) : 0;
}

/* Base64 of PEM text. */
static int data_field(struct parse *p, const yaml_node_t *map, const char *name, str *ret)
{
	yaml_node_t *n;
	int r = typed_field(p, map, name, YAML_SCALAR_NODE, &n);

	if (r < 0 || !n || n->data.scalar.length == 0)
		return r;
	r = decode_base64(p, n, name, ret);
	if (r == 0 && str_find(*ret, STR("-----BEGIN ")) < 0)
		return fail_at(p, n, "%s: no PEM text after decoding", name);
	return r;
}

static int list_field(struct parse *p, const yaml_node_t *map, const char *name, const char *const **ret)
{
	yaml_node_t *n;
	int r = typed_field(p, map, name, YAML_SEQUENCE_NODE, &n);

	if (r < 0 || !n)
		return r;
	size_t count = (size_t)(n->data.sequence.items.top - n->data.sequence.items.start);
	const char **list = arena_array(&p->k->arena, count + 1, sizeof(*list));

	if (!list)
		return err_nomem(p->err);
	for (size_t i = 0; i < count; i++) {
		r = node_text(p, yaml_document_get_node(&p->doc, n->data.sequence.items.start[i]), name, &list[i]);
		if (r < 0)
			return r;
	}
	list[count] = NULL;
	if (count)
		*ret = list;
	return 0;
}

/* The tree of libyaml does not know what a scalar means. */
static int read_values(struct parse *p)
{
	struct limits limits = LIMITS_DEFAULT;
	const struct yaml_options o = { .limits = &limits };
	struct err why;
	int r = p->values ? 0 : yaml_decode(p->text, &o, &p->values, &why);

	if (r == -ENOMEM)
		return err_nomem(p->err);
	return r < 0 ? err_set(p->err, EBADMSG, "%s: extensions: not readable", p->path) : 0;
}

/* The extension that is meant for credential plugins, as JSON. */
static int read_exec_config(struct parse *p, uint32_t at, const char **ret)
{
	CLEANUP(buf_done) struct buf json = BUF_INIT(EXEC_CONFIG_MAX);
	val cluster, extension;
	int r = read_values(p);

	if (r < 0)
		return r;
	cluster = VAL_GET(val_at(VAL_GET(p->values->root, "clusters"), p->item), "cluster");
	extension = VAL_GET(val_at(VAL_GET(cluster, "extensions"), at), "extension");
	if (!val_exists(extension) || val_is_null(extension))
		return 0;
	r = json_encode(extension, JSON_GO, NULL, &json, p->err);
	if (r == 0)
		r = buf_error(&json, "extensions", p->err);
	if (r < 0)
		return r;
	*ret = arena_str(&p->k->arena, buf_str(&json)).p;
	return *ret ? 0 : err_nomem(p->err);
}

static int extensions_field(struct parse *p, const yaml_node_t *map, struct kube_cluster *c)
{
	yaml_node_t *n;
	int r = typed_field(p, map, "extensions", YAML_SEQUENCE_NODE, &n);

	if (r < 0 || !n)
		return r;
	for (const yaml_node_item_t *i = n->data.sequence.items.start; i < n->data.sequence.items.top; i++) {
		const yaml_node_t *item = yaml_document_get_node(&p->doc, *i);
		const char *name = NULL;

		if (item->type != YAML_MAPPING_NODE)
			return fail_at(p, item, "extensions: must hold mappings");
		r = text_field(p, item, "name", &name);
		if (r < 0)
			return r;
		if (name && strcmp(name, EXEC_EXTENSION) == 0)
			return read_exec_config(p, (uint32_t)(i - n->data.sequence.items.start), &c->exec_config);
	}
	return 0;
}

static int cluster_fields(struct parse *p, const yaml_node_t *n, struct kube_cluster *c)
{
	int r;

	if ((r = text_field(p, n, "server", &c->server)) < 0 ||
	    (r = text_field(p, n, "tls-server-name", &c->tls_server_name)) < 0 ||
	    (r = path_field(p, n, "certificate-authority", false, &c->ca_file)) < 0 ||
	    (r = data_field(p, n, "certificate-authority-data", &c->ca_data)) < 0 ||
	    (r = text_field(p, n, "proxy-url", &c->proxy_url)) < 0 ||
	    (r = bool_field(p, n, "insecure-skip-tls-verify", &c->insecure)) < 0 || (r = extensions_field(p, n, c)) < 0)
		return r;
	return bool_field(p, n, "disable-compression", &c->disable_compression);
}

static int exec_env(struct parse *p, const yaml_node_t *map, struct kube_exec *x)
{
	yaml_node_t *n;
	int r = typed_field(p, map, "env", YAML_SEQUENCE_NODE, &n);

	if (r < 0 || !n)
		return r;
	size_t count = (size_t)(n->data.sequence.items.top - n->data.sequence.items.start);
	struct kube_pair *env = arena_array(&p->k->arena, count, sizeof(*env));

	if (!env)
		return err_nomem(p->err);
	for (size_t i = 0; i < count; i++) {
		yaml_node_t *item = yaml_document_get_node(&p->doc, n->data.sequence.items.start[i]);

		env[i] = (struct kube_pair){ NULL, "" };
		if (item->type != YAML_MAPPING_NODE)
			return fail_at(p, item, "env: must hold mappings");
		if ((r = text_field(p, item, "name", &env[i].key)) < 0 ||
		    (r = text_field(p, item, "value", &env[i].value)) < 0)
			return r;
		if (!env[i].key || strchr(env[i].key, '='))
			return fail_at(p, item, "env: an entry needs a name without '='");
		if (!env[i].value)
			env[i].value = "";
	}
	x->env = env;
	x->n_env = count;
	return 0;
}

static int exec_field(struct parse *p, const yaml_node_t *map, struct kube_user *u)
{
	struct kube_exec *x;
	yaml_node_t *n;
	int r = typed_field(p, map, "exec", YAML_MAPPING_NODE, &n);

	if (r < 0 || !n)
		return r;
	x = arena_zalloc(&p->k->arena, sizeof(*x));
	if (!x)
		return err_nomem(p->err);
	if ((r = text_field(p, n, "apiVersion", &x->api_version)) < 0 ||
	    (r = path_field(p, n, "command", true, &x->command)) < 0 || (r = list_field(p, n, "args", &x->args)) < 0 ||
	    (r = exec_env(p, n, x)) < 0 || (r = text_field(p, n, "installHint", &x->install_hint)) < 0 ||
	    (r = text_field(p, n, "interactiveMode", &x->interactive)) < 0 ||
	    (r = bool_field(p, n, "provideClusterInfo", &x->provide_cluster_info)) < 0)
		return r;
	u->exec = x;
	return 0;
}

static int extra_values(struct parse *p, const yaml_node_t *map, struct kube_pair *out, size_t *n_out)
{
	size_t n = 0;

	for (const yaml_node_pair_t *at = map->data.mapping.pairs.start; at < map->data.mapping.pairs.top; at++) {
		const yaml_node_t *values = yaml_document_get_node(&p->doc, at->value);
		const char *key = NULL;
		int r = node_text(p, yaml_document_get_node(&p->doc, at->key), "as-user-extra", &key);

		if (r < 0)
			return r;
		if (values->type != YAML_SEQUENCE_NODE)
			return fail_at(p, values, "as-user-extra: must be a mapping of lists");
		for (const yaml_node_item_t *i = values->data.sequence.items.start; i < values->data.sequence.items.top;
		     i++, n++) {
			if (!out)
				continue;
			out[n].key = key;
			r = node_text(p, yaml_document_get_node(&p->doc, *i), "as-user-extra", &out[n].value);
			if (r < 0)
				return r;
		}
	}
	*n_out = n;
	return 0;
}

static int extra_field(struct parse *p, const yaml_node_t *map, struct kube_user *u)
{
	struct kube_pair *out;
	yaml_node_t *n;
	size_t count = 0;
	int r = typed_field(p, map, "as-user-extra", YAML_MAPPING_NODE, &n);

	if (r < 0 || !n || (r = extra_values(p, n, NULL, &count)) < 0 || count == 0)
		return r;
	out = arena_array(&p->k->arena, count, sizeof(*out));
	if (!out)
		return err_nomem(p->err);
	r = extra_values(p, n, out, &count);
	u->as_extra = out;
	u->n_as_extra = count;
	return r;
}

static int auth_provider_field(struct parse *p, const yaml_node_t *map, struct kube_user *u)
{
	yaml_node_t *n;
	int r = typed_field(p, map, "auth-provider", YAML_MAPPING_NODE, &n);

	if (r < 0 || !n)
		return r;
	r = text_field(p, n, "name", &u->auth_provider);
	if (r == 0 && !u->auth_provider)
		u->auth_provider = "unnamed";
	return r;
}

static int user_fields(struct parse *p, const yaml_node_t *n, struct kube_user *u)
{
	int r;

	if ((r = path_field(p, n, "client-certificate", false, &u->cert_file)) < 0 ||
	    (r = path_field(p, n, "client-key", false, &u->key_file)) < 0 ||
	    (r = data_field(p, n, "client-certificate-data", &u->cert_data)) < 0 ||
	    (r = data_field(p, n, "client-key-data", &u->key_data)) < 0 ||
	    (r = path_field(p, n, "tokenFile", false, &u->token_file)) < 0 ||
	    (r = text_field(p, n, "token", &u->token)) < 0 || (r = text_field(p, n, "username", &u->username)) < 0 ||
	    (r = text_field(p, n, "password", &u->password)) < 0 || (r = text_field(p, n, "as", &u->as)) < 0 ||
	    (r = text_field(p, n, "as-uid", &u->as_uid)) < 0 ||
	    (r = list_field(p, n, "as-groups", &u->as_groups)) < 0 || (r = extra_field(p, n, u)) < 0 ||
	    (r = exec_field(p, n, u)) < 0)
		return r;
	return auth_provider_field(p, n, u);
}

static int context_fields(struct parse *p, const yaml_node_t *n, struct kube_context *c)
{
	int r;

	if ((r = text_field(p, n, "cluster", &c->cluster)) < 0 || (r = text_field(p, n, "user", &c->user)) < 0)
		return r;
	return text_field(p, n, "namespace", &c->namespace);
}

enum section { CLUSTERS, USERS, CONTEXTS };

static int named_fields(struct parse *p, enum section section, const yaml_node_t *item, const yaml_node_t *body,
			const char *name, struct kube_named *out)
{
	const char *at = where(p, item);

	if (!at)
		return err_nomem(p->err);
	switch (section) {
	case CLUSTERS:
		out->cluster = (struct kube_cluster){ .name = name, .where = at };
		return body ? cluster_fields(p, body, &out->cluster) : 0;
	case USERS:
		out->user = (struct kube_user){ .name = name, .where = at };
		return body ? user_fields(p, body, &out->user) : 0;
	case CONTEXTS:
		out->context = (struct kube_context){ .name = name, .where = at };
		return body ? context_fields(p, body, &out->context) : 0;
	}
	return 0;
}

/* One element of a section: { name: …, cluster|user|context: {…} }. */
static int named_item(struct parse *p, enum section section, const char *body_name, struct strmap *map,
		      const yaml_node_t *item)
{
	const struct kube_named *old;
	struct kube_named *entry;
	const char *name = NULL;
	yaml_node_t *body;
	int r;

	if (item->type != YAML_MAPPING_NODE)
		return fail_at(p, item, "must be a mapping with name and %s", body_name);
	if ((r = text_field(p, item, "name", &name)) < 0)
		return r;
	if (!name)
		return fail_at(p, item, "%s without a name", body_name);
	old = strmap_get(map, str_from(name));
	if (old && old->file == p->k->n_files)
		return fail_at(p, item, "%s '%.100s' is there twice", body_name, name);
	if ((r = typed_field(p, item, body_name, YAML_MAPPING_NODE, &body)) < 0)
		return r;
	entry = arena_zalloc(&p->k->arena, sizeof(*entry));
	if (!entry)
		return err_nomem(p->err);
	entry->file = p->k->n_files;
	r = named_fields(p, section, item, body, name, entry);
	if (r < 0)
		return p->err->code == ENOMEM ? r : err_wrap(p->err, "%s '%.100s'", body_name, name);
	if (old)
		return 0; /* the entry of an earlier file counts, and none of this one is merged into it */
	if (!strmap_put(map, str_from(name), entry, NULL))
		return err_nomem(p->err);
	if (section == CONTEXTS && !vec_push(&p->k->context_names, entry->context.name))
		return err_nomem(p->err);
	return 0;
}

static int section(struct parse *p, const yaml_node_t *root, enum section s)
{
	static const char *const names[][2] = { { "clusters", "cluster" },
						{ "users", "user" },
						{ "contexts", "context" } };
	_Static_assert(ARRAY_LEN(names) == CONTEXTS + 1, "a row for each section: ORDER enum section");
	struct strmap *map = s == CLUSTERS ? &p->k->clusters : s == USERS ? &p->k->users : &p->k->contexts;
	yaml_node_t *n;
	int r = typed_field(p, root, names[s][0], YAML_SEQUENCE_NODE, &n);

	if (r < 0 || !n)
		return r;
	for (const yaml_node_item_t *i = n->data.sequence.items.start; i < n->data.sequence.items.top; i++) {
		p->item = (uint32_t)(i - n->data.sequence.items.start);
		r = named_item(p, s, names[s][1], map, yaml_document_get_node(&p->doc, *i));
		if (r < 0)
			return r;
	}
	return 0;
}

static int expect_text(struct parse *p, const yaml_node_t *root, const char *name, const char *expected)
{
	const char *text = NULL;
	yaml_node_t *n;
	int r = field(p, root, name, &n);

	if (r < 0 || !n)
		return r;
	r = node_text(p, n, name, &text);
	if (r < 0 || !text || !*text || strcmp(text, expected) == 0)
		return r;
	return fail_at(p, n, "%s: must be %s", name, expected);
}

static int document(struct parse *p)
{
	const char *current = NULL;
	yaml_node_t *root = yaml_document_get_root_node(&p->doc);
	int r;

	if (!root || is_null(root))
		return 0;
	if (root->type != YAML_MAPPING_NODE)
		return fail_at(p, root, "a kubeconfig must be a mapping");
	if ((r = expect_text(p, root, "apiVersion", "v1")) < 0 || (r = expect_text(p, root, "kind", "Config")) < 0 ||
	    (r = section(p, root, CLUSTERS)) < 0 || (r = section(p, root, USERS)) < 0 ||
	    (r = section(p, root, CONTEXTS)) < 0 || (r = text_field(p, root, "current-context", &current)) < 0)
		return r;
	if (!p->k->current)
		p->k->current = current;
	return 0;
}

static int yaml_failure(struct parse *p, const yaml_parser_t *parser)
{
	if (parser->error == YAML_MEMORY_ERROR)
		return err_nomem(p->err);
	if (parser->error == YAML_READER_ERROR)
		return err_set(p->err, EBADMSG, "%s: byte %zu: %s", p->path, parser->problem_offset,
			       parser->problem ? parser->problem : "unreadable");
	return err_set(p->err, EBADMSG, "%s:%zu:%zu: %s", p->path, parser->problem_mark.line + 1,
		       parser->problem_mark.column + 1, parser->problem ? parser->problem : "not YAML");
}

int kubeconfig_add_text(struct kubeconfig *k, str text, const char *path, struct err *err)
{
	struct parse p = { .text = text, .path = path, .k = k, .err = err };
	yaml_parser_t parser;
	int r;

	if (text.n > KUBECONFIG_BYTES_MAX)
		return err_set(err, E2BIG, "%s: larger than %zu bytes", path, KUBECONFIG_BYTES_MAX);
	if (!yaml_parser_initialize(&parser))
		return err_nomem(err);
	yaml_parser_set_input_string(&parser, (const unsigned char *)(text.p ? text.p : ""), text.n);
	k->n_files++;
	if (!yaml_parser_load(&parser, &p.doc)) {
		r = yaml_failure(&p, &parser);
	} else {
		r = document(&p);
		yaml_document_delete(&p.doc);
	}
	yaml_parser_delete(&parser);
	doc_unref(p.values);
	return r;
}
