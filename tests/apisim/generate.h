/* Objects and changes made by the server itself, for benchmarks. */
#ifndef APISIM_GENERATE_H
#define APISIM_GENERATE_H

#include "sim.h"
#include "status.h"

struct generator;

/* What POST /_apisim/generate does: creates objects now, and starts a generator that changes them when the command has
 * a rate. *created: objects made. */
CHECKED int generate_command(struct sim *sim, json_t *command, size_t *created, struct refusal *refusal);
void generators_tick(struct sim *sim, uint64_t now);
void generators_done(struct sim *sim);
size_t generators_pending(const struct sim *sim);

#endif
