/* Recognizes credentials without a name by their shapes, as their issuers publish them. */
#include "mask/issuers.h"

#include "mask/chars.h"

struct issuer {
	const char *shape, *name;
};

/* The table of shapes. A shape consists of fixed characters, and of classes of characters with their number: %d{6},
 * %w{20,}, %u{6,11}. A class takes as many characters as it may. If the last class has taken its most, and another
 * character of it or of base64url follows, the shape does not match. The classes:
 *   d digits           x 0-9a-f           X hexadecimal      U 0-9A-F
 *   l a-z0-9           L the same, one a digit              u A-Z0-9
 *   a letters, digits  w those, "_" "-"   s those, "." "="   t those of w, "." "~"
 *   b base64           h of crypt(3): letters, digits, "./+-="  r those, ","
 *   e of a URL: letters, digits, "%._-=&" c all but blanks and quotes
 * Sorted by their first two characters, by which they are found. */
static const struct issuer issuers[] = {
	{ "$1$%h{1,8}$%h{20,}", "md5-crypt hash" },
	{ "$2a$%d{2}$%h{50,}", "bcrypt hash" },
	{ "$2b$%d{2}$%h{50,}", "bcrypt hash" },
	{ "$2x$%d{2}$%h{50,}", "bcrypt hash" },
	{ "$2y$%d{2}$%h{50,}", "bcrypt hash" },
	{ "$5$%r{1,}$%h{40,}", "sha256-crypt hash" },
	{ "$5$rounds=%d{1,}$%h{1,}$%h{40,}", "sha256-crypt hash" },
	{ "$6$%r{1,}$%h{80,}", "sha512-crypt hash" },
	{ "$6$rounds=%d{1,}$%h{1,}$%h{80,}", "sha512-crypt hash" },
	{ "$7$%h{40,}", "scrypt hash" },
	{ "$8$%h{10,}", "cisco type 8 hash" },
	{ "$9$%h{10,}", "cisco or junos type 9 hash" },
	{ "$ANSIBLE_VAULT;%s{3}", "Ansible vault" },
	{ "$apr1$%h{1,8}$%h{20,}", "htpasswd hash" },
	{ "$argon2d$%r{1,}$%r{1,}$%b{8,}", "argon2 hash" },
	{ "$argon2i$%r{1,}$%r{1,}$%b{8,}", "argon2 hash" },
	{ "$argon2id$%r{1,}$%r{1,}$%b{8,}", "argon2 hash" },
	{ "$gy$%h{1,}$%h{1,}$%h{40,}", "gost-yescrypt hash" },
	{ "$pbkdf2$%d{1,}$%h{8,}", "pbkdf2 hash" },
	{ "$pbkdf2-sha256$%d{1,}$%h{8,}", "pbkdf2 hash" },
	{ "$pbkdf2-sha512$%d{1,}$%h{8,}", "pbkdf2 hash" },
	{ "$scrypt$%r{1,}$%b{8,}", "scrypt hash" },
	{ "$y$%h{1,}$%h{1,}$%h{40,}", "yescrypt hash" },
	{ "*%U{40}", "MySQL password" },
	{ "1//0%w{30,}", "Google refresh token" },
	{ "7Q~%t{31,}", "Azure client secret" },
	{ "8Q~%t{31,}", "Azure client secret" },
	{ "AAAAAAAAAAAAAAAAAAAAA%e{40,}", "X bearer token" },
	{ "ABSK%b{100,}", "AWS Bedrock key" },
	{ "AGE-PLUGIN-%w{20,}", "age plugin identity" },
	{ "AGE-SECRET-KEY-1%u{50,}", "age secret key" },
	{ "AIza%w{30,}", "Google API key" },
	{ "AKCp%a{20,}", "JFrog API key" },
	{ "AKIA%u{16}", "AWS access key" },
	{ "AKID%a{30,}", "Tencent Cloud secret ID" },
	{ "AQVN%w{30,}", "Yandex Cloud API key" },
	{ "ASIA%u{16}", "AWS temporary access key" },
	{ "ATATT3%w{20,}", "Atlassian API token" },
	{ "ATBB%a{24,}", "Bitbucket app password" },
	{ "ATCTT3%w{20,}", "Atlassian access token" },
	{ "Atza|%w{30,}", "Amazon access token" },
	{ "CCIPAT_%w{30,}", "CircleCI personal token" },
	{ "CCIPRJ_%w{30,}", "CircleCI project token" },
	{ "CFPAT-%w{30,}", "Contentful token" },
	{ "CLOJARS_%x{60}", "Clojars token" },
	{ "EAAAE%w{50,}", "Square access token" },
	{ "EAAB%a{40,}", "Facebook access token" },
	{ "EAAC%a{40,}", "Facebook access token" },
	{ "EAAG%a{40,}", "Facebook access token" },
	{ "EAAM%a{40,}", "Facebook access token" },
	{ "EZAK%a{40,}", "EasyPost key" },
	{ "EZTK%a{40,}", "EasyPost test key" },
	{ "FLWSECK-%a{16,}", "Flutterwave secret key" },
	{ "FLWSECK_TEST-%a{12,}", "Flutterwave test key" },
	{ "FwoGZXIvYXdz%b{40,}", "AWS session token" },
	{ "GOCSPX-%w{20,}", "Google OAuth client secret" },
	{ "GR1348941%w{16,}", "GitLab runner registration token" },
	{ "HRKU-%w{30,}", "Heroku API key" },
	{ "IGQV%w{40,}", "Instagram access token" },
	{ "IQoJb3JpZ2lu%b{40,}", "AWS session token" },
	{ "K10%x{50,}::%w{4,}:%w{8,}", "k3s node token" },
	{ "LTAI%a{16,}", "Alibaba Cloud access key" },
	{ "NRAA-%a{20,}", "New Relic admin key" },
	{ "NRAK-%u{20,}", "New Relic user key" },
	{ "NRII-%w{20,}", "New Relic insert key" },
	{ "NRIQ-%w{20,}", "New Relic query key" },
	{ "NRJS-%x{16,}", "New Relic browser key" },
	{ "PMAK-%x{20,}-%x{20,}", "Postman API key" },
	{ "PuTTY-User-Key-File", "PuTTY private key" },
	{ "SCRAM-SHA-256$%d{1,}:%b{16,}$%b{16,}", "PostgreSQL password" },
	{ "SG.%w{16,}.%w{20,}", "SendGrid API key" },
	{ "SK%x{32}", "Twilio API key" },
	{ "SWMTKN-1-%w{30,}", "Docker Swarm join token" },
	{ "SharedAccessSignature sr=%e{10,}", "Azure shared access signature" },
	{ "YCAJ%w{20,}", "Yandex Cloud access key" },
	{ "access-production-%x{8}-%x{4}-%x{4}-%x{4}-%x{12}", "Plaid access token" },
	{ "access-sandbox-%x{8}-%x{4}-%x{4}-%x{4}-%x{12}", "Plaid access token" },
	{ "access_token$production$%a{16}$%x{32}", "PayPal Braintree token" },
	{ "access_token$sandbox$%a{16}$%x{32}", "PayPal Braintree token" },
	{ "aio_%a{28}", "Adafruit IO key" },
	{ "amzn.mws.%x{8}-%x{4}-%x{4}-%x{4}-%x{12}", "Amazon MWS token" },
	{ "amzn1.oa2-cs.v1.%x{40,}", "Amazon client secret" },
	{ "api-%x{8}-%x{4}-%x{4}-%x{4}-%x{12}", "LaunchDarkly API key" },
	{ "api.telegram.org/bot%d{6,}:%w{20,}", "Telegram bot" },
	{ "api_org_%a{30,}", "Hugging Face organisation token" },
	{ "argon2$argon2%c{20,}", "Django hash" },
	{ "b.AAAAAQ%w{20,}", "Vault batch token" },
	{ "bcrypt_sha256$%c{20,}", "Django hash" },
	{ "bkua_%x{30,}", "Buildkite token" },
	{ "cfat_%w{30,}", "Cloudflare account token" },
	{ "cfut_%w{30,}", "Cloudflare user token" },
	{ "chat.googleapis.com/v1/spaces/%w{6,}/messages?key=%w{10,}", "Google Chat webhook" },
	{ "cio%a{32}", "crates.io token" },
	{ "cmVmdGtu%b{40,}", "JFrog reference token" },
	{ "dG9rOj%b{20,}", "Intercom token" },
	{ "dapi%x{32}", "Databricks token" },
	{ "dckr_oat_%w{16,}", "Docker organisation token" },
	{ "dckr_pat_%w{16,}", "Docker personal access token" },
	{ "ddapp_%a{30,}", "Datadog application key" },
	{ "ddpat_%w{30,}", "Datadog personal token" },
	{ "discord.com/api/webhooks/%d{16,}/%w{20,}", "Discord webhook" },
	{ "discordapp.com/api/webhooks/%d{16,}/%w{20,}", "Discord webhook" },
	{ "dkea%x{32}", "Databricks token" },
	{ "doo_v1_%x{40,}", "DigitalOcean OAuth token" },
	{ "dop_v1_%x{40,}", "DigitalOcean personal access token" },
	{ "dor_v1_%x{40,}", "DigitalOcean refresh token" },
	{ "dose%x{32}", "Databricks secret" },
	{ "dp.audit.%a{30,}", "Doppler audit token" },
	{ "dp.ct.%a{30,}", "Doppler CLI token" },
	{ "dp.pt.%a{30,}", "Doppler personal token" },
	{ "dp.sa.%a{30,}", "Doppler service account token" },
	{ "dp.scim.%a{30,}", "Doppler SCIM token" },
	{ "dp.st.%s{30,}", "Doppler service token" },
	{ "driftd-hidden-%w{32,}", "text that stands for a hidden one" },
	{ "dt0c01.%u{20,}.%u{30,}", "Dynatrace token" },
	{ "dt0s01.%u{6,}.%u{30,}", "Dynatrace token" },
	{ "dt0s16.%u{6,}.%u{30,}", "Dynatrace token" },
	{ "duffel_live_%w{30,}", "Duffel token" },
	{ "essu_%b{30,}", "Elastic service token" },
	{ "events.pagerduty.com/integration/%a{20,}", "PagerDuty webhook" },
	{ "eyJ%w{20,}..%w{8,}", "encrypted JSON Web Token" },
	{ "eyJ%w{5,}.%w{8,}.", "JSON Web Token" },
	{ "eyJrIjoi%b{30,}", "Grafana API key" },
	{ "fc-%x{32}", "Firecrawl key" },
	{ "figd_%w{30,}", "Figma token" },
	{ "figu_%w{30,}", "Figma token" },
	{ "fm2_%s{40,}", "Fly.io macaroon" },
	{ "fo1_%w{30,}", "Fly.io token" },
	{ "gho_%a{30,}", "GitHub OAuth token" },
	{ "ghp_%a{30,}", "GitHub personal access token" },
	{ "ghr_%a{30,}", "GitHub refresh token" },
	{ "ghs_%w{30,}", "GitHub server token" },
	{ "ghu_%a{30,}", "GitHub user token" },
	{ "github_pat_%w{20,}", "GitHub fine-grained token" },
	{ "glagent-%w{20,}", "GitLab agent token" },
	{ "glc_eyJ%b{20,}", "Grafana Cloud token" },
	{ "glcbt-%w{16,}", "GitLab CI job token" },
	{ "gldt-%w{16,}", "GitLab deploy token" },
	{ "glffct-%w{16,}", "GitLab feature flags token" },
	{ "glft-%w{16,}", "GitLab feed token" },
	{ "glimt-%w{16,}", "GitLab mail token" },
	{ "gloas-%w{20,}", "GitLab application secret" },
	{ "glpat-%s{16,}", "GitLab personal access token" },
	{ "glptt-%w{20,}", "GitLab trigger token" },
	{ "glrt-%s{16,}", "GitLab runner token" },
	{ "glrtr-%s{16,}", "GitLab runner registration token" },
	{ "glsa_%a{32}_%X{8}", "Grafana service account token" },
	{ "glsoat-%w{16,}", "GitLab SCIM token" },
	{ "glwt-%w{16,}", "GitLab workspace token" },
	{ "gsk_%a{40,}", "Groq key" },
	{ "hc-ping.com/%x{8}-%x{4}-%x{4}-%x{4}-%x{12}", "Healthchecks ping address" },
	{ "hcaik_%w{40,}", "Honeycomb key" },
	{ "hcbik_%w{40,}", "Honeycomb key" },
	{ "hf_%a{30,}", "Hugging Face token" },
	{ "hooks.slack-gov.com/services/%w{6,}/%w{6,}/%a{8,}", "Slack webhook" },
	{ "hooks.slack.com/services/%w{6,}/%w{6,}/%a{8,}", "Slack webhook" },
	{ "hooks.slack.com/triggers/%w{6,}/%w{6,}", "Slack workflow webhook" },
	{ "hooks.slack.com/workflows/%w{6,}/%w{6,}", "Slack workflow webhook" },
	{ "hooks.zapier.com/hooks/catch/%d{4,}/%w{4,}", "Zapier webhook" },
	{ "hvb.%w{20,}", "Vault batch token" },
	{ "hvr.%w{20,}", "Vault recovery token" },
	{ "hvs.%w{20,}", "Vault service token" },
	{ "jina_%w{30,}", "Jina key" },
	{ "key-%x{32}", "Mailgun API key" },
	{ "kubeconfig-u-%l{5,}:%l{50,}", "Rancher token" },
	{ "kubeconfig-user-%l{5}:%l{50,}", "Rancher token" },
	{ "lin_api_%a{30,}", "Linear API key" },
	{ "lin_oauth_%a{30,}", "Linear OAuth token" },
	{ "lsv2_pt_%x{32}_%x{10}", "LangSmith key" },
	{ "lsv2_sk_%x{32}_%x{10}", "LangSmith key" },
	{ "maker.ifttt.com/trigger/%w{1,}/with/key/%w{16,}", "IFTTT webhook" },
	{ "md5%x{32}", "PostgreSQL password" },
	{ "mdb_sa_sk_%w{30,}", "MongoDB Atlas client secret" },
	{ "mlsn.%x{40,}", "MailerSend token" },
	{ "napi_%a{30,}", "Neon API key" },
	{ "nfp_%a{30,}", "Netlify token" },
	{ "nosnch.in/%x{10}", "Dead Man's Snitch address" },
	{ "npg_%a{10,}", "Neon database password" },
	{ "npm_%a{30,}", "npm token" },
	{ "ntn_%a{30,}", "Notion token" },
	{ "nvapi-%w{40,}", "NVIDIA API key" },
	{ "oapi.dingtalk.com/robot/send?access_token=%a{16,}", "DingTalk webhook" },
	{ "open.feishu.cn/open-apis/bot/v2/hook/%w{16,}", "Feishu webhook" },
	{ "open.larksuite.com/open-apis/bot/v2/hook/%w{16,}", "Lark webhook" },
	{ "ops_eyJ%b{50,}", "1Password service account token" },
	{ "outlook.office.com/webhook/%w{20,}", "Teams webhook" },
	{ "oy2%l{43}", "NuGet key" },
	{ "pat-eu1-%x{8}-%x{4}-%x{4}-%x{4}-%x{12}", "HubSpot token" },
	{ "pat-na1-%x{8}-%x{4}-%x{4}-%x{4}-%x{12}", "HubSpot token" },
	{ "pbkdf2:sha256:%d{1,}$%h{1,}$%x{20,}", "Werkzeug hash" },
	{ "pbkdf2_sha1$%d{1,}$%h{1,}$%b{20,}", "Django hash" },
	{ "pbkdf2_sha256$%d{1,}$%h{1,}$%b{20,}", "Django hash" },
	{ "pcsk_%w{40,}", "Pinecone key" },
	{ "phx_%w{30,}", "PostHog personal key" },
	{ "pnb_%a{30,}", "Prefect key" },
	{ "pnu_%a{30,}", "Prefect key" },
	{ "pplx-%a{30,}", "Perplexity key" },
	{ "pscale_oauth_%s{20,}", "PlanetScale OAuth token" },
	{ "pscale_pw_%s{20,}", "PlanetScale password" },
	{ "pscale_tkn_%s{20,}", "PlanetScale token" },
	{ "pul-%x{40}", "Pulumi token" },
	{ "pypi-AgE%w{40,}", "PyPI token" },
	{ "pypi-AgN%w{40,}", "PyPI test token" },
	{ "qyapi.weixin.qq.com/cgi-bin/webhook/send?key=%w{16,}", "WeCom webhook" },
	{ "r8_%a{30,}", "Replicate token" },
	{ "re_%a{8}_%a{20,}", "Resend API key" },
	{ "rk_live_%a{16,}", "Stripe restricted key" },
	{ "rk_test_%a{16,}", "Stripe restricted test key" },
	{ "rnd_%a{24,}", "Render API key" },
	{ "rubygems_%x{40,}", "RubyGems key" },
	{ "rzp_live_%a{14,}", "Razorpay key" },
	{ "rzp_test_%a{14,}", "Razorpay test key" },
	{ "s.%a{24}", "Vault service token" },
	{ "sb_secret_%w{20,}", "Supabase secret key" },
	{ "sbp_%x{40}", "Supabase token" },
	{ "scrypt:%d{1,}:%d{1}:%d{1}$%h{1,}$%x{20,}", "Werkzeug hash" },
	{ "sdk-%x{8}-%x{4}-%x{4}-%x{4}-%x{12}", "LaunchDarkly SDK key" },
	{ "secret_%a{40,}", "Notion integration secret" },
	{ "sgp_%x{16}_%x{40}", "Sourcegraph token" },
	{ "sgp_%x{40}", "Sourcegraph token" },
	{ "sha256~%w{30,}", "OpenShift token" },
	{ "shippo_live_%x{30,}", "Shippo key" },
	{ "shpat_%x{32}", "Shopify access token" },
	{ "shpca_%x{32}", "Shopify custom app token" },
	{ "shppa_%x{32}", "Shopify private app token" },
	{ "shpss_%x{32}", "Shopify shared secret" },
	{ "sk-%a{32,}", "OpenAI API key" },
	{ "sk-admin-%w{20,}", "OpenAI admin key" },
	{ "sk-ant-%w{20,}", "Anthropic API key" },
	{ "sk-lf-%x{8}-%x{4}-%x{4}-%x{4}-%x{12}", "Langfuse secret key" },
	{ "sk-or-v1-%x{40,}", "OpenRouter key" },
	{ "sk-proj-%w{20,}", "OpenAI project key" },
	{ "sk-svcacct-%w{20,}", "OpenAI service account key" },
	{ "sk.eyJ%w{20,}", "Mapbox secret token" },
	{ "sk_%x{40,}", "ElevenLabs key" },
	{ "sk_live_%a{16,}", "Stripe secret key" },
	{ "sk_test_%a{16,}", "Stripe test key" },
	{ "sl.B%w{40,}", "Dropbox token" },
	{ "sl.u.%w{40,}", "Dropbox token" },
	{ "sntrys_%s{30,}", "Sentry organisation token" },
	{ "sntryu_%x{40,}", "Sentry user token" },
	{ "sq0atp-%w{20,}", "Square access token" },
	{ "sq0csp-%w{30,}", "Square secret" },
	{ "sqa_%x{40}", "SonarQube analysis token" },
	{ "sqp_%x{40}", "SonarQube project token" },
	{ "squ_%x{40}", "SonarQube user token" },
	{ "tgp_v1_%w{30,}", "Together key" },
	{ "token-%l{5}:%l{50,}", "Rancher token" },
	{ "tskey-api-%w{12,}", "Tailscale API key" },
	{ "tskey-auth-%w{12,}", "Tailscale auth key" },
	{ "tskey-client-%w{12,}", "Tailscale client secret" },
	{ "tskey-scim-%w{12,}", "Tailscale SCIM key" },
	{ "tskey-webhook-%w{12,}", "Tailscale webhook secret" },
	{ "tvly-%w{20,}", "Tavily key" },
	{ "v1.0-%x{24}-%x{100,}", "Cloudflare origin CA key" },
	{ "vca_%a{20,}", "Vercel access token" },
	{ "vck_%a{20,}", "Vercel gateway key" },
	{ "vcp_%a{20,}", "Vercel token" },
	{ "wandb_v1_%w{30,}", "Weights & Biases key" },
	{ "webhook.office.com/webhookb2/%w{20,}", "Teams webhook" },
	{ "whsec_%b{24,}", "Stripe webhook secret" },
	{ "xai-%w{40,}", "xAI key" },
	{ "xapp-%w{16,}", "Slack app-level token" },
	{ "xkeysib-%x{40,}-%a{10,}", "Brevo API key" },
	{ "xoxa-%w{16,}", "Slack app token" },
	{ "xoxb-%w{16,}", "Slack bot token" },
	{ "xoxc-%w{16,}", "Slack client token" },
	{ "xoxd-%w{16,}", "Slack cookie" },
	{ "xoxe-%w{16,}", "Slack configuration token" },
	{ "xoxe.xox%w{16,}", "Slack configuration token" },
	{ "xoxp-%w{16,}", "Slack user token" },
	{ "xoxr-%w{16,}", "Slack refresh token" },
	{ "xoxs-%w{16,}", "Slack session token" },
	{ "xsmtpsib-%x{40,}-%a{10,}", "Brevo SMTP key" },
	{ "xwfp-%w{16,}", "Slack workflow token" },
	{ "y0_%w{30,}", "Yandex OAuth token" },
	{ "ya29.%s{20,}", "Google access token" },
	{ "{ARGON2}%c{16,}", "LDAP hash" },
	{ "{CRYPT}%c{10,}", "LDAP hash" },
	{ "{MD5}%b{16,}", "LDAP hash" },
	{ "{PBKDF2-SHA256}%c{16,}", "LDAP hash" },
	{ "{PBKDF2-SHA512}%c{16,}", "LDAP hash" },
	{ "{PBKDF2}%c{16,}", "LDAP hash" },
	{ "{SHA256}%b{30,}", "LDAP hash" },
	{ "{SHA512}%b{60,}", "LDAP hash" },
	{ "{SHA}%b{20,}", "LDAP hash" },
	{ "{SMD5}%b{16,}", "LDAP hash" },
	{ "{SSHA256}%b{30,}", "LDAP hash" },
	{ "{SSHA512}%b{60,}", "LDAP hash" },
	{ "{SSHA}%b{20,}", "LDAP hash" },
	{ "{bcrypt}%c{16,}", "Spring password" },
};

/* Shapes that may begin with any character. */
static const struct issuer others[] = {
	{ "%d{8,10}:AA%w{33}", "Telegram bot token" },       { "%l{6}.%L{16}", "kubeadm bootstrap token" },
	{ "%a{14}.atlasv1.%w{60,}", "Terraform token" },     { "M%w{23,27}.%w{6}.%w{27,}", "Discord bot token" },
	{ "N%w{23,27}.%w{6}.%w{27,}", "Discord bot token" }, { "O%w{23,27}.%w{6}.%w{27,}", "Discord bot token" },
	{ "%x{32}-us%d{1,2}", "Mailchimp API key" },
};

#define OTHERS_LEAST 23 /* bytes of the word that such a shape is part of */
#define OTHERS_DIGITS 8 /* except in shapes that begin with as many digits */

static bool is_any_of(char c, const char *more)
{
	return c && strchr(more, c);
}

static bool is_in_class(char kind, char c)
{
	switch (kind) {
	case 'd':
		return ascii_is_digit(c);
	case 'x':
		return ascii_is_digit(c) || (c >= 'a' && c <= 'f');
	case 'X':
		return ascii_is_hex(c);
	case 'U':
		return ascii_is_digit(c) || (c >= 'A' && c <= 'F');
	case 'l':
	case 'L':
		return ascii_is_digit(c) || ascii_is_lower(c);
	case 'u':
		return ascii_is_digit(c) || ascii_is_upper(c);
	case 'a':
		return ascii_is_alnum(c);
	case 'w':
		return is_base64url(c);
	case 's':
		return is_base64url(c) || is_any_of(c, ".=");
	case 't':
		return is_base64url(c) || is_any_of(c, ".~");
	case 'b':
		return ascii_is_alnum(c) || is_any_of(c, "+/=");
	case 'h':
		return ascii_is_alnum(c) || is_any_of(c, "./+-=");
	case 'r':
		return ascii_is_alnum(c) || is_any_of(c, "./+-=,");
	case 'e':
		return ascii_is_alnum(c) || is_any_of(c, "%._-=&");
	default:
		return (unsigned char)c > ' ' && !is_quote(c) && c != '<';
	}
}

/* Read {n}, {n,} or {n,m} at *p, which moves behind it. */
static void read_count(const char **p, size_t *least, size_t *most)
{
	const char *s = *p + 1;

	for (*least = 0; ascii_is_digit(*s); s++)
		*least = *least * 10 + (size_t)(*s - '0');
	*most = *least;
	if (*s == ',') {
		*most = SIZE_MAX;
		for (s++; ascii_is_digit(*s); s++)
			*most = (*most == SIZE_MAX ? 0 : *most * 10) + (size_t)(*s - '0');
	}
	*p = s + 1;
}

static bool holds_digit(str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (ascii_is_digit(s.p[i]))
			return true;
	}
	return false;
}

/* The most characters of a class that are read, which is more than any shape needs. */
#define CLASS_MOST 256

static bool matches(str text, size_t i, const char *shape)
{
	while (*shape) {
		size_t least, most, n = 0;
		char kind;

		if (*shape != '%') {
			if (i == text.n || text.p[i++] != *shape++)
				return false;
			continue;
		}
		kind = shape[1];
		shape += 2;
		read_count(&shape, &least, &most);
		while (n < CLASS_MOST && n < most && i + n < text.n && is_in_class(kind, text.p[i + n]))
			n++;
		if (n < least || (kind == 'L' && !holds_digit(str_sub(text, i, i + n))))
			return false;
		i += n;
		if (n == most && !*shape && i < text.n && (is_in_class(kind, text.p[i]) || is_base64url(text.p[i])))
			return false;
	}
	return true;
}

static int order(const struct issuer *issuer, str text)
{
	for (size_t i = 0; i < 2; i++) {
		int d = (unsigned char)issuer->shape[i] - (unsigned char)text.p[i];

		if (issuer->shape[i] == '%') /* no other shape begins with this character */
			return 0;
		if (d)
			return d;
	}
	return 0;
}

const char *mask_issuer(str text, size_t at)
{
	size_t from = 0, to = ARRAY_LEN(issuers);
	str rest = str_sub(text, at, text.n);

	if (rest.n < 2)
		return NULL;
	while (from < to) { /* find the first shape that begins so */
		size_t mid = from + (to - from) / 2;

		if (order(&issuers[mid], rest) < 0)
			from = mid + 1;
		else
			to = mid;
	}
	for (; from < ARRAY_LEN(issuers) && order(&issuers[from], rest) == 0; from++) {
		if (matches(text, at, issuers[from].shape))
			return issuers[from].name;
	}
	return NULL;
}

const char *mask_issuer_of_word(str text, size_t at, size_t end)
{
	const char *name = mask_issuer(text, at);

	if (name || (end - at < OTHERS_LEAST && !(end - at >= OTHERS_DIGITS && ascii_is_digit(text.p[at]))))
		return name;
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		if (matches(text, at, others[i].shape))
			return others[i].name;
	}
	return NULL;
}

size_t mask_issuers(void)
{
	return ARRAY_LEN(issuers) + ARRAY_LEN(others);
}
