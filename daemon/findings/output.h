/* The forms in which records are written: to the journal, or as a text for people or JSON lines on standard output. */
#ifndef DAEMON_FINDINGS_OUTPUT_H
#define DAEMON_FINDINGS_OUTPUT_H

#include "base/shard.h"
#include "config/cfg.h"
#include "daemon/findings/record.h"

struct output;

/* Whether @form can be had. CFG_OUTPUT_AUTO can: it is the journal when systemd connected standard output to it, else
 * text. Fails: ENOENT when the journal is asked for and absent. */
CHECKED int output_check(enum cfg_output form, struct err *err);
struct output *output_new(enum cfg_output form); /* NULL without memory */
/* Let every record say from now on to which of several processes it belongs (DRIFTD_SHARD). */
void output_set_shard(struct output *o, struct shard shard);
void output_free(struct output *o);
/* Write in another form from now on. */
void output_set(struct output *o, enum cfg_output form);
bool output_form_is_the_journal(enum cfg_output form);
bool output_is_the_journal(const struct output *o);
/* What begins the colour of a syslog priority on a terminal; "\033[0m" ends it. */
const char *output_colour(int priority);

/* Whether the journal that was written to last is there and reads; other outputs always do. Waits a moment at most.
 * Fails: EAGAIN (the journal does not read), ESTALE (another journal is in its place), and as connect(2) does. */
CHECKED int output_await(struct output *o);
/* Write one record. It waits for a journal, or a reader of standard output, that does not read for a tenth of a second
 * only. Fails: EAGAIN: try again with the same record, of which a part may be written; ESTALE: the journal's socket is
 * another one, so that what the old one was given may be lost; ENOMEM; what the socket or standard output fails with
 * (EPIPE: nobody reads). */
CHECKED int output_write(struct output *o, const struct record *r);

#endif
