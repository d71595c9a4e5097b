/* Reads the identity of each manifest, and finds the places of mistakes. */
#include "manifest/manifest_set.h"

#include "manifest/manifest_set_internal.h"
#include "topology/crd.h"
#include "topology/scope.h"
#include "value/node.h"

#include <errno.h>
#include <stdio.h>

/* ---- places ---- */

static bool locate(const struct manifest *m, struct path below, size_t *line, size_t *column)
{
	size_t n = m->at.n + below.n;
	struct path_segment *way = malloc((n + 1) * sizeof(*way));
	bool found;

	for (size_t i = 0; way && i < n; i++)
		way[i] = i < m->at.n ? m->at.segments[i] : below.segments[i - m->at.n];
	found = way && node_locate(m->document->text, (struct path){ way, n }, line, column);
	free(way);
	return found;
}

str manifest_where(struct manifest_set *s, const struct manifest *m, struct path below)
{
	size_t line = 1, column = 1;

	if (!locate(m, below, &line, &column))
		line = column = 1;
	return arena_printf(&s->arena, "%.*s:%zu:%zu", STR_ARG(m->document->file), m->document->line + line - 1,
			    column);
}

void manifest_mistake(struct manifest_set *s, const struct manifest *m, struct path below, const char *fmt, ...)
{
	CLEANUP(freep) char *text = NULL;
	str where = problems_full(&s->mistakes) ? STR("") : manifest_where(s, m, below);
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	problems_add(&s->mistakes, "%.*s: %s", STR_ARG(where), text ? text : "out of memory");
}

/* ---- namespaces ---- */

/* Whether the kind is namespaced. For a custom resource whose definition is unknown this depends on whether its
 * manifest has a namespace. */
static bool has_namespace(const struct crd_table *definitions, const struct manifest *m)
{
	const struct crd_version *v = crd_table_get(definitions, m->id.api_version, m->id.kind);

	return v ? v->namespaced : !scope_is_cluster(m->id.api_version, m->id.kind);
}

static int name_it(struct manifest_set *s, size_t i, struct err *err)
{
	CLEANUP(buf_done) struct buf name = BUF_INIT(SIZE_MAX / 2);
	const struct manifest *m = &s->list.p[i];
	str where = STR("");
	size_t first;

	identity_text(&m->id, &name);
	if (name.error)
		return err_nomem(err);
	first = (size_t)(uintptr_t)strmap_get(&s->names, buf_str(&name));
	if (!first)
		return strmap_put(&s->names, buf_str(&name), (void *)(uintptr_t)(i + 1), NULL) ? 0 : err_nomem(err);
	if (!problems_full(&s->mistakes)) /* finding the place takes a while */
		where = manifest_where(s, &s->list.p[first - 1], (struct path){ 0 });
	manifest_mistake(s, m, (struct path){ 0 }, "%.*s is in the manifests twice; first at %.*s",
			 STR_ARG(buf_str(&name)), STR_ARG(where));
	return 0;
}

static void place(struct manifest *m, const struct crd_table *definitions, str namespace)
{
	if (!has_namespace(definitions, m))
		m->id.namespace = STR("");
	else if (!m->id.namespace.n)
		m->id.namespace = namespace;
}

int manifest_set_finish(struct manifest_set *s, struct crd_table *definitions, str namespace, struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < s->list.n && r == 0; i++)
		r = crd_table_add(definitions, s->list.p[i].object, err);
	for (size_t i = 0; i < s->hooks.n; i++)
		place(&s->hooks.p[i], definitions, namespace);
	for (size_t i = 0; i < s->list.n && r == 0; i++) {
		struct manifest *m = &s->list.p[i];

		place(m, definitions, namespace);
		r = name_it(s, i, err);
		if (r == 0)
			r = manifest_check_keys(s, m, crd_table_schema(definitions, m->id.api_version, m->id.kind),
						err);
	}
	return r;
}

size_t manifest_set_find(const struct manifest_set *s, const struct identity *id)
{
	size_t i = (size_t)(uintptr_t)identity_get(&s->names, id);

	return i ? i - 1 : SIZE_MAX;
}
