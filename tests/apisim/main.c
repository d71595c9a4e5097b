/* apisim: options, start, loop, end. */
#include "control.h"
#include "http.h"
#include "tls.h"
#include "watch.h"

#include "base/file.h"

#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define TICK_MS 20
#define LOAD_MAX ((size_t)2 << 30)
#define GRACE_MS 500 /* for open answers to end after SIGTERM */

static const char usage[] =
	"Usage: apisim [OPTION]...\n"
	"A small Kubernetes API server for tests.\n\n"
	"  --port N                 port; 0 (default) chooses a free one\n"
	"  --bind ADDRESS           IP address to listen on (127.0.0.1)\n"
	"  --tls-dir DIR            serve TLS with the certificates in DIR, made there when absent\n"
	"  --no-tls                 serve plain HTTP (default without --tls-dir)\n"
	"  --token T                ask for this bearer token\n"
	"  --require-client-cert    ask for a client certificate of the authority in DIR\n"
	"  --kubeconfig-out FILE    write a kubeconfig for this server\n"
	"  --load FILE              JSON objects to begin with (may be repeated)\n"
	"  --after-version N        go on after version N; what is older is expired\n"
	"  --bookmark-interval MS   between the bookmarks of a watch (60000)\n"
	"  --watch-cache N          events kept for each resource (10000)\n"
	"  --gzip-min BYTES         smaller answers are not compressed (131072)\n"
	"  --initializing MS        refuse custom resources with 429 for that long after the start\n"
	"  --no-watch-list          refuse sendInitialEvents, as older servers do\n"
	"  --no-aggregated-discovery  only the classic discovery documents\n"
	"  --verbose                print what libmicrohttpd says\n"
	"  --help                   print this text\n";

struct start {
	struct sim sim;
	VEC(const char *) loads;
	bool no_tls;
};

enum option_id {
	OPT_PORT = 256,
	OPT_BIND,
	OPT_TLS_DIR,
	OPT_NO_TLS,
	OPT_TOKEN,
	OPT_CLIENT_CERT,
	OPT_KUBECONFIG,
	OPT_LOAD,
	OPT_AFTER_VERSION,
	OPT_BOOKMARK,
	OPT_WATCH_CACHE,
	OPT_GZIP_MIN,
	OPT_INITIALIZING,
	OPT_NO_WATCH_LIST,
	OPT_NO_AGGREGATED,
	OPT_VERBOSE,
	OPT_HELP,
};

static const struct option option_table[] = {
	{ "port", required_argument, NULL, OPT_PORT },
	{ "bind", required_argument, NULL, OPT_BIND },
	{ "tls-dir", required_argument, NULL, OPT_TLS_DIR },
	{ "no-tls", no_argument, NULL, OPT_NO_TLS },
	{ "token", required_argument, NULL, OPT_TOKEN },
	{ "require-client-cert", no_argument, NULL, OPT_CLIENT_CERT },
	{ "kubeconfig-out", required_argument, NULL, OPT_KUBECONFIG },
	{ "load", required_argument, NULL, OPT_LOAD },
	{ "after-version", required_argument, NULL, OPT_AFTER_VERSION },
	{ "bookmark-interval", required_argument, NULL, OPT_BOOKMARK },
	{ "watch-cache", required_argument, NULL, OPT_WATCH_CACHE },
	{ "gzip-min", required_argument, NULL, OPT_GZIP_MIN },
	{ "initializing", required_argument, NULL, OPT_INITIALIZING },
	{ "no-watch-list", no_argument, NULL, OPT_NO_WATCH_LIST },
	{ "no-aggregated-discovery", no_argument, NULL, OPT_NO_AGGREGATED },
	{ "verbose", no_argument, NULL, OPT_VERBOSE },
	{ "help", no_argument, NULL, OPT_HELP },
	{ NULL, 0, NULL, 0 },
};

static bool number(const char *text, uint64_t max, uint64_t *ret)
{
	char *end;

	errno = 0;
	*ret = strtoull(text, &end, 10);
	return !errno && end != text && !*end && *ret <= max && *text != '-';
}

static bool set_number(struct options *o, int id, const char *text)
{
	uint64_t n;

	if (!number(text, id == OPT_PORT ? UINT16_MAX : UINT32_MAX, &n))
		return false;
	if (id == OPT_PORT)
		o->port = (uint16_t)n;
	else if (id == OPT_BOOKMARK)
		o->bookmark_ms = n ? n : 1;
	else if (id == OPT_WATCH_CACHE)
		o->watch_cache = n ? n : 1;
	else if (id == OPT_INITIALIZING)
		o->initializing_ms = n;
	else if (id == OPT_AFTER_VERSION)
		o->after_version = n;
	else
		o->gzip_min = n;
	return true;
}

/* False when the option is no good. */
static bool set_option(struct start *s, int id, const char *arg)
{
	struct options *o = &s->sim.opt;

	switch (id) {
	case OPT_PORT:
	case OPT_BOOKMARK:
	case OPT_WATCH_CACHE:
	case OPT_GZIP_MIN:
	case OPT_INITIALIZING:
	case OPT_AFTER_VERSION:
		return set_number(o, id, arg);
	case OPT_BIND:
		o->bind = arg;
		return true;
	case OPT_TLS_DIR:
		o->tls_dir = arg;
		return true;
	case OPT_NO_TLS:
		s->no_tls = true;
		return true;
	case OPT_TOKEN:
		o->token = arg;
		return true;
	case OPT_CLIENT_CERT:
		o->require_client_cert = true;
		return true;
	case OPT_KUBECONFIG:
		o->kubeconfig_out = arg;
		return true;
	case OPT_LOAD:
		return vec_push(&s->loads, arg);
	case OPT_NO_WATCH_LIST:
		o->watch_list = false;
		return true;
	case OPT_NO_AGGREGATED:
		o->aggregated_discovery = false;
		return true;
	case OPT_VERBOSE:
		o->verbose = true;
		return true;
	}
	return false;
}

/* -1: go on; else the exit status. */
static int read_options(struct start *s, int argc, char **argv)
{
	int id;

	s->sim.opt = (struct options){ .bind = "127.0.0.1",
				       .bookmark_ms = 60000,
				       .watch_cache = 10000,
				       .gzip_min = 128 * 1024,
				       .watch_list = true,
				       .aggregated_discovery = true };
	while ((id = getopt_long(argc, argv, "", option_table, NULL)) != -1) {
		if (id == OPT_HELP) {
			(void)fputs(usage, stdout);
			return 0;
		}
		if (id == '?')
			return 2;
		if (!set_option(s, id, optarg)) {
			(void)fprintf(stderr, "apisim: bad value '%s'\n", optarg ? optarg : "");
			return 2;
		}
	}
	if (optind < argc) {
		(void)fprintf(stderr, "apisim: unexpected argument '%s'\n", argv[optind]);
		return 2;
	}
	if (s->no_tls)
		s->sim.opt.tls_dir = NULL;
	return -1;
}

static int load_files(struct start *s, struct err *err)
{
	for (size_t i = 0; i < s->loads.n; i++) {
		CLEANUP(freep) char *text = NULL;
		struct refusal refusal;
		size_t n, loaded = 0;
		int r = file_read(s->loads.p[i], LOAD_MAX, &text, &n, err);

		if (r < 0)
			return r;
		if (load_text(&s->sim, (str){ text, n }, NULL, &loaded, &refusal) < 0)
			return err_set(err, EINVAL, "load '%s': %s", s->loads.p[i], refusal.message);
	}
	return 0;
}

/* As a server that was started again: what its clients have seen is older than all it knows. */
static void begin_late(struct sim *sim)
{
	sim->rv++;
	for (size_t i = 0; i < sim->resources.rows.n; i++)
		table_forget(&sim->resources.rows.p[i]->table, sim->rv);
}

/* A listening socket; the port it got goes to opt->port. */
static int listen_on(struct options *opt, int *ret, struct err *err)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons(opt->port) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons(opt->port) };
	bool is_v6 = strchr(opt->bind, ':');
	struct sockaddr *addr = is_v6 ? (struct sockaddr *)&v6 : (struct sockaddr *)&v4;
	socklen_t n = is_v6 ? sizeof(v6) : sizeof(v4);
	int fd, e, one = 1;

	if (inet_pton(addr->sa_family, opt->bind, is_v6 ? (void *)&v6.sin6_addr : (void *)&v4.sin_addr) != 1)
		return err_set(err, EINVAL, "'%s' is not an IP address", opt->bind);
	fd = socket(addr->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return err_set(err, errno, "socket: %s", strerror(errno));
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, addr, n) < 0 || listen(fd, 512) < 0 || getsockname(fd, addr, &n) < 0) {
		e = errno;
		close(fd);
		return err_set(err, e, "listen on '%s' port %u: %s", opt->bind, opt->port, strerror(e));
	}
	opt->port = ntohs(is_v6 ? v6.sin6_port : v4.sin_port);
	*ret = fd;
	return 0;
}

static void run_once(struct sim *sim, int epoll_fd, int signal_fd)
{
	struct pollfd fds[] = { { .fd = epoll_fd, .events = POLLIN }, { .fd = signal_fd, .events = POLLIN } };
	int timeout = sim->generators.n ? 1 : TICK_MS;
	MHD_UNSIGNED_LONG_LONG wanted;

	if (MHD_get_timeout(sim->http, &wanted) == MHD_YES && wanted < (unsigned)timeout)
		timeout = (int)wanted;
	(void)poll(fds, ARRAY_LEN(fds), timeout);
	if (fds[1].revents)
		sim->stopping = true;
	(void)MHD_run(sim->http);
	sim_tick(sim);
}

static void run(struct sim *sim, int signal_fd)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(sim->http, MHD_DAEMON_INFO_EPOLL_FD);
	uint64_t end;

	while (!sim->stopping)
		run_once(sim, info->epoll_fd, signal_fd);
	watches_end(sim);
	for (end = now_ms() + GRACE_MS; sim->watches.n && now_ms() < end;)
		run_once(sim, info->epoll_fd, -1);
	/* A suspended connection must not be left when the daemon stops. */
	sim_tick(sim);
	watches_wake(sim, NULL);
}

static int signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	(void)sigprocmask(SIG_BLOCK, &set, NULL);
	(void)signal(SIGPIPE, SIG_IGN);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int serve(struct start *s, const struct tls_files *files, struct err *err)
{
	struct sim *sim = &s->sim;
	struct options *opt = &sim->opt;
	bool tls = opt->tls_dir;
	char url[128];
	int fd = -1, signal_fd = signals(), r = listen_on(opt, &fd, err);

	if (r < 0)
		return r;
	sim->http = http_start(sim, files->server_cert, files->server_key, files->ca, fd);
	if (!sim->http) {
		close(fd);
		return err_set(err, EIO, "start of the HTTP server");
	}
	(void)snprintf(url, sizeof(url), strchr(opt->bind, ':') ? "%s://[%.64s]:%u" : "%s://%.64s:%u",
		       tls ? "https" : "http", opt->bind, opt->port);
	if (opt->kubeconfig_out)
		r = kubeconfig_write(opt->kubeconfig_out, url, tls ? files : NULL, opt->token, err);
	if (r == 0) {
		(void)printf("apisim: listening on %s\n", url);
		(void)fflush(stdout);
		sim->started_ms = now_ms();
		run(sim, signal_fd);
	}
	MHD_stop_daemon(sim->http);
	close(signal_fd);
	return r;
}

int main(int argc, char **argv)
{
	struct start s = { 0 };
	struct tls_files files = { 0 };
	struct err err = { 0 };
	int r = read_options(&s, argc, argv);

	if (r >= 0) {
		vec_done(&s.loads);
		return r;
	}
	r = sim_init(&s.sim) < 0 ? err_nomem(&err) : 0;
	if (r == 0)
		r = load_files(&s, &err);
	if (r == 0 && s.sim.opt.after_version)
		begin_late(&s.sim);
	if (r == 0 && s.sim.opt.tls_dir)
		r = tls_load(s.sim.opt.tls_dir, s.sim.opt.bind, &files, &err);
	if (r == 0)
		r = serve(&s, &files, &err);
	if (r < 0)
		(void)fprintf(stderr, "apisim: %s\n", err.msg);
	sim_done(&s.sim);
	tls_files_done(&files);
	vec_done(&s.loads);
	return r < 0 ? 1 : 0;
}
