/* Assertions, for conditions that only a mistake in our own code can make false, and that would corrupt data if the
 * program went on.
 *
 * They are kept in release builds: a comparison costs nothing beside a cluster whose state is wrong. A condition
 * that a file, a server or a user can make false is an error and never an assertion; a condition that the compiler
 * can check is a _Static_assert. */
#ifndef BASE_ASSERT_H
#define BASE_ASSERT_H

#ifdef __FILE_NAME__
#define ASSERT_FILE __FILE_NAME__
#else /* GCC before 12, such as that of RHEL 9 */
#define ASSERT_FILE (__builtin_strrchr("/" __FILE__, '/') + 1)
#endif

/* Unless @cond holds, writes "FILE:LINE: assertion 'COND' is false" to standard error and aborts. */
#define ASSERT(cond) (__builtin_expect(!(cond), 0) ? assert_failed(#cond, ASSERT_FILE, __LINE__) : (void)0)

_Noreturn void assert_failed(const char *cond, const char *file, int line);

#endif
