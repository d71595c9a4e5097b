/* The metrics of this process, as the kernel counts them. */
#include "daemon/serve/metrics_internal.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static double open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	double n = -3; /* ".", ".." and the descriptor of the folder itself */

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n < 0 ? 0 : n;
}

void metrics_process(struct exposition *e, double started_at)
{
	struct rusage usage = { 0 };
	struct rlimit files = { 0 };
	unsigned long pages = 0, resident = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (f && fscanf(f, "%lu %lu", &pages, &resident) != 2)
		pages = resident = 0;
	if (f)
		fclose(f);
	getrusage(RUSAGE_SELF, &usage);
	getrlimit(RLIMIT_NOFILE, &files);
	exposition_single(e, "process_start_time_seconds", METRIC_GAUGE,
			  "Start time of the process since the Unix epoch.", started_at);
	exposition_single(e, "process_cpu_seconds_total", METRIC_COUNTER, "User and system CPU time spent.",
			  (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
				  (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6);
	exposition_single(e, "process_resident_memory_bytes", METRIC_GAUGE, "Resident memory.",
			  (double)resident * (double)sysconf(_SC_PAGESIZE));
	exposition_single(e, "process_virtual_memory_bytes", METRIC_GAUGE, "Virtual memory.",
			  (double)pages * (double)sysconf(_SC_PAGESIZE));
	exposition_single(e, "process_open_fds", METRIC_GAUGE, "Open file descriptors.", open_files());
	exposition_single(e, "process_max_fds", METRIC_GAUGE, "Limit of open file descriptors.",
			  (double)files.rlim_cur);
}
