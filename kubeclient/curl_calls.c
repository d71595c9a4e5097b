/* The functions of libcurl that are called here; see lazy_library.h. */
#include "kubeclient/lazy_library.h"

#include <curl/curl.h>
#include <stdarg.h>

/* A type cannot stand in parentheses, and curl's names of parameters are not ours.
 * NOLINTBEGIN(bugprone-macro-parentheses,readability-inconsistent-declaration-parameter-name) */

static struct lazy_library curl = { .soname = "libcurl.so.4" };

/* ---- with an argument whose type an option decides: a long, a curl_off_t or a pointer, each one machine word ---- */

_Static_assert(sizeof(void *) == sizeof(curl_off_t) && sizeof(void *) == sizeof(long),
	       "options are passed on as words");

#define LAZY_OPTION_CALL(code, name, handle_type, option_type)                                                         \
	code(name)(handle_type * handle, option_type option, ...)                                                      \
	{                                                                                                              \
		static _Atomic(void *) known;                                                                          \
		code (*call)(handle_type *, option_type, ...) =                                                        \
			(code(*)(handle_type *, option_type, ...))lazy_symbol(&curl, #name, &known);                   \
		va_list ap;                                                                                            \
		void *argument;                                                                                        \
                                                                                                                       \
		va_start(ap, option);                                                                                  \
		argument = va_arg(ap, void *);                                                                         \
		va_end(ap);                                                                                            \
		return call(handle, option, argument);                                                                 \
	}

LAZY_OPTION_CALL(CURLcode, curl_easy_setopt, CURL, CURLoption)
LAZY_OPTION_CALL(CURLcode, curl_easy_getinfo, CURL, CURLINFO)
LAZY_OPTION_CALL(CURLMcode, curl_multi_setopt, CURLM, CURLMoption)

/* ---- the others ---- */

LAZY_CALL(curl, CURLcode, curl_global_init, (long flags), (flags))
LAZY_CALL(curl, void, curl_global_cleanup, (void), ())
LAZY_CALL(curl, void, curl_free, (void *p), (p))

LAZY_CALL(curl, CURL *, curl_easy_init, (void), ())
LAZY_CALL(curl, void, curl_easy_cleanup, (CURL * handle), (handle))
LAZY_CALL(curl, void, curl_easy_reset, (CURL * handle), (handle))
LAZY_CALL(curl, CURLcode, curl_easy_perform, (CURL * handle), (handle))
LAZY_CALL(curl, const char *, curl_easy_strerror, (CURLcode code), (code))

LAZY_CALL(curl, CURLM *, curl_multi_init, (void), ())
LAZY_CALL(curl, CURLMcode, curl_multi_cleanup, (CURLM * multi), (multi))
LAZY_CALL(curl, CURLMcode, curl_multi_add_handle, (CURLM * multi, CURL *handle), (multi, handle))
LAZY_CALL(curl, CURLMcode, curl_multi_remove_handle, (CURLM * multi, CURL *handle), (multi, handle))
LAZY_CALL(curl, CURLMcode, curl_multi_assign, (CURLM * multi, curl_socket_t s, void *p), (multi, s, p))
LAZY_CALL(curl, CURLMsg *, curl_multi_info_read, (CURLM * multi, int *left), (multi, left))
LAZY_CALL(curl, CURLMcode, curl_multi_socket_action, (CURLM * multi, curl_socket_t s, int events, int *running),
	  (multi, s, events, running))

LAZY_CALL(curl, struct curl_slist *, curl_slist_append, (struct curl_slist * list, const char *text), (list, text))
LAZY_CALL(curl, void, curl_slist_free_all, (struct curl_slist * list), (list))

LAZY_CALL(curl, CURLU *, curl_url, (void), ())
LAZY_CALL(curl, void, curl_url_cleanup, (CURLU * url), (url))
LAZY_CALL(curl, CURLUcode, curl_url_get, (CURLU * url, CURLUPart part, char **ret, unsigned flags),
	  (url, part, ret, flags))
LAZY_CALL(curl, CURLUcode, curl_url_set, (CURLU * url, CURLUPart part, const char *text, unsigned flags),
	  (url, part, text, flags))

/* NOLINTEND(bugprone-macro-parentheses,readability-inconsistent-declaration-parameter-name) */
