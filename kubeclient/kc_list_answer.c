/* Checks all parts of a list but its items. */
#include "kubeclient/kc_list_answer.h"
#include "mask/foreign.h"

#include <errno.h>
#include <string.h>

/* Kinds that servers send in place of a list, in the form of one: none of them contains the objects. */
static const char *const never[] = { "Status", "Table", "PartialObjectMetadata", "PartialObjectMetadataList" };

static const char *never_a_list(struct foreign kind)
{
	for (size_t i = 0; i < ARRAY_LEN(never); i++) {
		if (foreign_is(kind, str_from(never[i])))
			return never[i];
	}
	return NULL;
}

/* Whether @said is a list kind: "PodList", or "List", as kubectl calls a list that it has put together. */
static bool is_kind_list(const struct kc_collection *what, struct foreign said)
{
	str own = str_from(what->kind), kind = foreign_data(said);

	if (str_eq(kind, STR("List")))
		return true;
	return str_has_prefix(kind, own) && str_eq(str_sub(kind, own.n, kind.n), STR("List"));
}

/* Remove @part from the front. */
static bool take(str *text, const char *part)
{
	if (!str_has_prefix(*text, str_from(part)))
		return false;
	*text = str_sub(*text, strlen(part), text->n);
	return true;
}

bool kc_list_answer_begins(const struct kc_collection *what, str text)
{
	return take(&text, "{\"kind\":\"") && take(&text, what->kind) && take(&text, "List\",\"apiVersion\":\"") &&
	       take(&text, what->api_version) && take(&text, "\",");
}

int kc_list_answer_check(const struct kc_collection *what, const char *list_kind, val answer, struct err *err)
{
	struct foreign kind = foreign_of(VAL_GET(answer, "kind"));
	const char *other = never_a_list(kind);

	if (other)
		return err_set(err, EBADMSG, "the answer is a %s, not a list", other);
	if (!foreign_is(foreign_of(VAL_GET(answer, "apiVersion")), str_from(what->api_version)))
		return err_set(err, EBADMSG, "the answer is not of apiVersion %.100s", what->api_version);
	if (foreign_is(kind, str_from(what->kind)))
		return err_set(err, EBADMSG, "the answer is a single object, not a list");
	if (list_kind ? foreign_is(kind, str_from(list_kind)) : is_kind_list(what, kind))
		return 0;
	if (list_kind)
		return err_set(err, EBADMSG, "the answer is not of kind %.100s", list_kind);
	return err_set(err, !foreign_is_empty(kind) ? EPROTO : EBADMSG, "the answer is not of kind %.100sList",
		       what->kind);
}

int kc_list_answer_whole(const struct kc_collection *what, bool one_shot, bool items, val answer, struct err *err)
{
	val meta = VAL_GET(answer, "metadata"), version = VAL_GET(meta, "resourceVersion");
	val rest = VAL_GET(meta, "remainingItemCount"), listed = VAL_GET(answer, "items");
	bool may_be_empty = one_shot && !what->resource.can_watch;
	str text = foreign_data(foreign_of(version));

	if (!items && !val_is_null(listed))
		return err_set(err, EBADMSG, "a list without items");
	if (may_be_empty ? val_exists(version) && !val_is_string(version) : !text.n || str_find_byte(text, '\0') >= 0)
		return err_set(err, EBADMSG, "a list without metadata.resourceVersion");
	if (foreign_is_empty(foreign_of(VAL_GET(meta, "continue"))) && rest.kind == VAL_INT && rest.i > 0)
		return err_set(err, EBADMSG, "a list that lacks %lld of its objects and does not say how it goes on",
			       (long long)rest.i);
	return 0;
}
