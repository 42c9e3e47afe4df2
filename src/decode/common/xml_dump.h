/* xml_dump.h - the dump of XML documents: a tag or a line of text a record.
 *
 *	00000039 <testcase name="parse" time="0.5">
 *	00000081 "assert 1 == 2"
 *	00000094 </testcase> */
#ifndef PNAV_SRC_DECODE_COMMON_XML_DUMP_H
#define PNAV_SRC_DECODE_COMMON_XML_DUMP_H

#include <stdbool.h>

#include "src/decode/decoder.h"

/* Dumps a document; lines of blanks are omitted. A build without expat dumps its lines. */
bool xml_dump(struct input *in, struct dump *d, struct err *e);

#endif
