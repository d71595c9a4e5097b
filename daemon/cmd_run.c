/* driftd run: the command line of the daemon. */
#include "config/command_line.h"
#include "daemon/app.h"
#include "daemon/commands.h"

#include <stdio.h>

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
	      "  -h, --help                     this text\n",
	      to);
}

int cmd_run(int argc, char **argv)
{
	enum { LISTEN = 256, TELEMETRY, SYSTEMD, CONTROL, WEB_CONFIG };
	static const struct option options[] = {
		{ "config", required_argument, NULL, 'c' },
		{ "output", required_argument, NULL, 'o' },
		{ "web.listen-address", required_argument, NULL, LISTEN },
		{ "web.telemetry-path", required_argument, NULL, TELEMETRY },
		{ "web.config.file", required_argument, NULL, WEB_CONFIG },
		{ "web.systemd-socket", no_argument, NULL, SYSTEMD },
		{ "control-socket", required_argument, NULL, CONTROL },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	const char *listen[LISTEN_MAX];
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
	return app_run(&o);
}
