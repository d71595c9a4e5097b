/* Speculative evaluation of a listed object, in a thread, before the reflector reports it (struct kc_prepare): the
 * object is read, judged by every reference and the validation rules and, when there is nothing to report, packed as it
 * will be kept. */
#ifndef DAEMON_WATCH_SPECULATION_H
#define DAEMON_WATCH_SPECULATION_H

#include "daemon/watch/process/crash_marker.h"
#include "daemon/watch/reference/reference_judge.h"
#include "daemon/watch/rules/rules_in_force.h"
#include "daemon/watch/snapshot/watch_inspector.h"

struct speculation {
	struct kc_prepared prepared; /* must be the first member */
	/* the packed text; {NULL, 0} without a dictionary, or if packing did not make it shorter */
	struct packed_object packed;
	struct speculator *speculator;
	struct rules_passed passed; /* valid if the speculator has rules */
	size_t n;                   /* the number of verdicts: one for each reference */
	struct speculated verdicts[];
};

/* What one thread works with. Everything that it points to stays unchanged while the thread works. */
struct speculator {
	void *owner; /* whatever the user of the speculator keeps here */
	const struct reference_judge *judges;
	size_t n_judges;
	/* the validation rules of the kind; NULL: there are none, or they do not decide alone */
	struct rules_in_force *rules;
	/* what inspections can see and have found nothing in; NULL: nothing is inspected */
	struct watch_inspector_reads *inspects;
	struct lent_kinds lent; /* what templates may look up */
	str cluster;
	struct shard shard; /* objects of other shards are speculated only if they count here */
	struct object_type type;
	const struct limits *limits;
	struct pack_dict *dict;           /* the dictionary of the kind; NULL: there is none yet */
	struct crash_marker_place *place; /* NULL: there is no file of crash markers */
	struct key_table *keys;           /* these three belong to the speculator */
	struct packer *packer;
	struct read_sets read_sets;
	struct read_set *usual; /* the read set of the last verdict, if there is exactly one reference */
	struct arena partial;   /* memory for one object */
	struct buf texts;
	struct buf writers;   /* the managedFields of the object that is looked at */
	bool writers_known;   /* @writers was read together with the object */
	struct arena results; /* memory of the results, until speculator_begin */
	SLIST_ENTRY(speculator) link;
};

/* Make a speculator with its own parts only; the caller sets the others. NULL: no memory. */
struct speculator *speculator_new(const struct limits *limits);
void speculator_free(struct speculator *h);

/* Speculate on one object. The result is valid until the speculator begins again, and is released before that with
 * speculation_done. NULL: the object goes to the loop as it is, because there is something to report or the verdict
 * cannot be reached. */
struct speculation *speculation_look(struct speculator *h, str text);
void speculation_done(struct speculation *f);
void speculator_begin(struct speculator *h);

#endif
