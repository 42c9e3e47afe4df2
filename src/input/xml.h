/* xml.h - reads an XML document as a stream of tags and text, by expat.
 *
 *	static const struct xml_calls calls = {.begin = case_begin, .end = case_end};
 *
 *	good = xml_read(in, &calls, &state, e);
 *
 * Memory is bounded: a tag, comment or instruction of more than XML_TOKEN_MAX bytes and elements
 * nested deeper than XML_DEPTH_MAX are damage. Text is in UTF-8; expat converts the encoding that
 * the document declares. Nothing is expanded or fetched: a document that declares an entity is
 * refused, and a DTD outside the document is ignored. A byte-order mark and blanks before the
 * document are skipped. */
#ifndef PNAV_SRC_INPUT_XML_H
#define PNAV_SRC_INPUT_XML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/err.h"
#include "src/input/input.h"

#define XML_TOKEN_MAX (4u << 20)
#define XML_DEPTH_MAX 1024u
#define XML_NO_RECORD UINT64_MAX

struct xml_reader {
	struct input *in;
	struct err *e;
	uint64_t offset; /* of the tag or text that the callback gets */
	unsigned depth;  /* of the element of begin() and end(); the root has 1 */
	/* The callbacks set it to the offset of an element that is of no use unless it is whole,
	 * and back to XML_NO_RECORD: damage is then reported at this offset. */
	uint64_t record;
};

/* The callbacks. Strings are valid during the call. begin() and end() return false to end the
 * reading; they may set an error in x->e. */
struct xml_calls {
	/* attribute: names and values by turns, then NULL */
	bool (*begin)(struct xml_reader *x, void *state, const char *tag,
		      const char *const *attribute);
	bool (*end)(struct xml_reader *x, void *state, const char *tag);
	/* Text between tags; one text may come in several pieces. NULL: it is skipped. */
	void (*text)(struct xml_reader *x, void *state, const char *at, size_t len);
};

/* Returns false if this build has no expat. */
bool xml_is_available(void);
/* Reads the rest of the input. Returns false with damage or a refusal in *e; the callbacks have
 * then had everything before it. */
bool xml_read(struct input *in, const struct xml_calls *calls, void *state, struct err *e);
/* Returns the value of an attribute, or NULL. */
const char *xml_attribute(const char *const *attribute, const char *name);
/* Returns true if the first element in these bytes, the beginning of a document, has this tag. */
bool xml_begins_with(const void *bytes, size_t len, const char *tag);

#endif
