/* Reads an unfinished command line by its table, and verbs by the synopsis. */
#include "daemon/completion/words.h"

#include "base/printable.h"

#define SHOWN_MAX ((size_t)16 << 10)

/* ---- options ---- */

static bool is_option(const struct command_option *o)
{
	return o->take != NULL;
}

/* The option with this name, or the only one that begins with it; NULL: none, or several. */
static const struct command_option *find_name(const struct command_line *line, str name)
{
	const struct command_option *found = NULL;
	size_t n = 0;

	for (size_t i = 0; i < line->n; i++) {
		const struct command_option *o = &line->options[i];

		if (!is_option(o) || !o->name || !str_has_prefix(str_from(o->name), name))
			continue;
		if (str_eq(str_from(o->name), name))
			return o;
		found = o;
		n++;
	}
	return n == 1 ? found : NULL;
}

static const struct command_option *find_letter(const struct command_line *line, char letter)
{
	for (size_t i = 0; i < line->n; i++) {
		if (is_option(&line->options[i]) && line->options[i].letter == letter)
			return &line->options[i];
	}
	return NULL;
}

static bool takes_value(const struct command_option *o)
{
	return o && o->value;
}

static void set_value(const struct command_line *line, struct words_read *w, const struct command_option *o, str value)
{
	size_t row = (size_t)(o - line->options);

	if (row < WORDS_OPTIONS_MAX)
		w->values[row] = value;
}

/* An option in a word, perhaps with its value. */
struct in_word {
	const struct command_option *option; /* NULL: the option is unknown */
	bool has_value;
	size_t value_at; /* offset of the value in the word */
};

static struct in_word read_long(const struct command_line *line, str word)
{
	ptrdiff_t equals = str_find_byte(word, '=');
	str name = str_sub(word, 2, equals < 0 ? word.n : (size_t)equals);

	return (struct in_word){ find_name(line, name), equals >= 0, (size_t)(equals + 1) };
}

/* Read a word of option letters. The first letter that takes a value takes the rest of the word. */
static struct in_word read_letters(const struct command_line *line, str word)
{
	for (size_t i = 1; i < word.n; i++) {
		const struct command_option *o = find_letter(line, word.p[i]);

		if (takes_value(o))
			return (struct in_word){ o, i + 1 < word.n, i + 1 };
	}
	return (struct in_word){ 0 };
}

static bool begins_option(str word)
{
	return word.n > 1 && word.p[0] == '-';
}

static struct in_word read_option(const struct command_line *line, str word)
{
	return str_has_prefix(word, STR("--")) ? read_long(line, word) : read_letters(line, word);
}

/* ---- words ---- */

/* Read a complete word. Return the option that waits for its value, or NULL. */
static const struct command_option *read_word(const struct command_line *line, str word, struct words_read *w)
{
	struct in_word in;

	if (w->ended || !begins_option(word)) {
		if (w->n_arguments < WORDS_ARGUMENTS_MAX)
			w->arguments[w->n_arguments] = word;
		w->n_arguments++;
		return NULL;
	}
	if (str_eq(word, STR("--"))) {
		w->ended = true;
		return NULL;
	}
	in = read_option(line, word);
	if (in.option && !takes_value(in.option))
		set_value(line, w, in.option, STR(""));
	if (!takes_value(in.option))
		return NULL;
	if (!in.has_value)
		return in.option;
	set_value(line, w, in.option, str_sub(word, in.value_at, word.n));
	return NULL;
}

static void read_last(const struct command_line *line, str word, struct words_read *w)
{
	struct in_word in = { 0 };

	w->begun = word;
	w->wanted = WANTED_ARGUMENT;
	if (w->ended || !word.n || word.p[0] != '-')
		return;
	w->wanted = WANTED_OPTION;
	if (begins_option(word))
		in = read_option(line, word);
	if (!in.has_value || !takes_value(in.option))
		return;
	w->wanted = WANTED_VALUE;
	w->option = in.option;
	w->head = str_sub(word, 0, in.value_at);
	w->begun = str_sub(word, in.value_at, word.n);
}

void words_read(const struct command_line *line, char *const *words, size_t n, struct words_read *ret)
{
	const struct command_option *waits = NULL;

	*ret = (struct words_read){ .wanted = WANTED_ARGUMENT };
	for (size_t i = 0; i + 1 < n; i++) {
		str word = str_from(words[i]);

		if (waits) {
			set_value(line, ret, waits, word);
			waits = NULL;
		} else {
			waits = read_word(line, word, ret);
		}
	}
	if (!n)
		return;
	if (!waits) {
		read_last(line, str_from(words[n - 1]), ret);
		return;
	}
	ret->wanted = WANTED_VALUE;
	ret->option = waits;
	ret->begun = str_from(words[n - 1]);
}

str words_value(const struct command_line *line, const struct words_read *w, const char *name)
{
	for (size_t i = 0; i < line->n && i < WORDS_OPTIONS_MAX; i++) {
		const struct command_option *o = &line->options[i];

		if (is_option(o) && o->name && strcmp(o->name, name) == 0)
			return w->values[i];
	}
	return (str){ 0 };
}

/* ---- verbs ---- */

static bool is_verb(str word)
{
	for (size_t i = 0; i < word.n; i++) {
		if (!(word.p[i] >= 'a' && word.p[i] <= 'z') && word.p[i] != '-')
			return false;
	}
	return word.n && word.p[0] != '-';
}

static str next_token(str *rest)
{
	str token = { 0 };

	while (rest->n && (!str_next_part(rest, ' ', &token) || !token.n))
		;
	return token;
}

/* The part of a line of the synopsis after the command. False: the line is about another command. */
static bool is_line_of(str line, str command, str *rest)
{
	str token;

	*rest = line;
	token = next_token(rest);
	if (str_eq(token, STR("Usage:")))
		token = next_token(rest);
	return str_eq(token, STR("driftd")) && str_eq(next_token(rest), command);
}

/* Whether one of the words of "export|import" is @word. */
static bool has_word(str token, str word)
{
	str one;

	while (token.n && str_next_part(&token, '|', &one)) {
		if (is_verb(one) && str_eq(one, word))
			return true;
	}
	return false;
}

/* Count how many of @arguments are in the line in the same order; *token: the next word of the line. */
static size_t follow(str rest, const str *arguments, size_t n, str *token)
{
	size_t i = 0;

	*token = next_token(&rest);
	while (i < n && has_word(*token, arguments[i])) {
		*token = next_token(&rest);
		i++;
	}
	return i;
}

size_t synopsis_verbs(const char *synopsis, str command, const str *arguments, size_t n)
{
	str rest = str_from(synopsis), line, behind, token;
	size_t most = 0;

	while (rest.n && str_next_part(&rest, '\n', &line)) {
		size_t i = is_line_of(line, command, &behind) ? follow(behind, arguments, n, &token) : 0;

		most = i > most ? i : most;
	}
	return most;
}

void synopsis_next(const char *synopsis, str command, const str *arguments, size_t n, void (*each)(void *ctx, str word),
		   void *ctx)
{
	str rest = str_from(synopsis), line, behind, token, one;

	while (rest.n && str_next_part(&rest, '\n', &line)) {
		if (!is_line_of(line, command, &behind) || follow(behind, arguments, n, &token) < n)
			continue;
		while (token.n && str_next_part(&token, '|', &one)) {
			if (is_verb(one))
				each(ctx, one);
		}
	}
}

/* ---- what a shell may be given ---- */

bool word_is_shown(str word)
{
	CLEANUP(buf_done) struct buf shown = BUF_INIT(SHOWN_MAX);

	printable_add(&shown, word, "\\n");
	return word.n && !shown.error && str_eq(buf_str(&shown), word);
}

bool word_is_plain(str word)
{
	for (size_t i = 0; i < word.n; i++) {
		char c = word.p[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
		    !(c && strchr("_-./:@%+=,", c)))
			return false;
	}
	return word.n;
}
