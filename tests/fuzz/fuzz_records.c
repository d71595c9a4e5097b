/* Hostile objects on their way to records: nothing of what may not be shown comes out.
 *
 * The first byte picks a cluster of tests/data/records (references that compare, fail, look Secrets up and have inline
 * functions, and rules that quote what they read, of kinds named and found by pattern), the rest are objects in YAML
 * with "=== " between them: each comes when those before it were judged, so that the next of the same name is a change.
 * Their managedFields say who wrote them, as the client tells it. A marker is planted wherever a name
 * says that a text is secret; it must be in no record, in whatever form, in nothing that is kept, and in no report of
 * "driftd compare --mask".
 *
 * What takes long and says the same again is done once: a record is written as lines when this process has not done
 * that with another that differs in times and ids only, and while new inputs are looked for one in REPORT_SAMPLE is
 * compared as "driftd compare" does it. */
#include "support/marker.h"
#include "support/watched.h"

#include "base/hash.h"
#include "daemon/compare/report.h"
#include "daemon/findings/finding_json.h"
#include "daemon/findings/output.h"
#include "value/yaml.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define OBJECTS_MAX 6
#define REPORT_SAMPLE (FUZZ_SAMPLE < 8 ? FUZZ_SAMPLE : 8)

/* Small ceilings: many small inputs find more than a few slow ones. */
static struct limits limits;

static struct {
	struct key_table *keys;
	struct cfg *cfg;
	struct doc *definition, *secret, *config; /* of every run */
	struct output *text, *json;
	FILE *lines; /* in place of standard output */
	char *line;
	size_t line_n;
} fixed;

static void check(bool ok)
{
	if (!ok)
		abort();
}

/* ---- looking ---- */

static void look(const char *where, str text)
{
	const char *form = marker_in(text);

	if (!form)
		return;
	fprintf(stderr, "%s shows %s: %.*s\n", where, form, STR_ARG(text));
	abort();
}

/* As the output writes it. */
static void look_at_line(struct output *o, const struct record *r)
{
	FILE *saved = stdout;

	rewind(fixed.lines);
	stdout = fixed.lines;
	check(output_write(o, r) == 0);
	stdout = saved;
	check(fflush(fixed.lines) == 0);
	look("a line", (str){ fixed.line, fixed.line_n });
}

static bool is_time_or_id(const char *name)
{
	str s = str_from(name);

	return str_has_suffix(s, STR("_USEC")) || str_has_suffix(s, STR("_ID"));
}

static bool says_something_new(const struct record *r)
{
	static uint64_t said[1 << 16]; /* 0: nothing; one takes the place of another now and then */
	uint64_t hash = hash_mix(hash_str(r->text, 1), hash_str(r->details, (uint64_t)r->priority)), *place;

	for (size_t i = 0; i < r->n_fields; i++) {
		if (!is_time_or_id(r->fields[i].name))
			hash = hash_str(r->fields[i].value, hash_str(str_from(r->fields[i].name), hash));
	}
	place = &said[hash % ARRAY_LEN(said)];
	if (*place == hash)
		return false;
	*place = hash;
	return true;
}

static void look_at_record(const struct record *r)
{
	CLEANUP(buf_done) struct buf bytes = BUF_INIT(16 << 20);

	check(r->text.n > 0);
	look("the message", r->text);
	look("the details", r->details);
	for (size_t i = 0; i < r->n_fields; i++)
		look(r->fields[i].name, r->fields[i].value);
	if (!says_something_new(r))
		return;
	record_encode(r, &bytes);
	look("the outbox", buf_str(&bytes));
	look_at_line(fixed.text, r);
	look_at_line(fixed.json, r);
}

static void take(void *ctx, const struct emission *t)
{
	CLEANUP(buf_done) struct buf kept = BUF_INIT(16 << 20);

	(void)ctx;
	if (t->record)
		look_at_record(t->record);
	if (!t->finding)
		return;
	finding_to_json(t->finding, &kept);
	look("the state", buf_str(&kept));
}

/* ---- the world ---- */

static struct doc *parse(str text)
{
	struct yaml_options o = { .limits = &limits, .keys = fixed.keys };
	struct doc *d = NULL;
	struct err err;

	return yaml_decode(text, &o, &d, &err) == 0 ? d : NULL;
}

static struct doc *planted(str text)
{
	struct doc *d = parse(text);

	check(d != NULL);
	d->root = marker_plant(d->root, (struct marker_place){ 0 }, &d->arena);
	return d;
}

#define DEFINITION                                                                                                     \
	"{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: widgets.e.x, uid: "    \
	"d}, "                                                                                                         \
	"spec: {group: e.x, scope: Namespaced, names: {kind: Widget, plural: widgets}, versions: [{name: v1, served: " \
	"true, "                                                                                                       \
	"storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, "                   \
	"x-kubernetes-preserve-unknown-fields: true, x-kubernetes-validations: ["                                      \
	"{rule: '!has(self.limit)', messageExpression: \"'limit beside ' + self.password\"}, "                         \
	"{rule: 'self.limit < 3 || int(self.password) > 1'}, "                                                         \
	"{rule: 'self.password == oldSelf.password', messageExpression: 'oldSelf.password'}], "                        \
	"properties: {limit: {type: integer}, password: {type: string, x-kubernetes-validations: ["                    \
	"{rule: 'self.size() < 3', messageExpression: \"'long: ' + self\"}]}, "                                        \
	"token: {type: string}, texts: {type: array, items: {type: string, x-kubernetes-validations: ["                \
	"{rule: 'self.size() < 3', messageExpression: \"'long: ' + self\"}, "                                          \
	"{rule: \"timestamp(self) < timestamp('2020-01-01T00:00:00Z')\"}]}}}}}}}}]}}"

static void set_up(void)
{
	static const char *const file = TEST_DATA "/records/driftd.yaml";
	struct problems problems = { 0 };
	struct err err;

	limits = limits_of_a_loop();
	limits.evaluation_steps = 300000;
	limits.template_steps = 100000;
	limits.template_output_bytes = 1 << 20;
	limits.regex_match_limit = 10000;
	limits.document_nodes = 20000;
	limits.depth = 200;
	marker_init();
	fixed.keys = key_table_new();
	check(cfg_load(&file, 1, &limits, fixed.keys, &fixed.cfg, &problems, &err) == 0);
	fixed.definition = parse(STR(DEFINITION));
	fixed.secret = planted(STR("{apiVersion: v1, kind: Secret, metadata: {name: looked-up, namespace: d, uid: s}, "
				   "data: {anything: ''}, stringData: {b: 'x'}}"));
	fixed.config = planted(STR("{apiVersion: v1, kind: ConfigMap, metadata: {name: looked-up, namespace: d, uid: "
				   "c}, data: {db.password: 'x '}}"));
	fixed.text = output_new(CFG_OUTPUT_TEXT);
	fixed.json = output_new(CFG_OUTPUT_JSON);
	fixed.lines = open_memstream(&fixed.line, &fixed.line_n);
	check(fixed.definition && fixed.text && fixed.json && fixed.lines);
}

/* Objects of the input that can be; none when one of them holds the marker already, where it may be shown. */
static size_t read_objects(str text, struct doc *objects[OBJECTS_MAX])
{
	size_t n = 0;

	while (n < OBJECTS_MAX && text.n) {
		ptrdiff_t mark = str_find(text, STR("=== "));
		struct doc *d = parse(str_sub(text, 0, mark < 0 ? text.n : (size_t)mark));
		CLEANUP(buf_done) struct buf plain = BUF_INIT(16 << 20);
		struct err err;

		text = mark < 0 ? STR("") : str_sub(text, (size_t)mark + 4, text.n);
		if (!d)
			continue;
		if (!val_is_map(d->root) || !identity_of(d->root).name.n ||
		    json_encode(d->root, JSON_PLAIN, NULL, &plain, &err) < 0 || marker_in(buf_str(&plain))) {
			doc_unref(d);
			continue;
		}
		d->root = marker_plant(d->root, (struct marker_place){ 0 }, &d->arena);
		objects[n++] = d;
	}
	return n;
}

/* ---- the daemon's way ---- */

static void work(struct cluster *c)
{
	cluster_tick(c);
	while (cluster_work(c, UINT64_MAX))
		;
}

/* As the client reads an object: without its managedFields. The values stay those of @d. */
static struct doc *without_managed_fields(const struct doc *d, val managed)
{
	val metadata = VAL_GET(d->root, "metadata");
	struct doc *rest = doc_new(0, 16 << 20);

	check(rest != NULL);
	rest->root = d->root;
	if (val_exists(managed)) {
		const struct key *key = key_make(fixed.keys, &rest->arena, STR("metadata"));

		metadata = val_map_without(&rest->arena, metadata, STR("managedFields"));
		rest->root = val_map_with(&rest->arena, d->root, key, metadata);
	}
	check(val_exists(rest->root));
	return rest;
}

static void report(enum kc_event event, struct doc *d)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(16 << 20);
	CLEANUP(freep) char *kind = str_dup(val_str(VAL_GET(d->root, "kind")));
	val managed = val_dig(d->root, "metadata", "managedFields", NULL);
	CLEANUP(doc_unrefp) struct doc *rest = without_managed_fields(d, managed);
	struct feed_watch *w = fake_watch(kind);
	struct err err;

	check(!val_exists(managed) || json_encode(managed, JSON_PLAIN, NULL, &text, &err) == 0);
	if (w)
		fake_event_managed(w, event, rest, buf_str(&text));
}

/* What the rules find by pattern. */
static void discover(void)
{
	static const struct kc_resource kinds[] = {
		{ "e.x", "v1", "Widget", "widgets", true, true, true, 0, NULL },
		{ "e.x", "v1", "Gadget", "gadgets", true, true, true, 0, NULL },
	};

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		check(vec_push(&fake_client->offers, &kinds[i]));
	fake_client->discovered(fake_client->ctx);
}

/* Whether one of them is of a group that the definition has a part in. */
static bool are_defined(struct doc **objects, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (str_has_prefix(val_str(VAL_GET(objects[i]->root, "apiVersion")), STR("e.x/")))
			return true;
	}
	return false;
}

static void watch(const struct cfg_cluster *config, struct doc **objects, size_t n)
{
	struct sink_taker taker = { .take = take };
	CLEANUP(sink_freep) struct sink *sink = sink_new(&taker);
	struct findings *findings = NULL;
	struct cluster *c = NULL;
	struct cluster_context context;
	struct err err;

	check(sink && findings_new(sink, &findings, &err) == 0);
	context = fake_context(sink, findings, fixed.keys, &limits);
	check(cluster_new(&context, fixed.cfg, config, &c, &err) == 0);
	discover();
	if (are_defined(objects, n))
		report(KC_LISTED, fixed.definition);
	report(KC_LISTED, fixed.secret);
	report(KC_LISTED, fixed.config);
	for (size_t i = 0; i < fake_client->watches.n; i++)
		fake_synced(fake_client->watches.p[i]);
	work(c);
	for (size_t i = 0; i < n; i++) {
		report(KC_MODIFIED, objects[i]);
		work(c);
	}
	for (size_t i = 0; i < n; i++)
		report(KC_DELETED, objects[i]);
	work(c);
	cluster_close(c, NULL, NULL);
	fake_run();
	findings_free(findings);
}

/* ---- driftd compare --mask ---- */

static void look_at_report(const struct compare_run *run, enum compare_format format)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(16 << 20), errors = BUF_INIT(16 << 20);
	struct compare_report_options o = { .format = format, .all = true };
	struct err err = { 0 };

	(void)!compare_report(run, &o, &out, &errors, &err);
	look("a report", buf_str(&out));
	look("its errors", buf_str(&errors));
	look("its end", str_from(err.msg));
}

static void compare(struct reference *ref, struct doc **objects, size_t n)
{
	static const struct mask_fields mask;
	struct compare_input input;
	struct string_list generate_for = { 0 };
	struct matcher *matcher = NULL;
	struct compare_run run;
	struct err err;

	compare_input_init(&input, &limits, fixed.keys);
	input.quiet = true;
	check(matcher_new(ref, &matcher, &err) == 0);
	check(compare_input_add(&input, fixed.secret, fixed.secret->root, &err) == 0);
	for (size_t i = 0; i < n; i++)
		check(compare_input_add(&input, objects[i], objects[i]->root, &err) == 0);
	run = (struct compare_run){
		.matcher = matcher, .input = &input, .limits = &limits, .mask = &mask, .generate_for = &generate_for
	};
	if (compare_run_all(&run, 1, &err) == 0) {
		for (int f = FORMAT_TEXT; f < FORMAT_PATCHES; f++)
			look_at_report(&run, (enum compare_format)f);
	}
	compare_run_done(&run);
	compare_input_done(&input);
	matcher_free(matcher);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct doc *objects[OBJECTS_MAX];
	const struct cfg_cluster *config;
	size_t n;

	if (!fixed.cfg)
		set_up();
	if (size == 0)
		return 0;
	config = &fixed.cfg->clusters[*data % fixed.cfg->n_clusters];
	n = read_objects((str){ (const char *)data + 1, size - 1 }, objects);
	if (n) {
		watch(config, objects, n);
		if (hash_bytes(data, size, 0) % REPORT_SAMPLE == 0)
			compare(config->references[0]->reference, objects, n);
	}
	for (size_t i = 0; i < n; i++)
		doc_unref(objects[i]);
	return 0;
}
