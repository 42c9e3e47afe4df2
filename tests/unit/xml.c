/* Documents in XML: text in pieces, offsets, limits. */
#include "src/input/xml.h"

#include <check.h>
#include <string.h>

#include "model/base/buf.h"
#include "tests/lib/unit.h"

/* The callbacks write what they get, as `<a@0`, text, `>`. */
static bool
begin(struct xml_reader *x, void *state, const char *tag, const char *const *attribute)
{
	const char *record = xml_attribute(attribute, "record");

	buf_addf(state, "<%s@%u", tag, (unsigned)x->offset);
	if (record)
		x->record = x->offset;
	return !xml_attribute(attribute, "stop");
}

static bool
end(struct xml_reader *x, void *state, const char *tag)
{
	buf_addf(state, ">%u", x->depth);
	if (!strcmp(tag, "r"))
		x->record = XML_NO_RECORD;
	return true;
}

static void
text(struct xml_reader *x, void *state, const char *at, size_t len)
{
	(void)x;
	buf_add(state, at, len);
}

static bool
read_bytes(const void *bytes, size_t len, struct buf *out, struct err *e)
{
	static const struct xml_calls calls = {begin, end, text};
	struct input *in = input_open_bytes(bytes, len, "x.xml");

	err_init(e);
	buf_reset(out);
	bool good = xml_read(in, &calls, out, e);
	input_close(in);
	return good;
}

START_TEST(documents)
{
	static const struct {
		const char *text, *got;
		enum err_class class;
		uint64_t offset;
		bool stopped;
	} of[] = {
		{" \n<a><b k='v'/>x &lt;<![CDATA[<&]]></a>", "<a@2<b@5>2x <<&>1", ERR_NONE, 0,
		 false},
		{"\xEF\xBB\xBF<a/>", "<a@3>1", ERR_NONE, 0, false},
		{"<a><r record='1'/><b", "<a@0<r@3>2", ERR_DAMAGED, 18, false},
		{"<a><r record='1'><b/>", "<a@0<r@3<b@17>3", ERR_DAMAGED, 3, false},
		{"", "", ERR_DAMAGED, 0, false},
		{" \n", "", ERR_DAMAGED, 2, false},
		{"<a></b>", "<a@0", ERR_DAMAGED, 5, false},
		{"<a/><a/>", "<a@0>1", ERR_DAMAGED, 4, false},
		{"<a>&none;</a>", "<a@0", ERR_DAMAGED, 3, false},
		{"<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;</a>", "", ERR_REFUSED, 0, false},
		{"<!DOCTYPE a SYSTEM 'http://localhost:1/'><a>&e;</a>", "<a@41>1", ERR_NONE, 0,
		 false},
		{"<?xml version='1.0' encoding='none'?><a/>", "", ERR_REFUSED, 0, false},
		{"<a><b stop='1'/></a>", "<a@0<b@3", ERR_NONE, 0, true},
	};
	struct buf out = BUF_INIT;
	struct err e;

	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		bool good = read_bytes(of[i].text, strlen(of[i].text), &out, &e);
		ck_assert_str_eq(buf_str(&out), of[i].got);
		ck_assert_msg(e.class == of[i].class, "%s: %s", of[i].text, e.text);
		ck_assert_int_eq(good, of[i].class == ERR_NONE && !of[i].stopped);
		ck_assert_msg(e.offset == of[i].offset, "%s: at %u", of[i].text,
			      (unsigned)e.offset);
	}
	buf_release(&out);
}
END_TEST

/* Text of any length is read; a tag of more than XML_TOKEN_MAX is not, nor are 1,025 elements. */
START_TEST(limits)
{
	struct buf d = BUF_INIT, out = BUF_INIT;
	char piece[1 << 16];
	struct err e;

	memset(piece, 'x', sizeof piece);
	buf_adds(&d, "<a>   ");
	for (size_t i = 0; i <= XML_TOKEN_MAX / sizeof piece; i++)
		buf_add(&d, piece, sizeof piece);
	buf_adds(&d, "</a>");
	ck_assert(read_bytes(d.at, d.len, &out, &e));
	ck_assert_uint_eq(out.len, d.len - 3 - 4 + strlen("<a@0>1"));
	memcpy(d.at, "<a b='", 6);
	ck_assert(!read_bytes(d.at, d.len, &out, &e));
	ck_assert(e.class == ERR_DAMAGED && !e.offset);
	buf_reset(&d);
	for (size_t i = 0; i <= XML_DEPTH_MAX; i++)
		buf_adds(&d, "<a>");
	ck_assert(!read_bytes(d.at, d.len, &out, &e));
	ck_assert(e.class == ERR_DAMAGED && e.offset == 3 * XML_DEPTH_MAX);
	buf_release_all(&d, &out);
}
END_TEST

START_TEST(first_tags)
{
	static const struct {
		const char *text;
		bool is;
	} of[] = {
		{"<a>", true}, {"<a/>", true}, {"<a\n", true}, {"<a", false}, {"<ab>", false},
		{" \r\n<?xml?>\n<!-- <b> -->\n<a ", true},
		{"<!DOCTYPE a [<!ELEMENT a ANY>] ><a>", true},
		{"<!DOCTYPE a>[<a>", false}, {"<!DOCTYPE a><a b='[>'", true}, {"<!-- > <a>", false},
		{"a", false}, {"", false}, {"<", false}, {"<!DOCTYPE a [<a>", false},
	};

	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		ck_assert_msg(xml_begins_with(of[i].text, strlen(of[i].text), "a") == of[i].is,
			      "%s", of[i].text);
}
END_TEST

UNIT(xml)
{
	Suite *s = suite_create("xml");
	TCase *t = tcase_create("xml");
	tcase_add_test(t, first_tags);
	if (xml_is_available()) {
		tcase_add_test(t, documents);
		tcase_add_test(t, limits);
	}
	suite_add_tcase(s, t);
	return s;
}
