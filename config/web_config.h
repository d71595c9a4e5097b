/* The file of --web.config.file, in the format of Prometheus' exporter-toolkit: TLS, users and headers of the web
 * listeners. */
#ifndef CONFIG_WEB_CONFIG_H
#define CONFIG_WEB_CONFIG_H

#include "base/arena.h"
#include "base/problems.h"

/* How a client is asked for a certificate, in the order of Go's tls.ClientAuthType. */
enum web_client_auth {
	WEB_CLIENT_NONE,
	WEB_CLIENT_REQUEST,
	WEB_CLIENT_REQUIRE_ANY,
	WEB_CLIENT_VERIFY_IF_GIVEN,
	WEB_CLIENT_REQUIRE_AND_VERIFY,
};

struct web_user {
	const char *name, *hash; /* the name, and the hash of bcrypt */
};

struct web_header {
	const char *name, *value;
};

/* The settings. Texts end with a NUL. Never print a key or a hash. */
struct web_config {
	unsigned refs; /* a reference count of one thread */
	struct arena arena;
	bool tls;
	const char *cert, *key, *client_ca; /* PEM; client_ca may be NULL */
	enum web_client_auth client_auth;
	const char *const *client_sans; /* names of which a client's certificate must have one; none: any */
	size_t n_client_sans;
	const char *priorities; /* the priorities of GnuTLS: versions and curves */
	const struct web_user *users;
	size_t n_users;
	const struct web_header *headers;
	size_t n_headers;
	uint64_t content; /* hash of all its files (hash_seed) */
};

/* Read the file at @path and the files that it names, relative to it. Fails: EINVAL (see @problems), ENOMEM. */
CHECKED int web_config_load(const char *path, struct web_config **ret, struct problems *problems, struct err *err);
struct web_config *web_config_ref(struct web_config *w);
void web_config_unref(struct web_config *w);
DEFINE_CLEANUP(struct web_config *, web_config_unref)

/* Whether every client that is answered has authenticated, so that the listeners may show values. */
bool web_config_authenticates(const struct web_config *w);
/* Whether the certificates of clients are verified. */
bool web_config_verifies(const struct web_config *w);

#endif
