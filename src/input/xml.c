/* xml.c - see xml.h.
 *
 *	input -- window --> expat -- tag, text --> xml_note() --> callbacks of the decoder
 *
 * expat keeps a token that is not whole and examines it again with each further window, so a token
 * of many windows would take quadratic time. Hence XML_TOKEN_MAX, measured from the end of the last
 * token that expat reported. */
#include "src/input/xml.h"

#include <string.h>

#include "model/base/chars.h"

const char *
xml_attribute(const char *const *attribute, const char *name)
{
	for (; *attribute; attribute += 2)
		if (!strcmp(*attribute, name))
			return attribute[1];
	return NULL;
}

/* Returns the end of an instruction, a comment or a DTD; NULL if it is not in these bytes. */
static const char *
xml_prolog_end(const char *at, const char *end)
{
	bool comment = end - at >= 4 && !memcmp(at, "<!--", 4);
	const char *stop = comment ? "-->" : at[1] == '?' ? "?>" : ">";
	const char *inside = at[1] == '!' && !comment ? memchr(at, '[', (size_t)(end - at)) : NULL;
	const char *last = memmem(at, (size_t)(end - at), stop, strlen(stop));

	if (inside && last && inside < last) { /* <!DOCTYPE tag [...]> */
		at = memchr(inside, ']', (size_t)(end - inside));
		last = at ? memchr(at, '>', (size_t)(end - at)) : NULL;
	}
	return last ? last + strlen(stop) : NULL;
}

bool
xml_begins_with(const void *bytes, size_t len, const char *tag)
{
	const char *at = bytes, *end = at + len;
	size_t tag_len = strlen(tag);

	for (;;) {
		while (at < end && (is_blank(*at) || *at == '\n' || *at == '\r'))
			at++;
		if (end - at < 2 || *at != '<')
			return false;
		if (at[1] != '?' && at[1] != '!')
			break;
		at = xml_prolog_end(at, end);
		if (!at)
			return false;
	}
	return (size_t)(end - ++at) > tag_len && !memcmp(at, tag, tag_len) &&
	       strchr(" \t\r\n/>", at[tag_len]) && at[tag_len];
}

#ifdef HAVE_EXPAT

#include <expat.h>

/* expat 2.9 deprecates the names with "long"s and "int"s. */
#if XML_MAJOR_VERSION > 2 || XML_MINOR_VERSION >= 9
#define XML_GetCurrentByteIndex XML_GetCurrentByteIndex64
#define XML_GetCurrentByteCount XML_GetCurrentByteCount64
#endif

struct xml {
	struct xml_reader reader;
	XML_Parser parser;
	const struct xml_calls *calls;
	void *state;
	uint64_t base;  /* the offset of expat's byte 0 */
	uint64_t noted; /* the end of the last token, or a byte in it */
	bool stopped;   /* a callback ended the reading; expat still ends an empty element */
};

bool
xml_is_available(void)
{
	return true;
}

/* Sets the offset of the token that expat has now. */
static void
xml_note(struct xml *x)
{
	x->reader.offset = x->base + (uint64_t)XML_GetCurrentByteIndex(x->parser);
	x->noted = x->reader.offset + (uint64_t)XML_GetCurrentByteCount(x->parser);
}

static uint64_t
xml_damage_at(const struct xml *x, uint64_t offset)
{
	return x->reader.record == XML_NO_RECORD ? offset : x->reader.record;
}

static void
xml_stop(struct xml *x)
{
	x->stopped = true;
	XML_StopParser(x->parser, XML_FALSE);
}

static void
xml_begin(void *user, const XML_Char *tag, const XML_Char **attribute)
{
	struct xml *x = user;

	xml_note(x);
	if (++x->reader.depth > XML_DEPTH_MAX) {
		err_damage(x->reader.e, xml_damage_at(x, x->reader.offset),
			   "XML: elements are nested too deeply");
		xml_stop(x);
	} else if (!x->calls->begin(&x->reader, x->state, tag, (const char *const *)attribute)) {
		xml_stop(x);
	}
}

static void
xml_end(void *user, const XML_Char *tag)
{
	struct xml *x = user;

	if (x->stopped)
		return;
	xml_note(x);
	if (!x->calls->end(&x->reader, x->state, tag))
		xml_stop(x);
	x->reader.depth--;
}

static void
xml_text(void *user, const XML_Char *at, int len)
{
	struct xml *x = user;

	xml_note(x);
	if (x->calls->text)
		x->calls->text(&x->reader, x->state, at, (size_t)len);
}

/* Comments, instructions and the like; with this callback, expat expands no entity. */
static void
xml_other(void *user, const XML_Char *at UNUSED, int len UNUSED)
{
	xml_note(user);
}

static void
xml_entity(void *user, const XML_Char *name, int is_parameter UNUSED, const XML_Char *value UNUSED,
	   int len UNUSED, const XML_Char *base UNUSED, const XML_Char *system UNUSED,
	   const XML_Char *public UNUSED, const XML_Char *notation UNUSED)
{
	struct xml *x = user;

	err_refuse(x->reader.e, "XML that declares an entity (%s), which pnav does not expand",
		   name);
	xml_stop(x);
}

/* Passes `len` bytes of the window to expat. */
static bool
xml_feed(struct xml *x, size_t len, bool last)
{
	struct input *in = x->reader.in;
	uint64_t end = input_offset(in) + len;
	enum XML_Status status =
		XML_Parse(x->parser, (const char *)input_at(in), (int)len, last);

	if (status != XML_STATUS_OK) {
		enum XML_Error code = XML_GetErrorCode(x->parser);
		int64_t index = XML_GetCurrentByteIndex(x->parser); /* -1: before the first */
		uint64_t at = index < 0 ? x->noted : x->base + (uint64_t)index;
		if (x->stopped)
			return false;
		if (code == XML_ERROR_UNKNOWN_ENCODING)
			return err_refuse(x->reader.e,
					  "XML in an encoding that expat does not know; "
					  "convert it to UTF-8");
		return err_damage(x->reader.e, xml_damage_at(x, at), "XML: %s",
				  last ? "the document ends early" : XML_ErrorString(code));
	}
	if (end - x->noted > XML_TOKEN_MAX)
		return err_damage(x->reader.e, xml_damage_at(x, x->noted),
				  "XML: a tag or comment of more than %u bytes", XML_TOKEN_MAX);
	input_skip(in, len);
	return true;
}

bool
xml_read(struct input *in, const struct xml_calls *calls, void *state, struct err *e)
{
	enum { PIECE = 1 << 16 };
	struct xml x = {.calls = calls, .state = state,
			.reader = {.in = in, .e = e, .record = XML_NO_RECORD}};
	bool good = true;

	input_first(in);
	x.base = x.noted = input_offset(in);
	x.parser = XML_ParserCreate(NULL);
	if (!x.parser)
		return err_refuse(e, "no memory for a reader of XML");
	XML_SetUserData(x.parser, &x);
	XML_SetElementHandler(x.parser, xml_begin, xml_end);
	XML_SetCharacterDataHandler(x.parser, xml_text);
	XML_SetDefaultHandler(x.parser, xml_other);
	XML_SetEntityDeclHandler(x.parser, xml_entity);
	while (good && input_need(in, 1))
		good = xml_feed(&x, input_have(in) < PIECE ? input_have(in) : PIECE, false);
	if (good && !input_stopped(in))
		good = xml_feed(&x, 0, true);
	XML_ParserFree(x.parser);
	return good;
}

#else

bool
xml_is_available(void)
{
	return false;
}

bool
xml_read(struct input *in UNUSED, const struct xml_calls *calls UNUSED, void *state UNUSED,
	 struct err *e)
{
	return err_refuse(e, "a document in XML, but pnav was built without expat");
}

#endif
