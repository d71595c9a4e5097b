/* driftd run: the command line of the daemon. */
#include "base/number.h"
#include "daemon/app/app.h"
#include "daemon/commands/commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LISTEN_MAX 16

struct run_command {
	struct app_options app;
	const char *listen[LISTEN_MAX], *shard, *total_shards;
};

static int take_output(const struct given *g, void *to)
{
	struct app_options *o = to;

	o->has_output = cfg_output_parse(str_from(g->value), &o->output);
	if (o->has_output)
		return COMMAND_GOES_ON;
	fprintf(stderr, "driftd run: '%s' is not an output: auto, journal, text or json\n", g->value);
	return EXIT_USAGE;
}

static int take_listen(const struct given *g, void *to)
{
	struct run_command *c = to;

	if (c->app.n_listen == LISTEN_MAX) {
		fprintf(stderr, "driftd run: at most %d listen addresses\n", LISTEN_MAX);
		return EXIT_USAGE;
	}
	c->listen[c->app.n_listen++] = g->value;
	return COMMAND_GOES_ON;
}

#define AT(member) offsetof(struct run_command, member)

static const struct command_option option_table[] = {
	CONFIG_OPTION(AT(app.config_path), ""),
	{ "output", 'o', "FORMAT", take_output, AT(app),
	  .help = "auto, journal, text or json; wins over the configuration" },
	{ "web.listen-address", 0, "ADDR", take_listen, 0,
	  .help = "host:port of the HTTP server; may be given several times" },
	{ "web.telemetry-path", 0, "PATH", option_text, AT(app.telemetry_path),
	  .help = "where Prometheus scrapes (default " CFG_TELEMETRY_PATH_DEFAULT ")" },
	{ "web.config.file", 0, "FILE", option_text, AT(app.web_config),
	  .help = "TLS, users and headers, in the format of Prometheus' exporter-toolkit" },
	{ "web.systemd-socket", 0, NULL, option_truth, AT(app.systemd_socket),
	  .help = "listen on the sockets that systemd passes instead: one called 'api' is the\n"
		  "control socket, others serve the web" },
	{ "control-socket", 0, "PATH", option_text, AT(app.control_socket),
	  .help = "of the control socket; wins over the configuration; empty: none" },
	{ "shard", 0, "N", option_text, AT(shard),
	  .help = "of all shards, this one, from 0; or a name that ends in its number" },
	{ "total-shards", 0, "M", option_text, AT(total_shards), .help = "how many processes share the clusters" },
	OPTION_HELP,
};

static const struct command_line line = {
	.program = "driftd run",
	.synopsis = "Usage: driftd run [options]\n"
		    "Watch clusters and report drift until stopped.\n\n",
	.notes = "",
	OPTIONS(option_table),
	.column = 33,
};

/* ---- shards ---- */

/* Parse an ordinal such as "2", or the end of the name of an instance, "prod-2". */
static bool parse_ordinal(const char *text, uint32_t *ret)
{
	const char *dash = strrchr(text, '-');
	str digits = str_from(dash ? dash + 1 : text);
	int64_t n;

	if (dash == text || !digits.n || digits.n > 9 || strspn(digits.p, "0123456789") != digits.n ||
	    !int64_parse(digits, &n))
		return false;
	*ret = (uint32_t)n;
	return true;
}

static bool parse_total(const char *text, uint32_t *ret)
{
	int64_t n;

	if (strspn(text, "0123456789") != strlen(text) || !int64_parse(str_from(text), &n) || n < 1 || n > SHARDS_MAX)
		return false;
	*ret = (uint32_t)n;
	return true;
}

/* Parse the shard. Each text may be NULL: not given. */
static int parse_shard(const char *ordinal, const char *total, struct shard *ret)
{
	if (ordinal && !parse_ordinal(ordinal, &ret->ordinal))
		fprintf(stderr, "driftd run: '%s' names no shard: a number from 0, or a name that ends in one\n",
			ordinal);
	else if (total && !parse_total(total, &ret->total))
		fprintf(stderr, "driftd run: '%s' is not a number of shards: 1 to %d\n", total, SHARDS_MAX);
	else if (!ordinal != !total)
		fprintf(stderr, "driftd run: %s needs %s\n", ordinal ? "--shard" : "--total-shards",
			ordinal ? "--total-shards" : "--shard");
	else if (ordinal && ret->ordinal >= ret->total)
		fprintf(stderr, "driftd run: there is no shard %" PRIu32 " of %" PRIu32 ": they are counted from 0\n",
			ret->ordinal, ret->total);
	else
		return 0;
	return EXIT_USAGE;
}

int cmd_run(int argc, char **argv)
{
	struct run_command c = { .app.config_path = CONFIG_PATH_DEFAULT };
	struct arguments none;
	int status = command_line_read(&line, argc, argv, &c, &none);

	if (status != COMMAND_GOES_ON)
		return status;
	c.app.listen = c.listen;
	status = parse_shard(c.shard, c.total_shards, &c.app.shard);
	return status ? status : app_run(&c.app);
}
