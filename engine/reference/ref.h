/* A reference configuration. It is either metadata.yaml (version 1 or 2) with its compiled templates and resolved lists
 * of fields to omit, or it consists of manifests, each of which takes the place of a template
 * (manifest/manifest_reference.h).
 *
 * A reference is immutable once it is loaded, counts its references, and may be used by several threads. Behaviour:
 * spec/compare.md, "Reference"; spec/manifests.md. */
#ifndef REFERENCE_REF_H
#define REFERENCE_REF_H

#include "base/limits.h"
#include "base/problems.h"
#include "template/tmpl.h"
#include "text/inline_diff.h"
#include "value/doc.h"
#include "value/identity.h"
#include "value/json_pick.h"
#include "value/label_selector.h"

/* The keys from the root to a place that pathToKey names. */
struct omit_path {
	const str *keys;
	size_t n;
	bool prefix; /* the last key is a prefix of the keys to omit */
};

struct omit_node;

struct omit_list {
	const struct omit_path *paths;
	size_t n;
	const struct omit_node *tree; /* the paths by their keys */
};

struct ref_component;
struct ref_plain;
struct ref_shapes;

/* What a listing of a reference means. */
enum ref_use {
	REF_TEMPLATE,
	REF_MANIFEST, /* an object should be like the manifest */
	REF_ORPHANS,  /* chosen objects of this kind should not exist when there is no manifest for them */
	REF_APPLIED,  /* chosen objects of this kind are compared with what was last applied to them */
	REF_RELEASED, /* objects of this kind are compared with the manifest that a release has for them */
	REF_LEFT_OUT, /* the reference knows the object, but does not judge it */
};

/* Selects objects of a kind, by label and namespace. */
struct ref_choice {
	struct label_selector labels;
	const str *namespaces; /* patterns; none: everywhere */
	size_t n_namespaces;
};

/* The parts of a listing that only templates have. Listings of manifests, which are many and small, share one
 * without a template, which omits nothing and reads nothing. */
struct ref_text {
	struct tmpl *tmpl;
	struct tmpl_footprint footprint;
	struct omit_list omit;
	const struct inline_field *per_field; /* config.perField (version 2), sorted by path */
	size_t n_per_field;
	bool ignore_unspecified;
	bool one_document;         /* several rendered documents are an error; else the first one counts */
	struct ref_shapes *shapes; /* the shapes of rendered texts; they belong to the reference */
	/* renders the template by looking fields up; NULL: the template is not that simple */
	struct ref_plain *plain;
};

/* A template, or what takes its place in a reference of manifests. */
struct ref_template {
	str path; /* the path that metadata.yaml has; the template's name */
	/* the description of the template, else of its component, else of its part; may be empty */
	str description;
	size_t index;                          /* index in reference->templates */
	const struct ref_component *component; /* the first component that lists it */
	struct ref_text *text;
	struct identity identity; /* what rendering without an object shows of it */
	/* The same path may be listed more than once, each time with its own settings. Paths are matched, not
	 * listings. */
	const struct ref_template *same_path; /* the next listing in a circle; itself when it is the only one */
	enum ref_use use;
	bool suspended; /* what the listing wants is being changed, and its objects are not judged meanwhile */
	/* for a manifest: it is not known whether its kind is namespaced; identity.namespace counts if it is */
	bool any_scope;
	val manifest;                    /* for REF_MANIFEST: the wanted object */
	const struct ref_choice *choice; /* for REF_ORPHANS and REF_APPLIED; outlives the reference */
};

/* Whether the objects of @t are compared with a manifest, wherever it comes from. */
static inline bool ref_holds_manifest(const struct ref_template *t)
{
	return t->use == REF_MANIFEST || t->use == REF_APPLIED;
}

/* Whether @t may turn out not to be for an object of its identity. */
static inline bool ref_may_exclude(const struct ref_template *t)
{
	return t->text->footprint.may_exclude || t->use == REF_ORPHANS || t->use == REF_APPLIED ||
	       t->use == REF_RELEASED;
}

/* ORDER ref_group: those of version 2 come last. */
enum ref_group {
	REF_V1_REQUIRED, /* version 1, type Required */
	REF_V1_OPTIONAL, /* version 1, type Optional */
	REF_ALL_OF,
	REF_ALL_OR_NONE_OF,
	REF_ANY_OF,
	REF_ANY_ONE_OF,
	REF_NONE_OF,
	REF_ONE_OF,
};

struct ref_component {
	str name;
	str description;
	enum ref_group group;
	struct ref_template *const *templates; /* in version 1 the required ones come first */
	size_t n_templates;
	size_t n_required; /* in version 1; else n_templates */
};

struct ref_part {
	str name;
	str description;
	const struct ref_component *components;
	size_t n_components;
};

struct reference {
	_Atomic uint32_t refs;
	struct arena arena;
	int version;    /* 1 or 2 */
	str name;       /* the name in ref_options */
	bool manifests; /* made of manifests; only then the next fields are set */
	/* the manifests change while the reference is used (manifest/manifest_releases.h) */
	bool changes;
	bool additions;            /* additional elements in a list of the object are drift */
	size_t n_hooks, n_unnamed; /* how many objects were left out (manifest/manifest_set.h) */
	const struct ref_part *parts;
	size_t n_parts;
	struct ref_template **templates; /* in order of appearance */
	size_t n_templates;
	struct ref_shapes *shapes; /* shared by all users; see reference/ref_shapes.h */
	struct reference **shared; /* references that own manifests which this one lists */
	size_t n_shared;
	char hash[65]; /* SHA-256, hexadecimal */
};

/* Where the files of a reference come from. read() returns the text of @path, relative to the reference, with at
 * most @max bytes, for free(). Paths are those of a Go file system: no "./", no "..", no "/" at either end; the
 * loader uses no others. list() reports the names in a directory ("." for the reference's own) in any order, for
 * templates that are named by a glob; NULL: globs match nothing. It only fails when @entry does: a directory that
 * cannot be read is empty. */
struct ref_source {
	int (*read)(void *ctx, str path, size_t max, char **ret, size_t *len, struct err *err);
	void *ctx;
	int (*list)(void *ctx, str dir, int (*entry)(void *entry_ctx, str name, struct err *err), void *entry_ctx,
		    struct err *err);
};

/* A mistake in a reference. Its texts are valid during the call. */
struct ref_mistake {
	bool warning;        /* the reference is loaded nevertheless */
	str file;            /* relative to the source */
	size_t line, column; /* from 1; 0: not known */
	const char *text;
	const char *hint; /* what to do about it; NULL: none */
};

struct ref_options {
	const struct limits *limits;
	struct key_table *keys; /* may be NULL */
	/* a template that renders several documents is a mistake; else this is a warning, and the first one counts */
	bool one_document;
	str name;                                     /* for reports; copied */
	str metadata_path;                            /* relative to the source; usually "metadata.yaml" */
	void (*warning)(void *ctx, const char *text); /* called for what is accepted but surprising; may be NULL */
	/* called before a template is rendered for its identity; may be NULL */
	void (*progress)(void *ctx, str path);
	/* Called for each mistake when it is added to the problems, and for each warning; may be NULL. */
	void (*mistake)(void *ctx, const struct ref_mistake *m);
	/* lookupCR while templates are rendered for their identity; finds nothing; may be NULL */
	int (*lookup)(void *ctx, const struct tmpl_lookup *request, const val **ret, size_t *n, struct err *err);
	void *ctx;
	const struct go_zones *zones; /* the zones for struct tmpl_env */
};

/* Whether @path, as it is written, leads out of the folder of the reference. */
bool ref_path_leads_out(str path);

/* Load a reference with all its templates. Every mistake found is added to @problems (at least one on failure):
 * mistakes in a template name it, all others are in the metadata file, which the caller knows. Fails: EINVAL (see
 * @problems), ENOMEM. */
CHECKED int reference_load(const struct ref_source *source, const struct ref_options *o, struct reference **ret,
			   struct problems *problems, struct err *err);

/* Make an empty reference with a reference count of 1, for the caller to fill in, with about @bytes (0: unknown).
 * NULL without memory. */
struct reference *reference_new(const struct limits *limits, str name, size_t bytes);
/* Set the hash of the reference to that of @text. Fails: EIO, the library has no SHA-256. */
CHECKED int reference_hash(struct reference *r, str text, struct err *err);

struct reference *reference_ref(struct reference *r);
void reference_unref(struct reference *r);
DEFINE_CLEANUP(struct reference *, reference_unref)

const char *ref_group_name(enum ref_group g); /* "allOf", …; "Required", "Optional" */

/* ---- rendering ---- */

#define REF_STEPS_A_BYTE 2

/* Execute @t with @dot, remove every "<no value>", and read the result as YAML: *ret is the wanted object for @dot,
 * in a new document. @env->error_text, when given, receives the complete message, which may contain the rendered
 * text; err->msg never does. @env->steps, when given, also counts REF_STEPS_A_BYTE for reading each byte of the
 * text. Fails: TMPL_NO_MATCH (doNotMatch), EINVAL (template error), EBADMSG (the result is no YAML map, or consists
 * of several documents where only one is allowed), E2BIG, ENOMEM. */
CHECKED int ref_render(const struct ref_template *t, val dot, const struct tmpl_env *env, struct key_table *keys,
		       struct doc **ret, struct err *err);

/* The names in @rendered: maps with null for values that are read as a whole. They live in @a, and share nothing;
 * @keys may be NULL. VAL_ABSENT without memory. */
val ref_names(val rendered, struct key_table *keys, struct arena *a);

/* Execute @t with @dot once more, only to fill env->secrets. Fails as tmpl_execute. */
CHECKED int ref_find_secrets(const struct ref_template *t, val dot, const struct tmpl_env *env, struct err *err);

/* ---- omitting ---- */

/* Make a list of @paths, which stay with the caller; its tree lives in @a. Fails: ENOMEM. */
CHECKED int omit_list_make(const struct omit_path *paths, size_t n, struct arena *a, struct omit_list *ret,
			   struct err *err);

/* Remove the fields of @list from @v, and the parents that become empty. Shares with @v; new maps live in @a.
 * VAL_ABSENT without memory. */
val omit_fields(val v, struct omit_list list, struct arena *a);

/* Pick the part of an object that decides which fields omit_fields leaves and, if @whole, also their contents:
 * omitting from the picked part leaves the same fields as omitting from the object, with null for contents that are
 * not picked. @keys may be NULL. False without memory. */
bool omit_pick(struct omit_list list, bool whole, struct key_table *keys, struct arena *a, struct json_pick *ret);

#endif
