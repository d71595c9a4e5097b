/* Which releases are in force, by what happens to their Secrets: tests/data/releases.
 *
 * The program of a case is lines of SECOND VERB [NAMESPACE RELEASE NUMBER STATUS [OBJECTS]]. "list" and "take" report
 * the Secret of a revision, as known before or as news; its objects are KIND/NAME or KIND/NAMESPACE/NAME, "?" a
 * manifest with a mistake, and "!" a Secret that holds no release; with the status "-" it is not Helm's. "drop" says
 * that it is gone. "make" puts in force what has changed, and tells the releases: their objects, whether they are held,
 * their problems, and for how long they have been changing. The input is the entry's settings: "trusted", "namespaces",
 * "names", each with texts behind it.
 */
#include "daemon/watch/releases/release_book.h"
#include "go/base64.h"
#include "support/triples.h"
#include "value/json.h"
#include "value/yaml.h"

#define WORDS_MAX 16
#define START_USEC (INT64_C(1700000000) * 1000000)

struct words {
	str p[WORDS_MAX];
	size_t n;
};

static struct words words_of(str line)
{
	struct words w = { .n = 0 };

	while (w.n < WORDS_MAX && str_next_part(&line, ' ', &w.p[w.n]))
		w.n += w.p[w.n].n > 0;
	return w;
}

/* ---- Secrets ---- */

static void add_object(str object, struct buf *out)
{
	str kind, namespace = STR(""), name, rest = object;

	(void)str_next_part(&rest, '/', &kind);
	(void)str_next_part(&rest, '/', &namespace);
	if (!str_next_part(&rest, '/', &name)) {
		name = namespace;
		namespace = STR("");
	}
	buf_printf(out, "---\napiVersion: %s\nkind: %.*s\nmetadata: {name: %.*s%s%.*s}\n",
		   str_eq(kind, STR("ClusterRole")) ? "rbac.authorization.k8s.io/v1" : "v1", STR_ARG(kind),
		   STR_ARG(name), namespace.n ? ", namespace: " : "", STR_ARG(namespace));
}

static void add_manifest(const struct words *w, struct buf *out)
{
	for (size_t i = 6; i < w->n; i++) {
		if (str_eq(w->p[i], STR("?")))
			buf_add_cstr(out, "---\nkind: a: b\n");
		else
			add_object(w->p[i], out);
	}
}

static void add_release(const struct words *w, struct buf *out)
{
	CLEANUP(buf_done) struct buf manifest = BUF_INIT(1 << 16);

	add_manifest(w, &manifest);
	buf_printf(out,
		   "{\"name\":\"%.*s\",\"namespace\":\"%.*s\",\"version\":%.*s,\"info\":{\"status\":\"%.*s\"},"
		   "\"manifest\":",
		   STR_ARG(w->p[3]), STR_ARG(w->p[2]), STR_ARG(w->p[4]), STR_ARG(w->p[5]));
	json_encode_string(buf_str(&manifest), JSON_GO, out);
	buf_add_byte(out, '}');
}

static struct doc *secret_of(const struct words *w)
{
	CLEANUP(buf_done)
	struct buf release = BUF_INIT(1 << 16), once = BUF_INIT(1 << 18), twice = BUF_INIT(1 << 18),
		   text = BUF_INIT(1 << 19);
	struct yaml_options o = { .limits = &LIMITS_DEFAULT };
	struct doc *ret = NULL;
	struct err err;

	add_release(w, &release);
	go_base64_encode(&once, buf_str(&release));
	go_base64_encode(&twice, buf_str(&once));
	if (w->n > 6 && str_eq(w->p[6], STR("!")))
		twice.n = 0;
	buf_printf(&text,
		   "{apiVersion: v1, kind: Secret, type: helm.sh/release.v1, metadata: {namespace: %.*s, name: "
		   "sh.helm.release.v1.%.*s.v%.*s, labels: {owner: %s, name: %.*s, version: \"%.*s\", status: %.*s, "
		   "modifiedAt: \"1699990000\"}}, data: {release: \"%.*s\"}}",
		   STR_ARG(w->p[2]), STR_ARG(w->p[3]), STR_ARG(w->p[4]), str_eq(w->p[5], STR("-")) ? "nobody" : "helm",
		   STR_ARG(w->p[3]), STR_ARG(w->p[4]), STR_ARG(w->p[5]), STR_ARG(buf_str(&twice)));
	return yaml_decode(buf_str(&text), &o, &ret, &err) < 0 ? NULL : ret;
}

/* ---- what is told ---- */

static void report_component(const struct ref_component *c, struct buf *out)
{
	buf_printf(out, "%.*s:", STR_ARG(c->name));
	for (size_t i = 0; i < c->n_templates; i++) {
		const struct ref_template *t = c->templates[i];

		buf_printf(out, " %.*s/%.*s%s%.*s", STR_ARG(t->identity.kind), STR_ARG(t->identity.namespace),
			   t->identity.namespace.n ? "/" : "", STR_ARG(t->identity.name));
		buf_printf(out, "(%.*s)%s", STR_ARG(t->path), t->suspended ? " held" : "");
	}
	buf_add_byte(out, '\n');
}

static void report_release(const struct known_release *k, struct release_time now, struct buf *out)
{
	CLEANUP(buf_done) struct buf problem = BUF_INIT(4096);

	release_problem(k, &problem);
	if (problem.n)
		buf_printf(out, "%.*s! %.*s\n", STR_ARG(k->name), STR_ARG(buf_str(&problem)));
	if (k->left_out.kinds || k->left_out.places)
		buf_printf(out, "%.*s leaves out %zu by kind, %zu by place\n", STR_ARG(k->name), k->left_out.kinds,
			   k->left_out.places);
	if (release_changing(k, now))
		buf_printf(out, "%.*s is changing for %d s\n", STR_ARG(k->name),
			   (int)(release_changing(k, now) / 1000000));
}

static int make(struct release_book *b, struct release_time now, struct buf *out, struct err *err)
{
	CLEANUP(reference_unrefp) struct reference *ref = NULL;
	const struct known_release *k;
	int r;

	if (!release_book_changed(b, now)) {
		buf_add_cstr(out, "as before\n");
		return 0;
	}
	r = release_book_make(b, &ref, err);
	for (size_t i = 0; r == 0 && i < ref->parts[0].n_components; i++)
		report_component(&ref->parts[0].components[i], out);
	for (size_t at = 0; r == 0 && (k = release_book_get(b, at)); at++)
		report_release(k, now, out);
	buf_add_cstr(out, "-\n");
	return r;
}

/* ---- cases ---- */

static int run_line(struct release_book *b, const struct words *w, struct buf *out, struct err *err)
{
	int second = atoi(w->p[0].p);
	struct release_time now = { .ns = (uint64_t)(100 + second) * 1000000000,
				    .usec = START_USEC + INT64_C(1000000) * second,
				    .listed = str_eq(w->p[1], STR("list")) };
	CLEANUP(doc_unrefp) struct doc *secret = NULL;
	char key[256];

	if (str_eq(w->p[1], STR("make")))
		return make(b, now, out, err);
	if (str_eq(w->p[1], STR("drop"))) {
		(void)snprintf(key, sizeof(key), "%.*s/sh.helm.release.v1.%.*s.v%.*s", STR_ARG(w->p[2]),
			       STR_ARG(w->p[3]), STR_ARG(w->p[4]));
		release_book_drop(b, str_from(key), now);
		return 0;
	}
	secret = secret_of(w);
	if (!secret)
		return err_set(err, -1, "no Secret");
	release_book_take(b, secret->root, now);
	return 0;
}

static void set(struct cfg_reference *of, const struct words *w)
{
	struct text_list texts = { &w->p[1], w->n - 1 };

	if (str_eq(w->p[0], STR("trusted")))
		of->helm.trusted = texts;
	else if (str_eq(w->p[0], STR("namespaces")))
		of->helm.namespaces = texts;
	else
		of->helm.names = texts;
}

static int run_book(const struct triple *t, struct arena *a, struct buf *out)
{
	const struct manifest_kind kinds[] = { { STR("v1"), STR("ConfigMap") },
					       { STR("rbac.authorization.k8s.io/v1"), STR("ClusterRole") } };
	struct cfg_reference of = { .name = STR("r"),
				    .helm = { .given = true, .watched = kinds, .n_watched = ARRAY_LEN(kinds) } };
	const struct release_book_options o = { .reference = &of, .limits = &LIMITS_DEFAULT };
	struct words settings[3];
	struct release_book *b;
	struct err err = { 0 };
	str rest = t->input, line;
	size_t n = 0;
	int r = 0;

	(void)a;
	while (t->has_input && n < ARRAY_LEN(settings) && str_next_part(&rest, '\n', &line)) {
		settings[n] = words_of(line);
		if (settings[n].n)
			set(&of, &settings[n++]);
	}
	if (release_book_new(&o, &b, &err) < 0)
		return triple_error(-1, &err, out);
	rest = t->program;
	while (r == 0 && str_next_part(&rest, '\n', &line)) {
		struct words w = words_of(line);

		r = w.n > 1 ? run_line(b, &w, out, &err) : 0;
	}
	release_book_free(b);
	return r < 0 ? triple_error(r, &err, out) : 0;
}

int main(void)
{
	static const struct triple_file files[] = { { "book", run_book } };

	return triples_main(TEST_DATA "/releases", files, ARRAY_LEN(files));
}
