/* nsys: kernels, copies and memory of GPUs. Each stream of a device is a track; the call of the API
 * that launched something is found by its process and its correlation id. */
#include "src/decode/nsys/nsys_inside.h"

#ifdef HAVE_SQLITE

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Kinds of copies, where the file has no names for them. */
static const char *const copies[] = {
	"Unknown",	  "Host-to-Device", "Device-to-Host", "Host-to-Array",	  "Array-to-Host",
	"Array-to-Array", "Array-to-Device", "Device-to-Array", "Device-to-Device", "Host-to-Host",
	"Peer-to-Peer",	  "Unified Host-to-Device", "Unified Device-to-Host",
	"Unified Device-to-Device",
};

static void
stream_name(char text[64], int64_t device, int64_t stream)
{
	snprintf(text, 64, "GPU %" PRId64 " stream %" PRId64, device, stream);
}

static struct nsys_stream *
stream_at(struct nsys *n, int64_t device, int64_t stream)
{
	uint64_t key = (uint64_t)device << 40 ^ (uint64_t)stream;
	uint32_t at = idmap_get(&n->ids.stream, key);
	char text[64];

	if (at == IDMAP_NONE) {
		at = (uint32_t)n->stream.n;
		stream_name(text, device, stream);
		*vec_push(&n->stream) = (struct nsys_stream){
			.device = device,
			.stream = stream,
			.track = builder_track(n->b, text, strlen(text), TRACK_CORE)};
		idmap_put(&n->ids.stream, key, at);
	}
	return &n->stream.at[at];
}

/* The columns that kernels, copies and sets share. */
enum { GPU_START, GPU_END, GPU_DEVICE, GPU_STREAM, GPU_NUMBERS, GPU_CALL = GPU_NUMBERS, GPU_PID,
       GPU_OWN };
#define GPU_NEEDS "start end deviceId streamId"
#define GPU_MAY "correlationId globalPid "

/* Adds a slice, and the edge from the call that caused it. */
static struct nsys_stream *
gpu_slice(struct nsys *n, sqlite3_stmt *row, const int64_t *number, frame_id frame,
	  labels_id labels)
{
	struct nsys_stream *s = stream_at(n, number[GPU_DEVICE], number[GPU_STREAM]);
	int64_t length = number[GPU_END] - number[GPU_START];
	uint64_t key = (uint64_t)nsys_pid(sqlite3_column_int64(row, GPU_PID)) << 32 |
		       (uint32_t)sqlite3_column_int64(row, GPU_CALL);
	uint32_t call = idmap_get(&n->ids.call, key);
	char text[64];

	slices_add(&s->slices, slices_tick(number[GPU_START]), length > 0 ? (uint64_t)length : 0,
		   frame, labels, 0);
	if (call == IDMAP_NONE || sqlite3_column_type(row, GPU_CALL) != SQLITE_INTEGER)
		return s;
	const struct nsys_call *c = &n->call.at[call];
	track_id from = cast_made(&n->cast, c->thread);
	cast_track_text(&n->cast, c->thread);
	actor_id caller = builder_actor_on(n->b, from, n->cast.text.at, n->cast.text.len);
	stream_name(text, s->device, s->stream);
	builder_edge(n->b, EDGE_FLOW, caller, c->start,
		     builder_actor_on(n->b, s->track, text, strlen(text)), number[GPU_START]);
	return s;
}

static label_id
size_label(struct nsys *n, const char *key, sqlite3_stmt *row, int column)
{
	char text[96];
	int len = snprintf(text, sizeof text, "%" PRId64 "x%" PRId64 "x%" PRId64,
			   (int64_t)sqlite3_column_int64(row, column),
			   (int64_t)sqlite3_column_int64(row, column + 1),
			   (int64_t)sqlite3_column_int64(row, column + 2));

	return builder_label_text(n->b, builder_name(n->b, key, strlen(key)),
				  builder_name(n->b, text, (size_t)len));
}

static bool
take_kernel(struct pnavdb *x, sqlite3_stmt *row)
{
	struct nsys *n = nsys_of(x);
	int64_t number[GPU_NUMBERS];
	label_id one[2];
	size_t labels = 0;

	if (!nsys_numbers(n, row, GPU_NUMBERS, number))
		return true;
	name_id name = nsys_string(n, row, GPU_OWN);
	if (name == NAME_EMPTY)
		name = nsys_string(n, row, GPU_OWN + 1);
	if (sqlite3_column_type(row, GPU_OWN + 2) == SQLITE_INTEGER)
		one[labels++] = size_label(n, "grid", row, GPU_OWN + 2);
	if (sqlite3_column_type(row, GPU_OWN + 5) == SQLITE_INTEGER)
		one[labels++] = size_label(n, "block", row, GPU_OWN + 5);
	gpu_slice(n, row, number, nsys_frame(n, name),
		  labels ? builder_labels(n->b, one, labels) : LABELS_NONE);
	n->kernels++;
	return true;
}

static bool
gpu_copied(struct nsys *n, struct nsys_stream *s, int64_t start, frame_id frame, int64_t bytes)
{
	if (!s->copied) {
		s->copied = builder_samples(n->b, s->track, &n->metric.copied, 1);
		builder_derived(s->copied);
	}
	return builder_sample(n->b, s->copied, start, builder_child(n->b, STACK_EMPTY, frame),
			      &bytes, 0, n->e);
}

/* ..., bytes, copyKind */
static bool
take_copy(struct pnavdb *x, sqlite3_stmt *row)
{
	struct nsys *n = nsys_of(x);
	int64_t number[GPU_NUMBERS], kind = sqlite3_column_int64(row, GPU_OWN + 1);
	uint32_t label = idmap_get(&n->ids.copy, (uint64_t)kind);
	struct buf text = BUF_INIT;

	if (!nsys_numbers(n, row, GPU_NUMBERS, number))
		return true;
	buf_adds(&text, "[memcpy ");
	if (label != IDMAP_NONE) {
		struct name name = builder_name_get(n->b, label);
		buf_add(&text, name.at, name.len);
	} else if (kind >= 0 && (size_t)kind < sizeof copies / sizeof *copies) {
		buf_adds(&text, copies[kind]);
	} else {
		buf_addf(&text, "kind %" PRId64, kind);
	}
	buf_adds(&text, "]");
	frame_id frame = nsys_frame(n, builder_name(n->b, text.at, text.len));
	buf_release(&text);
	struct nsys_stream *s = gpu_slice(n, row, number, frame, LABELS_NONE);
	return gpu_copied(n, s, number[GPU_START], frame, sqlite3_column_int64(row, GPU_OWN));
}

static bool
take_set(struct pnavdb *x, sqlite3_stmt *row)
{
	struct nsys *n = nsys_of(x);
	int64_t number[GPU_NUMBERS];

	if (!nsys_numbers(n, row, GPU_NUMBERS, number))
		return true;
	frame_id frame = nsys_frame(n, builder_name(n->b, "[memset]", 8));
	struct nsys_stream *s = gpu_slice(n, row, number, frame, LABELS_NONE);
	return gpu_copied(n, s, number[GPU_START], frame, sqlite3_column_int64(row, GPU_OWN));
}

static bool
take_copy_name(struct pnavdb *x, sqlite3_stmt *row)
{
	struct nsys *n = nsys_of(x);
	int64_t id;
	name_id label = pnavdb_name(x, row, 1);

	if (label != NAME_EMPTY && nsys_numbers(n, row, 1, &id))
		idmap_put(&n->ids.copy, (uint64_t)id, label);
	return true;
}

/* deviceId, start, bytes, memoryOperationType: 0 adds, 1 takes away; ordered by device and time */
static bool
take_memory(struct pnavdb *x, sqlite3_stmt *row)
{
	struct nsys *n = nsys_of(x);
	int64_t number[4];
	char text[64];

	if (!nsys_numbers(n, row, 4, number))
		return true;
	if (!n->points || n->device != number[0]) {
		snprintf(text, sizeof text, "GPU %" PRId64 " memory", number[0]);
		track_id t = builder_track(n->b, text, strlen(text), TRACK_COUNTER);
		builder_track_unit(n->b, t, "bytes", 5);
		n->points = builder_points(n->b, t, false);
		n->device = number[0];
		n->memory = 0;
	}
	uint64_t more = number[3] == 1 ? -(uint64_t)number[2] : (uint64_t)number[2];
	n->memory = (int64_t)((uint64_t)n->memory + (number[3] < 2 ? more : 0));
	return builder_point(n->b, n->points, number[1], n->memory, 0, n->e);
}

bool
nsys_read_gpus(struct nsys *n)
{
	return nsys_each(n, "ENUM_CUDA_MEMCPY_OPER", "id", "label", NULL, take_copy_name) &&
	       nsys_each(n, "CUPTI_ACTIVITY_KIND_KERNEL", GPU_NEEDS,
			 GPU_MAY "demangledName shortName gridX gridY gridZ blockX blockY blockZ",
			 NULL, take_kernel) &&
	       nsys_each(n, "CUPTI_ACTIVITY_KIND_MEMCPY", GPU_NEEDS, GPU_MAY "bytes copyKind",
			 NULL, take_copy) &&
	       nsys_each(n, "CUPTI_ACTIVITY_KIND_MEMSET", GPU_NEEDS, GPU_MAY "bytes", NULL,
			 take_set) &&
	       nsys_each(n, "CUDA_GPU_MEMORY_USAGE_EVENTS",
			 "deviceId start bytes memoryOperationType", "", "deviceId, start",
			 take_memory);
}

bool
nsys_write_gpus(struct nsys *n)
{
	struct slices_out out = {.in = n->db.in, .b = n->b, .kind = SLICES_LABELLED,
				 .metric = n->metric.gpu};
	bool good = true;
	char text[64];

	for (size_t i = 0; i < n->stream.n; i++) {
		struct nsys_stream *s = &n->stream.at[i];
		stream_name(text, s->device, s->stream);
		struct slices_track track = {.track = s->track,
					     .name = text,
					     .len = strlen(text),
					     .kind = TRACK_CORE};
		good = slices_write(&s->slices, &out, &track, n->e) && good;
	}
	return good;
}

#endif
