/* Modules and bundles of kubegen without memory. */
#include "oom.h"

#include "kubegen/kg_bundle.h"
#include "kubegen/kg_output.h"
#include "support/memory_folder.h"
#include "value/yaml.h"

static struct limits limits;

static const char module_files[] =
	"m.yml: |\n"
	"  Kind: kubegen.k8s.io/Module.v1alpha2\n"
	"  Parameters: [{name: 'on', type: Boolean, default: true}, {name: text, type: String, required: true}]\n"
	"  Internals: [{name: o, type: Object, value: {kubegen.Object.LoadYAML: d/o.yaml, c: [{x: 1}]}}]\n"
	"  Deployments:\n"
	"  - name: web\n"
	"    strategy: {type: RollingUpdate, maxSurge: 1%}\n"
	"    imagePullSecrets: [a]\n"
	"    volumes: [{name: v, configMap: {}}]\n"
	"    containers:\n"
	"    - kubegen.If: 'on'\n"
	"      name: web\n"
	"      env: {A: {kubegen.String.AsYAML: {kubegen.Object.Lookup: [o, o]}}, B: null}\n"
	"      resources: {limits: {cpu: 0.5}}\n"
	"      volumeMounts: [{name: v}]\n"
	"      ports: [{containerPort: 80}]\n"
	"      livenessProbe: {httpGet: {headers: {a: b}}}\n"
	"  Services: [{name: web, ports: [{name: web}]}]\n"
	"  ConfigMaps:\n"
	"  - name: c\n"
	"    readFromFiles: [d/o.yaml]\n"
	"    data:\n"
	"      a: {kubegen.String.Join: [{kubegen.String.Lookup: text}, 1.5, {kubegen.Array.LoadJSON: d/l.json}]}\n"
	"      b: {kubegen.String.AsBASE64: {kubegen.Object.Lookup: 'o.c[0]'}}\n"
	"      c: {kubegen.String.AsJSON: {kubegen.Array.Lookup: 'o[\"c\"]'}}\n"
	"  Secrets: [{name: s, readFromFiles: [d/o.yaml]}]\n"
	"  Resources: [{path: d/r.yaml}]\n"
	"d/o.yaml: \"{a: b, c: [{y: 2}, {kubegen.If: 'on'}]}\"\n"
	"d/l.json: '[1, {\"kubegen.String.Lookup\": \"text\"}]'\n"
	"d/r.yaml: '{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Pod}]}'\n";

static const char bundle_text[] = "Kind: kubegen.k8s.io/Bundle.v1alpha2\nName: b\nModules:\n"
				  "- {Name: i, SourceDir: m, Parameters: {text: t, more: [1, {a: b}]}}\n"
				  "- {Name: j, SourceDir: ../m, OutputDir: o}\n";

/* The files of the module; they are read before allocations fail. */
static struct doc *read_files(void)
{
	struct yaml_options o = { .limits = &limits };
	struct doc *doc = NULL;
	struct err err;

	if (yaml_decode(str_from(module_files), &o, &doc, &err) < 0)
		abort();
	return doc;
}

static int write_module(const struct kg_instance *instance, const struct kg_module *m, struct err *err)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 20);
	int r = kg_write(instance, &m->manifests[0], KG_YAML, &out, err);

	return r < 0 ? r : kg_write(instance, &m->manifests[0], KG_JSON, &out, err);
}

/* Generate and write the module, with a parameter of that name. */
static int generate(const char *parameter, struct kg_module **ret, struct err *err)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	CLEANUP(doc_unrefp) struct doc *files = read_files();
	struct kg_folder folder = memory_folder(&files->root);
	struct kg_given given = { .name = str_from(parameter), .value = val_string(STR("t")), .text = true };
	struct kg_instance instance = {
		.name = STR("i"), .source_dir = STR("m"), .path = STR("m"), .given = &given, .n_given = 1
	};
	int r;

	given.at = kg_place_root(&a, STR("given"), STR(""));
	oom_arm();
	r = kg_module_generate(&instance, &folder, &limits, NULL, ret, err);
	if (r == 0)
		r = write_module(&instance, *ret, err);
	oom_disarm();
	return r;
}

static int run_module(struct err *err)
{
	CLEANUP(kg_module_freep) struct kg_module *m = NULL;
	int r = generate("text", &m, err);

	if (r == 0 && (m->n_manifests != 1 || VAL_GET(m->manifests[0].list, "items").n != 5))
		return OOM_WRONG;
	return r;
}

/* A mistake is told as such, perhaps without its line, or as a lack of memory. */
static int run_mistake(struct err *err)
{
	CLEANUP(kg_module_freep) struct kg_module *m = NULL;
	int r = generate("texts", &m, err);

	if (m || r == 0)
		return OOM_WRONG;
	return r == -EINVAL ? 0 : r;
}

static int run_bundle(struct err *err)
{
	CLEANUP(kg_bundle_freep) struct kg_bundle *b = NULL;
	int r;

	oom_arm();
	r = kg_bundle_parse(str_from(bundle_text), STR("x/b.yml"), &limits, NULL, &b, err);
	oom_disarm();
	if (r == 0)
		return b->n_modules == 2 && b->modules[0].instance.n_given == 2 ? 0 : OOM_WRONG;
	return b ? OOM_WRONG : r;
}

int main(int argc, char **argv)
{
	static const struct oom_case cases[] = {
		{ "kubegen_module", run_module, false },
		{ "kubegen_mistake", run_mistake, true }, /* the line is left out */
		{ "kubegen_bundle", run_bundle, false },
	};

	limits = LIMITS_DEFAULT;
	return oom_main(argc, argv, cases, ARRAY_LEN(cases));
}
