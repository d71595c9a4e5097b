/* Requests files over HTTPS with libcurl. */
#include "daemon/fetch/https_request.h"

#include "daemon/fetch/local_file.h"
#include "go/base64.h"
#include "mask/credentials.h"

#include <errno.h>
#include <time.h>

#define REDIRECTS 5
#define CREDENTIALS_SIZE_MAX ((size_t)16 << 10)
#define AUTHORITIES_MAX ((size_t)4 << 20)

/* Add the credentials, which are USER:PASSWORD or a token. */
static int add_credentials(struct https_requests *q, str line, struct err *err)
{
	CLEANUP(buf_done) struct buf value = BUF_INIT(4 * CREDENTIALS_SIZE_MAX);
	ptrdiff_t colon = str_find_byte(line, ':');
	int r;

	if (colon >= 0) {
		buf_add_cstr(&value, "Basic ");
		go_base64_encode(&value, line);
		credentials_add(str_sub(line, (size_t)colon + 1, line.n));
	} else {
		buf_printf(&value, "Bearer %.*s", STR_ARG(line));
		credentials_add(line);
	}
	r = buf_error(&value, "credentials", err);
	if (r < 0)
		return r;
	credentials_add(str_sub(buf_str(&value), (size_t)str_find(buf_str(&value), STR(" ")) + 1, value.n));
	r = kc_header_add(&q->headers, STR("Authorization"), buf_str(&value));
	return r == -ENOMEM ? err_nomem(err) : r;
}

static int read_credentials(struct https_requests *q, struct arena *a, struct err *err)
{
	str path = q->job->source->credentials, line;
	int r = local_file_read(path, CREDENTIALS_SIZE_MAX, a, &line, err);

	if (r < 0)
		return r;
	line = str_trim(line);
	r = line.n ? add_credentials(q, line, err) : -EINVAL;
	return r == -EINVAL ? err_set(err, EPERM, "'%.*s' has no credentials on one line", STR_ARG(path)) : r;
}

static bool is_plain(str url)
{
	return str_has_prefix(url, STR("http://"));
}

static int check_source(const struct source *s, struct err *err)
{
	if (!is_plain(s->url) && !str_has_prefix(s->url, STR("https://")))
		return err_set(err, EINVAL, "the url does not begin with https://");
	if (is_plain(s->url) && !s->insecure)
		return err_set(err, EINVAL, "the url begins with http://, which the source does not allow");
	if (is_plain(s->url) && s->credentials.n)
		return err_set(err, EINVAL, "credentials are not sent without TLS");
	return 0;
}

int https_begin(struct https_requests *q, const struct fetch_job *job, struct arena *a, struct err *err)
{
	const struct source *s = job->source;
	str text = { 0 };
	int r = check_source(s, err);

	*q = (struct https_requests){ .job = job };
	credentials_add_url(s->proxy);
	if (r == 0 && s->credentials.n)
		r = read_credentials(q, a, err);
	if (r == 0 && s->ca_file.n)
		r = local_file_read(s->ca_file, AUTHORITIES_MAX, a, &text, err);
	if (r < 0)
		return r;
	q->ca = text.p;
	q->proxy = arena_str(a, s->proxy).p;
	return q->proxy ? kc_perform_new(&q->net, err) : arena_error(a, err);
}

void https_end(struct https_requests *q)
{
	kc_perform_free(q->net);
	curl_slist_free_all(q->headers);
}

static uint64_t left_ms(uint64_t deadline_ns)
{
	struct timespec t;
	uint64_t now;

	(void)clock_gettime(CLOCK_MONOTONIC, &t); /* reading this clock never fails */
	now = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	return now < deadline_ns ? (deadline_ns - now) / 1000000 : 0;
}

/* The code of a failure. A certificate that is not trusted must not look like a missing signature of the fetched
 * data. */
static int code_of_failure(int r)
{
	return r == -EKEYREJECTED ? EIO : -r;
}

static int code_of_status(int status)
{
	if (status == 401 || status == 403 || status == 407)
		return EACCES;
	return status == 404 || status == 410 ? ENOENT : EIO;
}

static int judge(const struct kc_answer *answer, struct err *err)
{
	if (answer->status != 200)
		return err_set(err, code_of_status(answer->status), "the server says %s%s", answer->words,
			       answer->advice);
	if (str_is_media_type(str_from(answer->type), STR("text/html")))
		return err_set(err, EBADMSG,
			       "it is an HTML page: is this the address of the file itself, and does it need a login?");
	return 0;
}

int https_get(struct https_requests *q, const char *url, struct buf *body, struct err *err)
{
	const struct kc_transfer_options o = {
		.url = url,
		.headers = q->headers,
		.tidy = true,
		.plain = q->job->source->insecure && is_plain(str_from(url)),
		.redirects = REDIRECTS,
		.proxy = q->proxy,
		.trust = { .ca = q->ca },
		.timeout_ms = left_ms(q->job->deadline_ns),
	};
	struct kc_answer answer = { 0 };
	struct err why;
	int r;

	if (o.timeout_ms == 0)
		return err_set(err, ETIMEDOUT, "there is no time left");
	r = kc_perform(q->net, &o, NULL, body, &answer, &why);
	return r < 0 ? err_set(err, code_of_failure(r), "%s", why.msg) : judge(&answer, err);
}
