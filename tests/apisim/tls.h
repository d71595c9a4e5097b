/* The certificates: an authority, the server's and a client's, made once in a directory and kept there. */
#ifndef APISIM_TLS_H
#define APISIM_TLS_H

#include "base/err.h"

struct tls_files {
	/* PEM texts, each from malloc. */
	char *ca, *server_cert, *server_key, *client_cert, *client_key;
};

/* Reads ca.crt, server.crt, server.key, client.crt and client.key in @dir. When one is missing all are made anew (with
 * ca.key), the server's for localhost, 127.0.0.1, ::1 and @bind. @dir is created when it is missing. */
CHECKED int tls_load(const char *dir, const char *bind, struct tls_files *ret, struct err *err);
void tls_files_done(struct tls_files *f);

/* Writes a kubeconfig for @url. @f NULL: no TLS. With @token the user has it, else the client certificate. */
CHECKED int kubeconfig_write(const char *path, const char *url, const struct tls_files *f, const char *token,
			     struct err *err);

#endif
