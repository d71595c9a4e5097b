/* bench_alerts [COUNT]: what COUNT (50,000) open findings cost the loop when they are posted to an Alertmanager: until
 * all are there, when one of them changes, and when all are posted again. The longest turn of the loop is the figure:
 * it may not grow with what is open. The other end is a process that reads and says 200. */
#include "daemon/alertmanager/alerts.h"
#include "daemon/findings/findings.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TICK_MS 1000

static struct {
	uv_loop_t loop;
	uv_timer_t tick;
	uv_prepare_t prepare;
	uv_check_t check;
	uint64_t woke_ns, longest_ns;
	struct alerts *alerts;
	uint64_t posts; /* until so many and nothing is due */
} bench;

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "bench_alerts: %s\n", what);
	exit(1);
}

/* ---- the other end ---- */

/* False: the connection is over. */
static bool answer_one(FILE *f)
{
	static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]";
	char line[4096];
	size_t n = 0;

	while (fgets(line, sizeof(line), f) && line[0] != '\r') {
		if (strncasecmp(line, "Content-Length:", 15) == 0)
			n = (size_t)strtoul(line + 15, NULL, 10);
		if (strncasecmp(line, "Expect:", 7) == 0)
			(void)!write(fileno(f), "HTTP/1.1 100 Continue\r\n\r\n", 25);
	}
	while (n > 0 && !feof(f) && !ferror(f)) {
		char bytes[65536];

		n -= fread(bytes, 1, n < sizeof(bytes) ? n : sizeof(bytes), f);
	}
	return !feof(f) && !ferror(f) && write(fileno(f), answer, sizeof(answer) - 1) > 0;
}

static void serve(int listener)
{
	for (;;) {
		int fd = accept(listener, NULL, NULL);
		FILE *f = fd < 0 ? NULL : fdopen(fd, "r");

		while (f && answer_one(f))
			;
		if (f)
			fclose(f);
	}
}

static pid_t start_server(unsigned *port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	pid_t child;

	must(fd >= 0 && bind(fd, (struct sockaddr *)&at, size) == 0 && listen(fd, 16) == 0 &&
		     getsockname(fd, (struct sockaddr *)&at, &size) == 0,
	     "listen");
	*port = ntohs(at.sin_port);
	child = fork();
	must(child >= 0, "fork");
	if (child == 0)
		serve(fd);
	close(fd);
	return child;
}

/* ---- findings ---- */

static void report(struct findings *f, size_t i, const char *found)
{
	char name[32], summary[64];
	struct err err;

	(void)snprintf(name, sizeof(name), "object-%zu", i);
	(void)snprintf(summary, sizeof(summary), "spec.replicas 3 -> %s", found);
	must(findings_report(f,
			     &(struct finding_report){
				     .kind = FINDING_DRIFT,
				     .severity = SEVERITY_WARNING,
				     .subject = { .cluster = STR("prod"),
						  .reference = STR("base"),
						  .component = STR("web"),
						  .api_version = STR("apps/v1"),
						  .kind = STR("Deployment"),
						  .resource = STR("deployments.apps"),
						  .namespace = STR("shop"),
						  .name = str_from(name) },
				     .what = str_from(summary),
				     .summary = str_from(summary),
				     .state = str_from(summary),
				     .paths = &(struct finding_path){ .path = STR("spec.replicas") },
				     .n_paths = 1,
				     .n_paths_total = 1,
			     },
			     &err) == 0,
	     "report");
}

/* ---- the loop ---- */

static void on_check(uv_check_t *c)
{
	(void)c;
	bench.woke_ns = uv_hrtime();
}

static void on_prepare(uv_prepare_t *p)
{
	uint64_t took = bench.woke_ns ? uv_hrtime() - bench.woke_ns : 0;

	(void)p;
	if (took > bench.longest_ns)
		bench.longest_ns = took;
}

static void on_tick(uv_timer_t *t)
{
	const struct alertmanager_status *v;
	uint64_t began = uv_hrtime();
	size_t n;

	(void)t;
	alerts_tick(bench.alerts, true);
	if (uv_hrtime() - began > bench.longest_ns)
		bench.longest_ns = uv_hrtime() - began;
	v = alerts_views(bench.alerts, &n);
	if (v->posts >= bench.posts && v->undelivered == 0 && strcmp(v->state, "resting") == 0)
		uv_stop(&bench.loop);
}

static double cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void measure(const char *what, uint64_t posts)
{
	uint64_t began = uv_hrtime();
	double cpu = cpu_s();
	size_t n;

	bench.posts = alerts_views(bench.alerts, &n)->posts + posts;
	bench.longest_ns = bench.woke_ns = 0;
	(void)uv_run(&bench.loop, UV_RUN_DEFAULT);
	printf("%-22s %6.2f s, of the processor %6.3f s, longest turn %6.2f ms\n", what,
	       (double)(uv_hrtime() - began) / 1e9, cpu_s() - cpu, (double)bench.longest_ns / 1e6);
}

static void take(void *ctx, const struct emission *t)
{
	(void)ctx;
	(void)t;
}

int main(int argc, char **argv)
{
	size_t count = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 50000;
	struct sink *sink = sink_new(&(struct sink_taker){ .take = take });
	struct findings *findings;
	struct cfg_alertmanager from = { .n_urls = 1, .min_severity = SEVERITY_INFO, .values = true };
	char url[64];
	struct rusage usage;
	unsigned port;
	pid_t server = start_server(&port);
	struct err err;
	str urls;

	must(sink && findings_new(sink, &findings, &err) == 0 && uv_loop_init(&bench.loop) == 0, "begin");
	(void)snprintf(url, sizeof(url), "http://127.0.0.1:%u", port);
	urls = str_from(url);
	from.urls = &urls;
	for (size_t i = 0; i < count; i++)
		report(findings, i, "5");
	(void)getrusage(RUSAGE_SELF, &usage);
	printf("%zu findings, %ld KB\n", count, usage.ru_maxrss);
	must(alerts_new(
		     &(struct alerts_options){ .loop = &bench.loop, .from = &from, .findings = findings, .sink = sink },
		     &bench.alerts, &err) == 0,
	     "alerts");
	(void)uv_timer_init(&bench.loop, &bench.tick);
	(void)uv_prepare_init(&bench.loop, &bench.prepare);
	(void)uv_check_init(&bench.loop, &bench.check);
	(void)uv_prepare_start(&bench.prepare, on_prepare);
	(void)uv_check_start(&bench.check, on_check);
	(void)uv_timer_start(&bench.tick, on_tick, 0, TICK_MS);
	measure("all begin", 1);
	report(findings, 7, "6");
	measure("one changes", 1);
	alerts_hurry(bench.alerts);
	measure("all are posted again", (count + 249) / 250);
	(void)getrusage(RUSAGE_SELF, &usage);
	printf("at most %ld KB\n", usage.ru_maxrss);
	(void)kill(server, SIGKILL);
	(void)waitpid(server, NULL, 0);
	return 0;
}
