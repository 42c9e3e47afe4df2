/* A packet belongs to a sequence, which has a state: interned data, defaults, clocks of its own.
 * The fields come in the order of their numbers, so the fields that the payload needs may follow
 * it. They are collected first, and then handled in logical order.
 *
 * All times are converted to one clock. A snapshot has the values of several clocks at one moment.
 * The last snapshot that connects a clock to the primary one, directly or through another clock,
 * applies. */
#include "src/decode/perfetto/perfetto_inside.h"

#include <string.h>

#include "src/input/unzlib.h"
#include "src/input/unzstd.h"

/* The wire types of Perfetto's schema for the fields that are read here. */
static const struct proto_types payload_types = {
	.bytes = PROTO_BIT(PACKET_FTRACE) | PROTO_BIT(PACKET_PROCESS_TREE) |
		 PROTO_BIT(PACKET_CLOCKS) | PROTO_BIT(PACKET_EVENT) | PROTO_BIT(PACKET_PROFILE) |
		 PROTO_BIT(PACKET_PROCESS) | PROTO_BIT(PACKET_THREAD) | PROTO_BIT(PACKET_ZLIB) |
		 PROTO_BIT(PACKET_STREAMING) | PROTO_BIT(PACKET_TRACK) | PROTO_BIT(PACKET_SYMBOLS),
};
static const struct proto_types snapshot_types = {.bytes = PROTO_BIT(1), .numbers = PROTO_BIT(2)};
static const struct proto_types clock_types = {.numbers = PROTO_BITS(1, 4)};

#define UNPACKED_MAX (256u << 20)
#define PACKETS_DEEP 2u

name_id
pf_text(struct perfetto *d, const struct proto_field *f)
{
	return f->type == PROTO_BYTES
		       ? builder_name(d->b, f->len ? (const void *)f->at : "", f->len)
		       : NAME_EMPTY;
}

/* ---- clocks ---- */

/* Clocks 64 to 127 belong to the sequence. */
static inline uint32_t
clock_of(struct perfetto *d, uint32_t clock)
{
	bool own = clock >= CLOCK_OWN && clock < CLOCK_GLOBAL;
	uint64_t key = own ? (d->p.sequence + 1) << 32 | clock : clock;
	struct pf_clocks *c = &d->clocks;

	if (c->clock.n && key == c->last_key)
		return c->last;
	if (idmap_add(&c->clock_of, key, c->clock.n, &c->last))
		*vec_push(&c->clock) = (struct pf_clock){.unit = 1};
	c->last_key = key;
	return c->last;
}

/* Returns a timestamp in ns; 0 if it is impossible. */
static int64_t
stamp_ns(uint64_t stamp, int64_t unit)
{
	int64_t ns;

	if (stamp > INT64_MAX || __builtin_mul_overflow((int64_t)stamp, unit, &ns) ||
	    ns > PF_TIME_MAX || ns < -PF_TIME_MAX)
		return 0;
	return ns;
}

/* Converts a time of a clock that is not the primary one. */
static int64_t
time_tied(struct perfetto *d, const struct pf_clock *c, int64_t ns)
{
	int64_t time;

	if (!c->known) {
		if (d->clocks.has_primary)
			builder_warn(d->b, "times of a clock that no snapshot ties to the others");
		return ns;
	}
	if (__builtin_add_overflow(ns, c->offset, &time) || time > PF_TIME_MAX ||
	    time < -PF_TIME_MAX)
		return ns;
	return time;
}

int64_t
pf_time(struct perfetto *d, uint32_t clock, uint64_t stamp)
{
	uint32_t which = clock_of(d, clock);
	struct pf_clock *c = &d->clocks.clock.at[which];
	int64_t ns = stamp_ns(stamp, c->unit);

	if (c->incremental) {
		if (__builtin_add_overflow(c->last, ns, &ns) || ns > PF_TIME_MAX)
			ns = c->last;
		c->last = ns;
	}
	return clock == d->clocks.primary ? ns : time_tied(d, c, ns);
}

void
pf_tell_clock(struct perfetto *d)
{
	uint32_t which = clock_of(d, CLOCK_REAL);
	const struct pf_clock *c = &d->clocks.clock.at[which];

	if (c->known && c->offset != INT64_MIN)
		builder_clock(d->b, -c->offset);
}

struct perfetto_shown {
	uint32_t clock; /* in `clock` */
	int64_t ns;
	bool primary;
};

static bool
shown_read(struct perfetto *d, struct proto_field data, struct perfetto_shown *out)
{
	struct proto p = proto_inside(&data);
	struct proto_field f;
	uint64_t id = 0, stamp = 0, unit = 0;
	bool incremental = false;

	while (pf_next(d, &p, &clock_types, &f)) {
		id = f.number == 1 ? f.value : id;
		stamp = f.number == 2 ? f.value : stamp;
		incremental = f.number == 3 ? f.value != 0 : incremental;
		unit = f.number == 4 ? f.value : unit;
	}
	if (p.c.bad || id > UINT32_MAX)
		return false;
	out->clock = clock_of(d, (uint32_t)id);
	out->primary = id == d->clocks.primary;
	struct pf_clock *c = &d->clocks.clock.at[out->clock];
	c->unit = unit && unit < 1000000000 ? (int64_t)unit : 1;
	c->incremental = incremental;
	out->ns = stamp_ns(stamp, c->unit);
	c->last = out->ns;
	return true;
}

static void
clocks_read(struct perfetto *d, struct proto_field data)
{
	struct proto p = proto_inside(&data);
	struct proto_field f;
	VEC(struct perfetto_shown) shown = VEC_INIT;
	bool tied = false;
	int64_t tie = 0; /* primary time of this snapshot = time of clock `by` + offset */

	for (struct proto q = p; proto_next(&q, &f);)
		if (f.number == 2 && f.type == PROTO_VARINT && f.value && f.value <= UINT32_MAX &&
		    !d->clocks.has_primary)
			d->clocks.primary = (uint32_t)f.value;
	d->clocks.has_primary = true;
	d->counts.snapshots++;
	while (pf_next(d, &p, &snapshot_types, &f)) {
		struct perfetto_shown one;
		if (f.number == 1 && f.type == PROTO_BYTES && shown_read(d, f, &one))
			*vec_push(&shown) = one;
	}
	for (size_t i = 0; i < shown.n && !tied; i++)
		if (shown.at[i].primary) {
			tie = shown.at[i].ns;
			tied = true;
		}
	for (size_t i = 0; i < shown.n && !tied; i++) {
		const struct pf_clock *c = &d->clocks.clock.at[shown.at[i].clock];
		if (c->known)
			tied = !__builtin_add_overflow(shown.at[i].ns, c->offset, &tie);
	}
	for (size_t i = 0; i < shown.n && tied; i++) {
		struct pf_clock *c = &d->clocks.clock.at[shown.at[i].clock];
		c->known = !__builtin_sub_overflow(tie, shown.at[i].ns, &c->offset);
	}
	vec_release(&shown);
}

/* ---- sequences ---- */

static void
state_clear(struct pf_sequence *s)
{
	for (unsigned i = 0; i < PF_KINDS; i++)
		idmap_release(&s->of[i]);
	idmap_release(&s->sums);
	s->defaults = (struct pf_defaults){.primary = PF_NONE};
	s->valid = true;
}

static struct pf_sequence *
sequence_of(struct perfetto *d, uint64_t id)
{
	uint32_t i;

	if (idmap_add(&d->sequence_of, id, d->sequence.n, &i))
		*vec_push(&d->sequence) = (struct pf_sequence){
			.thread = PF_NONE, .track = PF_NONE, .defaults = {.primary = PF_NONE}};
	return &d->sequence.at[i];
}

static bool pf_packet(struct perfetto *d, const uint8_t *at, size_t len, uint64_t offset);

/* ---- packets within packets ---- */

static bool
packets_inside(struct perfetto *d, const void *at, size_t len)
{
	struct pf_packet outer = d->p;
	struct proto p = proto_over(at, len);
	struct proto_field f;
	bool good = true;

	d->depth++;
	while (good && proto_next(&p, &f))
		if (f.number == 1 && f.type == PROTO_BYTES)
			good = pf_packet(d, f.at, f.len, outer.offset);
	d->depth--;
	d->p = outer;
	if (p.c.bad)
		builder_warn(d->b, "malformed compressed packets");
	return good;
}

static bool
zstd_all(const struct proto_field *f, struct buf *out)
{
	uint8_t piece[16384];
	bool bad = false;
	size_t n;

	struct unzstd *z = unzstd_new();
	if (!z)
		return false;
	unzstd_feed(z, f->at, f->len);
	while (out->len < UNPACKED_MAX && (n = unzstd_read(z, piece, sizeof piece, &bad)))
		buf_add(out, piece, n);
	unzstd_free(z);
	return !bad;
}

static bool
compressed(struct perfetto *d, struct proto_field f)
{
	struct buf out = BUF_INIT;
	bool good = true;

	if (d->depth >= PACKETS_DEEP || f.type != PROTO_BYTES) {
		builder_warn(d->b, "malformed compressed packets");
		return true;
	}
	if (!(f.number == PACKET_ZLIB ? unzlib(f.at, f.len, UNPACKED_MAX, &out)
				      : zstd_all(&f, &out)))
		builder_warn(d->b, "compressed packets that cannot be unpacked");
	if (out.len)
		good = packets_inside(d, out.at, out.len);
	buf_release(&out);
	return good;
}

/* ---- a packet ---- */

static void
field_take(struct pf_packet *p, const struct proto_field *f)
{
	switch (f->number) {
	case PACKET_TIME:
		p->odd |= f->type ^ PROTO_VARINT;
		p->stamp = f->value;
		p->has_time = true;
		break;
	case PACKET_CLOCK:
		p->odd |= f->type ^ PROTO_VARINT;
		p->clock = (uint32_t)f->value;
		p->has_clock = true;
		break;
	case PACKET_SEQUENCE:
		p->odd |= f->type ^ PROTO_VARINT;
		p->sequence = f->value & UINT32_MAX;
		break;
	case PACKET_FLAGS:
		p->odd |= f->type ^ PROTO_VARINT;
		p->flags = f->value;
		break;
	case PACKET_CLEARED:
		p->odd |= f->type ^ PROTO_VARINT;
		p->cleared = f->value != 0;
		break;
	case PACKET_DROPPED:
		p->odd |= f->type ^ PROTO_VARINT;
		p->dropped = f->value != 0;
		break;
	case PACKET_INTERNED:
		p->odd |= f->type ^ PROTO_BYTES;
		p->interned = *f;
		break;
	case PACKET_DEFAULTS:
		p->odd |= f->type ^ PROTO_BYTES;
		p->defaults = *f;
		break;
	case 3: /* trusted_uid */
	case 79: /* trusted_pid */
	case 87: /* first_packet_on_sequence */
	case 98: /* machine_id */
		break;
	default:
		p->payload = *f;
		break;
	}
}

/* Takes the fields that nearly all packets have, up to another one. Returns false if there is
 * none. */
static inline bool
usual_take(struct pf_packet *to, struct proto *p)
{
	while (cursor_left(&p->c))
		switch (*p->c.at) {
		case PROTO_TAG(PACKET_TIME, PROTO_VARINT):
			if (!proto_take_number(p, &to->stamp))
				return true;
			to->has_time = true;
			break;
		case PROTO_TAG(PACKET_SEQUENCE, PROTO_VARINT):
			if (!proto_take_number(p, &to->sequence))
				return true;
			to->sequence &= UINT32_MAX;
			break;
		case PROTO_TAG(PACKET_FLAGS, PROTO_VARINT):
			if (!proto_take_number(p, &to->flags))
				return true;
			break;
		case PROTO_TAG(PACKET_EVENT, PROTO_BYTES):
			if (!proto_take_short(p, &to->payload))
				return true;
			break;
		default:
			return true;
		}
	return false;
}

static bool
payload(struct perfetto *d)
{
	struct proto_field f = d->p.payload;

	if ((f.number == PACKET_PERF || f.number == PACKET_STACK) && f.type != PROTO_BYTES) {
		d->wrong = true;
		return false;
	}
	switch (f.number) {
	case PACKET_FTRACE:
		return pf_ftrace(d, f);
	case PACKET_PROCESS_TREE:
		pf_process_tree(d, f);
		return true;
	case PACKET_EVENT:
		return pf_event(d, f);
	case PACKET_PROFILE:
		return pf_heap(d, f);
	case PACKET_PROCESS:
		pf_process_descriptor(d, f);
		return true;
	case PACKET_THREAD:
		pf_thread_descriptor(d, f);
		return true;
	case PACKET_ZLIB:
	case PACKET_ZSTD:
		return compressed(d, f);
	case PACKET_STREAMING:
		return pf_sample_streaming(d, f);
	case PACKET_TRACK:
		pf_track_descriptor(d, f);
		return true;
	case PACKET_SYMBOLS:
		pf_symbols(d, f);
		return true;
	case PACKET_DEOBFUSCATION:
		pf_deobfuscation(d, f);
		return true;
	case PACKET_PERF:
		return pf_sample_perf(d, f);
	case PACKET_STACK:
		return pf_sample_stack(d, f);
	case PACKET_CLOCKS:
	case 0:
		return true;
	default:
		if (f.number < 256)
			d->counts.counted[f.number]++;
		else
			d->counts.counted_more++;
		return true;
	}
}

/* Makes the state for a packet whose fields were read: its sequence, interned data, time. Returns
 * false if the packet lacks the state that it needs. */
static bool
packet_begin(struct perfetto *d)
{
	d->s = sequence_of(d, d->p.sequence);
	if (d->p.dropped)
		d->s->valid = false;
	if (d->p.cleared || d->p.flags & 1)
		state_clear(d->s);
	if (d->p.flags & 2 && !d->s->valid) {
		d->counts.needs_state++;
		return false;
	}
	if (d->p.interned.type == PROTO_BYTES)
		pf_intern(d, d->p.interned);
	if (d->p.defaults.type == PROTO_BYTES)
		pf_defaults(d, d->p.defaults);
	if (d->p.payload.number == PACKET_CLOCKS)
		clocks_read(d, d->p.payload);
	if (d->p.has_time && d->p.payload.number != PACKET_CLOCKS)
		d->p.time = pf_time(d,
				    d->p.has_clock               ? d->p.clock
				    : d->s->defaults.has_clock ? d->s->defaults.clock
								 : CLOCK_BOOT,
				    d->p.stamp);
	return true;
}

/* Handles one packet.  Returns false if the profile accepts no more, and if a field has another
 * wire type (damage). */
static bool
pf_packet(struct perfetto *d, const uint8_t *at, size_t len, uint64_t offset)
{
	struct proto p = proto_over(at, len);
	struct proto_field f;
	bool good = true;

	d->p = (struct pf_packet){.offset = offset};
	while (usual_take(&d->p, &p) && proto_next(&p, &f))
		field_take(&d->p, &f);
	d->counts.packets++;
	d->wrong |= d->p.odd || !proto_fits(&d->p.payload, &payload_types);
	if (p.c.bad && !d->wrong)
		builder_warn(d->b, "malformed packets, skipped");
	if (!p.c.bad && !d->wrong && packet_begin(d))
		good = !d->wrong && payload(d);
	if (d->wrong && !err_is_set(d->err))
		good = err_damage(d->err, d->p.offset, "a packet with a malformed field");
	return good;
}

/* ---- names of packets ---- */

static const struct proto_row packet_rows[] = {
	[1] = {"ftrace_events", PROTO_ROW_NONE},
	[2] = {"process_tree", PROTO_ROW_NONE},
	[3] = {"trusted_uid", PROTO_ROW_NONE},
	[4] = {"inode_file_map", PROTO_ROW_NONE},
	[5] = {"chrome_events", PROTO_ROW_NONE},
	[6] = {"clock_snapshot", PROTO_ROW_NONE},
	[7] = {"sys_stats", PROTO_ROW_NONE},
	[8] = {"timestamp", PROTO_ROW_NONE},
	[9] = {"process_stats", PROTO_ROW_NONE},
	[10] = {"trusted_packet_sequence_id", PROTO_ROW_NONE},
	[11] = {"track_event", PROTO_ROW_NONE},
	[12] = {"interned_data", PROTO_ROW_NONE},
	[13] = {"sequence_flags", PROTO_ROW_NONE},
	[33] = {"trace_config", PROTO_ROW_NONE},
	[34] = {"ftrace_stats", PROTO_ROW_NONE},
	[35] = {"trace_stats", PROTO_ROW_NONE},
	[36] = {"synchronization_marker", PROTO_ROW_NONE},
	[37] = {"profile_packet", PROTO_ROW_NONE},
	[38] = {"battery", PROTO_ROW_NONE},
	[39] = {"android_log", PROTO_ROW_NONE},
	[40] = {"power_rails", PROTO_ROW_NONE},
	[41] = {"incremental_state_cleared", PROTO_ROW_NONE},
	[42] = {"previous_packet_dropped", PROTO_ROW_NONE},
	[43] = {"process_descriptor", PROTO_ROW_NONE},
	[44] = {"thread_descriptor", PROTO_ROW_NONE},
	[45] = {"system_info", PROTO_ROW_NONE},
	[46] = {"trigger", PROTO_ROW_NONE},
	[47] = {"packages_list", PROTO_ROW_NONE},
	[48] = {"chrome_benchmark_metadata", PROTO_ROW_NONE},
	[49] = {"perfetto_metatrace", PROTO_ROW_NONE},
	[50] = {"compressed_packets", PROTO_ROW_NONE},
	[51] = {"chrome_metadata", PROTO_ROW_NONE},
	[52] = {"gpu_counter_event", PROTO_ROW_NONE},
	[53] = {"gpu_render_stage_event", PROTO_ROW_NONE},
	[54] = {"streaming_profile_packet", PROTO_ROW_NONE},
	[56] = {"heap_graph", PROTO_ROW_NONE},
	[57] = {"graphics_frame_event", PROTO_ROW_NONE},
	[58] = {"timestamp_clock_id", PROTO_ROW_NONE},
	[59] = {"trace_packet_defaults", PROTO_ROW_NONE},
	[60] = {"track_descriptor", PROTO_ROW_NONE},
	[61] = {"module_symbols", PROTO_ROW_NONE},
	[62] = {"vulkan_memory_event", PROTO_ROW_NONE},
	[63] = {"gpu_log", PROTO_ROW_NONE},
	[64] = {"deobfuscation_mapping", PROTO_ROW_NONE},
	[65] = {"vulkan_api_event", PROTO_ROW_NONE},
	[66] = {"perf_sample", PROTO_ROW_NONE},
	[67] = {"cpu_info", PROTO_ROW_NONE},
	[68] = {"smaps_packet", PROTO_ROW_NONE},
	[69] = {"service_event", PROTO_ROW_NONE},
	[70] = {"initial_display_state", PROTO_ROW_NONE},
	[71] = {"gpu_mem_total_event", PROTO_ROW_NONE},
	[72] = {"extension_descriptor", PROTO_ROW_NONE},
	[73] = {"memory_tracker_snapshot", PROTO_ROW_NONE},
	[74] = {"streaming_allocation", PROTO_ROW_NONE},
	[75] = {"streaming_free", PROTO_ROW_NONE},
	[76] = {"frame_timeline_event", PROTO_ROW_NONE},
	[77] = {"android_energy_estimation_breakdown", PROTO_ROW_NONE},
	[78] = {"ui_state", PROTO_ROW_NONE},
	[79] = {"trusted_pid", PROTO_ROW_NONE},
	[80] = {"android_camera_frame_event", PROTO_ROW_NONE},
	[81] = {"android_camera_session_stats", PROTO_ROW_NONE},
	[82] = {"translation_table", PROTO_ROW_NONE},
	[83] = {"android_game_intervention_list", PROTO_ROW_NONE},
	[84] = {"statsd_atom", PROTO_ROW_NONE},
	[86] = {"android_system_property", PROTO_ROW_NONE},
	[87] = {"first_packet_on_sequence", PROTO_ROW_NONE},
	[88] = {"network_packet", PROTO_ROW_NONE},
	[89] = {"trace_uuid", PROTO_ROW_NONE},
	[90] = {"track_event_range_of_interest", PROTO_ROW_NONE},
	[91] = {"entity_state_residency", PROTO_ROW_NONE},
	[92] = {"network_packet_bundle", PROTO_ROW_NONE},
	[93] = {"surfaceflinger_layers_snapshot", PROTO_ROW_NONE},
	[94] = {"surfaceflinger_transactions", PROTO_ROW_NONE},
	[95] = {"etw_events", PROTO_ROW_NONE},
	[96] = {"shell_transition", PROTO_ROW_NONE},
	[97] = {"shell_handler_mappings", PROTO_ROW_NONE},
	[98] = {"machine_id", PROTO_ROW_NONE},
	[99] = {"v8_js_code", PROTO_ROW_NONE},
	[100] = {"v8_internal_code", PROTO_ROW_NONE},
	[101] = {"v8_wasm_code", PROTO_ROW_NONE},
	[102] = {"v8_reg_exp_code", PROTO_ROW_NONE},
	[103] = {"v8_code_move", PROTO_ROW_NONE},
	[104] = {"protolog_message", PROTO_ROW_NONE},
	[105] = {"protolog_viewer_config", PROTO_ROW_NONE},
	[107] = {"remote_clock_sync", PROTO_ROW_NONE},
	[109] = {"chrome_trigger", PROTO_ROW_NONE},
	[110] = {"pixel_modem_events", PROTO_ROW_NONE},
	[111] = {"pixel_modem_token_database", PROTO_ROW_NONE},
	[112] = {"winscope_extensions", PROTO_ROW_NONE},
	[113] = {"clone_snapshot_trigger", PROTO_ROW_NONE},
	[114] = {"bluetooth_trace_event", PROTO_ROW_NONE},
	[115] = {"kernel_wakelock_data", PROTO_ROW_NONE},
	[116] = {"app_wakelock_bundle", PROTO_ROW_NONE},
	[117] = {"generic_kernel_task_state_event", PROTO_ROW_NONE},
	[118] = {"generic_kernel_cpu_freq_event", PROTO_ROW_NONE},
	[119] = {"cpu_per_uid_data", PROTO_ROW_NONE},
	[120] = {"generic_kernel_task_rename_event", PROTO_ROW_NONE},
	[121] = {"evdev_event", PROTO_ROW_NONE},
	[122] = {"generic_kernel_process_tree", PROTO_ROW_NONE},
	[123] = {"user_list", PROTO_ROW_NONE},
	[124] = {"trace_provenance", PROTO_ROW_NONE},
	[125] = {"protovms", PROTO_ROW_NONE},
	[126] = {"trace_attributes", PROTO_ROW_NONE},
	[127] = {"android_aflags", PROTO_ROW_NONE},
	[128] = {"gpu_info", PROTO_ROW_NONE},
	[129] = {"generic_gpu_frequency_event", PROTO_ROW_NONE},
	[130] = {"interrupt_info", PROTO_ROW_NONE},
	[131] = {"art_process_metadata", PROTO_ROW_NONE},
	[132] = {"journald_event", PROTO_ROW_NONE},
	[133] = {"zstd_compressed_packets", PROTO_ROW_NONE},
	[134] = {"concurrent_session_event", PROTO_ROW_NONE},
	[135] = {"stack_sample", PROTO_ROW_NONE},
};
static const struct proto_table packet_table = PROTO_TABLE("TracePacket", packet_rows);

static bool
packet_take(struct rows_proto *r, void *trace, const struct proto_field *f)
{
	return pf_packet(trace, f->at, f->len, r->offset);
}

static const struct proto_row trace_rows[] = {
	[1] = {"packet", FIELD_EACH(PROTO_BYTES, packet_take), .inner = &packet_table},
};
const struct proto_table pf_trace_table = PROTO_TABLE("Trace", trace_rows);

const char *
pf_packet_name(uint32_t field)
{
	return field < packet_table.n ? packet_rows[field].name : NULL;
}
