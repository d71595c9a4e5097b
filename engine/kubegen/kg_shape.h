/* Reading objects by tables of their fields, and building native Kubernetes objects from them: spec/kubegen.md, section
 * 6. The first mistake is kept: after it nothing is built any more, and results are absent. Null counts as absent
 * everywhere.
 *
 * Objects that are read come from kg_evaluate or kg_copy: they know their place. */
#ifndef KUBEGEN_KG_SHAPE_H
#define KUBEGEN_KG_SHAPE_H

#include "kubegen/kg_eval.h"

enum kg_want {
	KG_TEXT,
	KG_COUNT,      /* a whole number; zero is left out */
	KG_COUNT_ZERO, /* zero is carried when it is given */
	KG_FLAG,
	KG_TEXTS,
	KG_TEXT_MAP,
	KG_MAP,  /* an object */
	KG_MAPS, /* a list of objects */
	KG_ANY,
};

struct kg_field {
	const char *name;
	enum kg_want want;
	bool own; /* read by code: kg_carry leaves it alone */
};

struct kg_shape {
	const struct kg_field *fields;
	size_t n;
	const struct kg_shape *next; /* further fields of the same object, or NULL */
};

struct kg_make {
	struct kg_eval *e;
	int r;         /* 0, or the failure, which is in e->err */
	str namespace; /* of objects that give none; may be empty */
	/* Where services find their ports, filled when the first one searches (kg_service.c). */
	struct strmap ports;
	bool ports_indexed;
};

/* ---- reading ---- */

/* The object @map is wrong, in its member @field or as a whole (NULL). */
void kg_wrong(struct kg_make *m, val map, const char *field, const char *fmt, ...) PRINTF(4, 5);
void kg_make_nomem(struct kg_make *m);
/* The fields of @map are those of @s, with values of the right types. */
bool kg_check(struct kg_make *m, val map, const struct kg_shape *s);
/* A member; VAL_ABSENT when it is null or not there. */
val kg_get(val map, const char *field);
/* As kg_get, for an object of texts: without its nulls. */
val kg_get_texts(struct kg_make *m, val map, const char *field);
/* A number; 0 when it is not there. */
int64_t kg_get_count(val map, const char *field);
/* The member that must be there, a text that is not empty. */
str kg_get_required(struct kg_make *m, val map, const char *field);
/* The one of two spellings that is there; both: ambiguous. */
val kg_get_either(struct kg_make *m, val map, const char *field, const char *other);

/* ---- building ---- */

#define KG_MEMBERS_MAX 40

struct kg_object {
	struct kg_make *m;
	struct member members[KG_MEMBERS_MAX];
	size_t n;
};

/* Set @name unless @v is absent. */
void kg_put(struct kg_object *o, const char *name, val v);
/* As kg_put, unless @v is empty: zero, false, a list or an object without elements. */
void kg_put_filled(struct kg_object *o, const char *name, val v);
void kg_put_text(struct kg_object *o, const char *name, const char *text);
/* Put the members that @s names, its "next" apart, with their names, as far as they are not empty. */
void kg_carry(struct kg_object *o, val map, const struct kg_shape *s);
val kg_object_val(struct kg_object *o);
/* A list of what @make gives for each of @list, which may be absent; VAL_ABSENT then. */
val kg_each(struct kg_make *m, val list, val (*make)(struct kg_make *m, val element, void *ctx), void *ctx);
/* {"name": …, "value": …} for each member of an object of texts, in the order of its keys. */
val kg_names_and_values(struct kg_make *m, val texts);

/* ---- what all shorthand objects have ---- */

extern const struct kg_shape kg_common_shape;

/* Put apiVersion, kind and the metadata that the common fields make. */
void kg_put_head(struct kg_object *o, const char *api_version, const char *kind, val from);
/* The labels that the object has, given or not. */
val kg_labels(struct kg_make *m, val from);

#endif
