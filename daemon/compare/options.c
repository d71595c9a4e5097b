/* A table of flags, and reading a command line by it. */
#include "daemon/compare/options.h"

#include "base/ascii.h"
#include "config/command_line.h"
#include "go/quote.h"
#include "template/tmpl_print.h"

#include <errno.h>
#include <stdio.h>

enum flag_kind { FLAG_BOOL, FLAG_SWITCH, FLAG_STRING, FLAG_INT, FLAG_LIST, FLAG_ARRAY };

struct flag {
	const char *name;
	char letter; /* 0: none */
	enum flag_kind kind;
	size_t at;
	const char *help;
};

#define AT(member) offsetof(struct compare_options, member)

static const struct flag flags[] = {
	{ "accepted", 0, FLAG_STRING, AT(accepted),
	  "file with accepted: as in driftd.yaml: these differences count no longer, and are named apart" },
	{ "additions", 0, FLAG_STRING, AT(additions),
	  "with manifests: drift (default) or ignore, what elements of lists are that a manifest lacks" },
	{ "all-resources", 'A', FLAG_BOOL, AT(all), "report objects that no template is for" },
	{ "as", 0, FLAG_STRING, AT(live.as), "user to impersonate" },
	{ "as-group", 0, FLAG_ARRAY, AT(live.as_groups), "group to impersonate; may be repeated" },
	{ "as-uid", 0, FLAG_STRING, AT(live.as_uid), "UID to impersonate" },
	{ "cache-dir", 0, FLAG_STRING, AT(cache_dir), "accepted, not used" },
	{ "certificate-authority", 0, FLAG_STRING, AT(live.certificate_authority),
	  "file with the certificate authority" },
	{ "client-certificate", 0, FLAG_STRING, AT(live.client_certificate), "file with a client certificate" },
	{ "client-key", 0, FLAG_STRING, AT(live.client_key), "file with its key" },
	{ "cluster", 0, FLAG_STRING, AT(live.cluster), "cluster of the kubeconfig" },
	{ "concurrency", 0, FLAG_INT, AT(concurrency), "objects compared at the same time (default 4)" },
	{ "context", 0, FLAG_STRING, AT(live.context), "context of the kubeconfig" },
	{ "diff-config", 'c', FLAG_STRING, AT(diff_config), "file with pairs of objects and templates" },
	{ "disable-compression", 0, FLAG_BOOL, AT(live.disable_compression), "ask for plain responses" },
	{ "exclude", 0, FLAG_ARRAY, AT(exclude),
	  "with --manifests: pattern of paths below the folder to pass over; may be repeated" },
	{ "filename", 'f', FLAG_LIST, AT(files),
	  "file, folder, pattern, URL or - with objects to compare; may be repeated. With -g: a must-gather folder" },
	{ "generate-config", 'g', FLAG_STRING, AT(generate),
	  "write a reference from the objects that this file names" },
	{ "generate-override-for", 0, FLAG_LIST, AT(generate_for), "template to generate overrides for" },
	{ "helm", 0, FLAG_BOOL, AT(helm),
	  "compare with what Helm has deployed: the releases that are named, or all; all their kinds and namespaces" },
	{ "helm-driver", 0, FLAG_STRING, AT(helm_driver),
	  "with --helm: secret (default) or configmap, in which Helm keeps its releases" },
	{ "help", 'h', FLAG_BOOL, AT(help), "this text" },
	{ "include", 0, FLAG_ARRAY, AT(include),
	  "with --manifests: pattern of the only paths below the folder to read; may be repeated" },
	{ "inspection-rules", 0, FLAG_ARRAY, AT(inspection_rules),
	  "file with inspection rules: what they find counts as a difference. They make no calls; may be repeated" },
	{ "inspection-scope", 0, FLAG_STRING, AT(inspection_scope),
	  "with --inspection-rules: the inspection_scope of the reference" },
	{ "insecure-skip-tls-verify", 0, FLAG_BOOL, AT(live.insecure), "do not verify the server's certificate" },
	{ "kinds", 0, FLAG_LIST, AT(kinds),
	  "with --last-applied: kinds to list in a cluster, such as Deployment.apps,ConfigMap; may be repeated" },
	{ "kubeconfig", 0, FLAG_STRING, AT(live.kubeconfig), "kubeconfig file" },
	{ "kustomize", 'k', FLAG_STRING, AT(kustomize), "kustomization folder with objects to compare" },
	{ "last-applied", 0, FLAG_BOOL, AT(last_applied),
	  "compare each object with what kubectl apply last made of it, by its annotation" },
	{ "manifests", 0, FLAG_STRING, AT(manifests),
	  "file or folder of manifests, or -, to compare with instead of a reference" },
	{ "mask", 0, FLAG_SWITCH, AT(mask),
	  "hide passwords, tokens and the like; without it only data of Secrets is. Manifests hide them by "
	  "themselves" },
	{ "match-server-version", 0, FLAG_BOOL, AT(match_version), "accepted, not used" },
	{ "must-gather", 0, FLAG_STRING, AT(must_gather), "with -g: the same as -f" },
	{ "namespace", 'n', FLAG_STRING, AT(namespace),
	  "with --manifests: of those that have none (default: default); with --helm of the releases, with "
	  "--last-applied of "
	  "the objects that count; else not used" },
	{ "output", 'o', FLAG_STRING, AT(output), "json, yaml, junit or generate-patches" },
	{ "output-dir", 0, FLAG_STRING, AT(output_dir), "with -g: where to write" },
	{ "override-reason", 0, FLAG_STRING, AT(reason), "reason that generated overrides give" },
	{ "overrides", 'p', FLAG_STRING, AT(overrides), "file with accepted deviations" },
	{ "recursive", 'R', FLAG_BOOL, AT(recursive), "enter folders below those of -f" },
	{ "reference", 'r', FLAG_STRING, AT(reference),
	  "metadata.yaml of the reference: file, URL, container://IMAGE:TAG:PATH, git+URL or oci://IMAGE" },
	{ "request-timeout", 0, FLAG_STRING, AT(live.request_timeout), "time limit of one list, such as 30s" },
	{ "rules", 0, FLAG_ARRAY, AT(rules),
	  "file, folder or pattern with event rules: how bad which change is; may be repeated" },
	{ "server", 's', FLAG_STRING, AT(live.server), "address of the API server" },
	{ "show-managed-fields", 0, FLAG_BOOL, AT(managed_fields), "compare managed fields too" },
	{ "show-template-functions", 0, FLAG_BOOL, AT(show_functions), "list the functions of templates" },
	{ "tls-server-name", 0, FLAG_STRING, AT(live.tls_server_name), "name that the server's certificate must have" },
	{ "token", 0, FLAG_STRING, AT(live.token), "bearer token" },
	{ "user", 0, FLAG_STRING, AT(live.user), "user of the kubeconfig" },
	{ "verbose", 'v', FLAG_BOOL, AT(verbose), "say what is done, and show objects without differences" },
	{ "version", 0, FLAG_BOOL, AT(version), "print the version" },
};

static void *place(struct compare_options *o, const struct flag *f)
{
	return (char *)o + f->at;
}

void compare_options_done(struct compare_options *o)
{
	for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
		if (flags[i].kind == FLAG_STRING)
			free(*(char **)place(o, &flags[i]));
		else if (flags[i].kind == FLAG_LIST || flags[i].kind == FLAG_ARRAY)
			string_list_done(place(o, &flags[i]));
	}
	string_list_done(&o->args);
	*o = (struct compare_options){ 0 };
}

/* ---- values ---- */

static int bad_value(const struct flag *f, str value, const char *why, struct err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(64 << 10);

	buf_add_cstr(&text, "invalid argument ");
	go_quote(&text, value);
	if (f->letter)
		buf_printf(&text, " for \"-%c, --%s\" flag: %s", f->letter, f->name, why);
	else
		buf_printf(&text, " for \"--%s\" flag: %s", f->name, why);
	return err_set(err, EINVAL, "%.*s", STR_ARG(buf_str(&text)));
}

static int bad_syntax(const struct flag *f, str value, const char *function, const char *mistake, struct err *err)
{
	CLEANUP(buf_done) struct buf why = BUF_INIT(64 << 10);

	buf_printf(&why, "strconv.%s: parsing ", function);
	go_quote(&why, value);
	buf_printf(&why, ": %s", mistake);
	return bad_value(f, value, why.p ? why.p : mistake, err);
}

static int bad_record(const struct flag *f, str value, size_t column, const char *mistake, struct err *err)
{
	char why[128];

	snprintf(why, sizeof(why), "parse error on line 1, column %zu: %s", column, mistake);
	return bad_value(f, value, why, err);
}

/* One field of the record @s of @value, from *at to the comma behind it or the end. */
static int read_field(const struct flag *f, str s, str value, size_t *at, struct buf *field, struct err *err)
{
	size_t i = *at;

	if (i < s.n && s.p[i] == '"') {
		for (i++; i < s.n && (s.p[i] != '"' || (i + 1 < s.n && s.p[i + 1] == '"')); i++) {
			i += s.p[i] == '"';
			buf_add_byte(field, s.p[i]);
		}
		if (i == s.n || (i + 1 < s.n && s.p[i + 1] != ','))
			return bad_record(f, value, i + 1, "extraneous or missing \" in quoted-field", err);
		i++;
	}
	for (; i < s.n && s.p[i] != ','; i++) {
		if (s.p[i] == '"')
			return bad_record(f, value, i + 1, "bare \" in non-quoted-field", err);
		buf_add_byte(field, s.p[i]);
	}
	*at = i;
	return field->error ? err_nomem(err) : 0;
}

static str skip_empty_lines(str s)
{
	while (s.n) {
		size_t cr = s.p[0] == '\r';

		if (s.n > cr && s.p[cr] != '\n')
			break;
		s = str_sub(s, cr + 1, s.n);
	}
	return s;
}

/* The first record of @s, without the end of its line. A quote that does not belong is found when its field is read. */
static str first_record(str s)
{
	bool quoted = false;
	size_t n = 0;

	for (; n < s.n && (quoted || s.p[n] != '\n'); n++)
		quoted ^= s.p[n] == '"';
	return str_sub(s, 0, n && s.p[n - 1] == '\r' ? n - 1 : n);
}

/* One record of comma-separated values, as encoding/csv reads it. */
static int add_record(struct string_list *l, const struct flag *f, str value, struct err *err)
{
	CLEANUP(buf_done) struct buf field = BUF_INIT(1 << 20);
	str s = first_record(skip_empty_lines(value));

	if (value.n && !s.n)
		return bad_value(f, value, "EOF", err);
	for (size_t i = 0; s.n && i <= s.n; i++) {
		int r;

		buf_clear(&field);
		r = read_field(f, s, value, &i, &field, err);
		if (r < 0)
			return r;
		if (!string_list_add(l, buf_str(&field)))
			return err_nomem(err);
	}
	return 0;
}

/* strconv.ParseBool. */
static bool parse_bool(str s, bool *ret)
{
	static const char *const yes[] = { "1", "t", "T", "TRUE", "true", "True" };
	static const char *const no[] = { "0", "f", "F", "FALSE", "false", "False" };

	for (size_t i = 0; i < ARRAY_LEN(yes); i++) {
		*ret = str_eq(s, str_from(yes[i]));
		if (*ret || str_eq(s, str_from(no[i])))
			return true;
	}
	return false;
}

static unsigned digit_value(char c)
{
	if (ascii_is_digit(c))
		return (unsigned)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'z' ? (unsigned)(c - 'a') + 10 : UINT_MAX;
}

/* The base that a number's prefix names; digits start at *at. */
static unsigned number_base(str s, size_t *at)
{
	char c = s.n > *at + 1 && s.p[*at] == '0' ? (char)(s.p[*at + 1] | 0x20) : '\0';
	unsigned base = c == 'x' ? 16 : c == 'b' ? 2 : c == 'o' ? 8 : 10;

	if (base != 10)
		*at += 2;
	else if (c)
		base = 8;
	return base;
}

/* strconv.ParseInt with base 0: NULL, or what is wrong. Underscores stand between digits, or behind a prefix, and only
 * in numbers that have one or are decimal. */
static const char *parse_number(str s, int64_t *ret)
{
	size_t i = s.n && (s.p[0] == '-' || s.p[0] == '+');
	bool negative = s.n && s.p[0] == '-', any = false, range = false;
	unsigned base = number_base(s, &i);
	bool may_separate = i > 1;
	int64_t v = 0;

	for (; i < s.n; i++) {
		unsigned digit = digit_value(s.p[i]);

		if (s.p[i] == '_' && may_separate && i + 1 < s.n) {
			may_separate = false;
			continue;
		}
		if (digit >= base)
			return "invalid syntax";
		any = may_separate = true;
		range = range || __builtin_mul_overflow(v, (int64_t)base, &v) ||
			__builtin_add_overflow(v, negative ? -(int64_t)digit : (int64_t)digit, &v);
	}
	if (!any)
		return "invalid syntax";
	*ret = v;
	return range ? "value out of range" : NULL;
}

static int parse_int(const struct flag *f, str value, int64_t *ret, struct err *err)
{
	const char *mistake = parse_number(value, ret);

	return mistake ? bad_syntax(f, value, "ParseInt", mistake, err) : 0;
}

static bool takes_value(const struct flag *f)
{
	return f->kind != FLAG_BOOL && f->kind != FLAG_SWITCH;
}

static int set_flag(struct compare_options *o, const struct flag *f, str value, struct err *err)
{
	char *copy;
	bool on;

	switch (f->kind) {
	case FLAG_BOOL:
		if (parse_bool(value, place(o, f)))
			return 0;
		return bad_syntax(f, value, "ParseBool", "invalid syntax", err);
	case FLAG_SWITCH:
		if (!parse_bool(value, &on))
			return bad_syntax(f, value, "ParseBool", "invalid syntax", err);
		*(enum compare_switch *)place(o, f) = on ? SWITCH_ON : SWITCH_OFF;
		return 0;
	case FLAG_INT:
		return parse_int(f, value, place(o, f), err);
	case FLAG_LIST:
		return add_record(place(o, f), f, value, err);
	case FLAG_ARRAY:
		return string_list_add(place(o, f), value) ? 0 : err_nomem(err);
	case FLAG_STRING:
		copy = str_dup(value);
		if (!copy)
			return err_nomem(err);
		free(*(char **)place(o, f));
		*(char **)place(o, f) = copy;
		return 0;
	}
	return 0;
}

/* ---- arguments ---- */

static const struct flag *find_name(str name)
{
	for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
		if (str_eq(name, str_from(flags[i].name)))
			return &flags[i];
	}
	return NULL;
}

static const struct flag *find_letter(char c)
{
	for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
		if (flags[i].letter == c)
			return &flags[i];
	}
	return NULL;
}

struct argument_list {
	int argc;
	char **argv;
	int at; /* the next one */
};

static int parse_long(struct compare_options *o, struct argument_list *a, str arg, struct err *err)
{
	str body = str_sub(arg, 2, arg.n);
	ptrdiff_t equals = str_find_byte(body, '=');
	str name = equals < 0 ? body : str_sub(body, 0, (size_t)equals);
	const struct flag *f;

	if (!name.n || name.p[0] == '-' || name.p[0] == '=')
		return err_set(err, EINVAL, "bad flag syntax: %.*s", STR_ARG(arg));
	f = find_name(name);
	if (!f)
		return err_set(err, EINVAL, "unknown flag: --%.*s", STR_ARG(name));
	if (equals >= 0)
		return set_flag(o, f, str_sub(body, (size_t)equals + 1, body.n), err);
	if (!takes_value(f))
		return set_flag(o, f, STR("true"), err);
	if (a->at == a->argc)
		return err_set(err, EINVAL, "flag needs an argument: --%s", f->name);
	return set_flag(o, f, str_from(a->argv[a->at++]), err);
}

/* The letter is a byte, which is shown as the character of that number. */
static int unknown_letter(str cluster, struct err *err)
{
	CLEANUP(buf_done) struct buf letter = BUF_INIT(64);

	go_quote_rune(&letter, (unsigned char)cluster.p[0], false);
	return err_set(err, EINVAL, "unknown shorthand flag: %.*s in -%.*s", STR_ARG(buf_str(&letter)),
		       STR_ARG(cluster));
}

/* A cluster of letters: the first that takes a value takes the rest. */
static int parse_short(struct compare_options *o, struct argument_list *a, str arg, struct err *err)
{
	str rest = str_sub(arg, 1, arg.n);

	while (rest.n) {
		const struct flag *f = find_letter(rest.p[0]);
		str whole = rest;
		int r;

		if (!f)
			return unknown_letter(rest, err);
		rest = str_sub(rest, 1, rest.n);
		if (rest.n > 1 && rest.p[0] == '=')
			return set_flag(o, f, str_sub(rest, 1, rest.n), err);
		if (takes_value(f) && rest.n)
			return set_flag(o, f, rest, err);
		if (takes_value(f) && a->at == a->argc)
			return err_set(err, EINVAL, "flag needs an argument: '%c' in -%.*s", f->letter, STR_ARG(whole));
		r = set_flag(o, f, takes_value(f) ? str_from(a->argv[a->at++]) : STR("true"), err);
		if (r < 0 || takes_value(f))
			return r;
	}
	return 0;
}

int compare_options_parse(struct compare_options *o, int argc, char **argv, struct err *err)
{
	struct argument_list a = { argc, argv, 1 };
	bool flags_end = false;

	*o = (struct compare_options){ .concurrency = 4 };
	while (a.at < argc) {
		str arg = str_from(argv[a.at++]);
		int r = 0;

		if (flags_end || arg.n < 2 || arg.p[0] != '-') {
			if (!string_list_add(&o->args, arg))
				return err_nomem(err);
		} else if (str_eq(arg, STR("--"))) {
			flags_end = true;
		} else {
			r = arg.p[1] == '-' ? parse_long(o, &a, arg, err) : parse_short(o, &a, arg, err);
		}
		if (r < 0)
			return r;
	}
	return 0;
}

static const char generate_usage[] =
	"\nThe file of -g names objects of a live cluster, or of a must-gather folder:\n\n"
	"  apiVersion: refgen/v1\n"
	"  outputDir: ./generated-reference           # --output-dir goes before it\n"
	"  omitAnnotations: [example.com/last-synced] # beside those that clusters write by themselves\n"
	"  omitLabels: [build-id]\n"
	"  manifests: true                            # for --manifests, in place of templates and metadata.yaml\n"
	"  resources:\n"
	"    - kind: ConfigMap\n"
	"      apiVersion: v1\n"
	"      required: true                         # else the objects may be missing\n"
	"      namespace: shop                        # else those of all namespaces\n"
	"      names: [web, db]                       # else all of them\n\n"
	"Exit status of -g: 0, or 1 when something went wrong, or 2 for options that do not go together.\n";

/* parse_long and parse_short read the options; only the names of the options count here. */
bool compare_reveal(void)
{
	static struct command_option options[ARRAY_LEN(flags)];

	for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
		bool alone = flags[i].kind == FLAG_BOOL || flags[i].kind == FLAG_SWITCH;

		options[i] = (struct command_option){ .name = flags[i].name,
						      .letter = flags[i].letter,
						      .value = alone ? NULL : "VALUE",
						      .take = option_text,
						      .help = flags[i].help };
	}
	return command_line_revealed(&(struct command_line){ .synopsis = "", OPTIONS(options) });
}

void compare_usage(struct buf *out)
{
	buf_add_cstr(out,
		     "Usage: driftd compare -r REFERENCE [-f PATH... [-R]] [options]\n"
		     "       driftd compare --manifests PATH [-f PATH... [-R]] [--additions drift|ignore] [options]\n"
		     "       driftd compare --helm [NAMESPACE/RELEASE...] [-f PATH... [-R]] [--additions drift|ignore] "
		     "[options]\n"
		     "       driftd compare --last-applied {-f PATH... [-R] | --kinds KIND.GROUP,...} "
		     "[--additions drift|ignore] [options]\n"
		     "       driftd compare -g CONFIG [-f MUST-GATHER] [--output-dir FOLDER]\n\n"
		     "Compare objects from files or a live cluster with a reference configuration: each object "
		     "with the template\n"
		     "that is for it, rendered with the object's own values; or each manifest with its object: "
		     "what an apply of the\nmanifest would change. A release of Helm is compared as a whole, with its "
		     "objects of other namespaces and of\nno namespace: what you may read. Exit status: 0 no "
		     "differences, 1 differences or missing objects, 2 an error.\n"
		     "KUBECTL_EXTERNAL_DIFF names a command to print differences with.\n\nOptions:\n");
	for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
		if (flags[i].letter)
			buf_printf(out, "  -%c, --%-26s %s\n", flags[i].letter, flags[i].name, flags[i].help);
		else
			buf_printf(out, "      --%-26s %s\n", flags[i].name, flags[i].help);
	}
	buf_add_cstr(out, generate_usage);
}
