/* Opening a reference wherever it is, and reading its files. */
#include "daemon/compare/reference.h"

#include "base/file.h"
#include "config/cfg_bundle_ref.h"
#include "daemon/compare/klog.h"
#include "daemon/compare/run_command.h"
#include "daemon/compare/scratch.h"
#include "daemon/compare/text.h"
#include "go/path_error.h"
#include "kubeclient/kc_advice.h"
#include "kubeclient/kc_perform.h"
#include "mask/credentials.h"
#include "mask/foreign.h"

#include <ctype.h>
#include <curl/curl.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define URL_ATTEMPTS 5
#define URL_PAUSE_US 5000
#define URL_TIMEOUT_S 60
#define URL_BYTES_MAX (64u << 10)
#define CONTAINER "container://"
#define CONTAINER_OUTPUT_MAX (1u << 20)

bool is_url(const char *path)
{
	return strncmp(path, "http://", 7) == 0 || strncmp(path, "https://", 8) == 0;
}

/* ---- URLs ---- */

/* Kept from one URL to the next. */
struct web {
	struct kc_perform *net;
	CURL *easy;
};

struct download {
	struct kc_perform *net;
	struct buf body;
	struct buf shown; /* the URL for people, without its password */
	char status[64];  /* "404 Not Found", as the server words it */
	char why[CURL_ERROR_SIZE];
};

static size_t store(char *p, size_t size, size_t n, void *ctx)
{
	struct download *d = ctx;

	kc_perform_useful(d->net);
	buf_add(&d->body, p, size * n);
	return d->body.error ? 0 : size * n;
}

/* Of the last response: each one of a chain of redirections begins with such a line. */
static size_t note_status(char *p, size_t size, size_t n, void *ctx)
{
	struct download *d = ctx;
	str line = { p, size * n };
	ptrdiff_t space = str_find_byte(line, ' ');

	if (space > 0 && str_has_prefix(line, STR("HTTP/")))
		foreign_print(foreign_bytes(str_sub(line, (size_t)space, line.n)), d->status, sizeof(d->status));
	return size * n;
}

/* The variables by which other tools are told whom to trust. */
static void set_trust(CURL *c)
{
	const char *file = getenv("SSL_CERT_FILE"), *dir = getenv("SSL_CERT_DIR");

	if (file && *file)
		curl_easy_setopt(c, CURLOPT_CAINFO, file);
	if (dir && *dir)
		curl_easy_setopt(c, CURLOPT_CAPATH, dir);
}

static void prepare(CURL *c, const char *url, struct download *d)
{
	curl_easy_reset(c);
	curl_easy_setopt(c, CURLOPT_URL, url);
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
	/* What was asked for over TLS is not read from whoever stands between. */
	curl_easy_setopt(c, CURLOPT_REDIR_PROTOCOLS_STR, strncmp(url, "https:", 6) == 0 ? "https" : "http,https");
	curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 1L);
	curl_easy_setopt(c, CURLOPT_MAXREDIRS, 10L);
	curl_easy_setopt(c, CURLOPT_TIMEOUT, (long)URL_TIMEOUT_S);
	curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c, CURLOPT_ACCEPT_ENCODING, "");
	curl_easy_setopt(c, CURLOPT_USERAGENT, "driftd");
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, store);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, d);
	curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, note_status);
	curl_easy_setopt(c, CURLOPT_HEADERDATA, d);
	curl_easy_setopt(c, CURLOPT_ERRORBUFFER, d->why);
	set_trust(c);
}

/* What a server sends for people to read is neither an object nor a reference, and not nothing either. */
static int refuse_page(CURL *c, const char *shown, str body, struct err *err)
{
	const char *type = NULL;

	if (curl_easy_getinfo(c, CURLINFO_CONTENT_TYPE, &type) != CURLE_OK)
		type = NULL;
	if (!text_is_page(body) && !(type && str_is_media_type(str_from(type), STR("text/html"))))
		return 0;
	return err_set(
		err, EBADMSG,
		"URL \"%s\" leads to an HTML page, not to YAML or JSON: is this the address of the file itself, and "
		"does it need a login?",
		shown);
}

/* One attempt: 0, or negative with *again set when another may do better. */
static int fetch(CURL *c, const char *url, struct download *d, bool *again, struct err *err)
{
	bool tls = strncmp(url, "https:", 6) == 0;
	CURLcode code;
	long status = 0;

	prepare(c, url, d);
	code = kc_perform(d->net, c, NULL);
	curl_easy_setopt(c, CURLOPT_ERRORBUFFER, NULL);
	if (d->body.error)
		return buf_error(&d->body, d->shown.p, err);
	if (code != CURLE_OK) {
		struct foreign why = foreign_bytes(str_from(*d->why ? d->why : curl_easy_strerror(code)));
		const char *advice = kc_advice_scheme(tls, why, foreign_bytes(STR("")));
		char shown[CURL_ERROR_SIZE];
		long cause = 0;

		if (code == CURLE_COULDNT_CONNECT)
			curl_easy_getinfo(c, CURLINFO_OS_ERRNO, &cause);
		*again = !*advice;
		foreign_print(why, shown, sizeof(shown));
		return err_set(err, EIO, "failed to fetch %s: %s%s%s%s", d->shown.p, shown, cause ? ": " : "",
			       cause ? strerror((int)cause) : "", advice);
	}
	curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &status);
	if (status == 200)
		return refuse_page(c, d->shown.p, buf_str(&d->body), err);
	*again = status >= 500 && status < 600;
	return err_set(
		err, status == 404 ? ENOENT : EIO, "unable to read URL \"%s\", server reported %s, status code=%ld%s",
		d->shown.p, d->status, status,
		status == 400 ? kc_advice_scheme(tls, foreign_bytes(STR("")), foreign_bytes(buf_str(&d->body))) : "");
}

void url_done(void *kept)
{
	struct web *w = kept;

	if (!w) /* libcurl is loaded only where it is needed */
		return;
	if (w->easy)
		curl_easy_cleanup(w->easy);
	kc_perform_free(w->net);
	free(w);
}

static int web_new(void **ret, struct err *err)
{
	struct web *w = calloc(1, sizeof(*w));
	int r = w ? kc_perform_new(&w->net, err) : err_nomem(err);

	if (r < 0) {
		free(w);
		return r;
	}
	w->easy = curl_easy_init();
	if (!w->easy) {
		url_done(w);
		return err_nomem(err);
	}
	*ret = w;
	return 0;
}

int url_read(void **kept, const char *url, size_t max, char **ret, size_t *len, struct err *err)
{
	struct download d = { .body = BUF_INIT(max), .shown = BUF_INIT(SIZE_MAX) };
	const struct web *w;
	bool again = true;
	int r = *kept ? 0 : web_new(kept, err);

	if (r < 0)
		return r;
	credentials_add_url(str_from(url));
	credentials_show_url(str_from(url), &d.shown);
	if (d.shown.error)
		return err_nomem(err);
	w = *kept;
	d.net = w->net;
	for (int i = 0; i < URL_ATTEMPTS && again; i++) {
		if (i)
			usleep(URL_PAUSE_US);
		again = false;
		buf_clear(&d.body);
		r = fetch(w->easy, url, &d, &again, err);
	}
	if (r == 0) {
		*len = d.body.n;
		*ret = d.body.p ? buf_steal(&d.body) : calloc(1, 1);
		if (!*ret)
			r = err_nomem(err);
	}
	buf_done(&d.body);
	buf_done(&d.shown);
	return r;
}

/* ---- container images ---- */

static int bad_image(struct err *err)
{
	return err_set(err, EINVAL,
		       "incorrect path passed to -r, it must follow this format: "
		       "container://<IMAGE>:<TAG>:/path/to/metadata.yaml");
}

/* What "container://IMAGE:TAG:/folder" names: stray colons are ignored, the registry may have a port. An image that
 * looks like an option would be taken for one. */
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

/* @r: what run_engine returned, with its error in @err or else the engine's words in @out. */
static int engine_failed(struct err *err, int r, const char *what, struct buf *out)
{
	if (r < 0)
		return err_wrap(err, "%s", what);
	return err_set(err, EIO, "%s: %.*s", what, STR_ARG(str_trim(buf_str(out))));
}

/* Behind what an engine says while it pulls an image stands the container's id. */
static str last_line(str s)
{
	ptrdiff_t newline;

	s = str_trim(s);
	newline = str_rfind(s, STR("\n"));
	return str_trim(str_sub(s, (size_t)(newline + 1), s.n));
}

/* A container that is never started: nothing of the image runs, whatever command it is given. It is given one because
 * an image of nothing but files has none. */
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

/* Copy @folder out of @image into @to. That the container is not removed is a matter for a warning. */
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

static const char *last_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int unpack_image(struct compare_source *s, const char *path, struct err *err)
{
	CLEANUP(freep) char *image = NULL, *folder = NULL;
	struct engine e;
	int r = find_engine(&e, err);

	if (r == 0)
		r = split_image(path, &image, &folder, err);
	if (r == 0 && (strcmp(last_name(folder), ".") == 0 || strcmp(last_name(folder), "..") == 0))
		r = bad_image(err);
	if (r == 0)
		r = scratch_folder("kube-compare", &s->temporary, err);
	if (r == 0)
		r = copy_out(&e, image, folder, s->temporary, err);
	if (r < 0)
		return r;
	return asprintf(&s->base, "%s/%s", s->temporary, last_name(folder)) < 0 ? err_nomem(err) : 0;
}

/* ---- the source ---- */

/* A bundle takes the place of the files that it generates. */
static int open_bundle(struct compare_source *s, const char *path, const struct limits *limits, struct err *err)
{
	uint64_t content;
	int r = cfg_bundle_detect(path, limits, &s->generated, err);

	if (r < 0 || !s->generated)
		return r;
	free(s->metadata);
	s->metadata = str_dup(STR(KG_REFERENCE_METADATA));
	if (!s->metadata)
		return err_nomem(err);
	return cfg_bundle_reference(path, limits, NULL, &s->files, &content, err);
}

int compare_source_open(const char *path, const struct limits *limits, struct compare_source *ret, struct err *err)
{
	CLEANUP(compare_source_close) struct compare_source s = { .url = is_url(path) };
	bool container = strncmp(path, CONTAINER, sizeof(CONTAINER) - 1) == 0;
	const char *name = last_name(path);
	CLEANUP(freep) char *folder = name == path ? str_dup(STR(".")) : str_dup((str){ path, (size_t)(name - path) });
	struct stat st;
	int r = 0;

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
	url_done(s->curl);
	kg_reference_done(&s->files);
	*s = (struct compare_source){ 0 };
}

/* A template's name is the path of a file: what means something else in a URL is written in its other way. */
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
	return url_read(&s->curl, url.p, max, ret, len, err);
}

/* What came out of an image may hold links to anywhere, pipes and devices: it is read only where it was unpacked. */
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
	if (s->generated)
		return cfg_bundle_source(&s->files);
	return (struct ref_source){ .read = source_read, .ctx = s, .list = source_list };
}
