/* Listens on TCP addresses and socket files. */
#include "daemon/serve/http_listen.h"

#include "base/number.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* ---- TCP ---- */

/* Whether the text is a port. It is checked here because getaddrinfo(3) treats 65536 as 0. */
static bool is_port(const char *text)
{
	int64_t n;

	return strspn(text, "0123456789") == strlen(text) && int64_parse(str_from(text), &n) && n <= UINT16_MAX;
}

static int split_address(const char *address, char *host, size_t host_size, const char **port, struct err *err)
{
	const char *colon = strrchr(address, ':');
	size_t n = colon ? (size_t)(colon - address) : 0;

	if (!colon || n >= host_size)
		return err_set(err, EINVAL, "listen address '%s': host:port is expected", address);
	if (n >= 2 && address[0] == '[' && address[n - 1] == ']') {
		address++;
		n -= 2;
	}
	memcpy(host, address, n);
	host[n] = '\0';
	*port = colon + 1;
	return is_port(*port) ? 0 : err_set(err, EINVAL, "listen address '%s': a port is 0 to 65535", address);
}

static int bind_socket(const struct addrinfo *ai)
{
	int fd = socket(ai->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;

	if (fd < 0)
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
	    bind(fd, ai->ai_addr, ai->ai_addrlen) < 0 || listen(fd, SOMAXCONN) < 0) {
		int e = errno;

		close(fd);
		return -e;
	}
	return fd;
}

static void name_socket(struct http_listen *l)
{
	struct sockaddr_storage a;
	socklen_t n = sizeof(a);
	char host[80], port[8];

	if (getsockname(l->fd, (struct sockaddr *)&a, &n) == 0 &&
	    getnameinfo((struct sockaddr *)&a, n, host, sizeof(host), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV) == 0)
		(void)snprintf(l->name, sizeof(l->name), strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, port);
}

int http_listen_tcp(struct http_listen *l, const char *address, struct err *err)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV }, *found;
	char host[256];
	const char *port = NULL;
	int r = split_address(address, host, sizeof(host), &port, err);

	if (r < 0)
		return r;
	r = getaddrinfo(host[0] ? host : NULL, port, &hints, &found);
	if (r != 0)
		return err_set(err, EINVAL, "listen address '%s': %s", address, gai_strerror(r));
	r = bind_socket(found);
	freeaddrinfo(found);
	if (r < 0)
		return err_set(err, -r, "listen on '%s': %s", address, strerror(-r));
	*l = (struct http_listen){ .fd = r };
	name_socket(l);
	return 0;
}

/* ---- socket files ---- */

static int unix_address(const char *path, struct sockaddr_un *a, struct err *err)
{
	*a = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (strlen(path) >= sizeof(a->sun_path))
		return err_set(err, ENAMETOOLONG, "listen on '%s': the path is longer than %zu bytes", path,
			       sizeof(a->sun_path) - 1);
	memcpy(a->sun_path, path, strlen(path));
	return 0;
}

static bool is_refused(const struct sockaddr_un *a)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool refused = fd >= 0 && connect(fd, (const struct sockaddr *)a, sizeof(*a)) < 0 && errno == ECONNREFUSED;

	if (fd >= 0)
		close(fd);
	return refused;
}

/* Remove a stale socket file at @a. */
static int remove_stale(const struct sockaddr_un *a, struct err *err)
{
	struct stat st;

	if (lstat(a->sun_path, &st) < 0)
		return errno == ENOENT ? 0 : err_set(err, errno, "listen on '%s': %s", a->sun_path, strerror(errno));
	if (!S_ISSOCK(st.st_mode))
		return err_set(err, EEXIST, "listen on '%s': a file that is not a socket is there", a->sun_path);
	if (!is_refused(a))
		return err_set(err, EADDRINUSE, "listen on '%s': another process listens there", a->sun_path);
	if (unlink(a->sun_path) < 0 && errno != ENOENT)
		return err_set(err, errno, "remove the socket '%s': %s", a->sun_path, strerror(errno));
	return 0;
}

/* Bind the socket file. Nobody can connect before listen(2), so that the permissions are set in time. */
static int bind_unix(int fd, const struct sockaddr_un *a, mode_t mode)
{
	if (bind(fd, (const struct sockaddr *)a, sizeof(*a)) < 0)
		return -errno;
	if (chmod(a->sun_path, mode) < 0 || listen(fd, SOMAXCONN) < 0) {
		int e = errno;

		(void)unlink(a->sun_path);
		return -e;
	}
	return 0;
}

int http_listen_unix(struct http_listen *l, const char *path, mode_t mode, struct err *err)
{
	struct sockaddr_un a;
	int fd, r = unix_address(path, &a, err);

	if (r == 0)
		r = remove_stale(&a, err);
	if (r < 0)
		return r;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	r = fd < 0 ? -errno : bind_unix(fd, &a, mode);
	if (r < 0) {
		if (fd >= 0)
			close(fd);
		return err_set(err, -r, "listen on '%s': %s", path, strerror(-r));
	}
	*l = (struct http_listen){ .fd = fd, .is_unix = true, .unlink_path = str_dup(str_from(path)) };
	(void)snprintf(l->name, sizeof(l->name), "%s", path);
	return 0;
}

/* ---- sockets from elsewhere ---- */

int http_listen_passed(struct http_listen *l, int fd, struct err *err)
{
	struct sockaddr_un a = { 0 };
	socklen_t n = sizeof(int);
	int type = 0, listens = 0, flags = fcntl(fd, F_GETFL);

	if (flags < 0 || getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &n) < 0 ||
	    getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &n) < 0 || type != SOCK_STREAM || !listens)
		return err_set(err, EINVAL, "descriptor %d is not a listening stream socket", fd);
	n = sizeof(a) - 1;
	if (fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 || getsockname(fd, (struct sockaddr *)&a, &n) < 0)
		return err_set(err, errno, "prepare the socket that was passed: %s", strerror(errno));
	*l = (struct http_listen){ .fd = fd, .is_unix = a.sun_family == AF_UNIX };
	if (l->is_unix)
		(void)snprintf(l->name, sizeof(l->name), "%s", a.sun_path);
	else
		name_socket(l);
	return 0;
}

void http_listen_done(struct http_listen *l)
{
	/* Ours, as long as we accept on it: who finds it in use takes another. */
	if (l->unlink_path)
		(void)unlink(l->unlink_path);
	free(TAKE(l->unlink_path));
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
}
