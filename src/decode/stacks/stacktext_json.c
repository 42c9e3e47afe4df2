#include "src/decode/stacks/stacktext.h"

#include "src/decode/common/json_read.h"

/* Java's own dump of threads (jcmd PID Thread.dump_to_file -format=json), which has the virtual
 * threads, too. JDK 21 to 23 write no states.
 *
 *	{"threadDump": {"threadContainers": [{"container": "<root>", "threads": [
 *	  {"tid": "1", "name": "main", "state": "RUNNABLE",
 *	   "stack": ["java.base/java.lang.Thread.sleep(Thread.java:509)", ...]}]}]}} */

struct json_thread {
	name_id name, state;
};

static void *
thread_start(struct rows_json *r, void *parent UNUSED, void *own)
{
	struct stacktext *s = r->context;

	stacktext_clear(s); /* a thread that has a fault */
	s->offset = r->offset;
	return own;
}

static bool
stack_frame(struct rows_json *r, void *thread UNUSED, const struct json_value *v)
{
	struct stacktext *s = r->context;

	if (v->t.kind != JSON_STRING)
		return true;
	buf_reset(&s->held);
	json_text(&r->j, &v->t, &s->held);
	stacktext_java(s, buf_str(&s->held), buf_str(&s->held) + s->held.len);
	return true;
}

static bool
thread_take(struct rows_json *r, void *parent UNUSED, void *element)
{
	struct stacktext *s = r->context;
	const struct json_thread *t = element;
	struct name name = builder_name_get(s->b, t->name);
	struct name state = builder_name_get(s->b, t->state);

	stacktext_track(s, name.at, name.len);
	if (state.len)
		stacktext_label(s, "state", state.at, state.len);
	return stacktext_thread(s);
}

static const struct json_row thread_rows[] = {
	{"name", ROW_NAME(struct json_thread, name)},
	{"state", ROW_NAME(struct json_thread, state)},
	{"stack", ROW_EACH(stack_frame)},
	{0},
};
static const struct json_list threads = {.rows = thread_rows,
					 .size = sizeof(struct json_thread),
					 .record = true,
					 .begin = thread_start,
					 .end = thread_take};
static const struct json_row container_rows[] = {{"threads", ROW_LIST(&threads)}, {0}};
static const struct json_list containers = {.rows = container_rows};
static const struct json_row dump_rows[] = {{"threadContainers", ROW_LIST(&containers)}, {0}};
static const struct json_row document_rows[] = {{"threadDump", ROW_HERE(dump_rows)}, {0}};

bool
stacktext_json(struct stacktext *s, struct input *in)
{
	return json_decode(in, s->b, s->e, document_rows, s, "no dump of threads");
}
