/* The words that describe types, for the generated table and for its readers. */
#ifndef TOPOLOGY_TOPO_WORDS_H
#define TOPOLOGY_TOPO_WORDS_H

/* ORDER topo_shape */
enum topo_shape { TOPO_UNKNOWN, TOPO_SCALAR, TOPO_STRUCT, TOPO_MAP, TOPO_LIST };

/* ORDER topo_value: what a scalar means, or the elements of a list, or the values of a map. */
enum topo_value {
	TOPO_ANY,
	TOPO_STRING,
	TOPO_NUMBER,
	TOPO_BOOLEAN,
	TOPO_BYTES, /* base64 */
	TOPO_TIME,
	TOPO_QUANTITY,
	TOPO_INT_OR_STRING,
	TOPO_STRUCTS,
	TOPO_LISTS,
};

/* ORDER topo_list. TOPO_UNTYPED: it is unknown, or no list. */
enum topo_list { TOPO_UNTYPED, TOPO_ATOMIC, TOPO_SET, TOPO_KEYED };

#endif
