/* Recursive descent; each function is the grammar rule above it. Depth is bounded by limits->depth. */
#include "value/yaml_parse.h"

#include "value/yaml_parser.h"

#include <errno.h>

enum context {
	IN_FLOW,
	IN_BLOCK,
	IN_BLOCK_MAPPING, /* where a sequence may begin at the column of its key */
};

static int parse_node(struct yaml_parser *p, enum context context);

static int parse_error(struct yaml_parser *p, const struct yaml_token *at, const char *problem)
{
	return yaml_problem(p->err, YAML_PROBLEM_PARSER, at->line, problem);
}

int yaml_depth_error(struct yaml_parser *p)
{
	return err_set(p->err, E2BIG, "yaml: nested deeper than %u", p->limits->depth);
}

int yaml_node_error(struct yaml_parser *p)
{
	if (p->tree->nodes.n >= p->limits->document_nodes)
		return err_set(p->err, E2BIG, "yaml: more than %zu values", p->limits->document_nodes);
	return err_nomem(p->err);
}

/* ---- properties: TAG ANCHOR? | ANCHOR TAG? ---- */

struct properties {
	bool has_anchor, has_tag;
	str anchor, tag;
	uint32_t line; /* the line of the first one */
};

static enum yaml_tag known_tag(str tag)
{
	static const struct {
		const char *name;
		enum yaml_tag tag;
	} known[] = {
		{ "str", YAML_TAG_STR },     { "bool", YAML_TAG_BOOL },     { "int", YAML_TAG_INT },
		{ "float", YAML_TAG_FLOAT }, { "null", YAML_TAG_NULL },     { "timestamp", YAML_TAG_TIMESTAMP },
		{ "merge", YAML_TAG_MERGE }, { "binary", YAML_TAG_BINARY },
	};
	static const char prefix[] = "tag:yaml.org,2002:";

	if (tag.n == 0)
		return YAML_TAG_NONE;
	for (size_t i = 0; i < ARRAY_LEN(known) && str_has_prefix(tag, STR(prefix)); i++) {
		if (str_eq(str_sub(tag, sizeof(prefix) - 1, tag.n), str_from(known[i].name)))
			return known[i].tag;
	}
	return YAML_TAG_OTHER;
}

static int expand_tag(struct yaml_parser *p, const struct yaml_token *t, str *ret)
{
	*ret = t->suffix;
	if (t->text.n == 0)
		return 0;
	*ret = (str){ "", 0 };
	for (size_t i = 0; i < p->directives.n; i++) {
		const struct yaml_tag_directive *d = &p->directives.p[i];

		if (!str_eq(d->handle, t->text))
			continue;
		*ret = arena_printf(p->arena, "%.*s%.*s", STR_ARG(d->prefix), STR_ARG(t->suffix));
		if (!ret->p)
			return arena_error(p->arena, p->err);
		break;
	}
	return ret->n ? 0 : parse_error(p, t, "found undefined tag handle");
}

static int take_property(struct yaml_parser *p, const struct yaml_token *t, struct properties *props,
			 struct yaml_token *tag)
{
	if (!props->has_anchor && !props->has_tag)
		props->line = t->line;
	if (t->type == YAML_TOKEN_TAG) {
		*tag = *t;
		props->has_tag = true;
	} else {
		props->anchor = t->text;
		props->has_anchor = true;
	}
	yaml_skip(&p->s);
	return 0;
}

/* Read a tag and an anchor. The tag is looked up after both were read: an error in the text behind an unknown handle
 * comes first. */
static int parse_properties(struct yaml_parser *p, const struct yaml_token **t, struct properties *props)
{
	struct yaml_token tag = { 0 };

	props->line = (*t)->line;
	while (((*t)->type == YAML_TOKEN_ANCHOR && !props->has_anchor) ||
	       ((*t)->type == YAML_TOKEN_TAG && !props->has_tag)) {
		take_property(p, *t, props, &tag);
		*t = yaml_peek(&p->s);
		if (!*t)
			return -p->err->code;
	}
	return props->has_tag ? expand_tag(p, &tag, &props->tag) : 0;
}

static int set_anchor(struct yaml_parser *p, const struct properties *props, uint32_t index)
{
	if (!props->has_anchor)
		return 0;
	return strmap_put(&p->anchors, props->anchor, (void *)((uintptr_t)index + 1), NULL) ? 0 : err_nomem(p->err);
}

/* ---- leaves ---- */

static int parse_alias(struct yaml_parser *p, const struct yaml_token *t)
{
	void *target = strmap_get(&p->anchors, t->text);
	struct yaml_node n = { .kind = YAML_NODE_ALIAS, .line = t->line, .text = t->text };

	if (!target)
		return err_set(p->err, EBADMSG, "yaml: unknown anchor '%.*s' referenced", STR_ARG(t->text));
	n.target = (uint32_t)((uintptr_t)target - 1);
	yaml_skip(&p->s);
	return yaml_add_node(p, n);
}

static int parse_scalar(struct yaml_parser *p, const struct yaml_token *t, const struct properties *props)
{
	struct yaml_node n = { .kind = YAML_NODE_SCALAR, .line = props->line, .text = t->text };
	uint32_t index = (uint32_t)p->tree->nodes.n;
	int r;

	n.tag = (uint8_t)known_tag(props->tag);
	n.implicit = (props->tag.n == 0 && t->plain) || str_eq(props->tag, STR("!"));
	r = yaml_add_node(p, n);
	if (r == 0)
		r = set_anchor(p, props, index);
	yaml_skip(&p->s);
	return r;
}

/* Parse a tag or an anchor without a node, which is an empty scalar. */
static int parse_bare_properties(struct yaml_parser *p, const struct properties *props)
{
	struct yaml_node n = { .kind = YAML_NODE_SCALAR, .line = props->line, .text = { "", 0 } };
	uint32_t index = (uint32_t)p->tree->nodes.n;
	int r;

	n.tag = (uint8_t)known_tag(props->tag);
	n.implicit = props->tag.n == 0;
	r = yaml_add_node(p, n);
	return r < 0 ? r : set_anchor(p, props, index);
}

/* ---- block collections ---- */

/* block_sequence ::= BLOCK-SEQUENCE-START (BLOCK-ENTRY block_node?)* BLOCK-END
 * indentless_sequence ::= (BLOCK-ENTRY block_node?)+      ends before the next key or the end of the mapping
 * around it */
static int parse_block_sequence(struct yaml_parser *p, uint32_t index, bool indentless)
{
	if (!indentless)
		yaml_skip(&p->s);
	for (;;) {
		const struct yaml_token *t = yaml_peek(&p->s);
		uint32_t line;
		int r;

		if (!t)
			return -p->err->code;
		if (t->type != YAML_TOKEN_BLOCK_ENTRY) {
			if (!indentless && t->type != YAML_TOKEN_BLOCK_END)
				return parse_error(p, t, "did not find expected '-' indicator");
			if (!indentless)
				yaml_skip(&p->s);
			return yaml_close_node(p, index);
		}
		line = t->line;
		yaml_skip(&p->s);
		t = yaml_peek(&p->s);
		if (!t)
			return -p->err->code;
		if (t->type == YAML_TOKEN_BLOCK_ENTRY || t->type == YAML_TOKEN_BLOCK_END ||
		    (indentless && (t->type == YAML_TOKEN_KEY || t->type == YAML_TOKEN_VALUE)))
			r = yaml_add_empty(p, line);
		else
			r = parse_node(p, IN_BLOCK);
		if (r < 0)
			return r;
	}
}

/* Parse the node behind KEY or VALUE, or the empty scalar when there is none. */
static int parse_block_part(struct yaml_parser *p)
{
	const struct yaml_token *t = yaml_peek(&p->s);
	uint32_t line = t->line;

	yaml_skip(&p->s);
	t = yaml_peek(&p->s);
	if (!t)
		return -p->err->code;
	if (t->type == YAML_TOKEN_KEY || t->type == YAML_TOKEN_VALUE || t->type == YAML_TOKEN_BLOCK_END)
		return yaml_add_empty(p, line);
	return parse_node(p, IN_BLOCK_MAPPING);
}

/* block_mapping ::= BLOCK-MAPPING-START ((KEY node?)? (VALUE node?)?)* BLOCK-END */
static int parse_block_mapping(struct yaml_parser *p, uint32_t index)
{
	yaml_skip(&p->s);
	for (;;) {
		const struct yaml_token *t = yaml_peek(&p->s);
		int r;

		if (!t)
			return -p->err->code;
		if (t->type == YAML_TOKEN_BLOCK_END) {
			yaml_skip(&p->s);
			return yaml_close_node(p, index);
		}
		if (t->type != YAML_TOKEN_KEY)
			return parse_error(p, t, "did not find expected key");
		r = parse_block_part(p);
		if (r < 0)
			return r;
		t = yaml_peek(&p->s);
		if (!t)
			return -p->err->code;
		r = t->type == YAML_TOKEN_VALUE ? parse_block_part(p) : yaml_add_empty(p, t->line);
		if (r < 0)
			return r;
	}
}

/* ---- flow collections ---- */

static bool ends_flow_part(const struct yaml_token *t, enum yaml_token_type end)
{
	return t->type == YAML_TOKEN_FLOW_ENTRY || t->type == end;
}

/* (VALUE flow_node?)?      the value of a pair; empty when there is none */
static int parse_flow_value(struct yaml_parser *p, enum yaml_token_type end)
{
	const struct yaml_token *t = yaml_peek(&p->s);

	if (!t)
		return -p->err->code;
	if (t->type == YAML_TOKEN_VALUE) {
		yaml_skip(&p->s);
		t = yaml_peek(&p->s);
		if (!t)
			return -p->err->code;
		if (!ends_flow_part(t, end))
			return parse_node(p, IN_FLOW);
	}
	return yaml_add_empty(p, t->line);
}

/* A pair in a sequence is a mapping of one: KEY flow_node? (VALUE flow_node?)?
 * The original takes the token behind a missing key for that key: it is lost. */
static int parse_flow_pair(struct yaml_parser *p, const struct yaml_token *key)
{
	const struct yaml_token *t;
	uint32_t index;
	int r = yaml_open_node(p, (struct yaml_node){ .kind = YAML_NODE_MAPPING, .line = key->line }, &index);

	if (r < 0)
		return r;
	yaml_skip(&p->s);
	t = yaml_peek(&p->s);
	if (!t)
		return -p->err->code;
	if (t->type == YAML_TOKEN_VALUE || ends_flow_part(t, YAML_TOKEN_FLOW_SEQUENCE_END)) {
		uint32_t line = t->line;

		yaml_skip(&p->s);
		r = yaml_add_empty(p, line);
	} else {
		r = parse_node(p, IN_FLOW);
	}
	if (r == 0)
		r = parse_flow_value(p, YAML_TOKEN_FLOW_SEQUENCE_END);
	return r < 0 ? r : yaml_close_node(p, index);
}

/* KEY flow_node? (VALUE flow_node?)? or flow_node, whose value is empty */
static int parse_flow_mapping_entry(struct yaml_parser *p, const struct yaml_token *t)
{
	int r;

	if (t->type != YAML_TOKEN_KEY) {
		r = parse_node(p, IN_FLOW);
		if (r < 0)
			return r;
		t = yaml_peek(&p->s);
		return t ? yaml_add_empty(p, t->line) : -p->err->code;
	}
	yaml_skip(&p->s);
	t = yaml_peek(&p->s);
	if (!t)
		return -p->err->code;
	if (t->type == YAML_TOKEN_VALUE || ends_flow_part(t, YAML_TOKEN_FLOW_MAPPING_END))
		r = yaml_add_empty(p, t->line);
	else
		r = parse_node(p, IN_FLOW);
	return r < 0 ? r : parse_flow_value(p, YAML_TOKEN_FLOW_MAPPING_END);
}

/* flow_sequence ::= FLOW-SEQUENCE-START (entry FLOW-ENTRY)* entry? FLOW-SEQUENCE-END, and the same with MAPPING */
static int parse_flow_collection(struct yaml_parser *p, uint32_t index, bool mapping)
{
	enum yaml_token_type end = mapping ? YAML_TOKEN_FLOW_MAPPING_END : YAML_TOKEN_FLOW_SEQUENCE_END;

	yaml_skip(&p->s);
	for (bool first = true;; first = false) {
		const struct yaml_token *t = yaml_peek(&p->s);
		int r;

		if (!t)
			return -p->err->code;
		if (!first && t->type != end) {
			if (t->type != YAML_TOKEN_FLOW_ENTRY)
				return parse_error(p, t,
						   mapping ? "did not find expected ',' or '}'"
							   : "did not find expected ',' or ']'");
			yaml_skip(&p->s);
			t = yaml_peek(&p->s);
			if (!t)
				return -p->err->code;
		}
		if (t->type == end) {
			yaml_skip(&p->s);
			return yaml_close_node(p, index);
		}
		if (mapping)
			r = parse_flow_mapping_entry(p, t);
		else if (t->type == YAML_TOKEN_KEY)
			r = parse_flow_pair(p, t);
		else
			r = parse_node(p, IN_FLOW);
		if (r < 0)
			return r;
	}
}

/* ---- nodes of any kind ---- */

static int parse_collection(struct yaml_parser *p, const struct yaml_token *t, const struct properties *props,
			    bool *found, enum context context)
{
	enum yaml_token_type type = t->type;
	bool mapping = type == YAML_TOKEN_FLOW_MAPPING_START || type == YAML_TOKEN_BLOCK_MAPPING_START;
	struct yaml_node n = { .kind = mapping ? YAML_NODE_MAPPING : YAML_NODE_SEQUENCE, .line = props->line };
	bool indentless = context == IN_BLOCK_MAPPING && type == YAML_TOKEN_BLOCK_ENTRY;
	bool flow = type == YAML_TOKEN_FLOW_MAPPING_START || type == YAML_TOKEN_FLOW_SEQUENCE_START;
	bool block = context != IN_FLOW &&
		     (type == YAML_TOKEN_BLOCK_SEQUENCE_START || type == YAML_TOKEN_BLOCK_MAPPING_START);
	uint32_t index;
	int r;

	*found = indentless || flow || block;
	if (!*found)
		return 0;
	r = yaml_open_node(p, n, &index);
	if (r == 0)
		r = set_anchor(p, props, index);
	if (r < 0)
		return r;
	if (flow)
		return parse_flow_collection(p, index, mapping);
	return mapping ? parse_block_mapping(p, index) : parse_block_sequence(p, index, indentless);
}

/* node ::= ALIAS | properties content? | content */
static int parse_node(struct yaml_parser *p, enum context context)
{
	const struct yaml_token *t = yaml_peek(&p->s);
	struct properties props = { .tag = { "", 0 } };
	bool found;
	int r;

	if (!t)
		return -p->err->code;
	if (t->type == YAML_TOKEN_ALIAS)
		return parse_alias(p, t);
	r = parse_properties(p, &t, &props);
	if (r < 0)
		return r;
	if (t->type == YAML_TOKEN_SCALAR)
		return parse_scalar(p, t, &props);
	r = parse_collection(p, t, &props, &found, context);
	if (r < 0 || found)
		return r;
	if (props.has_anchor || props.has_tag)
		return parse_bare_properties(p, &props);
	return parse_error(p, t, "did not find expected node content");
}

/* ---- documents ---- */

static int add_directive(struct yaml_parser *p, str handle, str prefix, bool may_repeat, const struct yaml_token *t)
{
	struct yaml_tag_directive d = { handle, prefix };

	for (size_t i = 0; i < p->directives.n; i++) {
		if (str_eq(p->directives.p[i].handle, handle))
			return may_repeat ? 0 : parse_error(p, t, "found duplicate %TAG directive");
	}
	return vec_push(&p->directives, d) ? 0 : err_nomem(p->err);
}

static int parse_directives(struct yaml_parser *p, const struct yaml_token **t)
{
	bool version = false;
	int r = 0;

	for (; (*t)->type == YAML_TOKEN_VERSION || (*t)->type == YAML_TOKEN_TAG_DIRECTIVE;) {
		if ((*t)->type == YAML_TOKEN_TAG_DIRECTIVE)
			r = add_directive(p, (*t)->text, (*t)->suffix, false, *t);
		else if (version)
			r = parse_error(p, *t, "found duplicate %YAML directive");
		else if ((*t)->text.n != 101)
			r = parse_error(p, *t, "found incompatible YAML document");
		else
			version = true;
		if (r < 0)
			return r;
		yaml_skip(&p->s);
		*t = yaml_peek(&p->s);
		if (!*t)
			return -p->err->code;
	}
	r = add_directive(p, STR("!"), STR("!"), true, *t);
	return r < 0 ? r : add_directive(p, STR("!!"), STR("tag:yaml.org,2002:"), true, *t);
}

static bool is_outside_document(const struct yaml_token *t)
{
	return t->type == YAML_TOKEN_VERSION || t->type == YAML_TOKEN_TAG_DIRECTIVE ||
	       t->type == YAML_TOKEN_DOCUMENT_START || t->type == YAML_TOKEN_DOCUMENT_END ||
	       t->type == YAML_TOKEN_STREAM_END;
}

/* document ::= block_node | DIRECTIVE* DOCUMENT-START block_node?
 * Reads one token behind the document, because the end of the document has to be found. */
static int parse_document(struct yaml_parser *p)
{
	const struct yaml_token *t = yaml_peek(&p->s);
	int r;

	if (!t)
		return -p->err->code;
	if (t->type == YAML_TOKEN_STREAM_END)
		return 0;
	if (t->type != YAML_TOKEN_VERSION && t->type != YAML_TOKEN_TAG_DIRECTIVE &&
	    t->type != YAML_TOKEN_DOCUMENT_START) {
		r = parse_directives(p, &t);
		if (r == 0)
			r = parse_node(p, IN_BLOCK);
	} else {
		r = parse_directives(p, &t);
		if (r < 0)
			return r;
		if (t->type != YAML_TOKEN_DOCUMENT_START)
			return parse_error(p, t, "did not find expected <document start>");
		yaml_skip(&p->s);
		t = yaml_peek(&p->s);
		if (!t)
			return -p->err->code;
		r = is_outside_document(t) ? yaml_add_empty(p, t->line) : parse_node(p, IN_BLOCK);
	}
	if (r < 0)
		return r;
	return yaml_peek(&p->s) ? 0 : -p->err->code;
}

int yaml_parse_flow(struct yaml_parser *p)
{
	return parse_node(p, IN_FLOW);
}

/* ---- texts ---- */

static int parser_init(struct yaml_parser *p, str raw, struct buf *scratch)
{
	*p->tree = (struct yaml_tree){ 0 };
	/* A manifest has a value for every eight to twenty bytes; growing from nothing costs more than reading a small
	 * one. */
	if (!vec_reserve(&p->tree->nodes, raw.n / 8 + 16))
		return err_nomem(p->err);
	return yaml_scanner_init(&p->s, raw, p->arena, scratch, p->err);
}

static int parser_done(struct yaml_parser *p, int r)
{
	yaml_scanner_done(&p->s);
	strmap_done(&p->anchors);
	vec_done(&p->directives);
	if (r < 0)
		yaml_tree_done(p->tree);
	return r;
}

/* Go back to the start of the text. */
static void rewind_all(struct yaml_parser *p)
{
	yaml_scanner_rewind(&p->s);
	strmap_done(&p->anchors);
	p->tree->nodes.n = 0;
	p->depth = 0;
}

int yaml_parse_tokens(str raw, const struct limits *limits, struct arena *a, struct buf *scratch, struct yaml_tree *ret,
		      struct err *err)
{
	struct yaml_parser p = { .tree = ret, .limits = limits, .arena = a, .err = err };
	int r = parser_init(&p, raw, scratch);

	if (r == 0)
		r = parse_document(&p);
	return parser_done(&p, r);
}

/* Whether anything but the end of the stream follows, correct or not. */
static bool has_rest(struct yaml_parser *p)
{
	const struct yaml_token *t = yaml_peek(&p->s);

	while (t && t->type == YAML_TOKEN_DOCUMENT_END) {
		yaml_skip(&p->s);
		t = yaml_peek(&p->s);
	}
	return !t || t->type != YAML_TOKEN_STREAM_END;
}

int yaml_parse(str raw, const struct limits *limits, struct arena *a, struct buf *scratch, struct yaml_tree *ret,
	       struct err *err)
{
	struct yaml_parser p = { .tree = ret, .limits = limits, .arena = a, .err = err };
	bool done = false;
	int r = parser_init(&p, raw, scratch);

	if (r == 0)
		r = yaml_parse_block(&p, &done);
	/* the text behind a document's end is checked too */
	if (r == 0 && (!done || str_find(raw, STR("\n...")) >= 0)) {
		rewind_all(&p);
		r = parse_document(&p);
		ret->rest = r == 0 && has_rest(&p);
	}
	return parser_done(&p, r);
}

void yaml_tree_done(struct yaml_tree *t)
{
	vec_done(&t->nodes);
}
