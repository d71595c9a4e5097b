/* Writes generated manifests as text. */
#include "kubegen/kg_output.h"

#include "go/quote.h"
#include "value/json.h"
#include "value/yaml.h"

const char *kg_format_name(enum kg_format f)
{
	return f == KG_JSON ? "json" : "yaml";
}

static void add_origin(struct buf *out, const char *what, str value)
{
	buf_printf(out, "#\t%s: ", what);
	go_quote(out, value);
	buf_add_byte(out, '\n');
}

static void add_header(const struct kg_instance *instance, const struct kg_manifest *m, struct buf *out)
{
	buf_add_cstr(out, "\n---\n#\n# Generated from module\n");
	add_origin(out, "Name", instance->name);
	add_origin(out, "SourceDir", instance->source_dir);
	add_origin(out, "manifestPath", m->path);
	buf_add_cstr(out, "#\n\n");
}

int kg_write(const struct kg_instance *instance, const struct kg_manifest *m, enum kg_format format, struct buf *out,
	     struct err *err)
{
	int r;

	if (format == KG_YAML) {
		add_header(instance, m, out);
		r = yaml_encode(m->list, out, err);
	} else {
		r = json_encode(m->list, JSON_GO, "  ", out, err);
		buf_add_byte(out, '\n');
	}
	return r < 0 ? r : buf_error(out, "the generated objects", err);
}
