/* probes - how sure each decoder is of each file named on a line of stdin:
 *
 *	FILE <tab> WINNER SURE <tab> NEXT SURE <tab> what is said of a file that nobody knows
 *
 * "-" stands for no decoder. */
#include <stdio.h>
#include <string.h>

#include "model/buf.h"
#include "model/err.h"
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
		struct best own = {decoders[i]->name, decoders[i]->probe(head)};
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
	struct err e;

	err_init(&e);
	struct input *in = input_open(path, &e);
	if (!in) {
		printf("%s\t- 0\t- 0\t%s\n", path, e.text);
		return;
	}
	bool full = input_need(in, PROBE_BYTES);
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	struct buf name = BUF_INIT;
	buf_add(&name, base, input_bare_len(base));
	struct head head = {input_at(in), full ? PROBE_BYTES : input_have(in), !full,
			    buf_str(&name)};
	rank(head, &first, &second);
	const struct decoder *chosen = decoder_for(head, &e);
	printf("%s\t%s %d\t%s %d\t%s\n", path, chosen ? first.name : "-", chosen ? first.sure : 0,
	       second.name, second.sure, err_is_set(&e) ? e.text : "");
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
