/* A connection whose bytes pass through our hands.
 *
 * libcurl reads a socket for as long as there is something in it, and calls nobody back for what carries no answer:
 * frames without payload, empty blocks, extensions of chunks. A server that never stops would keep the loop in there.
 * So libcurl connects a socket of its own, and then has one end of a pair in its place; what comes from the server is
 * handed on in portions, and the next one when libcurl has taken the last.
 *
 *     CONNECTING --kc_pump_start--> PUMPING --the server has ended, fails, or sends for nobody--> ENDED
 *                                                                                                   |
 *     libcurl has the server's socket        libcurl has the near end of a pair   ... which is at its end
 *
 *     server ==real==> kc_pump ==far | near==> libcurl
 *
 * The owner says when libcurl has used what it was given, and whether any of it was for somebody. */
#ifndef KUBECLIENT_KC_PUMP_H
#define KUBECLIENT_KC_PUMP_H

#include "base/err.h"

#include <stdint.h>
#include <sys/queue.h>
#include <uv.h>

#define KC_PUMP_PORTION ((size_t)64 << 10) /* bytes that libcurl is given at once, */
/* the portion before the first byte of an answer: what a proxy says of CONNECT libcurl reads byte by byte. */
#define KC_PUMP_FIRST_PORTION ((size_t)4 << 10)
/* the most bytes that a server may send without a byte of an answer among them */
#define KC_PUMP_NOBODYS_MAX ((uint64_t)1 << 20)

enum kc_pump_state { KC_PUMP_CONNECTING, KC_PUMP_PUMPING, KC_PUMP_ENDED };

/* Bytes that could not be passed on at once. */
struct kc_pump_rest {
	char *p;
	size_t n, from;
};

struct kc_pump {
	TAILQ_ENTRY(kc_pump) link;
	enum kc_pump_state state;
	int fd;        /* libcurl's: the server's socket, then the near end; -1: libcurl has closed it */
	int real, far; /* -1 before and after pumping */
	uv_poll_t real_poll, far_poll;
	int real_events, far_events; /* the events that the two polls wait for */
	struct kc_pump_rest in, out;
	size_t given;     /* bytes, since libcurl was last seen to have taken all */
	uint64_t nobodys; /* bytes since the last byte that belonged to an answer */
	bool answers;     /* some were */
	bool useful;      /* set by the owner: something that libcurl was given belonged to an answer */
	bool no_more;     /* the server sends nothing more */
	unsigned n_open;  /* handles not closed yet */
	struct err why;   /* why the connection ended, if not in good order; else code 0 */
	uv_loop_t *uv;
	void (*freed)(void *ctx); /* called when the pump is freed and its handles are closed */
	void *ctx;
};

/* @fd is a socket that libcurl is about to connect. NULL without memory. */
struct kc_pump *kc_pump_new(uv_loop_t *uv, int fd, void (*freed)(void *ctx), void *ctx);

/* Whether the socket is connected, and libcurl has it still. */
bool kc_pump_can_start(const struct kc_pump *p);
/* From now on fd is one end of a pair. Nobody polls fd meanwhile. Fails: EMFILE, ENFILE, ENOMEM: then it is the
 * server's socket as before. */
CHECKED int kc_pump_start(struct kc_pump *p, struct err *err);

/* libcurl has had its turn: what it has taken makes room for more. Reads @p->useful, and clears it. */
void kc_pump_taken(struct kc_pump *p);

/* libcurl lets go of the socket: @p->fd is closed. @p is freed; @freed is called from the loop, or at once. */
void kc_pump_close(struct kc_pump *p);
/* As kc_pump_close, for a socket that libcurl has closed itself: 7.88 does so without a callback for sockets that are
 * not quite connected. */
void kc_pump_drop(struct kc_pump *p);

#endif
