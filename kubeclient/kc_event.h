/* What a client reports to its owner: objects, states, notices and counters. */
#ifndef KUBECLIENT_KC_EVENT_H
#define KUBECLIENT_KC_EVENT_H

#include "base/err.h"
#include "base/str.h"
#include "value/val.h"

struct doc;
struct kc_watch;

enum kc_event {
	KC_LISTED, /* part of a list or of the initial events; new or known before */
	KC_ADDED,
	KC_MODIFIED,
	KC_DELETED,
};

/* What an owner has made of an object's text before it was reported. It is the first member of the owner's own
 * struct, and its texts live as long as that. */
struct kc_prepared {
	str namespace, name, uid, resource_version; /* kc_identity_of */
	str managed_fields;                         /* a part of the text, which struct kc_object has too */
};

/* Processing of a first list's objects in threads while more are received: reading, judging and packing objects takes
 * longer than receiving them. They are reported in order all the same. */
struct kc_prepare {
	/* On the loop: what a thread needs to process objects of the watch. NULL: they are reported at once. */
	void *(*begin)(void *ctx);
	/* In any thread, which has @thread_ctx to itself. @text is the object's. NULL: nothing comes of it. */
	struct kc_prepared *(*look)(void *thread_ctx, str text);
	/* On the loop: it was reported, or will not be. */
	void (*forget)(struct kc_prepared *p);
	void (*end)(void *thread_ctx); /* on the loop, after everything that it made was forgotten */
};

/* What the owner's store has of an object. It borrows from the store until the store changes. */
struct kc_known {
	void *object; /* the owner's */
	str key;      /* identity_local_key */
	str uid, resource_version;
};

struct kc_knowns { /* known objects, in the form of a VEC */
	struct kc_known *p;
	size_t n, cap;
};

/* One object as it was received. Everything is borrowed for the duration of the call; doc_ref keeps the document.
 * @doc is NULL for a deletion found by absence from a new list, or by a changed uid, and where @prepared is not: then
 * the text was not read here (value/object_text.h). The document leaves out
 * metadata.managedFields; @managed_fields is its JSON text, empty when the object has none. */
struct kc_object {
	enum kc_event event;
	/* the uid and resourceVersion are known; a server that was restored from a backup may give them to other
	 * contents */
	bool unchanged;
	void *known;   /* what the owner's store has of the object (struct kc_known); NULL: nothing */
	uint32_t list; /* the number of the latest list that has begun, counted over all watches of the client */
	str namespace; /* empty: cluster-scoped */
	str name;
	str key; /* identity_local_key of both */
	str uid;
	str resource_version;
	struct doc *doc;
	/* why the object cannot be read, in which case @doc has its identity only. NULL: it was read */
	const char *unreadable;
	str managed_fields;
	/* the text that @doc was decoded from (value/object_text.h), with @managed_fields as a part of it; {NULL,
	 * 0}: none */
	str text;
	bool looked_at;               /* a thread has looked at the object; */
	struct kc_prepared *prepared; /* what came of that; NULL: nothing */
	uint64_t received_ns;         /* uv_hrtime() when its last byte was read */
};

enum kc_state {
	/* for discovery, or for its turn. With a reason: discovery lacks the kind, and is repeated to confirm that */
	KC_WAITING,
	KC_LISTING,
	KC_WATCHING,
	KC_BACKOFF, /* after a failure, or because discovery cannot say whether the kind exists; tried again later */
	/* the server does not have the kind, so that no object of it exists; discovery looks for it again */
	KC_ABSENT,
	KC_FORBIDDEN, /* 401 or 403; tried again */
};

enum kc_list_reason {
	KC_LIST_START,
	KC_LIST_EXPIRED,
	KC_LIST_BAD_DATA,
	KC_LIST_STALLED, /* nothing arrives any more, however the watch is resumed */
	KC_LIST_REASONS
};
enum kc_restart_reason {
	KC_RESTART_TIMEOUT,
	KC_RESTART_ERROR,
	KC_RESTART_IDLE,
	KC_RESTART_BAD_DATA,
	KC_RESTART_REASONS
};

/* Callbacks of one watch; each may be NULL but object. They may add and remove watches, this one too, and close the
 * client. After kc_watch_remove none is called any more.
 *
 * What is known of objects is known by the owner alone: a watch writes into its store through object, and asks it
 * through find and absent, as the reflector of client-go does with its Store. */
struct kc_handler {
	/* The store has the object as *o says from now on, or, of KC_DELETED, no more. */
	void (*object)(void *ctx, const struct kc_object *o);
	/* Find the object of @key (identity_local_key). False: the store does not have it. NULL: the store never has
	 * any. */
	bool (*find)(void *ctx, str key, struct kc_known *ret);
	/* Append to @ret all that the store has of the watch's collection and that no list of the number @list or later
	 * held, nor anything since (kc_listed_before). NULL: there is nothing. Fails: ENOMEM. */
	CHECKED int (*absent)(void *ctx, uint32_t list, struct kc_knowns *ret, struct err *err);
	/* A complete list was reported; absent objects were reported as deleted. */
	void (*synced)(void *ctx, enum kc_list_reason reason);
	/* On every change. @why is NULL unless the state is BACKOFF, ABSENT or FORBIDDEN, and mostly when it is
	 * WAITING. Objects of a kind that became absent are not reported as deleted one by one: the store has none of
	 * the collection then. */
	void (*state)(void *ctx, enum kc_state state, const struct err *why);
	/* What the server says the account may not do: 1u << KC_LIST, 1u << KC_WATCH; 0 when it may do both, or when
	 * the server does not say. Called from time to time, whether that has changed or not. */
	void (*access)(void *ctx, unsigned denied);
	const struct kc_prepare *prepare;
	/* A change of a known object, offered before it is decoded: *o has neither document nor managed_fields, and its
	 * identity is as a glance at the text found it. True: the text says so indeed (kc_object_confirmed), it is an
	 * object that can be decoded, and the owner is done with it: it is not reported. False: it is, as any other.
	 * Adds and removes no watches. */
	bool (*unseen)(void *ctx, const struct kc_object *o);
	/* Whether the owner does not need the object: then it is not reported, and where it was known it is gone. Asked
	 * of all that is to be reported but the deletion of what is known; before it is decoded where a glance at the
	 * text finds who it is, and nothing is known under its name: *o then has the text only. Adds and removes no
	 * watches. NULL: all are needed. */
	bool (*unneeded)(void *ctx, const struct kc_object *o);
};

/* Whether an object that was last put when @then was the latest list was not put since the list @list began. Numbers
 * wrap around. */
static inline bool kc_listed_before(uint32_t then, uint32_t list)
{
	return (int32_t)(then - list) < 0;
}

/* Whether @root, decoded from the text of @o, is the object that *o says, and may be reported. */
bool kc_object_confirmed(const struct kc_object *o, val root);

enum kc_notice_kind {
	KC_NOTICE_INSECURE, /* TLS verification is switched off by the kubeconfig, or there is no TLS and no credential
			       sent */
	KC_NOTICE_CREDENTIALS, /* a file could not be re-read, or a plugin failed; the old credentials stay in use */
	KC_NOTICE_DISCOVERY,   /* discovery, or one group of it, failed */
	KC_NOTICE_OVERSIZED,   /* an object above the limit was skipped */
	KC_NOTICE_BAD_DATA,    /* the server sent something that cannot be read */
};

struct kc_notice {
	enum kc_notice_kind kind;
	const char *resource; /* "deployments.apps"; NULL: concerns the cluster */
	const char *message;
};

enum kc_verb { KC_GET, KC_LIST, KC_WATCH, KC_CREATE, KC_VERBS };

#define KC_FAILURE_CODES 48

struct kc_failure_count {
	enum kc_verb verb;
	char code[12]; /* HTTP status, or refused, timeout, tls, dns, broken, other; "overflow" in the last one of a
			  full table */
	uint64_t n;
};

struct kc_counters {
	uint64_t requests[KC_VERBS];
	uint64_t answers[KC_VERBS];   /* answers of any status whose headers have arrived */
	uint64_t answer_ns[KC_VERBS]; /* the sum of the times until then, including making a connection */
	struct kc_failure_count failures[KC_FAILURE_CODES];
	size_t n_failures;
};

struct kc_watch_counters {
	uint64_t events; /* watch events without bookmarks */
	uint64_t bookmarks;
	uint64_t restarts[KC_RESTART_REASONS];
	uint64_t relists[KC_LIST_REASONS]; /* complete lists; KC_LIST_START counts the first one */
	uint64_t oversized;                /* objects skipped */
	uint64_t bad_data;
	uint64_t failures;      /* the number of failures in a row, up to now */
	uint64_t last_sync_ns;  /* uv_hrtime of the last complete list; 0: none */
	uint64_t last_heard_ns; /* uv_hrtime when the server last sent something */
	/* uv_hrtime of the last evidence that the watch works (kc_evidence.h); 0: there is none yet */
	uint64_t proved_ns;
	/* uv_hrtime from which that evidence, or without any the list, is too old; 0: there is neither */
	uint64_t stale_ns;
	/* uv_hrtime when the watch last became current again: it had delivered all that happened during a failure
	 * (kc_catch_up.h); 0: never */
	uint64_t caught_up_ns;
};

const char *kc_verb_name(enum kc_verb v);                     /* "get" */
const char *kc_state_name(enum kc_state s);                   /* "watching" */
const char *kc_list_reason_name(enum kc_list_reason r);       /* "start", "expired", "bad_data", "stalled" */
const char *kc_restart_reason_name(enum kc_restart_reason r); /* "timeout", "error", "idle", "bad_data" */

#endif
