/* Reads maps of settings in files of the administrator. A table says which keys a map may have, how each is read,
 * and its text for the manual. */
#ifndef VALUE_SETTINGS_H
#define VALUE_SETTINGS_H

#include "base/buf.h"
#include "value/node.h"

/* The state of a reader. Mistakes go to @problems with their places; @no_memory is set once memory was short. */
struct settings {
	struct arena *arena;
	struct problems *problems;
	void *ctx; /* for the setting functions */
	bool no_memory;
};

/* Reads @n, which is not null, into @target. A value that cannot be read is reported, and leaves @target as it was. */
typedef void setting_fn(struct settings *s, void *target, const struct node *n);

struct setting {
	const char *key;
	setting_fn *set;
	size_t offset;            /* the offset of the field in the struct that settings_read fills */
	const char *default_text; /* NULL: the default is not worth showing */
	const char *help;
};

/* Read the members of @map. A null value counts as absent; a key that the table does not have is a mistake. */
void settings_read(struct settings *s, const struct node *map, const struct setting *table, size_t n, void *target);
/* Append the table as the manual shows it. */
void settings_print(struct buf *out, const char *title, const struct setting *table, size_t n);

/* Returns false when @n is of another kind, and reports that @what was expected. */
bool setting_expect(struct settings *s, const struct node *n, enum node_kind kind, const char *what);

/* Setting functions for a str, a bool and an enum severity. Texts live as long as the nodes. */
setting_fn setting_text, setting_truth, setting_severity;

struct text_list {
	const str *p;
	size_t n;
};

uint64_t text_list_hash(struct text_list l, uint64_t seed);

/* The setting function for a struct text_list. */
setting_fn setting_text_list;

/* A list of texts; one text counts as a list of one. An item that is no text is reported and left out. */
struct text_list setting_texts(struct settings *s, const struct node *n);

#endif
