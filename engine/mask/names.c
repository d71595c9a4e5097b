/* Splits keys into words, and has the table of words that name secrets. */
#include "mask/names.h"

#include "mask/chars.h"

#define KEY_MAX 128                 /* bytes that are read, from the end of a key */
#define WORDS_MAX (2 * KEY_MAX + 1) /* a space before each letter */
#define STEPS_A_NAME 30
#define BYTES_A_STEP 8 /* one step for so many bytes of a name that is compared with those of the configuration */

enum part {
	WORDS,  /* the name ends with these words: "db pass" */
	SUFFIX, /* with these letters: "dbpassword" */
	WHOLE,  /* the name is these words and nothing else */
};

struct ending {
	str words;
	enum part part;
};

#define LISTED(text)                                                                                                   \
	{                                                                                                              \
		text, sizeof(text) - 1                                                                                 \
	}
#define ENDING(text, part)                                                                                             \
	{                                                                                                              \
		LISTED(text), part                                                                                     \
	}

/* The names that hide. Each may have an "s" behind it. Sorted by their last letters, by which they are found. */
static const struct ending hidden[] = {
	ENDING("id ed25519", WORDS),
	ENDING("id rsa", WORDS),
	ENDING("id dsa", WORDS),
	ENDING("id ecdsa", WORDS),
	ENDING("contrasena", SUFFIX),
	ENDING("contrase\xc3\xb1"
	       "a",
	       SUFFIX),
	ENDING("senha", SUFFIX),
	ENDING("keytab", WORDS),
	ENDING("mnemonic", WORDS),
	ENDING("netrc", WORDS),
	ENDING("password", SUFFIX),
	ENDING("passwd", SUFFIX),
	ENDING("pwd", SUFFIX),
	ENDING("pass word", WORDS),
	ENDING("secret id", WORDS),
	ENDING("cred", WORDS),
	ENDING("wachtwoord", SUFFIX),
	ENDING("passphrase", SUFFIX),
	ENDING("pass phrase", WORDS),
	ENDING("seed phrase", WORDS),
	ENDING("recovery phrase", WORDS),
	ENDING("recovery code", WORDS),
	ENDING("backup code", WORDS),
	ENDING("cookie", WHOLE),
	ENDING("set cookie", WHOLE),
	ENDING("erlang cookie", WORDS),
	ENDING("passcode", WORDS),
	ENDING("pin code", WORDS),
	ENDING("mot de passe", WORDS),
	ENDING("dockercfg", SUFFIX),
	ENDING("dockerconfig", SUFFIX),
	ENDING("connectionstring", SUFFIX),
	ENDING("jaas config", WORDS),
	ENDING("connection string", WORDS),
	ENDING("conn string", WORDS),
	ENDING("sig", WHOLE),
	ENDING("community string", WORDS),
	ENDING("basic auth", WORDS),
	ENDING("auth", WHOLE), /* in the configuration of a container registry: user and password */
	ENDING("masterauth", WORDS),
	ENDING("psk", WORDS),
	ENDING("authtok", SUFFIX),
	ENDING("credential", SUFFIX),
	ENDING("key material", WORDS),
	ENDING("key pem", WORDS),
	ENDING("token", SUFFIX),
	ENDING("dockerconfigjson", SUFFIX),
	ENDING("dsn", WORDS),
	ENDING("authorization", WORDS),
	ENDING("client assertion", WORDS),
	ENDING("otp", WORDS),
	ENDING("totp", WORDS),
	ENDING("bearer", WORDS),
	ENDING("conn str", WORDS),
	ENDING("connstr", WORDS),
	ENDING("pass", WORDS),
	ENDING("dbpass", WORDS),
	ENDING("pgpass", WORDS),
	ENDING("userpass", WORDS),
	ENDING("authpass", WORDS),
	ENDING("privpass", WORDS),
	ENDING("requirepass", WORDS),
	ENDING("rootpass", WORDS),
	ENDING("adminpass", WORDS),
	ENDING("smtppass", WORDS),
	ENDING("mailpass", WORDS),
	ENDING("ftppass", WORDS),
	ENDING("ldappass", WORDS),
	ENDING("mysqlpass", WORDS),
	ENDING("creds", WORDS),
	ENDING("storepass", SUFFIX),
	ENDING("keypass", SUFFIX),
	ENDING("secret", SUFFIX),
	ENDING("jwt", WORDS),
	ENDING("pat", WORDS),
	ENDING("auth salt", WORDS),
	ENDING("hash salt", WORDS),
	ENDING("passwort", SUFFIX),
	ENDING("kennwort", SUFFIX),
	ENDING("pw", WORDS),
	ENDING("bindpw", WORDS),
	ENDING("rootpw", WORDS),
	ENDING("userpw", WORDS),
	ENDING("adminpw", WORDS),
	ENDING("dbpw", WORDS),
	ENDING("apikey", SUFFIX),
	ENDING("privatekey", SUFFIX),
	ENDING("secretkey", SUFFIX),
	ENDING("accesskey", SUFFIX),
	ENDING("authkey", SUFFIX),
	ENDING("signingkey", SUFFIX),
	ENDING("encryptionkey", SUFFIX),
	ENDING("masterkey", SUFFIX),
	ENDING("sharedkey", SUFFIX),
	ENDING("accountkey", SUFFIX),
	ENDING("snmp community", WORDS),
	ENDING("api key", WORDS),
	ENDING("private key", WORDS),
	ENDING("secret key", WORDS),
	ENDING("access key", WORDS),
	ENDING("auth key", WORDS),
	ENDING("signing key", WORDS),
	ENDING("signature key", WORDS),
	ENDING("encryption key", WORDS),
	ENDING("decryption key", WORDS),
	ENDING("encrypt key", WORDS),
	ENDING("cipher key", WORDS),
	ENDING("master key", WORDS),
	ENDING("root key", WORDS),
	ENDING("unseal key", WORDS),
	ENDING("shared key", WORDS),
	ENDING("preshared key", WORDS),
	ENDING("account key", WORDS),
	ENDING("storage key", WORDS),
	ENDING("session key", WORDS),
	ENDING("service key", WORDS),
	ENDING("deploy key", WORDS),
	ENDING("consumer key", WORDS),
	ENDING("app key", WORDS),
	ENDING("application key", WORDS),
	ENDING("integration key", WORDS),
	ENDING("registration key", WORDS),
	ENDING("join key", WORDS),
	ENDING("hmac key", WORDS),
	ENDING("aes key", WORDS),
	ENDING("rsa key", WORDS),
	ENDING("ec key", WORDS),
	ENDING("tls key", WORDS),
	ENDING("ssl key", WORDS),
	ENDING("ca key", WORDS),
	ENDING("client key", WORDS),
	ENDING("server key", WORDS),
	ENDING("cert key", WORDS),
	ENDING("pgp key", WORDS),
	ENDING("gpg key", WORDS),
	ENDING("passkey", WORDS),
	ENDING("read community", WORDS),
	ENDING("write community", WORDS),
	ENDING("rocommunity", WORDS),
	ENDING("rwcommunity", WORDS),
	ENDING("fernet key", WORDS),
	ENDING("nonce key", WORDS),
	ENDING("logged in key", WORDS),
	ENDING("crypt key", WORDS),
	ENDING("community", WHOLE),
};

/* Names of files that hold private keys. */
static const str hidden_files[] = {
	LISTED(".key"),      LISTED(".p12"),  LISTED(".pfx"), LISTED(".jks"),
	LISTED(".keystore"), LISTED(".kdbx"), LISTED(".ppk"),
};

/* Names of secret objects, and other names that end like those of secret values. */
static const struct ending shown[] = {
	ENDING("existing secret", WORDS),    ENDING("checksum secret", WORDS),   ENDING("checksum secrets", WORDS),
	ENDING("credentials secret", WORDS), ENDING("image pull secret", WORDS), ENDING("image pull secrets", WORDS),
	ENDING("proxy pass", WORDS),         ENDING("max token", WORDS),         ENDING("max tokens", WORDS),
	ENDING("min token", WORDS),          ENDING("min tokens", WORDS),        ENDING("public key", WORDS),
};

/* Words that may stand behind any name, and say nothing about its value. */
static const str holders[] = {
	LISTED("value"),   LISTED("values"),    LISTED("data"),    LISTED("string"),   LISTED("text"),
	LISTED("plain"),   LISTED("plaintext"), LISTED("raw"),     LISTED("content"),  LISTED("contents"),
	LISTED("inline"),  LISTED("b64"),       LISTED("base"),    LISTED("base64"),   LISTED("encoded"),
	LISTED("hash"),    LISTED("hashed"),    LISTED("digest"),  LISTED("old"),      LISTED("new"),
	LISTED("v"),       LISTED("prev"),      LISTED("current"), LISTED("previous"), LISTED("next"),
	LISTED("primary"), LISTED("secondary"), LISTED("default"), LISTED("literal"),
};

/* Whether a byte is part of a word. All bytes beyond ASCII are. */
static bool is_letter(char c)
{
	return ascii_is_upper(c) || ascii_is_lower(c) || ascii_is_digit(c) || (unsigned char)c >= 0x80;
}

/* Whether a word begins at @i: behind punctuation, at "Key" of "apiKey" and at "Key" of "APIKey". */
static bool begins_word(str key, size_t i)
{
	char before = key.p[i - 1];

	if (!is_letter(before))
		return true;
	return ascii_is_upper(key.p[i]) && (!ascii_is_upper(before) || (i + 1 < key.n && ascii_is_lower(key.p[i + 1])));
}

/* The words of a key: those of "DB_PASSWORD" are "db password". */
static str words_of(str key, char out[WORDS_MAX])
{
	size_t n = 0;

	if (key.n > KEY_MAX)
		key = str_sub(key, key.n - KEY_MAX, key.n);
	for (size_t i = 0; i < key.n; i++) {
		if (!is_letter(key.p[i]))
			continue;
		if (n > 0 && begins_word(key, i))
			out[n++] = ' ';
		out[n++] = lower(key.p[i]);
	}
	return (str){ out, n };
}

static bool ends_with(str words, const struct ending *e)
{
	str end = e->words;

	if (e->part == WHOLE)
		return str_eq(words, end);
	if (words.n < end.n || words.p[words.n - 2] != end.p[end.n - 2]) /* no ending is shorter than two letters */
		return false;
	return str_has_suffix(words, end) &&
	       (e->part == SUFFIX || words.n == end.n || words.p[words.n - end.n - 1] == ' ');
}

static bool ends_with_any(str words, const struct ending *table, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ends_with(words, &table[i]))
			return true;
	}
	return false;
}

static char last_letter(str words)
{
	return words.p[words.n - 1];
}

/* Whether @words, which are not empty, end with a name that hides. */
static bool ends_hidden(str words)
{
	size_t from = 0, to = ARRAY_LEN(hidden);

	while (from < to) { /* find the first ending with that letter */
		size_t mid = from + (to - from) / 2;

		if (last_letter(hidden[mid].words) < last_letter(words))
			from = mid + 1;
		else
			to = mid;
	}
	while (to < ARRAY_LEN(hidden) && last_letter(hidden[to].words) == last_letter(words))
		to++;
	return ends_with_any(words, hidden + from, to - from);
}

static str last_word(str words)
{
	ptrdiff_t space = str_rfind(words, STR(" "));

	return str_sub(words, (size_t)(space + 1), words.n);
}

static bool is_holder(str word)
{
	for (size_t i = 0; i < ARRAY_LEN(holders); i++) {
		if (str_eq(word, holders[i]))
			return true;
	}
	return false;
}

/* Cut a number, or a word that says nothing, off the end: "password2", "client-key-data". False: there is none. */
static bool cut_holder(str *words)
{
	str word = last_word(*words), text = word;

	while (word.n && ascii_is_digit(word.p[word.n - 1]))
		word.n--;
	if (word.n == text.n && !is_holder(word))
		return false;
	words->n -= is_holder(word) ? text.n : text.n - word.n;
	while (words->n && words->p[words->n - 1] == ' ')
		words->n--;
	return true;
}

static enum mask_name judge_words(str words)
{
	if (ends_with_any(words, shown, ARRAY_LEN(shown)))
		return NAME_PLAIN;
	if (ends_hidden(words))
		return NAME_SCALARS;
	if (words.n > 2 && last_letter(words) == 's' && ends_hidden(str_sub(words, 0, words.n - 1)))
		return NAME_TEXTS;
	return NAME_PLAIN;
}

static bool names_file(str key)
{
	for (size_t i = 0; i < ARRAY_LEN(hidden_files); i++) {
		str end = hidden_files[i];

		if (key.n > end.n && key.p[key.n - end.n] == '.' &&
		    str_eq_nocase(str_sub(key, key.n - end.n, key.n), end))
			return true;
	}
	return false;
}

/* The exact names whose values mask_secrets hides from inspection rules, as their specification lists them. The
 * table above hides each of them as well (test_names). */
static const str of_rules[] = { LISTED("password"), LISTED("auth_token"), LISTED("bmc_password") };

bool mask_name_of_rules(str key)
{
	for (size_t i = 0; i < ARRAY_LEN(of_rules); i++) {
		if (str_eq(key, of_rules[i]))
			return true;
	}
	return false;
}

static bool next_letter(str s, size_t *at, char *ret)
{
	while (*at < s.n && !is_letter(s.p[*at]))
		(*at)++;
	if (*at == s.n)
		return false;
	*ret = lower(s.p[(*at)++]);
	return true;
}

bool mask_same_name(str a, str b)
{
	size_t i = 0, j = 0;
	char x = 0, y = 0;
	bool in_a, in_b;

	do {
		in_a = next_letter(a, &i, &x);
		in_b = next_letter(b, &j, &y);
	} while (in_a && in_b && x == y);
	return !in_a && !in_b;
}

static bool is_listed(const str *list, size_t n, str key)
{
	for (size_t i = 0; i < n; i++) {
		if (mask_same_name(list[i], key))
			return true;
	}
	return false;
}

#define LABEL_MOST 16 /* bytes of a label */

bool mask_is_label(str key)
{
	static const str labels[] = { LISTED("name"),         LISTED("key"),          LISTED("param"),
				      LISTED("parameter"),    LISTED("variable"),     LISTED("var"),
				      LISTED("option"),       LISTED("property"),     LISTED("setting"),
				      LISTED("field"),        LISTED("attribute"),    LISTED("label"),
				      LISTED("envvar"),       LISTED("envname"),      LISTED("paramname"),
				      LISTED("propertyname"), LISTED("parameterkey"), LISTED("parametername"),
				      LISTED("optionname"),   LISTED("settingname") };

	return key.n <= LABEL_MOST && is_listed(labels, ARRAY_LEN(labels), key);
}

bool mask_is_value_name(str key)
{
	static const str values[] = { LISTED("paramvalue"),     LISTED("envvalue"),    LISTED("propertyvalue"),
				      LISTED("parametervalue"), LISTED("optionvalue"), LISTED("settingvalue") };

	return key.n <= LABEL_MOST && is_listed(values, ARRAY_LEN(values), key);
}

static size_t steps_of(const struct mask_fields *fields, str key)
{
	size_t listed = fields ? fields->n_sensitive + fields->n_shown : 0;

	return STEPS_A_NAME + listed * (1 + key.n / BYTES_A_STEP);
}

enum mask_name mask_name(const struct mask_fields *fields, str key)
{
	char space[WORDS_MAX];
	str words;

	if (!mask_spend(fields, steps_of(fields, key)))
		return NAME_SENSITIVE;
	if (fields && is_listed(fields->sensitive, fields->n_sensitive, key))
		return NAME_SENSITIVE;
	if (fields && is_listed(fields->shown, fields->n_shown, key))
		return NAME_SHOWN;
	if (names_file(key))
		return NAME_SCALARS;
	words = words_of(key, space);
	if (words.n == 0)
		return NAME_PLAIN;
	do {
		enum mask_name name = judge_words(words);

		if (name != NAME_PLAIN)
			return name;
	} while (cut_holder(&words) && words.n);
	return words.n ? NAME_PLAIN : NAME_HOLDER;
}
