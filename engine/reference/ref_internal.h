/* Declarations that the stages of loading a reference share. */
#ifndef REFERENCE_REF_INTERNAL_H
#define REFERENCE_REF_INTERNAL_H

#include "reference/go_decode.h"
#include "reference/ref.h"

#define REF_BUILT_IN "cluster-compare-built-in"

/* A named list of fields to omit, whose includes are resolved. */
struct ref_omit_entry {
	str name;
	struct omit_list list;
};

struct ref_loader {
	struct reference *ref;
	const struct ref_source *source;
	const struct ref_options *o;
	struct problems *problems;
	struct err *err;
	str text; /* the text of metadata.yaml, while it is loaded */
	/* the document of metadata.yaml, which shows where mistakes are; shares its texts with @meta; in the arena
	 * of @ref */
	val raw;
	val meta; /* metadata.yaml as its schema reads it, with the built-in list filled in; in the arena of @ref */
	const struct ref_omit_entry *omit;
	size_t n_omit;
	str omit_default;
	const val *configs; /* the config of each template */
	bool no_memory;     /* for reporting a mistake */
};

/* Add a mistake to the problems, and call o->mistake with its place in metadata.yaml: that of the text or key @at,
 * which must be the document's own ({ NULL, 0 }: the file as a whole). */
void ref_mistake(struct ref_loader *l, str at, const char *fmt, ...) PRINTF(3, 4);
/* Add a mistake about the path of a template that cannot be read. */
void ref_mistake_at_path(struct ref_loader *l, str path, const char *fmt, ...) PRINTF(3, 4);
/* Add a mistake in the file of @t, or in metadata.yaml (NULL), at the line that the message names. */
void ref_mistake_in(struct ref_loader *l, const struct ref_template *t, const char *fmt, ...) PRINTF(3, 4);
/* Call o->mistake for something that is accepted, but cannot be meant. */
void ref_warning(struct ref_loader *l, str at, const char *fmt, ...) PRINTF(3, 4);
/* Report a mistake, or a warning, in the file of @t at @line (0: unknown). */
void ref_report_at_line(struct ref_loader *l, const struct ref_template *t, size_t line, bool warning, const char *fmt,
			...) PRINTF(5, 6);
/* Warn of a key that the original ignores. @ctx is the loader. */
void ref_unknown_field(void *ctx, str name, const struct go_type *type);

/* Copy a text into the reference's arena. False without memory. */
CHECKED bool ref_copy(struct ref_loader *l, str s, str *ret);

/* The stages of loading, in this order. Each adds what it finds to the problems. It only fails without memory, or
 * when a later stage would have nothing to work on (EINVAL, with a problem added). */
CHECKED int ref_decode_metadata(struct ref_loader *l);
CHECKED int ref_resolve_omit(struct ref_loader *l);
CHECKED int ref_build_parts(struct ref_loader *l);

/* Find the list for a template that names @refs (a list of strings, or absent for the default list). */
CHECKED int ref_omit_for(struct ref_loader *l, val refs, struct omit_list *ret);

/* Load config.perField of @t, and check it against the rendering without an object. */
CHECKED int ref_load_fields(struct ref_loader *l, struct ref_template *t, val per_field, val rendered);

/* Render as ref_render, but accept any number of documents. *several: there is more than one. */
CHECKED int ref_render_any(const struct ref_template *t, val dot, const struct tmpl_env *env, bool *several,
			   struct doc **ret, struct err *err);

/* The line, from 1, at which a second document begins that is not empty; 0: there is none. */
size_t ref_second_document(str text);
/* As ref_second_document, for the text of a template, as far as it can be seen without executing the template.
 * Fails: ENOMEM. */
CHECKED int ref_second_document_of_template(str text, size_t *ret, struct err *err);

#endif
