/* Loads a reference to find out which files it has. */
#include "daemon/fetch/https_reference.h"

#include "base/strmap.h"
#include "go/zoneinfo.h"
#include "mask/foreign.h"
#include "reference/ref.h"

#include <ctype.h>
#include <errno.h>

#define SHOWN_MAX 120 /* bytes of a path in a message */
#define URL_MAX ((size_t)16 << 10)

struct folder {
	struct https_requests *requests;
	str url;
	struct tree *tree;
	struct strmap texts; /* path -> a copy of the file with its size before it */
	struct err failure;  /* code 0: none */
};

struct text {
	size_t n;
	char bytes[];
};

static void done(struct folder *f)
{
	void *text;
	size_t at = 0;

	while (strmap_drain(&f->texts, &at, &text))
		free(text);
	strmap_done(&f->texts);
}

/* Append a template's name, which is the path of a file. Characters that mean something else in a URL are escaped. */
static void add_path(struct buf *url, str path)
{
	for (size_t i = 0; i < path.n; i++) {
		unsigned char c = (unsigned char)path.p[i];

		if (isalnum(c) || (c && strchr("/-._~!$&'()*+,;=:@", c)))
			buf_add_byte(url, (char)c);
		else
			buf_printf(url, "%%%02X", c);
	}
}

static int keep(struct folder *f, str path, str body, struct err *err)
{
	struct text *copy = malloc(sizeof(*copy) + body.n + 1);

	if (!copy)
		return err_nomem(err);
	copy->n = body.n;
	if (body.n)
		memcpy(copy->bytes, body.p, body.n);
	copy->bytes[body.n] = '\0';
	if (!strmap_put(&f->texts, path, copy, NULL)) {
		free(copy);
		return err_nomem(err);
	}
	return tree_add(f->tree, path, body, err);
}

static int fetch(struct folder *f, str path, size_t max, struct err *err)
{
	CLEANUP(buf_done)
	struct buf url = BUF_INIT(URL_MAX), body = BUF_INIT(max < TREE_FILE_MAX ? max : TREE_FILE_MAX);
	char shown[SHOWN_MAX];
	int r;

	buf_add_str(&url, f->url);
	add_path(&url, path);
	r = buf_error(&url, "URL", err);
	if (r == 0)
		r = https_get(f->requests, url.p, &body, err);
	if (r == 0)
		return keep(f, path, buf_str(&body), err);
	foreign_print(foreign_bytes(path), shown, sizeof(shown));
	return err_wrap(err, "'%s'", shown);
}

/* Give a file to the loader. Only a missing file is a mistake of the reference; after any other failure nothing more
 * is requested. */
static int read_file(void *ctx, str path, size_t max, char **ret, size_t *len, struct err *err)
{
	struct folder *f = ctx;
	struct text *text;
	char *copy;
	int r = -f->failure.code;

	if (r < 0 || (!strmap_has(&f->texts, path) && (r = fetch(f, path, max, &f->failure)) < 0)) {
		*err = f->failure;
		if (r == -ENOENT)
			f->failure.code = 0;
		return r;
	}
	text = strmap_get(&f->texts, path);
	copy = str_dup((str){ text->bytes, text->n });
	if (!copy)
		return err_nomem(err);
	*ret = copy;
	*len = text->n;
	return 0;
}

static int load(struct folder *f, str name, struct err *err)
{
	struct limits limits = LIMITS_DEFAULT;
	const struct ref_source source = { .read = read_file, .ctx = f };
	const struct ref_options o = {
		.limits = &limits, .name = f->requests->job->source->name, .metadata_path = name, .zones = &go_zoneinfo
	};
	CLEANUP(reference_unrefp) struct reference *ignored = NULL;
	struct problems problems = { 0 };
	struct err why;
	int r = reference_load(&source, &o, &ignored, &problems, &why);

	problems_done(&problems);
	if (f->failure.code) {
		*err = f->failure;
		return -err->code;
	}
	return r == -ENOMEM ? err_nomem(err) : 0;
}

int https_reference(struct https_requests *q, str folder, str name, struct tree *t, struct err *err)
{
	CLEANUP(done) struct folder f = { .requests = q, .url = folder, .tree = t };
	int r = fetch(&f, name, TREE_FILE_MAX, err);

	return r < 0 ? r : load(&f, name, err);
}
