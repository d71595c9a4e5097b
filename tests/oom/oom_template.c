/* Templates without memory. */
#include "oom.h"

#include "template/fn/library.h"
#include "template/tmpl.h"
#include "value/json.h"

#include <errno.h>

static const char source[] =
	"{{- define \"row\" }}{{ .name | upper | quote }}: {{ printf \"%05.2f %v\" 3.14159 . }}{{ end -}}\n"
	"{{- $n := list 1 2 3 \"a\" }}{{ range $i, $x := .items }}\n"
	"{{ $i }} {{ template \"row\" $x }} {{ if and (gt (len $n) 2) (eq $x.name \"b\") }}yes{{ else }}no{{ end }}\n"
	"{{- end }}\n{{ with dict \"k\" (dict \"z\" .items) }}{{ toYaml . | indent 2 }}{{ toJson . }}{{ end }}\n"
	"{{ regexReplaceAll \"a(x*)b\" \"-ab-axxb-\" \"${1}W\" }} {{ join \",\" (splitList \".\" \"a.b.c\") }} {{ "
	"nindent 4 \"x\\ny\" }}";
static const char object[] = "{\"items\":[{\"name\":\"a\",\"v\":1.5},{\"name\":\"b\",\"v\":[1,2]}]}";

static struct limits limits;

static int parse(struct tmpl **ret, struct err *err)
{
	struct tmpl_source s = { .name = STR("main.yaml"), .text = STR(source) };

	return tmpl_parse(&s, 1, &tmpl_library, &limits, ret, NULL, err);
}

static int run_tmpl_parse(struct err *err)
{
	CLEANUP(tmpl_freep) struct tmpl *t = NULL;
	int r;

	oom_arm();
	r = parse(&t, err);
	oom_disarm();
	return (r == 0) == (t != NULL) ? r : OOM_WRONG;
}

static int run_tmpl_execute(struct err *err)
{
	CLEANUP(tmpl_freep) struct tmpl *t = NULL;
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 20);
	struct json_options o = { .limits = &limits };
	struct tmpl_env env = { .limits = &limits };
	int r;

	if (parse(&t, err) < 0 || json_decode(STR(object), &o, &doc, err) < 0)
		return OOM_WRONG;
	oom_arm();
	r = tmpl_execute(t, doc->root, &env, &out, err);
	oom_disarm();
	return r;
}

/* A text that could not be read as a number for want of memory must not pass for 0. */
static int run_tmpl_numbers(struct err *err)
{
	/* longer than what is read without memory */
#define LONG "1_000.2500000000000000000000000000000000000000000000000000000000000000000"
	static const char text[] =
		"{{ float64 \"" LONG "\" }} {{ addf \"" LONG "\" 1 }} {{ add1f \"" LONG "\" }} {{ subf \"" LONG
		"\" \"0x1p1\" }} "
		"{{ mulf \"" LONG "\" 2 }} {{ divf \"" LONG "\" \"1_0\" }} {{ maxf 1 \"" LONG
		"\" }} {{ minf 2e3 \"" LONG "\" }} "
		"{{ ceil \"" LONG "\" }} {{ floor \"" LONG "\" }} {{ round \"" LONG "\" 1 }} "
		"{{ fromJson \"[100000000000000000000000000000000000000000000000000000000000000000000]\" | len }}";
	static const char expected[] =
		"1000.25 1001.25 1001.25 998.25 2000.5 100.025 1000.25 1000.25 1001 1000 1000.3 1";
	struct tmpl_source s = { .name = STR("main.yaml"), .text = STR(text) };
	CLEANUP(tmpl_freep) struct tmpl *t = NULL;
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 20);
	struct tmpl_env env = { .limits = &limits };
	int r;

	if (tmpl_parse(&s, 1, &tmpl_library, &limits, &t, NULL, err) < 0)
		return OOM_WRONG;
	oom_arm();
	r = tmpl_execute(t, val_null(), &env, &out, err);
	oom_disarm();
	return r < 0 || str_eq(buf_str(&out), STR(expected)) ? r : OOM_WRONG;
}

static int run_tmpl_footprint(struct err *err)
{
	CLEANUP(tmpl_freep) struct tmpl *t = NULL;
	struct tmpl_footprint f = { 0 };
	int r;

	if (parse(&t, err) < 0)
		return OOM_WRONG;
	oom_arm();
	r = tmpl_footprint(t, &f, err);
	oom_disarm();
	if (r == 0)
		tmpl_footprint_done(&f);
	return r;
}

int main(int argc, char **argv)
{
	static const struct oom_case cases[] = {
		{ "tmpl_parse", run_tmpl_parse, false },
		{ "tmpl_execute", run_tmpl_execute, true }, /* toYaml quotes what it cannot examine */
		{ "tmpl_numbers", run_tmpl_numbers, false },
		{ "tmpl_footprint", run_tmpl_footprint, false },
	};

	limits = LIMITS_DEFAULT;
	return oom_main(argc, argv, cases, ARRAY_LEN(cases));
}
