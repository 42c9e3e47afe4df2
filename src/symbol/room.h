/* room.h - reserves memory for libdw, which does not always check that it got any. */
#ifndef PNAV_SRC_SYMBOL_ROOM_H
#define PNAV_SRC_SYMBOL_ROOM_H

#include <stdint.h>

/* Enough for libdw between two calls of symbol_room(): it reads the abbreviations of some units, or
 * the scopes or lines of one. */
#define SYMBOL_ROOM (UINT64_C(8) << 20)

/* Ends the program with the message of mem.h if fewer than `bytes` bytes are available. Call it
 * before each call of libdw that allocates memory. */
void symbol_room(uint64_t bytes);

#endif
