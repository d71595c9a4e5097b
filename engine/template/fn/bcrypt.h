/* bcrypt ("$2a$"), the password hash on Blowfish. A password may hold any bytes, also NUL. */
#ifndef TEMPLATE_FN_BCRYPT_H
#define TEMPLATE_FN_BCRYPT_H

#include "base/str.h"

#define BLOWFISH_P_WORDS 18
#define BLOWFISH_WORDS (BLOWFISH_P_WORDS + 4 * 256)
extern const uint32_t blowfish_pi[BLOWFISH_WORDS];

#define BCRYPT_SALT 16
#define BCRYPT_PASSWORD_MAX 72
#define BCRYPT_TEXT 60 /* "$2a$10$", 22 characters of salt, 31 of hash */

/* @password at most BCRYPT_PASSWORD_MAX bytes; 2^cost rounds, cost 4 to 31. @out is not NUL-terminated. */
void tmpl_bcrypt_hash(str password, const unsigned char salt[BCRYPT_SALT], unsigned cost, char out[BCRYPT_TEXT]);

#endif
