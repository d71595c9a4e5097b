/* A YAML document as a flat tree of nodes. */
#ifndef VALUE_YAML_TREE_H
#define VALUE_YAML_TREE_H

#include "base/str.h"
#include "base/vec.h"

enum yaml_node_kind { YAML_NODE_SCALAR, YAML_NODE_SEQUENCE, YAML_NODE_MAPPING, YAML_NODE_ALIAS };

/* The tags that mean something to the decoder. ORDER yaml_tag */
enum yaml_tag {
	YAML_TAG_NONE,
	YAML_TAG_STR,
	YAML_TAG_BOOL,
	YAML_TAG_INT,
	YAML_TAG_FLOAT,
	YAML_TAG_NULL,
	YAML_TAG_TIMESTAMP,
	YAML_TAG_BINARY,
	YAML_TAG_MERGE,
	YAML_TAG_OTHER,
};

struct yaml_node {
	uint8_t kind;
	uint8_t tag;
	bool implicit;   /* scalar: plain without a tag, or tagged "!", so that its text decides the type */
	bool active;     /* alias: the decoder is expanding it right now */
	uint32_t line;   /* from 0 */
	uint32_t next;   /* index behind the last node of this subtree; children follow their parent */
	uint32_t target; /* alias: index of the node it stands for */
	str text;        /* scalar: its value; alias: the name */
};

_Static_assert(sizeof(struct yaml_node) == 32, "one for each value and key of a YAML text");

struct yaml_tree {
	bool rest;                   /* something follows the document */
	VEC(struct yaml_node) nodes; /* the root is [0]; empty when the text holds no document */
};

#endif
