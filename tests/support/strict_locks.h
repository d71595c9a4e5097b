/* Mutexes that know who holds them: to take one twice, to give back one that is not held, or to wait without it ends
 * the program. For programs that are linked with a --wrap of each of these. */
#ifndef SUPPORT_STRICT_LOCKS_H
#define SUPPORT_STRICT_LOCKS_H

#include "base/assert.h"

#include <errno.h>
#include <pthread.h>

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's names */
int __real_pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr);
int __real_pthread_mutex_lock(pthread_mutex_t *m);
int __real_pthread_mutex_unlock(pthread_mutex_t *m);
int __real_pthread_mutex_destroy(pthread_mutex_t *m);
int __real_pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m);
int __real_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until);
int __wrap_pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr);
int __wrap_pthread_mutex_lock(pthread_mutex_t *m);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *m);
int __wrap_pthread_mutex_destroy(pthread_mutex_t *m);
int __wrap_pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m);
int __wrap_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until);

int __wrap_pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr)
{
	pthread_mutexattr_t strict;

	ASSERT(!attr && pthread_mutexattr_init(&strict) == 0);
	ASSERT(pthread_mutexattr_settype(&strict, PTHREAD_MUTEX_ERRORCHECK) == 0);
	return __real_pthread_mutex_init(m, &strict);
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *m)
{
	ASSERT(__real_pthread_mutex_lock(m) == 0);
	return 0;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *m)
{
	ASSERT(__real_pthread_mutex_unlock(m) == 0);
	return 0;
}

int __wrap_pthread_mutex_destroy(pthread_mutex_t *m)
{
	ASSERT(__real_pthread_mutex_destroy(m) == 0); /* nobody holds it */
	return 0;
}

int __wrap_pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	ASSERT(__real_pthread_cond_wait(c, m) == 0);
	return 0;
}

int __wrap_pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until)
{
	int r = __real_pthread_cond_timedwait(c, m, until);

	ASSERT(r == 0 || r == ETIMEDOUT);
	return r;
}
/* NOLINTEND(bugprone-reserved-identifier) */

#endif
