/* own_folder.h - where this program lies: its pages and queries are installed beside it. */
#ifndef PNAV_SRC_COMMAND_OWN_FOLDER_H
#define PNAV_SRC_COMMAND_OWN_FOLDER_H

#include <limits.h>
#include <stdbool.h>

/* Writes the folder of the running executable, without a slash at its end. Returns false if it is
 * unknown. */
bool own_folder(char out[PATH_MAX]);

#endif
