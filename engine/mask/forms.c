/* Recognizes words that give a value without an operator: options, directives, statements of SQL, arguments of
 * commands. */
#include "mask/lexer.h"

#define FORM_MOST 16       /* bytes of a word in the table */
#define FORM_TABLE_NAME 64 /* bytes of the name of a column */

enum form {
	FORM_SETTER, /* a name comes next, and then its value */
	FORM_OWNER,  /* begins a line in which a name and its value come later */
	FORM_BOTH,
	FORM_IDENTIFIED, /* IDENTIFIED BY 'x' */
	FORM_LOGIN,      /* in netrc: a password may follow */
	FORM_ECHO,
	FORM_PIPED,        /* reads what was echoed */
	FORM_PIPED_OPTION, /* an option that makes a command read it */
	FORM_SECOND,       /* the second word behind it is a password */
	FORM_INSERT,       /* INSERT INTO t (name, password) VALUES ('x', 'y') */
	FORM_VALUES,
	FORM_ORACLE,    /* sqlplus name/password@database */
	FORM_DIRECTIVE, /* a name whose value comes behind it, whatever follows */
	FORM_VARIABLE,  /* in HCL: variable "db_password" { default = "x" } */
	FORM_COMMAND,
};

enum argument {
	ARGUMENT_ANY,
	ARGUMENT_PAIR,     /* user:password, user%password, user,password */
	ARGUMENT_ATTACHED, /* only -px: -p alone asks for the password */
	ARGUMENT_LOGIN,    /* only for "login" */
	ARGUMENT_BATCH,    /* with this option the last argument is a password */
};

/* A command, and the letters of its options whose argument is a secret. */
struct command {
	const char *options;
	enum argument argument;
};

struct known_word {
	str word;
	enum form form;
	struct command command;
};

#define WORD(text, form)                                                                                               \
	{                                                                                                              \
		{ text, sizeof(text) - 1 }, form,                                                                      \
		{                                                                                                      \
			NULL, ARGUMENT_ANY                                                                             \
		}                                                                                                      \
	}
#define COMMAND(text, options, argument)                                                                               \
	{                                                                                                              \
		{ text, sizeof(text) - 1 }, FORM_COMMAND,                                                              \
		{                                                                                                      \
			options, argument                                                                              \
		}                                                                                                      \
	}

/* The words, sorted, in lower case. */
static const struct known_word known_words[] = {
	COMMAND("7z", "p", ARGUMENT_ATTACHED),
	COMMAND("7za", "p", ARGUMENT_ATTACHED),
	COMMAND("ab", "aAUu", ARGUMENT_PAIR),
	WORD("add-header", FORM_SETTER),
	WORD("add_header", FORM_BOTH),
	WORD("add_user", FORM_SECOND),
	WORD("alter", FORM_OWNER),
	WORD("arg", FORM_SETTER),
	COMMAND("argocd", "pP", ARGUMENT_LOGIN),
	WORD("authcommunity", FORM_DIRECTIVE),
	COMMAND("az", "pP", ARGUMENT_LOGIN),
	COMMAND("bcp", "P", ARGUMENT_ANY),
	WORD("bindpw", FORM_DIRECTIVE),
	COMMAND("buildah", "pP", ARGUMENT_LOGIN),
	COMMAND("cf", "pP", ARGUMENT_LOGIN),
	WORD("change_password", FORM_SECOND),
	WORD("chpasswd", FORM_PIPED),
	WORD("com2sec", FORM_DIRECTIVE),
	WORD("config", FORM_BOTH),
	WORD("const", FORM_SETTER),
	COMMAND("cqlsh", "p", ARGUMENT_ANY),
	COMMAND("crane", "pP", ARGUMENT_LOGIN),
	WORD("create", FORM_OWNER),
	WORD("createuser", FORM_DIRECTIVE),
	COMMAND("curl", "uU", ARGUMENT_PAIR),
	WORD("defaults", FORM_SETTER),
	WORD("define", FORM_SETTER),
	COMMAND("docker", "pP", ARGUMENT_LOGIN),
	WORD("echo", FORM_ECHO),
	WORD("enable", FORM_SETTER),
	WORD("encrypted", FORM_SETTER),
	WORD("env", FORM_SETTER),
	COMMAND("etcdctl", "", ARGUMENT_PAIR),
	WORD("export", FORM_SETTER),
	WORD("fastcgi_param", FORM_BOTH),
	WORD("grpc_set_header", FORM_SETTER),
	WORD("header", FORM_BOTH),
	COMMAND("helm", "pP", ARGUMENT_LOGIN),
	COMMAND("htpasswd", "b", ARGUMENT_BATCH),
	COMMAND("http", "aAUu", ARGUMENT_PAIR),
	WORD("http-request", FORM_OWNER),
	COMMAND("https", "aAUu", ARGUMENT_PAIR),
	COMMAND("ibmcloud", "pP", ARGUMENT_LOGIN),
	WORD("identified", FORM_IDENTIFIED),
	WORD("informsink", FORM_DIRECTIVE),
	WORD("insert", FORM_INSERT),
	COMMAND("ipmitool", "P", ARGUMENT_ANY),
	COMMAND("keydb-cli", "a", ARGUMENT_ANY),
	WORD("ldap", FORM_OWNER),
	COMMAND("ldapadd", "w", ARGUMENT_ANY),
	COMMAND("ldapdelete", "w", ARGUMENT_ANY),
	COMMAND("ldapmodify", "w", ARGUMENT_ANY),
	COMMAND("ldappasswd", "wsa", ARGUMENT_ANY),
	COMMAND("ldapsearch", "w", ARGUMENT_ANY),
	COMMAND("ldapwhoami", "w", ARGUMENT_ANY),
	WORD("let", FORM_SETTER),
	COMMAND("lftp", "aAUu", ARGUMENT_PAIR),
	WORD("login", FORM_LOGIN),
	WORD("luksaddkey", FORM_PIPED),
	WORD("luksformat", FORM_PIPED),
	WORD("luksopen", FORM_PIPED),
	WORD("machine", FORM_LOGIN),
	COMMAND("mariadb", "p", ARGUMENT_ATTACHED),
	COMMAND("mariadb-admin", "p", ARGUMENT_ATTACHED),
	COMMAND("mariadb-dump", "p", ARGUMENT_ATTACHED),
	WORD("masterauth", FORM_DIRECTIVE),
	COMMAND("mongo", "p", ARGUMENT_ANY),
	COMMAND("mongodump", "p", ARGUMENT_ANY),
	COMMAND("mongoexport", "p", ARGUMENT_ANY),
	COMMAND("mongoimport", "p", ARGUMENT_ANY),
	COMMAND("mongorestore", "p", ARGUMENT_ANY),
	COMMAND("mongosh", "p", ARGUMENT_ANY),
	COMMAND("mysql", "p", ARGUMENT_ATTACHED),
	COMMAND("mysqladmin", "p", ARGUMENT_ATTACHED),
	COMMAND("mysqlcheck", "p", ARGUMENT_ATTACHED),
	COMMAND("mysqldump", "p", ARGUMENT_ATTACHED),
	COMMAND("mysqlimport", "p", ARGUMENT_ATTACHED),
	COMMAND("mysqlsh", "p", ARGUMENT_ATTACHED),
	WORD("neighbor", FORM_OWNER),
	COMMAND("nerdctl", "pP", ARGUMENT_LOGIN),
	COMMAND("oc", "pP", ARGUMENT_LOGIN),
	COMMAND("oras", "pP", ARGUMENT_LOGIN),
	COMMAND("osql", "P", ARGUMENT_ANY),
	WORD("passphrase-fd", FORM_PIPED_OPTION),
	WORD("password-stdin", FORM_PIPED_OPTION),
	WORD("peer", FORM_OWNER),
	COMMAND("podman", "pP", ARGUMENT_LOGIN),
	WORD("printf", FORM_ECHO),
	WORD("proxy_set_header", FORM_BOTH),
	COMMAND("rabbitmqadmin", "p", ARGUMENT_ANY),
	WORD("radius-server", FORM_OWNER),
	COMMAND("rar", "p", ARGUMENT_ATTACHED),
	COMMAND("redis-cli", "a", ARGUMENT_ANY),
	WORD("requestheader", FORM_BOTH),
	WORD("requirepass", FORM_DIRECTIVE),
	WORD("rocommunity", FORM_DIRECTIVE),
	WORD("rocommunity6", FORM_DIRECTIVE),
	WORD("rootpw", FORM_DIRECTIVE),
	COMMAND("rpcclient", "aAUu", ARGUMENT_PAIR),
	WORD("rwcommunity", FORM_DIRECTIVE),
	WORD("rwcommunity6", FORM_DIRECTIVE),
	WORD("scgi_param", FORM_SETTER),
	WORD("sentinel", FORM_BOTH),
	WORD("set", FORM_BOTH),
	WORD("set-env", FORM_SETTER),
	WORD("set-header", FORM_SETTER),
	WORD("setenv", FORM_SETTER),
	WORD("setq", FORM_SETTER),
	WORD("setx", FORM_SETTER),
	COMMAND("skopeo", "pP", ARGUMENT_LOGIN),
	COMMAND("smbclient", "aAUu", ARGUMENT_PAIR),
	WORD("snmp", FORM_OWNER),
	WORD("snmp-server", FORM_OWNER),
	COMMAND("snmpbulkwalk", "cAX", ARGUMENT_ANY),
	COMMAND("snmpget", "cAX", ARGUMENT_ANY),
	COMMAND("snmpgetnext", "cAX", ARGUMENT_ANY),
	COMMAND("snmpset", "cAX", ARGUMENT_ANY),
	COMMAND("snmptable", "cAX", ARGUMENT_ANY),
	COMMAND("snmptrap", "cAX", ARGUMENT_ANY),
	COMMAND("snmpwalk", "cAX", ARGUMENT_ANY),
	COMMAND("sqlcmd", "P", ARGUMENT_ANY),
	WORD("sqlplus", FORM_ORACLE),
	COMMAND("ssh-keygen", "NP", ARGUMENT_ANY),
	COMMAND("sshpass", "p", ARGUMENT_ANY),
	WORD("stats", FORM_OWNER),
	WORD("stdin", FORM_PIPED_OPTION),
	WORD("tacacs-server", FORM_OWNER),
	WORD("trap2sink", FORM_DIRECTIVE),
	WORD("trapcommunity", FORM_DIRECTIVE),
	WORD("trapsink", FORM_DIRECTIVE),
	COMMAND("unrar", "p", ARGUMENT_ATTACHED),
	WORD("unsetenv", FORM_SETTER),
	COMMAND("unzip", "P", ARGUMENT_ANY),
	WORD("user", FORM_OWNER),
	WORD("username", FORM_OWNER),
	WORD("uwsgi_param", FORM_SETTER),
	WORD("val", FORM_SETTER),
	COMMAND("valkey-cli", "a", ARGUMENT_ANY),
	WORD("values", FORM_VALUES),
	WORD("var", FORM_SETTER),
	WORD("variable", FORM_VARIABLE),
	COMMAND("xh", "aAUu", ARGUMENT_PAIR),
	COMMAND("zip", "P", ARGUMENT_ANY),
};

static const struct known_word *known_word(str word)
{
	size_t from = 0, to = ARRAY_LEN(known_words);
	char folded[FORM_MOST];

	if (word.n < 2 || word.n > FORM_MOST)
		return NULL;
	for (size_t i = 0; i < word.n; i++)
		folded[i] = lower(word.p[i]);
	while (from < to) {
		size_t mid = from + (to - from) / 2;
		int order = known_words[mid].word.p[0] - folded[0];

		if (order == 0)
			order = str_cmp(known_words[mid].word, (str){ folded, word.n });

		if (order == 0)
			return &known_words[mid];
		if (order < 0)
			from = mid + 1;
		else
			to = mid;
	}
	return NULL;
}

static bool is_form(str word, enum form form)
{
	const struct known_word *w = known_word(word);

	return w && (w->form == form || w->form == FORM_BOTH);
}

/* ---- names ---- */

/* Whether a name is also a word of English, so that what follows need not be its value. */
static bool is_prose(str name)
{
	static const str prose[] = { { "password", 8 },    { "passwords", 9 },   { "secret", 6 },
				     { "secrets", 7 },     { "token", 5 },       { "tokens", 6 },
				     { "pass", 4 },        { "credential", 10 }, { "credentials", 11 },
				     { "passphrase", 10 }, { "cookie", 6 },      { "authorization", 13 },
				     { "auth", 4 },        { "bearer", 6 },      { "key", 3 },
				     { "community", 9 } };

	for (size_t i = 0; i < ARRAY_LEN(prose); i++) {
		if (str_eq_nocase(name, prose[i]))
			return true;
	}
	return false;
}

/* Whether a name is that of a password. "secret" and "token" are left out, because messages have the quoted name of
 * a thing behind them. */
static bool is_password(str name)
{
	static const str ends[] = { { "password", 8 }, { "passwd", 6 },      { "pwd", 3 },
				    { "pw", 2 },       { "passphrase", 10 }, { "pass", 4 } };

	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		if (name.n >= ends[i].n && str_eq_nocase(str_sub(name, name.n - ends[i].n, name.n), ends[i]))
			return true;
	}
	return false;
}

static bool only_letters(str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = lower(s.p[i]);

		if (!ascii_is_lower(c) && !(i + 1 == s.n && (c == '.' || c == ',' || c == ':' || c == '!' || c == '?')))
			return false;
	}
	return true;
}

static size_t word_end(const struct lexer *l, size_t i)
{
	size_t from = i;

	while (i < l->text.n && i - from < LOOK_MOST && !is_space(l->text.p[i]) && !is_end(l->text.p[i]))
		i++;
	return i;
}

/* Whether a line consists of a name and its value, such as "password hunter2". Two words of letters alone may be a
 * title. */
static bool is_directive(const struct lexer *l, str name, size_t value)
{
	size_t end = word_end(l, value), then = lexer_skip(l, end, is_space);

	if (!is_end(lexer_at(l, then)) && lexer_at(l, then) != '#')
		return false;
	if (is_prose(name) && only_letters(str_sub(l->text, value, end)))
		return l->before == 2;
	return true;
}

/* Whether a value that is no reference follows the blanks at @end. */
static bool gives(const struct lexer *l, size_t end)
{
	size_t i = lexer_skip(l, end, is_space);

	return i > end && !is_end(lexer_at(l, i)) && value_behind(l, i, OP_BLANK) >= VALUE_COUNT &&
	       value_behind(l, i, OP_BLANK) != VALUE_MAP;
}

/* Whether a quoted text directly behind a name is its value, as in SQL, Lisp and directives. */
static bool is_quoted_value(const struct lexer *l, str name, size_t value)
{
	char c = lexer_at(l, value);
	size_t end;

	if ((c != '"' && c != '\'') || value_text(l, value).n == 0)
		return false;
	end = lexer_skip(l, value + 2 + value_text(l, value).n, is_space);
	return is_password(name) || !is_prose(name) ||
	       (l->words == 1 && (lexer_at(l, end) == ';' || is_end(lexer_at(l, end))));
}

/* Whether a password follows, as in SET PASSWORD FOR u = 'x', CREATE LOGIN x WITH PASSWORD … */
static bool is_password_for(const struct lexer *l, size_t value)
{
	str rest = str_sub(l->text, value, value + LOOK_MOST);
	ptrdiff_t end = str_find_byte(rest, '\n');

	return str_eq_nocase(l->last, STR("set")) && str_eq_nocase(str_sub(rest, 0, 4), STR("for ")) &&
	       str_find_byte(end < 0 ? rest : str_sub(rest, 0, (size_t)end), '=') > 0;
}

static bool is_set(const struct lexer *l, str name, size_t value)
{
	if (is_form(l->last, FORM_SETTER))
		return l->words == 2 || !is_prose(name) || str_find_byte(l->last, '_') > 0;
	return l->words > 1 && is_form(l->first, FORM_OWNER) &&
	       !(is_prose(name) && only_letters(str_sub(l->text, value, word_end(l, value))));
}

/* Whether the line is one of netrc: login NAME password x, maybe with "account NAME" between them. */
static bool is_of_netrc(const struct lexer *l)
{
	return l->login && (l->words == l->login + 2 || l->words == l->login + 4);
}

static void found_behind(struct lexer *l, size_t at, size_t end)
{
	lexer_found_name(l, "a name that hides has a value behind it", at, end);
}

/* Judge a name that may be followed by a blank and its value. */
static void bare_name(struct lexer *l, size_t at, size_t end)
{
	size_t value = lexer_skip(l, end, is_space);
	str name = str_sub(l->text, at, end);
	char c = lexer_at(l, value), then = lexer_at(l, value + 1);

	if (ascii_is_alnum(c) && (then == '\'' || then == '"')) /* E'x' and N'x' in SQL */
		c = lexer_at(l, ++value);
	if (value == end || is_end(c) || c == '=' || c == ':' || c == ',')
		return;
	if (l->words != 1 && c != '"' && c != '\'' && !is_of_netrc(l) && l->words > 6)
		return;
	if (lexer_name(l, at, end) < NAME_TEXTS || !gives(l, end))
		return;
	if ((l->words == 1 && is_directive(l, name, value)) || is_quoted_value(l, name, value) ||
	    is_set(l, name, value) || (is_of_netrc(l) && is_password(name)) || is_password_for(l, value))
		found_behind(l, at, end);
}

/* ---- options ---- */

static bool is_between(char c)
{
	return is_gap(c) || c == ',' || c == ']' || c == '[';
}

static bool is_option_char(char c)
{
	return ascii_is_alnum(c) || c == '-';
}

/* Whether an option such as "--verbose" or "-v" is at @i, which is no argument of the option before it. */
static bool is_option_at(const struct lexer *l, size_t i)
{
	size_t end = lexer_skip(l, i, is_option_char);
	char c = lexer_at(l, end);

	if (lexer_at(l, i) != '-' || !(lexer_at(l, i + 1) == '-' || end - i <= 2))
		return false;
	return is_gap(c) || is_end(c) || c == '=' || c == ',' || c == ']';
}

/* The place of the argument behind an option, on this line or the next. */
static size_t argument_at(const struct lexer *l, size_t end)
{
	size_t i = lexer_skip(l, end, is_between);

	while (is_end(lexer_at(l, i)) && i < l->text.n)
		i = lexer_skip(l, i + 1, is_between);
	if (i > end && lexer_at(l, i) == '-' && is_space(lexer_at(l, i + 1)))
		i = lexer_skip(l, i + 1, is_space);
	return i;
}

/* Whether what is at @i is the argument of an option, and does not belong to the next member of a map. */
static bool is_argument(const struct lexer *l, size_t end, size_t i)
{
	size_t quoted = i > end && is_quote(l->text.p[i - 1]) ? i - 1 : i;
	bool below = str_find_byte(str_sub(l->text, end, i), '\n') >= 0;
	char c = lexer_at(l, i);

	if (i == l->text.n || is_option_at(l, i) || (below && value_is_next_name(l, i)))
		return false;
	/* such characters belong to the shell, or end a map */
	if (c == '}' || c == ')' || c == ';' || c == '&' || c == '|')
		return !below && ascii_is_alnum(lexer_at(l, i + 1));
	if (c == '{')
		return !value_reference(l, i) && lexer_at(l, i + 1) != '"' && !below;
	return value_behind(l, quoted, OP_OPTION) >= VALUE_COUNT && value_behind(l, quoted, OP_OPTION) != VALUE_MAP;
}

static void option(struct lexer *l, size_t at, size_t end)
{
	size_t i;
	char c = lexer_at(l, end);

	if (!is_gap(c) && !is_end(c) && c != ',')
		return;
	if (lexer_name(l, at, end) < NAME_TEXTS)
		return;
	i = argument_at(l, end);
	if (is_argument(l, end, i))
		lexer_found_name(l, "an option that hides has an argument", at, end);
}

/* ---- arguments of commands ---- */

static const char rule_argument[] = "an argument of a command that takes a password";

static bool is_pair(const struct lexer *l, size_t i)
{
	str text = value_text(l, i);
	size_t n = 0, from = i + (size_t)(text.p - (l->text.p + i)), behind;

	while (n < text.n && text.p[n] != ':' && text.p[n] != '%' && text.p[n] != ',')
		n++;
	if (n == text.n)
		return false;
	behind = from + n + 1;
	return (n + 1 < text.n && ascii_is_alnum(text.p[n + 1]) && !ascii_is_digit(text.p[0])) ||
	       (n + 1 < text.n && !value_reference(l, behind)) || n >= 16;
}

static const struct command *logging_in(const struct lexer *l)
{
	return l->command && (l->command->argument != ARGUMENT_LOGIN || l->login) ? l->command : NULL;
}

/* Whether the letters of -xyz include an option with a secret argument. */
static bool takes_argument(const struct lexer *l, const struct command *c, size_t at, size_t end)
{
	if (c->argument == ARGUMENT_BATCH)
		return end - at < 5 && memchr(l->text.p + at, c->options[0], end - at);
	return strchr(c->options, l->text.p[end - 1]);
}

/* Judge an option of one letter: -u x, -ux, -su x. */
static void short_option(struct lexer *l, size_t at, size_t end)
{
	const struct command *c = logging_in(l);
	bool attached = end - at > 1 && c && c->argument != ARGUMENT_BATCH && strchr(c->options, l->text.p[at]);
	size_t i;

	if (!c || (!attached && !takes_argument(l, c, at, end)))
		return;
	i = attached ? at + 1 : argument_at(l, end);
	if (c->argument == ARGUMENT_ATTACHED && !attached && !is_quote(lexer_at(l, end)))
		return;
	if (attached ? value_behind(l, i, OP_BLANK) < VALUE_COUNT : !is_argument(l, end, i))
		return;
	if (c->argument != ARGUMENT_PAIR || is_pair(l, i))
		lexer_found(l, SHAPE_NAMES, rule_argument, at, end);
}

/* Judge an option such as --user x:y. */
static void user_option(struct lexer *l, size_t at, size_t end)
{
	str name = str_sub(l->text, at, end);
	size_t i = argument_at(l, lexer_at(l, end) == '=' ? end + 1 : end);

	if ((str_eq(name, STR("user")) || str_eq(name, STR("proxy-user"))) && is_pair(l, i))
		lexer_found(l, SHAPE_NAMES, rule_argument, at, end);
}

/* ---- words ---- */

static size_t next_word(const struct lexer *l, size_t end)
{
	return lexer_skip(l, end, is_gap);
}

static void identified(struct lexer *l, size_t at, size_t end)
{
	size_t from = lexer_skip(l, end, is_blank), i = word_end(l, from);
	str by = str_sub(l->text, from, from + 2);

	if ((str_eq_nocase(by, STR("by")) && gives(l, i)) ||
	    (str_eq_nocase(by, STR("wi")) && !is_end(lexer_at(l, next_word(l, i)))))
		lexer_found(l, SHAPE_NAMES, "IDENTIFIED BY of SQL", at, end);
}

static void variable(struct lexer *l, size_t end)
{
	size_t i = lexer_skip(l, end, is_space);

	if (i == end || lexer_at(l, i) != '"' || mask_name(l->fields, value_text(l, i)) < NAME_TEXTS)
		return;
	l->pair = (struct pair){ .named = true, .depth = l->depth + 1 };
}

/* Whether an echo prints more than a variable. */
static bool echoes(const struct lexer *l, size_t end)
{
	size_t i = next_word(l, end);

	if (lexer_at(l, i) == '-')
		i = next_word(l, word_end(l, i));
	return value_reference(l, i) == 0;
}

static void oracle(struct lexer *l, size_t at, size_t end)
{
	size_t from = next_word(l, end);
	str login = str_sub(l->text, from, word_end(l, from));
	ptrdiff_t slash = str_find_byte(login, '/');

	if (slash > 0 && (size_t)slash + 1 < login.n && login.p[slash + 1] != '$' && login.p[slash + 1] != '@')
		lexer_found(l, SHAPE_NAMES, rule_argument, at, end);
}

static void known(struct lexer *l, const struct known_word *w, size_t at, size_t end, size_t dashes)
{
	switch (w->form) {
	case FORM_IDENTIFIED:
		identified(l, at, end);
		break;
	case FORM_LOGIN:
		l->login = l->words;
		if (str_eq(l->last, STR("vault")) && gives(l, end) && lexer_at(l, next_word(l, end)) != '-')
			found_behind(l, at, end);
		break;
	case FORM_ECHO:
		l->piped = echoes(l, end);
		break;
	case FORM_PIPED:
	case FORM_PIPED_OPTION:
		if (l->piped && (dashes > 0) == (w->form == FORM_PIPED_OPTION))
			lexer_found(l, SHAPE_NAMES, "a command that reads a password", at, end);
		break;
	case FORM_SECOND:
		if (gives(l, end) && gives(l, word_end(l, next_word(l, end))))
			found_behind(l, at, end);
		break;
	case FORM_INSERT:
		l->columns = COLUMNS_LISTED;
		break;
	case FORM_VALUES:
		if (l->columns == COLUMNS_HIDE)
			lexer_found(l, SHAPE_NAMES, "a row of SQL with a column that hides", at, end);
		l->columns = COLUMNS_NONE;
		break;
	case FORM_ORACLE:
		oracle(l, at, end);
		break;
	case FORM_VARIABLE:
		variable(l, end);
		break;
	case FORM_COMMAND:
		l->command = &w->command;
		break;
	case FORM_DIRECTIVE:
		if (l->words == 1 && gives(l, end))
			found_behind(l, at, end);
		break;
	case FORM_SETTER:
	case FORM_OWNER:
	case FORM_BOTH:
		break;
	}
}

static bool is_acl(const struct lexer *l)
{
	return str_eq(l->first, STR("user")) || str_eq_nocase(l->first, STR("ACL"));
}

/* Judge a word in an ACL of Redis: user default on >password. */
static void redis_user(struct lexer *l, size_t at)
{
	if (at > 1 && l->text.p[at - 1] == '>' && is_space(l->text.p[at - 2]) && is_acl(l) && l->words > 2)
		lexer_found(l, SHAPE_NAMES, "a password of an ACL", at, at + 1);
}

/* Judge a name in the list of columns of INSERT. */
static void column(struct lexer *l, size_t at, size_t end)
{
	char c = lexer_at(l, next_word(l, end));

	if (l->columns == COLUMNS_LISTED && (c == ',' || c == ')') && lexer_name(l, at, end) >= NAME_TEXTS)
		l->columns = COLUMNS_HIDE;
}

void forms_word(struct lexer *l, size_t at, size_t end, size_t dashes)
{
	const struct known_word *w = known_word(str_sub(l->text, at, end));

	if (dashes) {
		option(l, at, end);
		if (dashes == 1 && l->command)
			short_option(l, at, end);
		else if (l->command && l->command->argument == ARGUMENT_PAIR)
			user_option(l, at, end);
		if (l->piped && str_eq(l->last, STR("sudo")) && l->text.p[at] == 'S')
			lexer_found(l, SHAPE_NAMES, "a command that reads a password", at, end);
	} else {
		column(l, at, end);
		bare_name(l, at, end);
		redis_user(l, at);
	}
	if (w)
		known(l, w, at, end, dashes);
}

/* ---- lines ---- */

/* Judge a line of a .pgpass file: host:port:database:user:password. */
static void pgpass(struct lexer *l, size_t at)
{
	size_t colons = 0, second = 0, i = at;
	bool port = true, user = false;

	for (; i < l->text.n && i - at < LOOK_MOST && !is_space(l->text.p[i]) && !is_end(l->text.p[i]); i++) {
		if (l->text.p[i] == '/' || l->text.p[i] == '@')
			return;
		if (l->text.p[i] == ':')
			second = ++colons == 1 ? i + 1 : second;
		else if (colons == 1)
			port = port && (ascii_is_digit(l->text.p[i]) || l->text.p[i] == '*');
		else if (colons == 3)
			user = user || !ascii_is_digit(l->text.p[i]);
	}
	if (colons == 4 && port && user && second > at + 1 && lexer_at(l, second) != ':' && l->text.p[i - 1] != ':')
		lexer_found(l, SHAPE_NAMES, "a line of .pgpass", at, i);
}

static bool parts_columns(char c)
{
	return c == ',' || c == ';' || c == ':' || c == '|' || c == '\t';
}

/* How often @c is in the line at @i. */
static size_t columns_in(const struct lexer *l, size_t i, char c, size_t *end)
{
	size_t n = 0, from = i;

	for (; i < l->text.n && i - from < LOOK_MOST && !is_end(l->text.p[i]); i++)
		n += l->text.p[i] == c;
	*end = i;
	return n;
}

/* Judge a table whose first line consists of names, one of which hides: name,password. */
void forms_table(struct lexer *l)
{
	size_t i = 0, word, end, next;
	bool hides = false;
	char c = 0;

	do {
		word = lexer_skip(l, i, is_quote);
		end = lexer_skip(l, word, is_name);
		i = lexer_skip(l, end, is_quote);
		if (end == word || end - word > FORM_TABLE_NAME ||
		    (c && !is_end(lexer_at(l, i)) && lexer_at(l, i) != c))
			return;
		c = c ? c : lexer_at(l, i);
		if (!parts_columns(c))
			return;
		hides = hides || lexer_name(l, word, end) >= NAME_TEXTS;
	} while (lexer_at(l, i++) == c && i < LOOK_MOST);
	if (!hides)
		return;
	next = lexer_skip(l, i - 1, is_end);
	if (columns_in(l, 0, c, &end) == columns_in(l, next, c, &end) && end > next)
		lexer_found(l, SHAPE_NAMES, "a table with a column that hides", word, i - 1);
}

void forms_line(struct lexer *l, size_t at)
{
	size_t i = lexer_skip(l, at, is_space);
	bool item = lexer_at(l, i) == '-' && is_space(lexer_at(l, i + 1));

	if (!is_end(lexer_at(l, i)) && lexer_at(l, i) != '#' && i - at < l->pair.column)
		l->pair = (struct pair){ 0 };
	if (!item && !(at > 1 && l->text.p[at - 2] == '\\'))
		l->command = NULL;
	l->piped = false;
	l->login = 0;
	l->before = l->words;
	l->words = 0;
	l->first = l->last = (str){ NULL, 0 };
	l->line = at;
	pgpass(l, i);
}
