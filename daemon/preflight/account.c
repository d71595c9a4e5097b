/* Gives up root for the account of the service. */
#include "daemon/preflight/account.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool account_exists(const char *name)
{
	return getpwnam(name) != NULL;
}

/* Set the environment. The service does not have what an administrator's shell has, such as KUBECONFIG. */
static bool set_environment(const struct passwd *p)
{
	const char *lang = getenv("LANG");
	CLEANUP(freep) char *kept = lang ? strdup(lang) : NULL;

	return clearenv() == 0 && setenv("HOME", p->pw_dir, 1) == 0 && setenv("USER", p->pw_name, 1) == 0 &&
	       setenv("LOGNAME", p->pw_name, 1) == 0 && setenv("PATH", SERVICE_PATH, 1) == 0 &&
	       (!kept || setenv("LANG", kept, 1) == 0);
}

int account_become(const char *name, struct err *err)
{
	const struct passwd *p = getpwnam(name);

	if (!p)
		return err_set(err, ENOENT, "there is no user '%s' on this host", name);
	if (initgroups(p->pw_name, p->pw_gid) < 0 || setresgid(p->pw_gid, p->pw_gid, p->pw_gid) < 0 ||
	    setresuid(p->pw_uid, p->pw_uid, p->pw_uid) < 0)
		return err_set(err, errno, "become user '%s': %s", name, strerror(errno));
	return set_environment(p) ? 0 : err_nomem(err);
}
