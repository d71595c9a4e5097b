/* Reads revisions of releases as Helm's drivers for Secrets and ConfigMaps write them. */
#include "release/helm_release.h"

#include "base/ascii.h"
#include "base/assert.h"
#include "base/number.h"
#include "release/helm_unpack.h"
#include "value/json.h"

#include <errno.h>

#define NAME_PREFIX "sh.helm.release.v1."
#define SECONDS_MAX INT64_C(999999999999) /* the largest number whose microseconds fit into an int64_t */

/* ORDER helm_status */
static const char *const statuses[] = {
	"unknown",      "deployed",        "uninstalled",     "superseded",       "failed",
	"uninstalling", "pending-install", "pending-upgrade", "pending-rollback",
};
_Static_assert(ARRAY_LEN(statuses) == HELM_PENDING_ROLLBACK + 1, "each status has a name");

const char *helm_status_name(enum helm_status s)
{
	ASSERT(s < ARRAY_LEN(statuses));
	return statuses[s];
}

bool helm_status_is_pending(enum helm_status s)
{
	return s >= HELM_PENDING_INSTALL;
}

static enum helm_status status_of(str s)
{
	size_t i = str_index(s, statuses, ARRAY_LEN(statuses));

	return i < ARRAY_LEN(statuses) ? (enum helm_status)i : HELM_UNKNOWN;
}

/* ---- what stands outside ---- */

/* Parse a revision as Helm writes it: only digits, from 1, without leading zeros. */
static bool revision_parse(str s, uint32_t *ret)
{
	uint64_t n = 0;

	if (!s.n || s.n > 10 || s.p[0] == '0')
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if (!ascii_is_digit(s.p[i]))
			return false;
		n = n * 10 + (uint64_t)(s.p[i] - '0');
	}
	*ret = (uint32_t)n;
	return n <= UINT32_MAX;
}

/* Whether @name consists of NAME_PREFIX, the release, ".v" and the version. */
static bool name_agrees(str name, str release, str version)
{
	if (!str_has_prefix(name, STR(NAME_PREFIX)))
		return false;
	name = str_sub(name, sizeof(NAME_PREFIX) - 1, name.n);
	if (!str_has_prefix(name, release))
		return false;
	name = str_sub(name, release.n, name.n);
	return str_has_prefix(name, STR(".v")) && str_eq(str_sub(name, 2, name.n), version);
}

static bool kind_agrees(val object)
{
	str kind = val_str(VAL_GET(object, "kind"));

	if (!str_eq(val_str(VAL_GET(object, "apiVersion")), STR("v1")))
		return false;
	if (str_eq(kind, helm_driver_kind(HELM_SECRETS)))
		return str_eq(val_str(VAL_GET(object, "type")), STR(HELM_SECRET_TYPE));
	return str_eq(kind, helm_driver_kind(HELM_CONFIG_MAPS));
}

bool helm_driver_parse(str name, enum helm_driver *ret)
{
	bool maps = str_eq(name, STR("configmap"));

	if (!maps && !str_eq(name, STR("secret")))
		return false;
	*ret = maps ? HELM_CONFIG_MAPS : HELM_SECRETS;
	return true;
}

str helm_driver_kind(enum helm_driver d)
{
	return d == HELM_CONFIG_MAPS ? STR("ConfigMap") : STR("Secret");
}

bool helm_claims_revision(val object)
{
	return str_eq(val_str(VAL_GET(object, "type")), STR(HELM_SECRET_TYPE)) ||
	       str_has_prefix(val_str(val_dig(object, "metadata", "name", NULL)), STR(NAME_PREFIX));
}

/* The seconds in a label. 0: it contains none. */
static int64_t seconds_of(val label)
{
	int64_t n;

	return int64_parse(val_str(label), &n) && n > 0 && n <= SECONDS_MAX ? n : 0;
}

bool helm_revision_of(val object, struct helm_revision *ret)
{
	val metadata = VAL_GET(object, "metadata"), labels = VAL_GET(metadata, "labels");
	str version = val_str(VAL_GET(labels, "version"));
	struct helm_revision r = { .namespace = val_str(VAL_GET(metadata, "namespace")),
				   .release = val_str(VAL_GET(labels, "name")),
				   .status = status_of(val_str(VAL_GET(labels, "status"))) };

	if (!kind_agrees(object) || !str_eq(val_str(VAL_GET(labels, "owner")), STR("helm")))
		return false;
	if (!r.namespace.n || !r.release.n || !revision_parse(version, &r.revision))
		return false;
	if (!name_agrees(val_str(VAL_GET(metadata, "name")), r.release, version))
		return false;
	r.changed_sec = seconds_of(VAL_GET(labels, "modifiedAt"));
	if (!r.changed_sec)
		r.changed_sec = seconds_of(VAL_GET(labels, "createdAt"));
	*ret = r;
	return true;
}

/* ---- what stands inside ---- */

/* The members of a release that are decoded; all others are skipped. */
static const str picked[][3] = {
	{ STR("name") },
	{ STR("namespace") },
	{ STR("version") },
	{ STR("manifest") },
	{ STR("info"), STR("status") },
	{ STR("info"), STR("last_deployed") },
	{ STR("chart"), STR("metadata"), STR("name") },
	{ STR("chart"), STR("metadata"), STR("version") },
	{ STR("chart"), STR("metadata"), STR("appVersion") },
};

static bool make_pick(struct key_table *keys, struct arena *a, struct json_pick *ret)
{
	struct json_pick all = { .kind = PICK_MEMBERS }, one;

	for (size_t i = 0; i < ARRAY_LEN(picked); i++) {
		size_t n = 0;

		while (n < ARRAY_LEN(picked[i]) && picked[i][n].n)
			n++;
		if (!json_pick_path(picked[i], n, keys, a, &one) || !json_pick_both(&all, &one, a, &all))
			return false;
	}
	*ret = all;
	return true;
}

/* Decode @text into @a, which then contains everything that is kept of it. */
static int decode(str text, const struct limits *limits, struct key_table *keys, struct arena *a, val *ret,
		  struct err *err)
{
	struct limits l = *limits;
	struct json_pick pick;
	struct json_options o = { .limits = &l, .keys = keys, .pick = &pick };

	l.object_bytes = HELM_UNPACKED_MAX;
	if (!make_pick(keys, a, &pick))
		return arena_error(a, err);
	if (json_decode_value(text, &o, a, ret, NULL, err) < 0)
		return err_wrap(err, "release");
	if (!val_is_map(*ret))
		return err_set(err, EBADMSG, "release: no object");
	return 0;
}

/* Read a text member. Helm omits empty members, and null means the same to it, because it is written in Go. */
static int text_of(val map, const char *name, str *ret, struct err *err)
{
	val v = val_get(map, str_from(name));

	if (val_exists(v) && !val_is_null(v) && !val_is_string(v))
		return err_set(err, EBADMSG, "release: '%s' is not text", name);
	*ret = val_str(v);
	return 0;
}

static int read_release(val root, struct helm_release *r, struct err *err)
{
	val info = VAL_GET(root, "info"), chart = val_dig(root, "chart", "metadata", NULL);
	str status = { "", 0 };

	if (text_of(root, "name", &r->name, err) < 0 || text_of(root, "namespace", &r->namespace, err) < 0 ||
	    text_of(root, "manifest", &r->manifest, err) < 0 || text_of(info, "status", &status, err) < 0 ||
	    text_of(info, "last_deployed", &r->deployed_at, err) < 0 || text_of(chart, "name", &r->chart, err) < 0 ||
	    text_of(chart, "version", &r->chart_version, err) < 0 ||
	    text_of(chart, "appVersion", &r->app_version, err) < 0)
		return -err->code;
	r->status = status_of(status);
	return 0;
}

/* Check that the object contains the revision that its own name says: the right to write one object is no right to
 * the release of another. */
static int check_same(const struct helm_release *r, val version, const struct helm_revision *outside, struct err *err)
{
	const char *what = NULL;

	if (!str_eq(r->namespace, outside->namespace))
		what = "namespace";
	else if (!str_eq(r->name, outside->release))
		what = "name";
	else if (version.kind != VAL_INT || version.i != outside->revision)
		what = "revision";
	if (what)
		return err_set(err, EBADMSG, "release: its %s is not what its object says", what);
	return 0;
}

int helm_release_open(val object, const struct limits *limits, struct key_table *keys, struct helm_release *ret,
		      struct err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(HELM_UNPACKED_MAX + 1);
	struct helm_release r = { .arena = ARENA_INIT(limits->arena_bytes) };
	struct helm_revision outside;
	val root = { 0 };
	int status;

	if (!helm_revision_of(object, &outside))
		return err_set(err, EBADMSG, "no revision of a Helm release");
	status = helm_unpack(object, limits, &text, err);
	if (status == 0)
		status = decode(buf_str(&text), limits, keys, &r.arena, &root, err);
	if (status == 0)
		status = read_release(root, &r, err);
	if (status == 0)
		status = check_same(&r, VAL_GET(root, "version"), &outside, err);
	if (status < 0) {
		helm_release_done(&r);
		return status;
	}
	r.revision = outside.revision;
	*ret = r;
	return 0;
}

void helm_release_done(struct helm_release *r)
{
	arena_done(&r->arena);
	*r = (struct helm_release){ 0 };
}
