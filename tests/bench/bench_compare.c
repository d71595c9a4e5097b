/* bench_compare DRIFTD [COUNT...]: wall time, processor time and peak memory of "driftd compare" over generated
 * objects, on one thread and on two, beside the time that bare libyaml takes on one to parse the same files into events
 * and nothing more. Both are measured within a process; what it takes to start the program DRIFTD stands in a row of
 * its own.
 *
 * One file for each object, as must-gather folders have them: deployments, services, config maps and role bindings with
 * values of their own, one in ten differing from the reference. The best of several rounds counts; the ratio of wall
 * times is the figure, that of processor times what is left of it on a machine in use. */
#include "base/file.h"
#include "daemon/compare/command.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <yaml.h>

#define ROUNDS 15
#define THREADS_MAX 2
#define FILE_MAX ((size_t)1 << 20)

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double cpu_now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* ---- generating ---- */

static FILE *create(const char *dir, const char *name)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	if (!f)
		die(path);
	return f;
}

static void close_file(FILE *f)
{
	if (fclose(f) != 0)
		die("write");
}

static void metadata(FILE *f, const char *kind, size_t i)
{
	fprintf(f, "metadata:\n  annotations:\n    deployment.kubernetes.io/revision: \"%zu\"\n    owner: team-%zu\n",
		i % 9, i % 17);
	fprintf(f, "  creationTimestamp: \"2024-05-01T10:%02zu:%02zuZ\"\n  generation: %zu\n", i % 60, i % 59, i % 7);
	fprintf(f, "  labels:\n    app: app-%zu\n    app.kubernetes.io/managed-by: platform\n", i);
	fprintf(f,
		"  name: %s-%zu\n  namespace: ns-%zu\n  resourceVersion: \"%zu\"\n  uid: "
		"6b7c0d1e-0000-4000-8000-%012zx\n",
		kind, i, i % 40, 100000 + i, i);
}

static void deployment(FILE *f, size_t i)
{
	fputs("apiVersion: apps/v1\nkind: Deployment\n", f);
	metadata(f, "deployment", i);
	fprintf(f, "spec:\n  progressDeadlineSeconds: 600\n  replicas: %d\n  revisionHistoryLimit: 10\n",
		i % 10 == 0 ? 9 : 3);
	fprintf(f,
		"  selector:\n    matchLabels:\n      app: app-%zu\n  strategy:\n    rollingUpdate:\n      maxSurge: "
		"25%%\n",
		i);
	fputs("      maxUnavailable: 25%\n    type: RollingUpdate\n  template:\n    metadata:\n      labels:\n", f);
	fprintf(f,
		"        app: app-%zu\n    spec:\n      containers:\n      - args:\n        - --port=8080\n        - "
		"--verbose\n",
		i);
	fputs("        env:\n        - name: LOG_LEVEL\n          value: info\n        - name: REGION\n          "
	      "value: eu-1\n",
	      f);
	fprintf(f, "        image: registry.example.com/team/app:v1.%zu\n        imagePullPolicy: IfNotPresent\n",
		i % 30);
	fputs("        livenessProbe:\n          failureThreshold: 3\n          httpGet:\n            path: /healthz\n"
	      "            port: 8080\n            scheme: HTTP\n          periodSeconds: 10\n        name: app\n      "
	      "  ports:\n"
	      "        - containerPort: 8080\n          protocol: TCP\n        resources:\n          limits:\n         "
	      "   cpu: 500m\n"
	      "            memory: 256Mi\n          requests:\n            cpu: 100m\n            memory: 128Mi\n"
	      "      dnsPolicy: ClusterFirst\n      restartPolicy: Always\n      terminationGracePeriodSeconds: 30\n",
	      f);
	fputs("status:\n  availableReplicas: 3\n  conditions:\n  - lastTransitionTime: \"2024-05-01T10:00:00Z\"\n"
	      "    message: Deployment has minimum availability.\n    reason: MinimumReplicasAvailable\n    status: "
	      "\"True\"\n"
	      "    type: Available\n  observedGeneration: 2\n  readyReplicas: 3\n  replicas: 3\n  updatedReplicas: 3\n",
	      f);
}

static void service(FILE *f, size_t i)
{
	fputs("apiVersion: v1\nkind: Service\n", f);
	metadata(f, "service", i);
	fprintf(f,
		"spec:\n  clusterIP: 10.0.%zu.%zu\n  internalTrafficPolicy: Cluster\n  ports:\n  - name: http\n    "
		"port: 80\n",
		i / 250 % 250, i % 250);
	fprintf(f,
		"    protocol: TCP\n    targetPort: %d\n  selector:\n    app: app-%zu\n  sessionAffinity: None\n  "
		"type: ClusterIP\n",
		i % 10 == 1 ? 9090 : 8080, i);
	fputs("status:\n  loadBalancer: {}\n", f);
}

static void config_map(FILE *f, size_t i)
{
	fputs("apiVersion: v1\nkind: ConfigMap\n", f);
	metadata(f, "settings", i);
	fprintf(f, "data:\n  level: %s\n  region: eu-%zu\n", i % 10 == 2 ? "debug" : "info", i % 3);
	fputs("  config.yaml: |\n", f);
	for (size_t k = 0; k < 30; k++)
		fprintf(f, "    setting-%zu: value-%zu # of the application\n", k, k * 3);
}

static void role_binding(FILE *f, size_t i)
{
	fputs("apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\n", f);
	metadata(f, "binding", i);
	fputs("roleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: Role\n  name: reader\nsubjects:\n", f);
	fprintf(f, "- kind: ServiceAccount\n  name: %s\n  namespace: ns-%zu\n", i % 10 == 3 ? "someone" : "reader",
		i % 40);
}

static void generate_objects(const char *dir, size_t n)
{
	static void (*const kinds[])(FILE *, size_t) = { deployment, service, config_map, role_binding };

	for (size_t i = 0; i < n; i++) {
		char name[64];
		FILE *f;

		snprintf(name, sizeof(name), "object-%06zu.yaml", i);
		f = create(dir, name);
		kinds[i % 4](f, i);
		close_file(f);
	}
}

static const char template_metadata[] =
	"metadata:\n  annotations:\n    deployment.kubernetes.io/revision: {{ index .metadata.annotations "
	"\"deployment.kubernetes.io/revision\" | quote }}\n    owner: {{ .metadata.annotations.owner }}\n  labels:\n"
	"    app: {{ .metadata.labels.app }}\n    app.kubernetes.io/managed-by: platform\n  name: {{ .metadata.name "
	"}}\n"
	"  namespace: {{ .metadata.namespace }}\n";

static void write_template(const char *dir, const char *name, const char *head, const char *body)
{
	FILE *f = create(dir, name);

	fputs("{{- $md := dict \"annotations\" dict \"labels\" dict }}{{- if .metadata }}{{ $md = .metadata }}{{ end "
	      "}}\n",
	      f);
	fputs(head, f);
	for (const char *p = template_metadata; *p; p++) {
		if (p > template_metadata && strncmp(p, ".metadata.", 10) == 0 && p[-1] != 'e') {
			fputs("$md.", f);
			p += 9;
		} else {
			fputc(*p, f);
		}
	}
	fputs(body, f);
	close_file(f);
}

static void generate_reference(const char *dir)
{
	FILE *f = create(dir, "metadata.yaml");

	fputs("apiVersion: v2\nparts:\n- name: all\n  components:\n  - name: objects\n    anyOf:\n    - path: "
	      "deployment.yaml\n"
	      "    - path: service.yaml\n    - path: configmap.yaml\n    - path: binding.yaml\n",
	      f);
	close_file(f);
	write_template(
		dir, "deployment.yaml", "apiVersion: apps/v1\nkind: Deployment\n",
		"spec:\n  progressDeadlineSeconds: 600\n  replicas: 3\n  revisionHistoryLimit: 10\n  selector:\n    "
		"matchLabels:\n"
		"      app: {{ $md.labels.app }}\n  strategy:\n    rollingUpdate:\n      maxSurge: 25%\n      "
		"maxUnavailable: 25%\n"
		"    type: RollingUpdate\n  template:\n    metadata:\n      labels:\n        app: {{ $md.labels.app "
		"}}\n    spec:\n"
		"      containers:\n{{- range (dig \"template\" \"spec\" \"containers\" list (default dict .spec)) }}\n"
		"      - args:\n        - --port=8080\n        - --verbose\n        env:\n{{ toYaml .env | indent 8 "
		"}}\n"
		"        image: {{ .image }}\n        imagePullPolicy: IfNotPresent\n        livenessProbe:\n"
		"          failureThreshold: 3\n          httpGet:\n            path: /healthz\n            port: "
		"8080\n"
		"            scheme: HTTP\n          periodSeconds: 10\n        name: {{ .name }}\n        ports:\n"
		"        - containerPort: 8080\n          protocol: TCP\n        resources:\n          limits:\n"
		"            cpu: 500m\n            memory: 256Mi\n          requests:\n            cpu: 100m\n"
		"            memory: 128Mi\n{{- end }}\n      dnsPolicy: ClusterFirst\n      restartPolicy: Always\n"
		"      terminationGracePeriodSeconds: 30\n");
	write_template(
		dir, "service.yaml", "apiVersion: v1\nkind: Service\n",
		"spec:\n  clusterIP: {{ (default dict .spec).clusterIP }}\n  internalTrafficPolicy: Cluster\n  ports:\n"
		"  - name: http\n    port: 80\n    protocol: TCP\n    targetPort: 8080\n  selector:\n    app: {{ "
		"$md.labels.app }}\n"
		"  sessionAffinity: None\n  type: ClusterIP\n");
	write_template(dir, "configmap.yaml", "apiVersion: v1\nkind: ConfigMap\n",
		       "{{- $data := default dict .data }}\ndata:\n  level: info\n  region: {{ $data.region }}\n  "
		       "config.yaml: |\n"
		       "{{ default \"\" (index $data \"config.yaml\") | indent 4 }}\n");
	write_template(dir, "binding.yaml", "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\n",
		       "roleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: Role\n  name: reader\nsubjects:\n"
		       "- kind: ServiceAccount\n  name: reader\n  namespace: {{ $md.namespace }}\n");
}

struct measure {
	double wall, cpu;
	long peak_kb;
	int status;
};

/* ---- the floor ---- */

static void parse_events(const char *text, size_t n, size_t *events)
{
	yaml_parser_t p;
	yaml_event_t e;
	bool end = false;

	if (!yaml_parser_initialize(&p))
		die("libyaml");
	yaml_parser_set_input_string(&p, (const unsigned char *)text, n);
	while (!end && yaml_parser_parse(&p, &e)) {
		end = e.type == YAML_STREAM_END_EVENT;
		(*events)++;
		yaml_event_delete(&e);
	}
	yaml_parser_delete(&p);
}

/* Keep the shortest times in @best. */
static void floor_round(const char *dir, size_t n, size_t *bytes, struct measure *best)
{
	double from = now_s(), cpu_from = cpu_now_s(), wall, cpu;
	size_t events = 0;

	*bytes = 0;
	for (size_t i = 0; i < n; i++) {
		char path[512];
		char *text = NULL;
		size_t len = 0;
		struct err err;

		snprintf(path, sizeof(path), "%s/object-%06zu.yaml", dir, i);
		if (file_read(path, FILE_MAX, &text, &len, &err) < 0) {
			fprintf(stderr, "%s\n", err.msg);
			exit(1);
		}
		parse_events(text, len, &events);
		*bytes += len;
		free(text);
	}
	wall = now_s() - from;
	cpu = cpu_now_s() - cpu_from;
	best->wall = best->wall == 0 || wall < best->wall ? wall : best->wall;
	best->cpu = best->cpu == 0 || cpu < best->cpu ? cpu : best->cpu;
}

/* ---- the run ---- */

static double cpu_s(const struct rusage *use)
{
	return (double)(use->ru_utime.tv_sec + use->ru_stime.tv_sec) +
	       (double)(use->ru_utime.tv_usec + use->ru_stime.tv_usec) / 1e6;
}

/* The command itself, in a process that is loaded and linked already. */
static int compare(const char *reference, const char *objects, unsigned threads, double *wall)
{
	char concurrency[16];
	char *argv[] = { (char *)(uintptr_t) "compare",
			 (char *)(uintptr_t) "-r",
			 (char *)(uintptr_t)reference,
			 (char *)(uintptr_t) "-f",
			 (char *)(uintptr_t)objects,
			 (char *)(uintptr_t) "--concurrency",
			 concurrency,
			 NULL };
	double from;
	int status;

	snprintf(concurrency, sizeof(concurrency), "%u", threads);
	from = now_s();
	status = cmd_compare(7, argv);
	*wall = now_s() - from;
	return status;
}

static struct measure run(const char *reference, const char *objects, unsigned threads)
{
	struct measure m = { 0 };
	struct rusage use;
	int status, ends[2];
	pid_t pid;

	fflush(stdout);
	if (pipe(ends) < 0 || (pid = fork()) < 0)
		die("fork");
	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY);
		double wall;

		dup2(null, STDOUT_FILENO);
		status = compare(reference, objects, threads, &wall);
		_exit(write(ends[1], &wall, sizeof(wall)) == sizeof(wall) ? status : 127);
	}
	close(ends[1]);
	if (read(ends[0], &m.wall, sizeof(m.wall)) != sizeof(m.wall) || wait4(pid, &status, 0, &use) < 0)
		die("wait");
	close(ends[0]);
	m.cpu = cpu_s(&use);
	m.peak_kb = use.ru_maxrss;
	m.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	return m;
}

static void keep_best(struct measure *best, const struct measure *m)
{
	if (m->status != 1) {
		fprintf(stderr, "compare ended with status %d\n", m->status);
		exit(1);
	}
	if (best->status != 1)
		*best = *m;
	best->wall = m->wall < best->wall ? m->wall : best->wall;
	best->cpu = m->cpu < best->cpu ? m->cpu : best->cpu;
	best->peak_kb = m->peak_kb > best->peak_kb ? m->peak_kb : best->peak_kb;
}

static void print_rows(size_t n, size_t bytes, const struct measure *floor, const struct measure *best)
{
	printf("%6zu objects, %.1f MB: libyaml events alone: wall %.3f s, processor %.3f s\n", n, (double)bytes / 1e6,
	       floor->wall, floor->cpu);
	for (unsigned t = 1; t <= THREADS_MAX; t++) {
		const struct measure *m = &best[t - 1];

		printf("  %u thread%s  wall %.3f s, processor %.3f s, peak %ld MB; ratio %.2f, of processor times "
		       "%.2f\n",
		       t, t == 1 ? " " : "s", m->wall, m->cpu, m->peak_kb / 1024, m->wall / floor->wall,
		       m->cpu / floor->cpu);
	}
}

static void bench(const char *dir, size_t n)
{
	char objects[300], reference[300], metadata_path[400];
	struct measure best[THREADS_MAX] = { 0 };
	struct measure floor = { 0 };
	size_t bytes = 0;

	snprintf(objects, sizeof(objects), "%s/objects-%zu", dir, n);
	snprintf(reference, sizeof(reference), "%s/reference-%zu", dir, n);
	snprintf(metadata_path, sizeof(metadata_path), "%s/metadata.yaml", reference);
	if (mkdir(objects, 0700) < 0 || mkdir(reference, 0700) < 0)
		die("mkdir");
	generate_objects(objects, n);
	generate_reference(reference);
	for (int i = 0; i < ROUNDS; i++) {
		floor_round(objects, n, &bytes, &floor);
		for (unsigned t = 1; t <= THREADS_MAX; t++) {
			struct measure m = run(metadata_path, objects, t);

			keep_best(&best[t - 1], &m);
		}
	}
	print_rows(n, bytes, &floor, best);
}

/* ---- starting ---- */

static double start(const char *driftd)
{
	double from = now_s();
	pid_t pid = fork();
	int status;

	if (pid < 0)
		die("fork");
	if (pid == 0) {
		dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
		execl(driftd, driftd, "version", (char *)NULL);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) < 0 || status != 0)
		die(driftd);
	return now_s() - from;
}

static void bench_start(const char *driftd)
{
	double best = 1e9;

	for (int i = 0; i < ROUNDS; i++) {
		double s = start(driftd);

		best = s < best ? s : best;
	}
	printf("process start (driftd version): %.1f ms\n", best * 1e3);
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

int main(int argc, char **argv)
{
	char dir[] = "/tmp/bench-compare-XXXXXX";

	if (argc < 2) {
		fprintf(stderr, "usage: bench_compare DRIFTD [COUNT...]\n");
		return 2;
	}
	if (!mkdtemp(dir))
		die(dir);
	bench_start(argv[1]);
	if (argc == 2) {
		bench(dir, 1000);
		bench(dir, 10000);
	}
	for (int i = 2; i < argc; i++)
		bench(dir, strtoul(argv[i], NULL, 10));
	if (!getenv("BENCH_KEEP")) /* the files, to look at a run by hand */
		nftw(dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	return 0;
}
