/* Copies the names of a collection, and makes its URL. */
#include "kubeclient/kc_collection.h"

#include "base/assert.h"
#include "kubeclient/kc_plural.h"
#include "kubeclient/kc_resources.h"
#include "kubeclient/kc_url.h"

#include <errno.h>
#include <stdio.h>

static void free_resource(struct kc_resource *r)
{
	free((char *)r->group);
	free((char *)r->version);
	free((char *)r->kind);
	free((char *)r->plural);
	*r = (struct kc_resource){ 0 };
}

/* Copy a text that restricts a list. An empty text restricts nothing. */
static bool copy_text(char **ret, const char *text)
{
	if (!text || !*text)
		return true;
	*ret = strdup(text);
	return *ret != NULL;
}

static bool copy_fields(struct kc_collection *c, const struct kc_watch_spec *spec)
{
	bool has_field = spec->field_selector && *spec->field_selector;

	if (!spec->name || !*spec->name)
		return copy_text(&c->field_selector, spec->field_selector);
	if (asprintf(&c->field_selector, "metadata.name=%s%s%s", spec->name, has_field ? "," : "",
		     has_field ? spec->field_selector : "") >= 0)
		return true;
	c->field_selector = NULL;
	return false;
}

static bool show(char **ret, const char *plural, str group)
{
	if (asprintf(ret, "%s%s%.*s", plural, group.n ? "." : "", STR_ARG(group)) >= 0)
		return true;
	*ret = NULL;
	return false;
}

/* Guess the plural before discovery names it. The guess is nearly always right, so that whatever is called by it
 * keeps its name. */
static bool show_guess(char **ret, const struct kc_watch_spec *spec)
{
	CLEANUP(buf_done) struct buf plural = BUF_INIT(4096);

	kc_plural_guess(str_from(spec->kind), &plural);
	return !plural.error && show(ret, plural.p, group_version_of(str_from(spec->api_version)).group);
}

int kc_collection_init(struct kc_collection *c, const struct kc_watch_spec *spec, struct err *err)
{
	*c = (struct kc_collection){ 0 };
	if (!spec->api_version || !*spec->api_version || !spec->kind || !*spec->kind)
		return err_set(err, EINVAL, "watch: apiVersion and kind are required");
	if (copy_text(&c->api_version, spec->api_version) && copy_text(&c->kind, spec->kind) &&
	    copy_text(&c->namespace, spec->namespace) && copy_text(&c->name, spec->name) &&
	    copy_text(&c->label_selector, spec->label_selector) && copy_fields(c, spec) && show_guess(&c->shown, spec))
		return 0;
	kc_collection_done(c);
	return err_nomem(err);
}

void kc_collection_done(struct kc_collection *c)
{
	free_resource(&c->resource);
	free(c->api_version);
	free(c->kind);
	free(c->namespace);
	free(c->name);
	free(c->label_selector);
	free(c->field_selector);
	free(c->shown);
	*c = (struct kc_collection){ 0 };
}

int kc_collection_found(struct kc_collection *c, const struct kc_resource *from, struct err *err)
{
	struct kc_resource r = *from;
	char *shown = NULL;

	r.group = strdup(from->group);
	r.version = strdup(from->version);
	r.kind = strdup(from->kind);
	r.plural = strdup(from->plural);
	r.short_names = NULL; /* nobody needs them of a collection */
	if (!r.group || !r.version || !r.kind || !r.plural || !show(&shown, r.plural, str_from(r.group))) {
		free_resource(&r);
		return err_nomem(err);
	}
	free_resource(&c->resource);
	free(c->shown);
	c->resource = r;
	c->shown = shown;
	return 0;
}

void kc_collection_lost(struct kc_collection *c)
{
	free_resource(&c->resource);
}

void kc_collection_path(const struct kc_collection *c, struct buf *b)
{
	ASSERT(c->resource.kind);
	kc_url_collection(b, &c->resource, c->namespace);
}

void kc_collection_selectors(const struct kc_collection *c, struct buf *b)
{
	kc_url_query(b, "labelSelector", str_from(c->label_selector));
	kc_url_query(b, "fieldSelector", str_from(c->field_selector));
}
