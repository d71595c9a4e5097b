/* Looking at all of a list but its items. */
#include "kubeclient/kc_list_answer.h"

#include <errno.h>
#include <string.h>

/* What servers send in place of a list, in its form: none of them has the objects. */
static const char *const never[] = { "Status", "Table", "PartialObjectMetadata", "PartialObjectMetadataList" };

static bool is_never(str kind)
{
	for (size_t i = 0; i < ARRAY_LEN(never); i++) {
		if (str_eq(kind, str_from(never[i])))
			return true;
	}
	return false;
}

/* "PodList", or a list of whatever ("List", as kubectl calls one that it has put together). */
static bool is_kind_list(const struct kc_collection *what, str kind)
{
	str own = str_from(what->kind);

	if (str_eq(kind, STR("List")))
		return true;
	return str_has_prefix(kind, own) && str_eq(str_sub(kind, own.n, kind.n), STR("List"));
}

/* Take @part off the front. */
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
	str kind = val_str(VAL_GET(answer, "kind")), api_version = val_str(VAL_GET(answer, "apiVersion"));

	if (is_never(kind))
		return err_set(err, EBADMSG, "the answer is a %.*s, not a list", STR_ARG(kind));
	if (!str_eq(api_version, str_from(what->api_version)))
		return err_set(err, EBADMSG, "the answer is not of apiVersion %.100s", what->api_version);
	if (str_eq(kind, str_from(what->kind)))
		return err_set(err, EBADMSG, "the answer is a single object, not a list");
	if (list_kind ? str_eq(kind, str_from(list_kind)) : is_kind_list(what, kind))
		return 0;
	if (list_kind)
		return err_set(err, EBADMSG, "the answer is not of kind %.100s", list_kind);
	return err_set(err, kind.n ? EPROTO : EBADMSG, "the answer is not of kind %.100sList", what->kind);
}

int kc_list_answer_whole(const struct kc_collection *what, bool one_shot, bool items, val answer, struct err *err)
{
	val meta = VAL_GET(answer, "metadata"), version = VAL_GET(meta, "resourceVersion");
	val rest = VAL_GET(meta, "remainingItemCount"), listed = VAL_GET(answer, "items");
	bool may_be_empty = one_shot && !what->resource.can_watch;
	str text = val_str(version);

	if (!items && !val_is_null(listed))
		return err_set(err, EBADMSG, "a list without items");
	if (may_be_empty ? val_exists(version) && !val_is_string(version) : !text.n || str_find_byte(text, '\0') >= 0)
		return err_set(err, EBADMSG, "a list without metadata.resourceVersion");
	if (!val_str(VAL_GET(meta, "continue")).n && rest.kind == VAL_INT && rest.i > 0)
		return err_set(err, EBADMSG, "a list that lacks %lld of its objects and does not say how it goes on",
			       (long long)rest.i);
	return 0;
}
