/* A request as a transfer of libcurl, which all clients of ours set up here. A caller says what it needs; what it does
 * not ask for it does not get: only https:// with a certificate that is verified, TLS 1.2 or later, no proxy, nothing
 * of the environment and of the account's files, no redirect, no user in the URL, 30 seconds, and a bounded head. */
#ifndef KUBECLIENT_KC_TRANSFER_H
#define KUBECLIENT_KC_TRANSFER_H

#include "base/err.h"
#include "base/str.h"
#include "kubeclient/kc_loop.h"

#define KC_WHY_MAX 640

/* The User-Agent of all requests, in the form of Kubernetes' own clients. */
#if defined(__x86_64__)
#define KC_ARCHITECTURE "amd64"
#elif defined(__aarch64__)
#define KC_ARCHITECTURE "arm64"
#else
#define KC_ARCHITECTURE "unknown"
#endif
#define KC_USER_AGENT "driftd/" DRIFTD_VERSION " (linux/" KC_ARCHITECTURE ") kubernetes/unknown"

/* Trust and credentials, for the server and for a proxy that speaks TLS. Each may be NULL: then the system's
 * authorities are trusted, and no certificate is shown. An encrypted key fails, instead of asking on the terminal. */
struct kc_trust {
	const char *ca, *cert, *key;                /* PEM; beside ca no other authority is trusted */
	const char *ca_file, *cert_file, *key_file; /* or files of it */
	const char *ca_folder;
	bool system_too; /* the system's folder of authorities is trusted beside ca_file */
	bool insecure;   /* nobody is verified */
};

enum kc_transfer_time {
	KC_TIME_WHOLE,  /* the whole transfer ends within timeout_ms */
	KC_TIME_MOVING, /* the transfer may go on as long as it moves: a minute without a byte ends it */
	KC_TIME_OPEN,   /* the transfer may go on in silence, as watches do; keep-alive finds a peer that is gone */
};

/* The callbacks run inside libcurl: they store what they get, and do nothing else. */
struct kc_transfer_ops {
	/* A line of a head, its end included; @status is 0, but at the empty line behind all others: that of the
	 * answer, also of an interim one (1xx). Trailers end with such a line too. May be NULL. */
	void (*head)(void *ctx, str line, long status);
	/* Bytes of a body; false ends the transfer with CURLE_WRITE_ERROR. */
	bool (*body)(void *ctx, char *p, size_t n);
};

struct kc_transfer_options {
	/* What is asked for. */
	const char *url;
	const char *method;         /* NULL: GET, or POST with a body */
	str body;                   /* outlives the transfer; p NULL: none */
	struct curl_slist *headers; /* headers that outlive the transfer; NULL: none of its own */
	bool packed;                /* the answer may come compressed by gzip */
	bool tidy;                  /* "." and ".." of the path are resolved; else it is sent as it is */

	/* Who is asked. */
	bool plain;              /* the URL may begin with http:// */
	bool with_user;          /* the URL may hold a user and a password */
	unsigned redirects;      /* how many redirects are followed, and never one from https:// to http:// */
	const char *unix_socket; /* a socket to connect to instead of the URL's host; NULL: none */
	const char *proxy;       /* the URL of the proxy; NULL and "": there is none */
	/* the proxy for people, which outlives the transfer; NULL: messages do not name it */
	const char *proxy_shown;
	bool proxy_of_environment;     /* use the proxy of libcurl's environment variables instead */
	struct curl_slist *connect_to; /* for CURLOPT_CONNECT_TO; NULL: none */
	struct kc_trust trust;

	/* How. */
	bool http1; /* always HTTP/1.1; otherwise HTTP/2 if TLS agrees on it */
	bool fresh; /* use a new connection; otherwise one that exists, or is being made and can carry both */

	/* Within what. 0: the default */
	enum kc_transfer_time time;
	uint64_t timeout_ms; /* 30 seconds */
	uint64_t connect_ms; /* until a connection is made; timeout_ms */
	/* the most bytes of all heads together, those of interim answers and redirects too; 256 KB */
	size_t head_bytes_max;
	size_t portion; /* bytes that libcurl reads at once, into memory that each transfer has; 32 KB */

	const struct kc_transfer_ops *ops;
	void *ctx; /* the context of ops, and CURLINFO_PRIVATE */
};

struct kc_transfer {
	CURL *easy;    /* NULL before and after */
	bool connects; /* a connection was begun for it */
	bool tls, long_head;
	struct kc_loop *loop;
	const char *proxy; /* for people; "": not named */
	char *authorities; /* a copy */
	struct kc_tls_use handshake;
	size_t head_left;
	const struct kc_transfer_ops *ops;
	void *ctx;
	char said[CURL_ERROR_SIZE]; /* libcurl's text about the end, which may repeat what the server sent */
};

/* Make it, and add it to @loop. @t stays where it is until kc_transfer_end. Texts of @o are copied, but for those that
 * outlive it. On failure there is nothing to end. Fails: ENOMEM, EIO. */
CHECKED int kc_transfer_begin(struct kc_transfer *t, const struct kc_transfer_options *o, struct kc_loop *loop,
			      struct err *err);
/* Ends a transfer that is over, that was removed from the loop, or that was never begun and is all zero. */
void kc_transfer_end(struct kc_transfer *t);

long kc_transfer_status(const struct kc_transfer *t); /* the status of the answer; 0: none came */
/* The status with which a proxy refused the tunnel to the server; 0: no proxy refused. */
long kc_transfer_refusal(const struct kc_transfer *t);

/* CURLE_TOO_LARGE of libcurl 8.6: a head has a line that is too long, which earlier versions call CURLE_OUT_OF_MEMORY,
 * or too many lines. */
#define KC_CURLE_TOO_LARGE ((CURLcode)100)

/* Why it ended with @code, which is not CURLE_OK, for people: printable, with the certificate that was refused, the
 * system's own reason, or advice. Asked for in the done callback of the loop. Returns the errno for it: ENOMEM,
 * ECONNREFUSED, EHOSTUNREACH (DNS), ETIMEDOUT, EKEYREJECTED (TLS), ECONNRESET, EIO. */
int kc_transfer_why(const struct kc_transfer *t, CURLcode code, char ret[KC_WHY_MAX]);

DEFINE_CLEANUP(struct curl_slist *, curl_slist_free_all)

/* Whether @s holds no control characters except tabs. */
bool kc_is_header_text(str s);
/* Append "NAME: VALUE" to @headers, also where @value is empty. Returns 0, -EINVAL (one is no header text), -ENOMEM. */
CHECKED int kc_header_add(struct curl_slist **headers, str name, str value);

#endif
