/* static_libc.h - what a static executable has in place of parts of the C library. */
#ifndef PNAV_SRC_STATIC_LIBC_H
#define PNAV_SRC_STATIC_LIBC_H

/* From now on characters are UTF-8 for pnav and for ncurses, without any locale. */
void static_libc_utf8(void);

#endif
