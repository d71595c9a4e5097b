/* The file of --web.config.file with the PEM files that it names, and what PEM text counts as whole: what is taken is
 * usable, what is not is told with its place.
 *
 * The input is a list of files, each behind a line "=== NAME": web.yml, cert.pem, key.pem, ca.pem. */
#include "base/file.h"
#include "config/web_config.h"
#include "kubeclient/kc_pem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char dir[64];
static const char *const names[] = { "web.yml", "cert.pem", "key.pem", "ca.pem" };

static void check(bool ok)
{
	if (!ok)
		abort();
}

static const char *path_of(const char *name)
{
	static char path[128];

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void remove_folder(void)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		(void)unlink(path_of(names[i]));
	(void)rmdir(dir);
}

static void set_up(void)
{
	(void)snprintf(dir, sizeof(dir), "%s/fuzz-web-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	check(mkdtemp(dir) && atexit(remove_folder) == 0);
}

static void write_file(const char *name, str text)
{
	int fd = open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	check(fd >= 0 && file_write_all(fd, text) == 0 && close(fd) == 0);
}

/* What follows the line "=== @name", or nothing. */
static str part(str text, const char *name)
{
	ptrdiff_t mark;

	while ((mark = str_find(text, STR("=== "))) >= 0) {
		str rest = str_sub(text, (size_t)mark + 4, text.n), line;
		ptrdiff_t next;

		text = rest;
		if (!str_next_part(&rest, '\n', &line) || !str_eq(line, str_from(name)) || !rest.p)
			continue;
		next = str_find(rest, STR("=== "));
		return next < 0 ? rest : str_sub(rest, 0, (size_t)next);
	}
	return STR("");
}

static void check_pem(str cert, str key, str authorities)
{
	struct kc_pem_ends ends;
	struct err err = { 0 };

	if (kc_pem_check_pair(cert, key, &err) == 0)
		check(!kc_pem_ends(cert, &ends) || ends.first <= ends.last); /* an end may be no date */
	else
		check(err.code == EINVAL && *err.msg);
	err = (struct err){ 0 };
	if (kc_pem_check_authorities(authorities, &err) == 0)
		check(!kc_pem_ends(authorities, &ends) || ends.first <= ends.last);
	else
		check(err.code == EINVAL && *err.msg);
}

static void check_config(const struct web_config *w)
{
	check(!w->tls || (w->cert && w->key && w->priorities));
	check(w->client_auth < WEB_CLIENT_VERIFY_IF_GIVEN || w->client_ca);
	for (size_t i = 0; i < w->n_users; i++)
		check(*w->users[i].name && w->users[i].hash);
	for (size_t i = 0; i < w->n_headers; i++)
		check(w->headers[i].name && !strpbrk(w->headers[i].value, "\r\n"));
	(void)web_config_authenticates(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(web_config_unrefp) struct web_config *w = NULL;
	str text = { (const char *)data, size };
	struct problems problems = { 0 };
	struct err err = { 0 };

	if (!*dir)
		set_up();
	if (size > 65536)
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		write_file(names[i], part(text, names[i]));
	if (web_config_load(path_of("web.yml"), &w, &problems, &err) == 0)
		check_config(w);
	else
		check(err.code == EINVAL && problems_any(&problems));
	problems_done(&problems);
	check_pem(part(text, "cert.pem"), part(text, "key.pem"), part(text, "ca.pem"));
	return 0;
}
