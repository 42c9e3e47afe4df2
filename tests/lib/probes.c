/* probes - prints how sure each decoder is of each file on a line of stdin:
 *
 *	FILE <tab> WINNER SURE <tab> NEXT SURE <tab> the message for an unknown file
 *
 * "-" means no decoder. */
#include <stdio.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/err.h"
#include "src/decode/decoder.h"
#include "src/input/input.h"

struct best {
	const char *name;
	int sure;
};

static void
rank(struct head head, struct best *first, struct best *second)
{
	*first = *second = (struct best){"-", 0};
	for (size_t i = 0; decoders[i]; i++) {
		struct best own = {decoders[i]->name, decoder_sure(decoders[i], head)};
		if (own.sure > first->sure) {
			*second = *first;
			*first = own;
		} else if (own.sure > second->sure) {
			*second = own;
		}
	}
}

static void
probe(const char *path)
{
	struct best first, second;
	struct json_outline o;
	struct err e;

	err_init(&e);
	struct input *in = input_open(path, &e);
	if (!in) {
		printf("%s\t- 0\t- 0\t%s\n", path, e.text);
		return;
	}
	const struct decoder *chosen = decoder_of(in, &e);
	input_need(in, PROBE_BYTES + 1);
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	struct buf name = BUF_INIT;
	buf_add(&name, base, input_bare_len(base));
	struct head head = head_of(input_at(in), input_have(in), buf_str(&name), &o);
	rank(head, &first, &second);
	if (!first.sure && chosen && head.json) { /* members after the head decide */
		json_outline_release(&o);
		json_outline_begin(&o, in);
		while (json_outline_more(&o))
			;
		rank(head, &first, &second);
	}
	printf("%s\t%s %d\t%s %d\t%s\n", path, chosen ? first.name : "-", chosen ? first.sure : 0,
	       second.name, second.sure, err_is_set(&e) ? e.text : "");
	json_outline_release(&o);
	buf_release(&name);
	input_close(in);
}

int
main(void)
{
	char line[4096];

	while (fgets(line, sizeof line, stdin)) {
		line[strcspn(line, "\n")] = '\0';
		probe(line);
	}
	return 0;
}
