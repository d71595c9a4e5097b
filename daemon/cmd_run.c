/* driftd run: the command line of the daemon. */
#include "base/number.h"
#include "config/command_line.h"
#include "daemon/app.h"
#include "daemon/commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LISTEN_MAX 16

static void usage(FILE *to)
{
	fputs("Usage: driftd run [options]\n"
	      "Watch clusters and report drift until stopped.\n\n"
	      "  -c, --config FILE              configuration (default " CONFIG_PATH_DEFAULT ")\n"
	      "  -o, --output FORMAT            auto, journal, text or json; wins over the configuration\n"
	      "      --web.listen-address ADDR  host:port of the HTTP server; may be given several times\n"
	      "      --web.telemetry-path PATH  where Prometheus scrapes (default " CFG_TELEMETRY_PATH_DEFAULT ")\n"
	      "      --web.config.file FILE     TLS, users and headers, in the format of Prometheus' exporter-toolkit\n"
	      "      --web.systemd-socket       listen on the sockets that systemd passes instead: one called 'api' is "
	      "the\n"
	      "                                 control socket, others serve the web\n"
	      "      --control-socket PATH      of the control socket; wins over the configuration; empty: none\n"
	      "      --shard N                  of all shards, this one, from 0; or a name that ends in its number\n"
	      "      --total-shards M           how many processes share the clusters\n"
	      "  -h, --help                     this text\n",
	      to);
}

/* ---- shards ---- */

/* "2"; the name of an instance, "prod-2". */
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

/* Each may be NULL: not given. */
static int parse_shard(const char *ordinal, const char *total, struct shard *ret)
{
	if (ordinal && !parse_ordinal(ordinal, &ret->ordinal))
		fprintf(stderr, "driftd run: '%s' names no shard: a number from 0, or a name that ends in one\n",
			ordinal);
	else if (total && !parse_total(total, &ret->total))
		fprintf(stderr, "driftd run: '%s' is no number of shards: 1 to %d\n", total, SHARDS_MAX);
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
	enum { LISTEN = 256, TELEMETRY, SYSTEMD, CONTROL, WEB_CONFIG, SHARD, TOTAL_SHARDS };
	static const struct option options[] = {
		{ "config", required_argument, NULL, 'c' },
		{ "output", required_argument, NULL, 'o' },
		{ "web.listen-address", required_argument, NULL, LISTEN },
		{ "web.telemetry-path", required_argument, NULL, TELEMETRY },
		{ "web.config.file", required_argument, NULL, WEB_CONFIG },
		{ "web.systemd-socket", no_argument, NULL, SYSTEMD },
		{ "control-socket", required_argument, NULL, CONTROL },
		{ "shard", required_argument, NULL, SHARD },
		{ "total-shards", required_argument, NULL, TOTAL_SHARDS },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	const char *listen[LISTEN_MAX], *shard = NULL, *total_shards = NULL;
	struct app_options o = { .config_path = CONFIG_PATH_DEFAULT, .listen = listen };
	int c;

	while ((c = command_line_next("driftd run", argc, argv, "c:o:h", options, NULL)) != -1) {
		switch (c) {
		case 'c':
			o.config_path = optarg;
			break;
		case 'o':
			o.has_output = cfg_output_parse(str_from(optarg), &o.output);
			if (!o.has_output) {
				fprintf(stderr, "driftd run: '%s' is no output: auto, journal, text or json\n", optarg);
				return EXIT_USAGE;
			}
			break;
		case LISTEN:
			if (o.n_listen == LISTEN_MAX) {
				fprintf(stderr, "driftd run: at most %d listen addresses\n", LISTEN_MAX);
				return EXIT_USAGE;
			}
			listen[o.n_listen++] = optarg;
			break;
		case TELEMETRY:
			o.telemetry_path = optarg;
			break;
		case WEB_CONFIG:
			o.web_config = optarg;
			break;
		case SYSTEMD:
			o.systemd_socket = true;
			break;
		case CONTROL:
			o.control_socket = optarg;
			break;
		case SHARD:
			shard = optarg;
			break;
		case TOTAL_SHARDS:
			total_shards = optarg;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			return command_line_see_help("driftd run");
		}
	}
	if (optind < argc) {
		fprintf(stderr, "driftd run: unexpected argument '%s'\n", argv[optind]);
		return EXIT_USAGE;
	}
	if (parse_shard(shard, total_shards, &o.shard) != 0)
		return EXIT_USAGE;
	return app_run(&o);
}
