/* A reference configuration: metadata.yaml (version 1 or 2), its templates compiled, its lists of fields to omit
 * resolved; or manifests, each of which stands in the place of a template (manifest/manifest_reference.h).
 *
 * Immutable once loaded and reference-counted; may be used by several threads. Behaviour:
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

/* A place named by pathToKey: keys from the root. */
struct omit_path {
	const str *keys;
	size_t n;
	bool prefix; /* the last key is a prefix of keys */
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

/* What a listing of a reference is. */
enum ref_use {
	REF_TEMPLATE,
	REF_MANIFEST, /* an object is wanted to be like this */
	REF_ORPHANS,  /* of this kind, objects that are chosen should not be there when no manifest is for them */
	REF_APPLIED,  /* of this kind, objects that are chosen are compared with what was applied to them last */
	REF_RELEASED, /* of this kind, objects that a release has a manifest of are compared with that */
	REF_LEFT_OUT, /* an object that the reference knows, and says nothing of */
};

/* Selects objects of a kind, by label and namespace. */
struct ref_choice {
	struct label_selector labels;
	const str *namespaces; /* patterns; none: everywhere */
	size_t n_namespaces;
};

/* What only a template has. Listings of manifests share one without a template, which omits nothing and reads nothing:
 * they are many, and small. */
struct ref_text {
	struct tmpl *tmpl;
	struct tmpl_footprint footprint;
	struct omit_list omit;
	const struct inline_field *per_field; /* config.perField (version 2), sorted by path */
	size_t n_per_field;
	bool ignore_unspecified;
	bool one_document;         /* to render several is an error; else the first counts */
	struct ref_shapes *shapes; /* of the reference: what is known of the texts that were rendered */
	struct ref_plain *plain;   /* rendering it by looking fields up; NULL: it is not so simple */
};

/* A template, or what stands for one in a reference of manifests. */
struct ref_template {
	str path;                              /* as metadata.yaml writes it; the template's name */
	str description;                       /* its own, else its component's, else its part's; may be empty */
	size_t index;                          /* in reference->templates */
	const struct ref_component *component; /* the first that lists it */
	struct ref_text *text;
	struct identity identity; /* as far as rendering it with no object fixes it */
	/* The same path may be listed more than once, each time with its own settings; whether it is matched is a
	 * matter of the path. */
	const struct ref_template *same_path; /* the next listing in a circle; itself when it is the only one */
	enum ref_use use;
	bool suspended; /* what it asks for is being changed: nothing is said of its objects meanwhile */
	bool any_scope; /* a manifest: whether objects of its kind live in namespaces is not known; identity.namespace
			   counts where they do */
	val manifest;   /* of REF_MANIFEST: the object that is wanted */
	const struct ref_choice *choice; /* of REF_ORPHANS and REF_APPLIED; outlives the reference */
};

/* Whether objects are compared with a manifest, wherever it is from. */
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
	struct ref_template *const *templates; /* version 1: the required ones first */
	size_t n_templates;
	size_t n_required; /* of version 1; n_templates otherwise */
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
	int version;               /* 1 or 2 */
	str name;                  /* as the loader was given it */
	bool manifests;            /* made of manifests */
	bool changes;              /* then: which, while they judge (manifest/manifest_releases.h) */
	bool additions;            /* then: what a list has that its manifest does not have is drift */
	size_t n_hooks, n_unnamed; /* then: objects that were left out (manifest/manifest_set.h) */
	const struct ref_part *parts;
	size_t n_parts;
	struct ref_template **templates; /* in order of appearance */
	size_t n_templates;
	struct ref_shapes *shapes; /* for all that use it; see reference/ref_shapes.h */
	struct reference **shared; /* whose manifests it lists */
	size_t n_shared;
	char hash[65]; /* SHA-256, hexadecimal */
};

/* Where the files of a reference come from: read() gives the text of @path, relative to the reference, at most @max
 * bytes, for free(). Paths are those of a Go file system: no "./", no "..", no "/" at either end; the loader asks for
 * no other. list() reports the names in a directory ("." for the reference's own) in any order, for templates named by
 * a glob; NULL: globs match nothing. Only @entry's negative return is passed on: a directory that cannot be read is
 * empty. */
struct ref_source {
	int (*read)(void *ctx, str path, size_t max, char **ret, size_t *len, struct err *err);
	void *ctx;
	int (*list)(void *ctx, str dir, int (*entry)(void *entry_ctx, str name, struct err *err), void *entry_ctx,
		    struct err *err);
};

/* Texts are valid during the call. */
struct ref_mistake {
	bool warning;        /* the reference is loaded all the same */
	str file;            /* relative to the source */
	size_t line, column; /* from 1; 0: not known */
	const char *text;
	const char *hint; /* what to do about it; NULL: none */
};

struct ref_options {
	const struct limits *limits;
	struct key_table *keys; /* may be NULL */
	bool one_document; /* a template that renders several documents is a mistake, else a warning: the first counts
			    */
	str name;          /* for reports; copied */
	str metadata_path; /* relative to the source; usually "metadata.yaml" */
	void (*warning)(void *ctx, const char *text); /* what is accepted but surprising; may be NULL */
	void (*progress)(void *ctx, str path);        /* before a template is rendered for its identity; may be NULL */
	/* Each mistake as it is added to the problems, and warnings, with their places; may be NULL. */
	void (*mistake)(void *ctx, const struct ref_mistake *m);
	/* lookupCR while templates are rendered for their identity; finds nothing; may be NULL */
	int (*lookup)(void *ctx, const struct tmpl_lookup *request, const val **ret, size_t *n, struct err *err);
	void *ctx;
	const struct go_zones *zones; /* as in struct tmpl_env */
};

/* Whether @path is written as one that leads out of the folder of the reference. */
bool ref_path_leads_out(str path);

/* Load a reference with all its templates. Every mistake found is added to @problems (at least one on failure): those
 * of a template name it, the others are about the metadata file, which the caller knows. Fails: EINVAL (see @problems),
 * ENOMEM. */
CHECKED int reference_load(const struct ref_source *source, const struct ref_options *o, struct reference **ret,
			   struct problems *problems, struct err *err);

/* An empty one with one reference, for who fills it in, with about @bytes (0: nobody knows). NULL without memory. */
struct reference *reference_new(const struct limits *limits, str name, size_t bytes);
/* Sets the hash of the reference to that of @text. Fails: EIO, the library has no SHA-256. */
CHECKED int reference_hash(struct reference *r, str text, struct err *err);

struct reference *reference_ref(struct reference *r);
void reference_unref(struct reference *r);
DEFINE_CLEANUP(struct reference *, reference_unref)

const char *ref_group_name(enum ref_group g); /* "allOf", …; "Required", "Optional" */

/* ---- rendering ---- */

#define REF_STEPS_A_BYTE 2

/* Execute @t with @dot, drop every "<no value>", read the result as YAML: the reference object for @dot in a new
 * document.
 * @env->error_text, when given, receives the complete message, which may hold the text that was rendered; err->msg
 * never does. @env->steps, when given, also counts REF_STEPS_A_BYTE for reading each byte of the text. Fails:
 * TMPL_NO_MATCH (doNotMatch), EINVAL (template error), EBADMSG (the result is no YAML map, or several
 * documents of a template that may have one), E2BIG, ENOMEM. */
CHECKED int ref_render(const struct ref_template *t, val dot, const struct tmpl_env *env, struct key_table *keys,
		       struct doc **ret, struct err *err);

/* What @rendered names: maps with null for what is read whole. In @a, sharing nothing; @keys may be NULL. VAL_ABSENT
 * without memory. */
val ref_names(val rendered, struct key_table *keys, struct arena *a);

/* Execute @t with @dot once more, for what env->secrets receives of it, and for nothing else. Fails as tmpl_execute. */
CHECKED int ref_find_secrets(const struct ref_template *t, val dot, const struct tmpl_env *env, struct err *err);

/* ---- omitting ---- */

/* A list of @paths, which stay with the caller; its tree lives in @a. Fails: ENOMEM. */
CHECKED int omit_list_make(const struct omit_path *paths, size_t n, struct arena *a, struct omit_list *ret,
			   struct err *err);

/* @v without the fields of @list and without the parents that this leaves empty. Shares with @v; new maps live in @a.
 * VAL_ABSENT without memory. */
val omit_fields(val v, struct omit_list list, struct arena *a);

/* The part of an object that decides which fields omit_fields leaves, and with @whole their contents: omitting from the
 * picked part leaves the same fields as omitting from the object, with null for contents that are not picked. @keys may
 * be NULL. False without memory. */
bool omit_pick(struct omit_list list, bool whole, struct key_table *keys, struct arena *a, struct json_pick *ret);

#endif
