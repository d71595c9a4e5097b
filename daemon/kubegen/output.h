/* The output of "driftd kubegen", kept until everything has been generated: a mistake leaves nothing half done. */
#ifndef DAEMON_KUBEGEN_OUTPUT_H
#define DAEMON_KUBEGEN_OUTPUT_H

#include "base/arena.h"
#include "base/strmap.h"
#include "base/vec.h"
#include "kubegen/kg_output.h"

struct kubegen_file {
	str path, text;
};

/* The files of one bundle, or of one module. */
struct kubegen_batch {
	const char *bundle; /* the file of the bundle; NULL: a module */
	size_t n_files;     /* the files follow those of earlier batches */
};

struct kubegen_output {
	enum kg_format format;
	bool to_stdout;
	struct arena arena;
	struct strmap paths;
	VEC(struct kubegen_file) files;
	VEC(struct kubegen_batch) batches;
};

void kubegen_output_init(struct kubegen_output *o, enum kg_format format, bool to_stdout);
void kubegen_output_done(struct kubegen_output *o);

/* Begin the files of a bundle (NULL: of a module). */
CHECKED int kubegen_output_begin(struct kubegen_output *o, const char *bundle, struct err *err);
/* Add what @m generated, as files in the folder @dir. Fails: EINVAL for a path that is there already, and for one that
 * is a manifest of @m. */
CHECKED int kubegen_output_add(struct kubegen_output *o, const struct kg_instance *instance, const struct kg_module *m,
			       str dir, struct err *err);
/* Add a file as it is. Fails as above. */
CHECKED int kubegen_output_add_file(struct kubegen_output *o, str path, str text, struct err *err);
/* Write all files and say so, or print their texts. */
CHECKED int kubegen_output_flush(const struct kubegen_output *o, struct err *err);

#endif
