/* The link /proc/PID/fd/N is a path, or KIND:[INODE].  A socket has a row in one of the tables
 * /proc/PID/net/, by its inode (proc_net_tcp in the kernel's documentation):
 *
 *	sl local_address rem_address   st queues            tr tm->when retrnsmt  uid timeout inode
 *	0: 0100007F:0CEA 00000000:0000 0A 00000000:00000000 00:00000000 00000000 1000       0 20411
 *
 * An address is words of 32 bits in the machine's order, a port is a number. */
#include "src/collect/fdname.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LISTENS 0x0Au

/* ---- sockets ---- */

/* Appends the address of hexadecimal words, without the prefix of an IPv4 address within IPv6. */
static void
fdname_address(const char *hex, struct buf *out)
{
	uint32_t word[4] = {0};
	char text[INET6_ADDRSTRLEN] = "?";
	size_t n = strlen(hex) / 8;

	for (size_t i = 0; i < n && i < 4; i++)
		if (sscanf(hex + 8 * i, "%8" SCNx32, &word[i]) != 1)
			return;
	if (n == 4 && (word[0] || word[1] || word[2] != htonl(0xffff)))
		inet_ntop(AF_INET6, word, text, sizeof text);
	else
		inet_ntop(AF_INET, &word[n == 4 ? 3 : 0], text, sizeof text);
	buf_addf(out, strchr(text, ':') ? "[%s]" : "%s", text);
}

static bool
fdname_internet(pid_t pid, const char *table, uint64_t inode, struct buf *out)
{
	char path[64], line[512], local[40], peer[40];
	unsigned port, peer_port, state;
	uint64_t found;
	bool good = false;

	snprintf(path, sizeof path, "/proc/%d/net/%s", (int)pid, table);
	FILE *f = fopen(path, "re");
	while (f && !good && fgets(line, sizeof line, f))
		good = sscanf(line,
			      " %*d: %39[0-9A-F]:%x %39[0-9A-F]:%x %x %*s %*s %*s %*d %*d %" SCNu64,
			      local, &port, peer, &peer_port, &state, &found) == 6 &&
		       found == inode;
	if (f)
		fclose(f);
	if (!good)
		return false;
	buf_addf(out, "%.3s ", table);
	if (state == LISTENS || !peer_port) {
		buf_addf(out, "port %u", port);
		return true;
	}
	fdname_address(peer, out);
	buf_addf(out, ":%u", peer_port);
	return true;
}

/* Num RefCount Protocol Flags Type St Inode Path */
static bool
fdname_unix(pid_t pid, uint64_t inode, struct buf *out)
{
	char path[64], line[512], name[256];
	uint64_t found;
	bool good = false;

	snprintf(path, sizeof path, "/proc/%d/net/unix", (int)pid);
	FILE *f = fopen(path, "re");
	while (f && !good && fgets(line, sizeof line, f)) {
		name[0] = '\0';
		good = sscanf(line, "%*s %*s %*s %*s %*s %*s %" SCNu64 " %255[^\n]", &found,
			      name) >= 1 &&
		       found == inode;
	}
	if (f)
		fclose(f);
	if (good)
		buf_addf(out, "unix socket%s%s", *name ? " " : "", name);
	return good;
}

static void
fdname_socket(pid_t pid, uint64_t inode, struct buf *out)
{
	static const char *const tables[] = {"tcp", "tcp6", "udp", "udp6"};

	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		if (fdname_internet(pid, tables[i], inode, out))
			return;
	if (!fdname_unix(pid, inode, out))
		buf_adds(out, "a socket");
}

/* ---- all files ---- */

bool
fdname(pid_t pid, int fd, struct buf *out)
{
	static const char anonymous[] = "anon_inode:";
	char path[64], name[PATH_MAX];
	uint64_t inode;

	snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, fd);
	ssize_t n = readlink(path, name, sizeof name - 1);
	if (n <= 0)
		return false;
	name[n] = '\0';
	if (sscanf(name, "socket:[%" SCNu64, &inode) == 1) {
		fdname_socket(pid, inode, out);
	} else if (!strncmp(name, "pipe:", 5)) {
		buf_adds(out, "a pipe");
	} else if (!strncmp(name, anonymous, sizeof anonymous - 1)) {
		const char *what = name + sizeof anonymous - 1;
		what += *what == '[';
		buf_add(out, what, strcspn(what, "]"));
	} else {
		buf_adds(out, name);
	}
	return true;
}
