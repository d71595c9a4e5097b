/* Several hosts for the same clusters: whether this one reports, and how it takes over from another.
 *
 *   silent: findings are judged, and nothing of them is reported or stored; effects of inspections are the other host's
 *     |  the thread of the election has claimed the lease, and loaded what was reported (leader_loaded)
 *     v
 *   loading: the writer forgets what it had, and knows that instead; its thread makes a set of findings of it
 *     |    ^    (the term is over meanwhile: silent)
 *     |    '-- retrying: that failed, and is begun anew at the next tick
 *     v
 *   adopting: that set becomes the findings. It is compared in portions with what was known, and what differs is
 *     |       judged again     (another host leads: finishing, the same in silence, then silent)
 *     v
 *   reporting
 *     |  another host leads
 *     v
 *   dropping: the writer forgets what it had to report; then silent
 *
 * A host that could not renew its lease in time while nobody else led goes on reporting, unless it has to load again.
 */
#ifndef DAEMON_APP_LEADERSHIP_H
#define DAEMON_APP_LEADERSHIP_H

#include "daemon/leader/leader.h"
#include "daemon/serve/http.h"

struct app;

/* Open leader election as the configuration has it; without leader_election nothing happens. Fails: ENOMEM; EINVAL
 * and the codes of open(2): the hash_key_file. */
CHECKED int leadership_open(struct app *app, struct err *err);
/* Take part in the election. Fails: ENOMEM, EAGAIN; as uv_async_init. */
CHECKED int leadership_start(struct app *app, struct err *err);
/* Called about once a second. */
void leadership_tick(struct app *app);
/* Compare what another driftd reported with what was known here. True: there is more, and the time is up. */
bool leadership_go_on(struct app *app, uint64_t until_ns);
/* Close the handle on the loop. */
void leadership_leave_loop(struct app *app);
/* Give the lease back, after the writer has ended. */
void leadership_close(struct app *app);

/* The taker of emissions for sink_new, with leader_election. @ctx: the app. */
void leadership_take_emission(void *ctx, const struct emission *t);
#define LEADERSHIP_UNSHARED                                                                                            \
	"with leader_election other hosts would not know of it: put it into the configuration of each"
/* True when other hosts share the clusters: a change that the hosts do not share would then be known to this host
 * only. The request is refused with the reason. */
bool leadership_refuses(const struct app *app, struct http_response *r);
#define LEADERSHIP_REFUSAL_SIZE (ELECTION_NAME_SIZE + 128)
/* Whether users may change here what hosts share (daemon/store/made.h): 0, or the status of a refusal and @why. Only
 * the host that reports may. */
unsigned leadership_refusal(const struct app *app, char why[LEADERSHIP_REFUSAL_SIZE]);

/* The functions below are for code that knows of other hosts. */

/* The leader_status, with what keeps this host from taking over. */
void leadership_status(const struct app *app, struct leader_status *ret);
/* Whether this host reports, and knows everything that was reported before. */
bool leadership_reports(const struct app *app);
const char *leadership_phase(const struct app *app); /* the phase of leader election in a word */
const struct writer_agreement *leadership_agreement(const struct app *app);
/* The key that all hosts should use, as far as is known: that of hash_key_file, else what they agreed on. False: before
 * leadership_use_key nothing is known. */
bool leadership_key(const struct app *app, unsigned char ret[FINDINGS_KEY_SIZE]);
/* Findings have this key from now on: at first the host's own, before leadership_start. Nothing is taken over as long
 * as it is not that of leadership_key. */
void leadership_use_key(struct app *app, const unsigned char key[FINDINGS_KEY_SIZE]);

#endif
