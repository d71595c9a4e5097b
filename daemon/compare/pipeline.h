/* Reading and judging side by side: each thread of "driftd compare" reads, decodes and judges sources of its own. */
#ifndef DAEMON_COMPARE_PIPELINE_H
#define DAEMON_COMPARE_PIPELINE_H

#include "daemon/compare/run.h"

/* Read all of @sources into @in on @threads threads, this one among them, and judge each object as soon as it is read.
 * The order of objects, results, problems and warnings is that of the sources, whatever the number of threads. Threads
 * that are ahead wait, so that a bounded number of sources is in memory.
 *
 * @run receives the results, and its input is @in; objects that are judged are released, so that they are absent
 * afterwards and only known by their names. NULL: nothing is judged, and the objects stay. Fails: what
 * compare_sources_read and compare_worker_judge fail with, whichever comes first in the order of sources. */
CHECKED int compare_pipeline(const struct compare_sources *sources, struct compare_input *in, struct compare_run *run,
			     unsigned threads, struct err *err);

#endif
