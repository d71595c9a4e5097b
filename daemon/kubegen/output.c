/* Keeps generated files, and writes or prints them. */
#include "daemon/kubegen/output.h"

#include "base/file.h"
#include "go/quote.h"
#include "kubegen/kg_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define TEXT_MAX (64u << 20)   /* the largest text of one file */
#define TEXTS_MAX (512u << 20) /* the largest sum of all files, which are kept until the last one is generated */

void kubegen_output_init(struct kubegen_output *o, enum kg_format format, bool to_stdout)
{
	*o = (struct kubegen_output){ .format = format, .to_stdout = to_stdout };
	arena_init(&o->arena, 0, TEXTS_MAX);
}

void kubegen_output_done(struct kubegen_output *o)
{
	strmap_done(&o->paths);
	vec_done(&o->files);
	vec_done(&o->batches);
	arena_done(&o->arena);
}

int kubegen_output_begin(struct kubegen_output *o, const char *bundle, struct err *err)
{
	return vec_push(&o->batches, (struct kubegen_batch){ bundle, 0 }) ? 0 : err_nomem(err);
}

int kubegen_output_add_file(struct kubegen_output *o, str path, str text, struct err *err)
{
	if (!path.p || !text.p)
		return arena_error(&o->arena, err);
	if (!o->to_stdout && strmap_has(&o->paths, path))
		return err_set(err, EINVAL, "ambiguous: '%.*s' would be written twice", STR_ARG(path));
	if (!strmap_put(&o->paths, path, o, NULL) || !vec_push(&o->files, (struct kubegen_file){ path, text }))
		return err_nomem(err);
	o->batches.p[o->batches.n - 1].n_files++;
	return 0;
}

static int add_manifest(struct kubegen_output *o, const struct kg_instance *instance, const struct kg_manifest *m,
			str dir, struct buf *text, struct err *err)
{
	str name = arena_printf(&o->arena, "%.*s.%s", STR_ARG(m->base), kg_format_name(o->format));
	str path = kg_path_join(&o->arena, dir, name);
	int r;

	if (!o->to_stdout && str_eq(path, m->path))
		return err_set(err, EINVAL, "'%.*s' is a manifest of the module and would be replaced", STR_ARG(path));
	buf_clear(text);
	r = kg_write(instance, m, o->format, text, err);
	return r < 0 ? r : kubegen_output_add_file(o, path, arena_str(&o->arena, buf_str(text)), err);
}

int kubegen_output_add(struct kubegen_output *o, const struct kg_instance *instance, const struct kg_module *m, str dir,
		       struct err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(TEXT_MAX);
	int r = 0;

	for (size_t i = 0; r == 0 && i < m->n_manifests; i++) {
		if (val_exists(m->manifests[i].list))
			r = add_manifest(o, instance, &m->manifests[i], dir, &text, err);
	}
	return r;
}

/* ---- writing ---- */

/* Write a file. An existing one is replaced, not overwritten in place: a reader sees the old text or the new one. */
static int write_file(const struct kubegen_file *f, struct err *err)
{
	CLEANUP(freep) char *dir = str_dup(kg_path_dir(f->path)), *path = str_dup(f->path), *temporary = NULL;
	int fd, r;

	if (!dir || !path || asprintf(&temporary, "%s.new", path) < 0)
		return err_nomem(err);
	r = file_make_folders(dir, err);
	if (r < 0)
		return r;
	fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0)
		return err_set(err, errno, "create '%s': %s", temporary, strerror(errno));
	r = file_write_all(fd, f->text);
	if (close(fd) < 0 && r == 0)
		r = -errno;
	if (r == 0 && rename(temporary, path) < 0)
		r = -errno;
	if (r < 0)
		(void)unlink(temporary);
	return r < 0 ? err_set(err, -r, "write '%s': %s", path, strerror(-r)) : 0;
}

static void report(const struct kubegen_batch *b, const struct kubegen_file *files, struct buf *out)
{
	buf_printf(out, "Wrote %zu files", b->n_files);
	if (b->bundle) {
		buf_add_cstr(out, " based on bundle manifest ");
		go_quote(out, str_from(b->bundle));
	}
	buf_add_cstr(out, b->n_files ? ":\n" : ".\n");
	for (size_t i = 0; i < b->n_files; i++)
		buf_printf(out, "  \xE2\x80\x93 %.*s\n", STR_ARG(files[i].path));
}

static void print(const struct kubegen_batch *b, const struct kubegen_file *files, struct buf *out)
{
	for (size_t i = 0; i < b->n_files; i++)
		buf_add_str(out, files[i].text);
	buf_add_byte(out, '\n');
}

int kubegen_output_flush(const struct kubegen_output *o, struct err *err)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(SIZE_MAX / 2);
	const struct kubegen_file *files = o->files.p;
	int r = 0;

	for (size_t i = 0; !o->to_stdout && r == 0 && i < o->files.n; i++)
		r = write_file(&files[i], err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < o->batches.n; i++) {
		(o->to_stdout ? print : report)(&o->batches.p[i], files, &out);
		files += o->batches.p[i].n_files;
	}
	r = buf_error(&out, "the output", err);
	if (r == 0 && (r = file_write_all(STDOUT_FILENO, buf_str(&out))) < 0)
		r = err_set(err, -r, "write standard output: %s", strerror(-r));
	return r;
}
