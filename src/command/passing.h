/* passing.h - descriptors passed from process to process through a socket. */
#ifndef PNAV_SRC_COMMAND_PASSING_H
#define PNAV_SRC_COMMAND_PASSING_H

#include <stdbool.h>

/* Sends a descriptor, which stays open here. Returns false with errno if it cannot. */
bool passing_send(int socket, int fd);
/* Receives a descriptor, which the caller closes; `flags` are those of recvmsg(2). Returns -1 if
 * there is none; then errno is EAGAIN if one may still come. */
int passing_receive(int socket, int flags);

#endif
