/* Opens a reference in any of its places, and reads its files. */
#include "daemon/compare/reference.h"

#include "base/file.h"
#include "config/paths.h"
#include "daemon/compare/fetched.h"
#include "daemon/compare/klog.h"
#include "daemon/compare/run_command.h"
#include "daemon/compare/scratch.h"
#include "daemon/compare/text.h"
#include "go/path_error.h"
#include "kubeclient/kc_perform.h"
#include "mask/credentials.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define URL_ATTEMPTS 5
#define URL_PAUSE_US 5000
#define URL_TIMEOUT_MS 60000
#define URL_BYTES_MAX (64u << 10)
#define CONTAINER "container://"
#define CONTAINER_OUTPUT_MAX (1u << 20)

bool is_url(const char *path)
{
	return strncmp(path, "http://", 7) == 0 || strncmp(path, "https://", 8) == 0;
}

/* ---- URLs ---- */

/* Refuse a page that a server sends for people to read: it is no object and no reference, but it must not count as
 * an empty file either. */
static int refuse_page(const char *type, const char *shown, str body, struct err *err)
{
	if (!text_is_page(body) && !str_is_media_type(str_from(type), STR("text/html")))
		return 0;
	return err_set(
		err, EBADMSG,
		"URL \"%s\" leads to an HTML page, not to YAML or JSON: is this the address of the file itself, and "
		"does it need a login?",
		shown);
}

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* Fetch @url once; messages name it @shown. 0, or negative, with *again set when another attempt may succeed. */
static int fetch(struct kc_perform *net, const char *url, const char *shown, struct buf *body, bool *again,
		 struct err *err)
{
	const struct kc_transfer_options o = {
		.url = url,
		.packed = true,
		.tidy = true,  /* a reference may name files beside its folder */
		.plain = true, /* without TLS, if the URL says so */
		/* the URL may name a user, since there is no other way to authenticate */
		.with_user = true,
		/* Go's clients follow as many: servers of releases and moved projects redirect */
		.redirects = 10,
		.proxy_of_environment = true, /* by libcurl, which decides again after each redirect */
		/* The variables by which other tools choose the authorities to trust, and their default folder. */
		.trust = { .ca_file = variable("SSL_CERT_FILE"),
			   .ca_folder = variable("SSL_CERT_DIR"),
			   .system_too = true },
		.timeout_ms = URL_TIMEOUT_MS, /* a reference may be large, and nothing else waits for it */
	};
	struct kc_answer answer = { 0 };
	struct err why;
	int r = kc_perform(net, &o, NULL, body, &answer, &why);

	if (r == -E2BIG)
		return buf_error(body, shown, err);
	*again = r < 0 || answer.status / 100 == 5;
	if (r < 0)
		return err_set(err, EIO, "failed to fetch %s: %s", shown, why.msg);
	if (answer.status == 200)
		return refuse_page(answer.type, shown, buf_str(body), err);
	return err_set(err, answer.status == 404 ? ENOENT : EIO,
		       "unable to read URL \"%s\", server reported %s, status code=%d%s", shown, answer.words,
		       answer.status, answer.advice);
}

int url_read(struct kc_perform **kept, const char *url, size_t max, char **ret, size_t *len, struct err *err)
{
	CLEANUP(buf_done) struct buf body = BUF_INIT(max), shown = BUF_INIT(SIZE_MAX);
	bool again = true;
	int r = *kept ? 0 : kc_perform_new(kept, err); /* libcurl is loaded only where it is needed */

	if (r < 0)
		return r;
	credentials_add_url(str_from(url));
	credentials_show_url(str_from(url), &shown);
	if (shown.error)
		return err_nomem(err);
	for (int i = 0; i < URL_ATTEMPTS && again; i++) {
		if (i)
			usleep(URL_PAUSE_US);
		again = false;
		r = fetch(*kept, url, shown.p, &body, &again, err);
	}
	if (r < 0)
		return r;
	*len = body.n;
	*ret = body.p ? buf_steal(&body) : calloc(1, 1);
	return *ret ? 0 : err_nomem(err);
}

/* ---- container images ---- */

static int bad_image(struct err *err)
{
	return err_set(err, EINVAL,
		       "incorrect path passed to -r, it must follow this format: "
		       "container://<IMAGE>:<TAG>:/path/to/metadata.yaml");
}

/* Split "container://IMAGE:TAG:/folder". Stray colons are ignored, and the registry may have a port. An image that
 * looks like an option is refused, because the engine would take it for one. */
static int split_image(const char *path, char **image, char **folder, struct err *err)
{
	CLEANUP(buf_done) struct buf name = BUF_INIT(PATH_MAX);
	str rest = str_from(path + sizeof(CONTAINER) - 1), part, last = { 0 };
	size_t n = 0;

	while (str_next_part(&rest, ':', &part)) {
		if (!part.n)
			continue;
		if (n)
			buf_printf(&name, "%s%.*s", n > 1 ? ":" : "", STR_ARG(last));
		last = part;
		n++;
	}
	if (n < 3 || (n > 3 && last.p[0] != '/') || buf_str(&name).p[0] == '-' || name.error)
		return bad_image(err);
	*image = str_dup(buf_str(&name));
	*folder = str_dup(last);
	return *image && *folder ? 0 : err_nomem(err);
}

struct engine {
	const char *name;
	bool sudo;
};

static int run_engine(const struct engine *e, const char *const *args, struct buf *out, struct err *err)
{
	const char *argv[8] = { "sudo", e->name };
	size_t n = 2;

	while (*args && n + 1 < ARRAY_LEN(argv))
		argv[n++] = *args++;
	argv[n] = NULL;
	return run_command(argv + !e->sudo, RUN_MERGE_STDERR, out, err);
}

static int find_engine(struct engine *ret, struct err *err)
{
	const char *const images[] = { "docker", "images", NULL };
	CLEANUP(buf_done) struct buf out = BUF_INIT(CONTAINER_OUTPUT_MAX);
	struct err ignored;

	if (command_exists("podman")) {
		*ret = (struct engine){ "podman", false };
		return 0;
	}
	if (!command_exists("docker"))
		return err_set(err, ENOENT, "you do not have Podman or Docker on your PATH");
	*ret = (struct engine){ "docker", run_command(images, RUN_MERGE_STDERR, &out, &ignored) != 0 };
	return 0;
}

/* Make an error of a failed engine. @r is the result of run_engine, with its error in @err or else the engine's
 * output in @out. */
static int engine_failed(struct err *err, int r, const char *what, struct buf *out)
{
	if (r < 0)
		return err_wrap(err, "%s", what);
	return err_set(err, EIO, "%s: %.*s", what, STR_ARG(str_trim(buf_str(out))));
}

/* The last line of @s: the container's id follows whatever an engine prints while it pulls an image. */
static str last_line(str s)
{
	ptrdiff_t newline;

	s = str_trim(s);
	newline = str_rfind(s, STR("\n"));
	return str_trim(str_sub(s, (size_t)(newline + 1), s.n));
}

/* Create a container that is never started, so that nothing of the image runs. It has a command only because an
 * image of nothing but files has none. */
static int create_container(const struct engine *e, const char *image, char **id, struct err *err)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(CONTAINER_OUTPUT_MAX);
	int r = run_engine(e, (const char *const[]){ "create", image, "true", NULL }, &out, err);

	if (r != 0)
		return engine_failed(err, r, "could not pull/run container", &out);
	*id = str_dup(last_line(buf_str(&out)));
	if (!*id)
		return err_nomem(err);
	return **id && **id != '-' ? 0 : err_set(err, EIO, "could not pull/run container: %s names none", e->name);
}

static int copy_folder(const struct engine *e, const char *id, const char *folder, const char *to, struct err *err)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(CONTAINER_OUTPUT_MAX);
	CLEANUP(freep) char *from = NULL;
	int r;

	if (asprintf(&from, "%s:%s", id, folder) < 0) {
		from = NULL;
		return err_nomem(err);
	}
	r = run_engine(e, (const char *const[]){ "cp", from, to, NULL }, &out, err);
	return r ? engine_failed(err, r, "could not copy templates from container", &out) : 0;
}

/* Copy @folder out of @image into @to. A container that cannot be removed afterwards is only warned about. */
static int copy_out(const struct engine *e, const char *image, const char *folder, const char *to, struct err *err)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(CONTAINER_OUTPUT_MAX);
	CLEANUP(freep) char *id = NULL;
	struct err ignored;
	int r = create_container(e, image, &id, err);

	if (r < 0)
		return r;
	r = copy_folder(e, id, folder, to, err);
	if (run_engine(e, (const char *const[]){ "rm", "-v", id, NULL }, &out, &ignored) != 0)
		klog_warning("Warning: Could not remove container: %.*s", STR_ARG(str_trim(buf_str(&out))));
	return r;
}

static int unpack_image(struct compare_source *s, const char *path, struct err *err)
{
	CLEANUP(freep) char *image = NULL, *folder = NULL;
	struct engine e;
	int r = find_engine(&e, err);

	if (r == 0)
		r = split_image(path, &image, &folder, err);
	if (r == 0 && (strcmp(path_last(folder), ".") == 0 || strcmp(path_last(folder), "..") == 0))
		r = bad_image(err);
	if (r == 0)
		r = scratch_folder("kube-compare", &s->temporary, err);
	if (r == 0)
		r = copy_out(&e, image, folder, s->temporary, err);
	if (r < 0)
		return r;
	return asprintf(&s->base, "%s/%s", s->temporary, path_last(folder)) < 0 ? err_nomem(err) : 0;
}

/* ---- the source ---- */

/* If @path is a bundle, generate its files, which are the reference then. */
static int open_bundle(struct compare_source *s, const char *path, const struct limits *limits, struct err *err)
{
	int r = cfg_generate(path, limits, NULL, &s->generated, err);

	if (r < 0 || !s->generated.files.read)
		return r;
	free(s->metadata);
	s->metadata = str_dup(s->generated.metadata);
	return s->metadata ? 0 : err_nomem(err);
}

/* Fetch the reference, and read it as if it came out of an image. */
static int open_fetched(const char *path, struct compare_source *ret, struct err *err)
{
	CLEANUP(compare_source_close) struct compare_source s = { 0 };
	int r = scratch_folder("kube-compare", &s.temporary, err);

	if (r == 0)
		r = fetched_open(path, s.temporary, &s.base, &s.metadata, err);
	if (r < 0)
		return r;
	*ret = s;
	s = (struct compare_source){ 0 }; /* NOLINT(clang-analyzer-deadcode.DeadStores): CLEANUP reads it */
	return 0;
}

int compare_source_open(const char *path, const struct limits *limits, struct compare_source *ret, struct err *err)
{
	CLEANUP(compare_source_close) struct compare_source s = { .url = is_url(path) };
	bool container = strncmp(path, CONTAINER, sizeof(CONTAINER) - 1) == 0;
	const char *name = path_last(path);
	CLEANUP(freep) char *folder = name == path ? str_dup(STR(".")) : str_dup((str){ path, (size_t)(name - path) });
	struct stat st;
	int r = 0;

	if (fetched_is_meant(path))
		return open_fetched(path, ret, err);
	if (!s.url && !container && stat(path, &st) < 0 && errno == ENOENT)
		return err_set(err, ENOENT, "\"Reference config file doesn't exist\"");
	if (folder && strlen(folder) > 1 && folder[strlen(folder) - 1] == '/')
		folder[strlen(folder) - 1] = '\0';
	s.metadata = str_dup(str_from(name));
	if (!folder || !s.metadata)
		return err_nomem(err);
	if (container) {
		r = unpack_image(&s, folder, err);
	} else {
		s.base = TAKE(folder);
		r = s.url ? 0 : open_bundle(&s, path, limits, err);
	}
	if (r < 0)
		return r;
	*ret = s;
	s = (struct compare_source){ 0 };
	return 0;
}

void compare_source_close(struct compare_source *s)
{
	if (s->temporary)
		scratch_remove(s->temporary);
	free(s->temporary);
	free(s->base);
	free(s->metadata);
	kc_perform_free(s->net);
	cfg_generated_done(&s->generated);
	*s = (struct compare_source){ 0 };
}

/* Read the file @path below a URL. A template's name is a file path: characters that mean something else in a URL
 * are escaped. */
static int read_below(struct compare_source *s, str path, size_t max, char **ret, size_t *len, struct err *err)
{
	CLEANUP(buf_done) struct buf url = BUF_INIT(URL_BYTES_MAX);

	buf_printf(&url, "%s/", s->base);
	for (size_t i = 0; i < path.n; i++) {
		unsigned char c = (unsigned char)path.p[i];

		if (isalnum(c) || strchr("/-._~!$&'()*+,;=:@", c))
			buf_add_byte(&url, (char)c);
		else
			buf_printf(&url, "%%%02X", c);
	}
	if (buf_error(&url, "URL", err) < 0)
		return -err->code;
	return url_read(&s->net, url.p, max, ret, len, err);
}

/* Read a file that came out of an image. There may be links to anywhere, pipes and devices, so that nothing is read
 * outside of the folder where it was unpacked. */
static int read_unpacked(const struct compare_source *s, const char *full, size_t max, char **ret, size_t *len,
			 struct err *err)
{
	int fd = open(s->temporary, O_RDONLY | O_DIRECTORY | O_CLOEXEC), r;

	if (fd < 0)
		return err_set(err, errno, "open folder '%s': %s", s->temporary, strerror(errno));
	r = file_read_beneath(fd, full + strlen(s->temporary) + 1, max, ret, len, err);
	close(fd);
	return r;
}

static bool leads_out(const struct compare_source *s, const char *full)
{
	CLEANUP(freep) char *root = realpath(s->temporary, NULL), *real = realpath(full, NULL);
	size_t n = root ? strlen(root) : 0;

	return !root || !real || strncmp(real, root, n) != 0 || real[n] != '/';
}

static int source_read(void *ctx, str path, size_t max, char **ret, size_t *len, struct err *err)
{
	struct compare_source *s = ctx;
	CLEANUP(freep) char *full = NULL, *name = str_dup(path);
	struct err e;
	int r;

	if (s->url)
		return read_below(s, path, max, ret, len, err);
	if (!name || asprintf(&full, "%s/%s", s->base, name) < 0)
		return err_nomem(err);
	if (s->temporary)
		r = read_unpacked(s, full, max, ret, len, &e);
	else
		r = file_read(full, max, ret, len, &e);
	if (r == 0)
		return 0;
	if (r == -ENOMEM || r == -E2BIG || (s->temporary && (r == -EXDEV || r == -EINVAL || r == -ENXIO))) {
		*err = e;
		return r;
	}
	return go_path_error(err, -r, r == -EISDIR ? "read" : "open", name);
}

static int source_list(void *ctx, str dir, int (*entry)(void *entry_ctx, str name, struct err *err), void *entry_ctx,
		       struct err *err)
{
	struct compare_source *s = ctx;
	CLEANUP(freep) char *full = NULL;
	struct dirent *d;
	DIR *handle;
	int r = 0;

	if (s->url)
		return 0;
	if (asprintf(&full, "%s/%.*s", s->base, STR_ARG(dir)) < 0)
		return err_nomem(err);
	handle = s->temporary && leads_out(s, full) ? NULL : opendir(full);
	if (!handle)
		return 0;
	while (r == 0 && (d = readdir(handle))) {
		if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
			r = entry(entry_ctx, str_from(d->d_name), err);
	}
	closedir(handle);
	return r;
}

struct ref_source compare_source_files(struct compare_source *s)
{
	if (s->generated.files.read)
		return s->generated.files;
	return (struct ref_source){ .read = source_read, .ctx = s, .list = source_list };
}
