/* Finds the files that the configuration needs, and why the service cannot read them. */
#include "daemon/preflight/files.h"

#include "daemon/watch/source/kube_source.h"
#include "rules/rule_file.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- gathering ---- */

static bool add(struct files *f, str cluster, const char *what, str path, bool run, bool maybe)
{
	struct file_to_check x = { .cluster = cluster, .what = what, .run = run, .maybe = maybe };
	CLEANUP(freep) char *real = NULL;
	struct stat st;

	x.path = arena_str(&f->arena, path).p;
	if (!x.path)
		return false;
	/* a program without a slash is not one of this folder */
	real = run && !strchr(x.path, '/') ? NULL : realpath(x.path, NULL);
	x.real = real ? arena_str(&f->arena, str_from(real)).p : x.path;
	if (!x.real)
		return false;
	x.found = stat(x.path, &st) == 0;
	if (x.found) {
		x.mode = st.st_mode & 07777;
		x.owner = st.st_uid;
		x.group = st.st_gid;
	}
	return vec_push(&f->list, x);
}

/* Add a file. @path NULL: there is nothing to read. */
static bool add_named(struct files *f, str cluster, const char *what, const char *path)
{
	return !path || add(f, cluster, what, str_from(path), false, false);
}

/* Add the files of a reference. A published one is in the store, and one from the cluster has no file. */
static bool add_reference(const struct cfg_reference *r, struct files *f)
{
	if (r->published.source.kind)
		return true;
	if (r->path.n && !add(f, STR(""), "reference", r->path, false, false))
		return false;
	return !r->manifests.path.n || add(f, STR(""), "manifests", r->manifests.path, false, false);
}

static bool add_configuration(const struct cfg *cfg, struct files *f)
{
	bool ok = true;

	for (size_t i = 0; i < cfg->n_references; i++)
		ok = ok && add_reference(&cfg->references[i], f);
	for (size_t i = 0; i < cfg->n_event_rules; i++)
		ok = ok && add(f, STR(""), "event rules", cfg->event_rules[i].path, false, false);
	for (size_t i = 0; i < cfg->n_rule_files; i++)
		ok = ok && add_named(f, STR(""), "validation rules", cfg->rule_files[i]->path);
	if (cfg->inspection.built_in.n)
		ok = ok && add(f, STR(""), "inspection rules", cfg->inspection.built_in, false, false);
	return ok;
}

static int add_kubeconfigs(const struct cfg_cluster *c, struct files *f, struct err *err)
{
	str path = arena_str(&f->arena, c->kubeconfig);
	const char *const *paths = NULL;
	struct kubeconfig_source source;
	size_t n = 0;
	int r;

	if (!path.p)
		return err_nomem(err);
	kubeconfig_source_env(c->kubeconfig.n ? path.p : NULL, &source);
	r = kubeconfig_source_paths(&source, &f->arena, &paths, &n, err);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = add(f, c->name, "kubeconfig", str_from(paths[i]), false, !c->kubeconfig.n) ? 0 : err_nomem(err);
	return r;
}

static int add_credentials(const struct cfg_cluster *c, struct files *f, struct err *err)
{
	CLEANUP(kubeconfig_unrefp) struct kubeconfig *kubeconfig = NULL;
	struct kube_target t;
	int r = kube_source_target(c, &kubeconfig, &t, err);

	if (r < 0)
		return r;
	if (!add_named(f, c->name, "certificate authority", t.cluster->ca_file) ||
	    !add_named(f, c->name, "client certificate", t.user->cert_file) ||
	    !add_named(f, c->name, "client key", t.user->key_file) ||
	    !add_named(f, c->name, "token", t.user->token_file))
		return err_nomem(err);
	if (t.user->exec && !add(f, c->name, "credential plugin", str_from(t.user->exec->command), true, false))
		return err_nomem(err);
	return 0;
}

/* What speaks TLS and has a password or a token. */
static bool add_peer(struct files *f, const char *const *what, const str *paths, size_t n)
{
	bool ok = true;

	for (size_t i = 0; ok && i < n; i++)
		ok = !paths[i].n || add(f, STR(""), what[i], paths[i], false, false);
	return ok;
}

static bool add_peers(const struct cfg *cfg, struct files *f)
{
	static const char *const of_etcd[] = { "certificate authority of etcd", "client certificate for etcd",
					       "client key for etcd", "password for etcd", "key of the hashes" };
	static const char *const of_alertmanager[] = { "certificate authority of Alertmanager",
						       "client certificate for Alertmanager",
						       "client key for Alertmanager", "password for Alertmanager",
						       "token for Alertmanager" };
	const struct cfg_leader *l = &cfg->leader;
	const struct cfg_alertmanager *a = &cfg->alertmanager;
	const str etcd[] = { l->ca_file, l->cert_file, l->key_file, l->password_file, l->hash_key_file };
	const str alertmanager[] = { a->ca_file, a->cert_file, a->key_file, a->password_file, a->bearer_token_file };

	_Static_assert(ARRAY_LEN(of_etcd) == ARRAY_LEN(etcd), "ORDER etcd");
	_Static_assert(ARRAY_LEN(of_alertmanager) == ARRAY_LEN(alertmanager), "ORDER alertmanager");
	return add_peer(f, of_etcd, etcd, ARRAY_LEN(etcd)) &&
	       add_peer(f, of_alertmanager, alertmanager, ARRAY_LEN(alertmanager));
}

int files_gather(const struct cfg *cfg, const char *config_path, const char *web_path, struct files *ret,
		 struct err *err)
{
	const char *const *paths;
	size_t n;
	int r;

	*ret = (struct files){ 0 };
	r = cfg_files(config_path, &ret->arena, &paths, &n, err);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_named(ret, STR(""), "configuration", paths[i]) ? 0 : err_nomem(err);
	if (r == 0 && (!add_configuration(cfg, ret) || !add_peers(cfg, ret) ||
		       !add_named(ret, STR(""), "web configuration", web_path)))
		r = err_nomem(err);
	for (size_t i = 0; r == 0 && i < cfg->n_clusters; i++) {
		r = add_kubeconfigs(&cfg->clusters[i], ret, err);
		if (r == 0)
			r = add_credentials(&cfg->clusters[i], ret, err);
	}
	return r;
}

void files_done(struct files *f)
{
	vec_done(&f->list);
	arena_done(&f->arena);
}

/* ---- looking ---- */

/* Whether the file can be run. A folder that may be entered has the same modes. */
static bool is_program(const char *path)
{
	struct stat st;

	if (faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) < 0 || stat(path, &st) < 0)
		return false;
	if (S_ISDIR(st.st_mode))
		errno = EISDIR;
	return !S_ISDIR(st.st_mode);
}

/* Whether a program can be run. Like execvp(3) it is searched in PATH, unless its name has a slash. */
bool file_can_run(const char *command)
{
	str rest = str_from(getenv("PATH") ? getenv("PATH") : ""), folder;
	char path[4096];

	if (strchr(command, '/'))
		return is_program(command);
	while (str_next_part(&rest, ':', &folder)) {
		int n = snprintf(path, sizeof(path), "%.*s/%s", STR_ARG(folder), command);

		if (n > 0 && (size_t)n < sizeof(path) && is_program(path))
			return true;
	}
	errno = ENOENT;
	return false;
}

static bool is_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	return strncmp(path, folder, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

/* The setting of driftd.service that hides the path; NULL: none. */
static const char *hidden_folder(const char *path)
{
	static const struct {
		const char *folder, *setting;
	} hidden[] = {
		{ "/home", "ProtectHome=yes" }, { "/root", "ProtectHome=yes" },   { "/run/user", "ProtectHome=yes" },
		{ "/tmp", "PrivateTmp=yes" },   { "/var/tmp", "PrivateTmp=yes" },
	};

	for (size_t i = 0; i < ARRAY_LEN(hidden); i++) {
		if (is_below(path, hidden[i].folder))
			return hidden[i].setting;
	}
	return NULL;
}

/* The setting that hides a file. A path may be relative, and links lead elsewhere: both the path and its target must
 * be visible. */
static const char *hidden_by(const struct file_to_check *x)
{
	const char *setting = hidden_folder(x->path);

	return setting ? setting : hidden_folder(x->real);
}

static void add_denied(const struct file_to_check *x, int error, struct checks *out)
{
	const struct passwd *me = getpwuid(geteuid()), *owner;
	const char *verb = x->run ? "run" : "read";
	char mine[64], theirs[64];
	const struct group *group;

	(void)snprintf(mine, sizeof(mine), "%s", me ? me->pw_name : "this user");
	if (!x->found || error != EACCES) {
		checks_add(out, x->cluster, CHECK_FAILED, str_from(x->what), "%s: %s cannot %s it: %s", x->path, mine,
			   verb, strerror(error));
		return;
	}
	owner = getpwuid(x->owner);
	(void)snprintf(theirs, sizeof(theirs), "%s", owner ? owner->pw_name : "?");
	group = getgrgid(x->group);
	checks_add(out, x->cluster, CHECK_FAILED, str_from(x->what),
		   "%s: %s cannot %s it: it, or a folder on the way, forbids it (owner %s, group %s, mode %04o)",
		   x->path, mine, verb, theirs, group ? group->gr_name : "?", x->mode);
}

static void add_missing_program(const struct file_to_check *x, struct checks *out)
{
	checks_add(out, x->cluster, CHECK_FAILED, str_from(x->what), "%s: not in PATH (%s)", x->path,
		   getenv("PATH") ? getenv("PATH") : "which is not set");
}

static void look_at(const struct file_to_check *x, bool as_service, struct checks *out)
{
	const char *setting = as_service ? hidden_by(x) : NULL;
	bool good = x->run ? file_can_run(x->path) : faccessat(AT_FDCWD, x->path, R_OK, AT_EACCESS) == 0;
	int error = errno;

	if (!good && x->maybe && error == ENOENT)
		return;
	if (!good && x->run && !strchr(x->path, '/'))
		add_missing_program(x, out);
	else if (!good)
		add_denied(x, error, out);
	else if (setting)
		checks_add(out, x->cluster, CHECK_WARNING, str_from(x->what),
			   "%s: driftd.service does not see it: %s; move it, below /etc/driftd for instance", x->path,
			   setting);
}

void files_check(const struct files *f, bool as_service, struct checks *out)
{
	size_t before = out->rows.n;

	for (size_t i = 0; i < f->list.n; i++)
		look_at(&f->list.p[i], as_service, out);
	if (out->rows.n == before)
		checks_add(out, STR(""), CHECK_OK, STR("files"), "%zu file%s: all can be read", f->list.n,
			   plural_s(f->list.n));
}
