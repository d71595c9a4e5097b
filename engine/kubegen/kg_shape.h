/* Reads objects by tables of their fields, and builds native Kubernetes objects from them: spec/kubegen.md, section 6.
 * Only the first mistake is reported: after it nothing is built any more, and results are absent. Null counts as absent
 * everywhere.
 *
 * The objects come from kg_evaluate or kg_copy, so that they know their place. */
#ifndef KUBEGEN_KG_SHAPE_H
#define KUBEGEN_KG_SHAPE_H

#include "kubegen/kg_eval.h"

enum kg_want {
	KG_TEXT,
	KG_COUNT,      /* a whole number, which kg_carry leaves out when it is zero */
	KG_COUNT_ZERO, /* a whole number, which kg_carry also puts when it is zero */
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
	bool own; /* other code reads the field: kg_carry leaves it out */
};

struct kg_shape {
	const struct kg_field *fields;
	size_t n;
	const struct kg_shape *next; /* further fields of the same object, or NULL */
};

struct kg_make {
	struct kg_eval *e;
	int r;         /* 0, or the code of the failure, which is in e->err */
	str namespace; /* the namespace of objects that give none; may be empty */
	/* The ports that services find, filled when the first one searches (kg_service.c). */
	struct strmap ports;
	bool ports_indexed;
};

/* ---- reading ---- */

/* Report that the object @map is wrong, in its member @field or as a whole (NULL). */
void kg_wrong(struct kg_make *m, val map, const char *field, const char *fmt, ...) PRINTF(4, 5);
void kg_make_nomem(struct kg_make *m);
/* Check that @map has only fields of @s, with values of the right types. */
bool kg_check(struct kg_make *m, val map, const struct kg_shape *s);
/* A member; VAL_ABSENT when it is null or missing. */
val kg_get(val map, const char *field);
/* As kg_get, for an object of texts, whose null members are left out. */
val kg_get_texts(struct kg_make *m, val map, const char *field);
/* A number; 0 when it is missing. */
int64_t kg_get_count(val map, const char *field);
/* A required member: a text that is not empty. */
str kg_get_required(struct kg_make *m, val map, const char *field);
/* The member under one of its two spellings; it is a mistake when both are there. */
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
/* Put the members that @s names, without those of its "next", under their names, unless they are empty. */
void kg_carry(struct kg_object *o, val map, const struct kg_shape *s);
val kg_object_val(struct kg_object *o);
/* Make a list of the results of @make for each element of @list; VAL_ABSENT when @list is absent. */
val kg_each(struct kg_make *m, val list, val (*make)(struct kg_make *m, val element, void *ctx), void *ctx);
/* A list with {"name": …, "value": …} for each member of an object of texts, in the order of its keys. */
val kg_names_and_values(struct kg_make *m, val texts);

/* ---- what all shorthand objects have ---- */

extern const struct kg_shape kg_common_shape;

/* Put apiVersion, kind and the metadata that the common fields give. */
void kg_put_head(struct kg_object *o, const char *api_version, const char *kind, val from);
/* The labels of the object, given or by default. */
val kg_labels(struct kg_make *m, val from);

#endif
