/* Reads the entry of a published reference: where it is published. */
#include "config/cfg_internal.h"

#include "base/hex.h"
#include "base/number.h"
#include "rules/rule_set.h"

#define NS_PER_S INT64_C(1000000000)

/* ---- values ---- */

static void set_interval(struct settings *s, void *target, const struct node *n)
{
	int64_t ns = 0;

	if (!setting_expect(s, n, NODE_SCALAR, "a duration such as 5m, or never"))
		return;
	if (!str_eq(n->text, STR("never")) && (!rule_hold_parse(n->text, &ns) || ns < SOURCE_INTERVAL_MIN_NS))
		node_problem(n, s->problems, "'%.*s' is neither a duration from 10s to 24h, such as 5m, nor never",
			     STR_ARG(n->text));
	else
		*(int64_t *)target = ns;
}

static void set_timeout(struct settings *s, void *target, const struct node *n)
{
	int64_t ns = 0;

	if (!setting_expect(s, n, NODE_SCALAR, "a duration such as 2m"))
		return;
	if (!rule_hold_parse(n->text, &ns) || ns < NS_PER_S || ns > 3600 * NS_PER_S)
		node_problem(n, s->problems, "'%.*s' is not a duration from 1s to 1h, such as 2m", STR_ARG(n->text));
	else
		*(int64_t *)target = ns;
}

static void set_hold_above(struct settings *s, void *target, const struct node *n)
{
	struct cfg_published *p = target;
	int64_t count;

	if (!setting_expect(s, n, NODE_SCALAR, "a number"))
		return;
	count = digits_parse(n->text, n->text.n, 10);
	if (!n->text.n || count < 0 || count > 1000000000)
		node_problem(n, s->problems, "'%.*s' is not a number of findings", STR_ARG(n->text));
	p->holds = true;
	p->hold_above = (uint64_t)(count < 0 ? 0 : count);
}

/* Set a file that driftd-fetch reads, relative to the configuration file. */
static void set_file(struct settings *s, void *target, const struct node *n)
{
	struct cfg_loader *l = s->ctx;
	str path;

	if (!setting_expect(s, n, NODE_SCALAR, "a path"))
		return;
	path = arena_str(s->arena, cfg_resolve_path(l, n->text, n->file));
	s->no_memory |= !path.p;
	*(str *)target = path;
}

static void set_kind(struct settings *s, struct cfg_published *p, const struct node *n, enum source_kind kind)
{
	if (!setting_expect(s, n, NODE_SCALAR, "a URL"))
		return;
	if (p->source.kind)
		node_problem(n, s->problems, "a source is one of git, oci and https");
	p->source.kind = kind;
	p->source.url = n->text;
}

static void set_git(struct settings *s, void *target, const struct node *n)
{
	set_kind(s, target, n, SOURCE_GIT);
}

static void set_oci(struct settings *s, void *target, const struct node *n)
{
	set_kind(s, target, n, SOURCE_OCI);
}

static void set_https(struct settings *s, void *target, const struct node *n)
{
	set_kind(s, target, n, SOURCE_HTTPS);
}

/* ---- tables ---- */

#define VERIFY(member) offsetof(struct source, member)

static const struct setting verify_settings[] = {
	{ "allowed_signers", set_file, VERIFY(allowed_signers), NULL,
	  "git: a file of allowed signers (ssh-keygen(1)); the commit, or the annotated tag, has to be signed by one" },
	{ "keyring", set_file, VERIFY(keyring), NULL, "git: a keyring of gpgv(1), for the same" },
	{ "cosign_key", set_file, VERIFY(cosign_key), NULL,
	  "oci: a public key in PEM; a signature of cosign for the digest has to be there" },
	{ "policy", set_file, VERIFY(policy), NULL, "oci: a containers-policy.json(5), which skopeo applies" },
	{ "minisign_key", set_file, VERIFY(minisign_key), NULL,
	  "https, a tar or a single file: a public key of minisign or signify; the signature is at the URL with "
	  ".minisig "
	  "or .sig behind it" },
	{ "sha256", setting_text, VERIFY(sha256), NULL, "https, a tar or a single file: its SHA-256, 64 hex digits" },
};

static void set_verify(struct settings *s, void *target, const struct node *n)
{
	struct cfg_published *p = target;

	if (!setting_expect(s, n, NODE_MAP, "a map that says who has to have signed it"))
		return;
	settings_read(s, n, verify_settings, ARRAY_LEN(verify_settings), &p->source);
	if (!source_is_verified(&p->source))
		node_problem(n, s->problems, "verify says nothing to verify by");
}

#define SOURCE(member) offsetof(struct cfg_published, source.member)

static const struct setting source_settings[] = {
	{ "git", set_git, 0, NULL,
	  "a repository: https://HOST/PATH, ssh://USER@HOST/PATH, USER@HOST:PATH or file:///PATH" },
	{ "oci", set_oci, 0, NULL, "an image or artifact, HOST[:PORT]/NAME, without tag or digest" },
	{ "https", set_https, 0, NULL,
	  "the URL of a tar (.tar, .tar.gz, .tgz, .tar.zst, .tar.xz), of a metadata.yaml, whose templates are beside "
	  "it, "
	  "or of one file of manifests" },
	{ "branch", setting_text, SOURCE(branch), "the one that HEAD names", "git: which branch is followed" },
	{ "tag", setting_text, SOURCE(tag), "oci: latest", "git and oci: which tag is followed" },
	{ "commit", setting_text, SOURCE(commit), NULL, "git: the one commit, all of its digits" },
	{ "digest", setting_text, SOURCE(digest), NULL, "oci: the one digest, sha256:..." },
	{ "path", setting_text, SOURCE(path), "all of it", "the folder in it that is taken" },
	{ "interval", set_interval, SOURCE(interval_ns), "5m",
	  "how often is looked for something new, at least 10s; never: what is imported only (driftd reference "
	  "import)" },
	{ "timeout", set_timeout, SOURCE(timeout_ns), "2m", "how long one look may take" },
	{ "credentials", set_file, SOURCE(credentials), NULL,
	  "a file: USER:PASSWORD or a token; git over SSH: a private key; oci: an auth.json. As all files here, "
	  "driftd-fetch has to be able to read it, and nobody else" },
	{ "known_hosts", set_file, SOURCE(known_hosts), NULL,
	  "git over SSH: a file of the hosts' keys (sshd(8)); required there" },
	{ "ca_file", set_file, SOURCE(ca_file), "the system's", "PEM file of the authorities that are trusted" },
	{ "proxy", setting_text, SOURCE(proxy), NULL, "http://HOST:PORT" },
	{ "insecure", setting_truth, SOURCE(insecure), "false",
	  "it may be fetched over plain HTTP, without credentials" },
	{ "verify", set_verify, 0, NULL,
	  "who has to have signed it; without, whoever controls the source is believed" },
	{ "hold_above", set_hold_above, 0, "never",
	  "a revision by which more findings than so many would begin waits for driftd reference accept" },
};

void cfg_set_source(struct settings *s, void *target, const struct node *n)
{
	struct cfg_reference *r = target;
	struct cfg_published *p = &r->published;

	if (!setting_expect(s, n, NODE_MAP, "a map with git, oci or https"))
		return;
	*p = (struct cfg_published){ .source = { .interval_ns = SOURCE_INTERVAL_NS, .timeout_ns = SOURCE_TIMEOUT_NS } };
	settings_read(s, n, source_settings, ARRAY_LEN(source_settings), p);
	if (!p->source.kind)
		node_problem(n, s->problems, "a source needs git, oci or https, with its URL");
}

void cfg_print_source_settings(struct buf *out)
{
	settings_print(out, "source, in an entry of references:", source_settings, ARRAY_LEN(source_settings));
	settings_print(out, "verify, in an entry of references:", verify_settings, ARRAY_LEN(verify_settings));
}

/* ---- what goes together ---- */

struct checking {
	struct cfg_loader *l;
	const struct node *at; /* the node of the source */
	const struct source *source;
};

static void refuse(const struct checking *c, const char *key, const char *why)
{
	const struct node *n = node_get(c->at, key);

	node_problem(n ? n : c->at, c->l->settings.problems, "%s", why);
}

/* Check settings that only one kind of source has. */
static void check_kind(const struct checking *c)
{
	static const struct {
		const char *key;
		size_t offset;
		unsigned kinds;
		const char *why;
	} only[] = {
		{ "branch", offsetof(struct source, branch), 1u << SOURCE_GIT, "branch goes with git" },
		{ "tag", offsetof(struct source, tag), 1u << SOURCE_GIT | 1u << SOURCE_OCI,
		  "tag goes with git and oci" },
		{ "commit", offsetof(struct source, commit), 1u << SOURCE_GIT, "commit goes with git" },
		{ "digest", offsetof(struct source, digest), 1u << SOURCE_OCI, "digest goes with oci" },
		{ "known_hosts", offsetof(struct source, known_hosts), 1u << SOURCE_GIT, "known_hosts goes with git" },
		{ "verify", offsetof(struct source, allowed_signers), 1u << SOURCE_GIT,
		  "allowed_signers goes with git" },
		{ "verify", offsetof(struct source, keyring), 1u << SOURCE_GIT, "keyring goes with git" },
		{ "verify", offsetof(struct source, cosign_key), 1u << SOURCE_OCI, "cosign_key goes with oci" },
		{ "verify", offsetof(struct source, policy), 1u << SOURCE_OCI, "policy goes with oci" },
		{ "verify", offsetof(struct source, minisign_key), 1u << SOURCE_HTTPS, "minisign_key goes with https" },
		{ "verify", offsetof(struct source, sha256), 1u << SOURCE_HTTPS, "sha256 goes with https" },
	};

	for (size_t i = 0; i < ARRAY_LEN(only); i++) {
		const str *text = (const str *)((const char *)c->source + only[i].offset);

		if (text->n && !(only[i].kinds & 1u << c->source->kind))
			refuse(c, only[i].key, only[i].why);
	}
}

static bool is_hash(str s, size_t digits)
{
	return s.n == digits && hex_is(s);
}

/* Check the settings that choose the revision. */
static void check_ref(const struct checking *c)
{
	const struct source *s = c->source;
	str digest = str_sub(s->digest, 7, s->digest.n);

	if (!!s->branch.n + !!s->tag.n + !!s->commit.n + !!s->digest.n > 1)
		refuse(c, "tag", "at most one of branch, tag, commit and digest says which revision is meant");
	if (s->commit.n && !is_hash(s->commit, 40) && !is_hash(s->commit, 64))
		refuse(c, "commit", "commit is all 40 or 64 digits of one, in lower case");
	if (s->digest.n && (!str_has_prefix(s->digest, STR("sha256:")) || !is_hash(digest, 64)))
		refuse(c, "digest", "digest is sha256: and 64 hex digits in lower case");
	if (s->sha256.n && !is_hash(s->sha256, 64))
		refuse(c, "verify", "sha256 is 64 hex digits in lower case");
	if (str_has_prefix(s->branch, STR("-")) || str_has_prefix(s->tag, STR("-")))
		refuse(c, "branch", "a branch or tag does not begin with '-'");
}

/* Whether it is an SSH address: USER@HOST:PATH has no scheme. */
static bool is_ssh(str url)
{
	ptrdiff_t at = str_find_byte(url, '@'), colon = str_find_byte(url, ':');

	return str_has_prefix(url, STR("ssh://")) ||
	       (str_find(url, STR("://")) < 0 && at > 0 && colon > at && str_find_byte(url, '/') != 0);
}

/* Whether a URL has a user before its host, where a password can be too. */
static bool has_user(str url)
{
	ptrdiff_t scheme = str_find(url, STR("://"));
	str rest = scheme < 0 ? STR("") : str_sub(url, (size_t)scheme + 3, url.n), host;

	return str_next_part(&rest, '/', &host) && str_find_byte(host, '@') >= 0;
}

static void check_git_url(const struct checking *c)
{
	str url = c->source->url;

	if (is_ssh(url) && !c->source->known_hosts.n)
		refuse(c, "git", "git over SSH needs known_hosts: else whoever answers would be believed");
	if (!is_ssh(url) && !str_has_prefix(url, STR("https://")) && !str_has_prefix(url, STR("http://")) &&
	    !str_has_prefix(url, STR("file:///")))
		refuse(c, "git", "git is https://HOST/PATH, ssh://USER@HOST/PATH, USER@HOST:PATH or file:///PATH");
	if (is_ssh(url) && c->source->proxy.n)
		refuse(c, "proxy", "git over SSH goes through no proxy");
	if (!is_ssh(url) && has_user(url))
		refuse(c, "git", "a URL holds no user or password: credentials names a file with them");
}

/* Whether @url has the form HOST[:PORT]/NAME. */
static bool is_image(str url)
{
	ptrdiff_t last = str_rfind(url, STR("/"));

	return last > 0 && str_find(url, STR("://")) < 0 && str_find_byte(url, '@') < 0 &&
	       str_find_byte(str_sub(url, (size_t)last, url.n), ':') < 0 && url.p[0] != '-';
}

static void check_url(const struct checking *c)
{
	const struct source *s = c->source;
	bool plain = str_has_prefix(s->url, STR("http://"));

	if (s->kind == SOURCE_GIT)
		check_git_url(c);
	if (s->kind == SOURCE_OCI && !is_image(s->url))
		refuse(c, "oci", "oci is HOST[:PORT]/NAME, without a scheme, tag or digest");
	if (s->kind == SOURCE_HTTPS && !plain && !str_has_prefix(s->url, STR("https://")))
		refuse(c, "https", "https is a URL that begins with https://");
	if (s->kind == SOURCE_HTTPS && has_user(s->url))
		refuse(c, "https", "a URL holds no user or password: credentials names a file with them");
	if (plain && !s->insecure)
		refuse(c, source_kind_name(s->kind),
		       "over plain HTTP anybody on the way can change it: insecure: true "
		       "allows that, and verify makes it harmless");
	if (s->insecure && s->credentials.n)
		refuse(c, "credentials", "credentials are not sent over plain HTTP: no insecure with them");
}

static bool is_inside(str path)
{
	return !path.n || (!ref_path_leads_out(path) && path.p[0] != '/' && path.p[path.n - 1] != '/');
}

/* The default path of a reference: for a single file over HTTPS the name in the URL, else metadata.yaml. */
static str usual_path(const struct source *s)
{
	ptrdiff_t slash = str_rfind(s->url, STR("/"));
	str last = str_sub(s->url, (size_t)(slash + 1), s->url.n), name = last;
	str rest = last;

	if (str_next_part(&rest, '?', &name))
		last = name;
	return s->kind == SOURCE_HTTPS && str_has_suffix(last, STR(".yaml")) ? last : STR("metadata.yaml");
}

static void check_paths(const struct checking *c, const struct node *entry, struct cfg_reference *r)
{
	const struct node *manifests = node_get(entry, "manifests");

	if (node_get(entry, "last_applied") || node_get(entry, "helm_releases"))
		refuse(c, "", "source goes with path or manifests");
	if (!is_inside(r->published.source.path) || !is_inside(r->path) || !is_inside(r->manifests.path))
		refuse(c, "path", "a path in a source does not lead out of it, and has no slash at its ends");
	r->published.source.wants = manifests ? SOURCE_WANTS_FILES : SOURCE_WANTS_TEMPLATES;
	if (str_eq(r->manifests.path, STR(".")))
		r->manifests.path = STR("");
	if (!manifests && !r->path.n)
		r->path = usual_path(&r->published.source);
}

void cfg_check_source(struct cfg_loader *l, const struct node *entry, struct cfg_reference *r)
{
	const struct checking c = { l, node_get(entry, "source"), &r->published.source };

	if (!r->published.source.kind)
		return;
	if (!source_name_is_good(r->name))
		node_problem(
			entry, l->settings.problems,
			"the name of a reference with a source has letters, digits, '-', '_' and '.' only, at most 63");
	r->published.source.name = r->name;
	check_kind(&c);
	check_ref(&c);
	check_url(&c);
	check_paths(&c, entry, r);
}
