/* Recognizes templates that only print fields of dot between texts. */
#include "template/tmpl.h"
#include "template/tmpl_node.h"

/* The field that an action prints, when it does nothing else; NULL: it does more. */
static const struct tnode *printed_field(const struct tnode *action)
{
	const struct tnode *pipe = action->branch.pipe, *command;

	if (pipe->pipe.decl.n || pipe->pipe.cmds.n != 1)
		return NULL;
	command = pipe->pipe.cmds.items[0];
	if (command->list.n != 1 || command->list.items[0]->type != NODE_FIELD)
		return NULL;
	return command->list.items[0];
}

static bool add_field(struct tmpl_plain *p, const struct tnode *action)
{
	const struct tnode *field = printed_field(action);
	size_t from = p->text.n;

	if (!field)
		return false;
	buf_add_cstr(&p->text, TMPL_PLAIN_MARK);
	if (!spans_add(&p->printed, from, p->text.n))
		return false;
	p->fields[p->printed.n - 1] = (struct tmpl_path){ field->ident.items, field->ident.n };
	return true;
}

bool tmpl_plain(const struct tmpl *t, struct tmpl_plain *ret)
{
	const struct tnode_list *list = &t->main->root->list;

	ASSERT(t->main->root->type == NODE_LIST && !ret->printed.n);
	for (size_t i = 0; i < list->n; i++) {
		const struct tnode *n = list->items[i];

		if (n->type == NODE_TEXT)
			buf_add_str(&ret->text, n->text);
		else if (n->type != NODE_ACTION || !add_field(ret, n))
			return false;
	}
	return !ret->text.error;
}
