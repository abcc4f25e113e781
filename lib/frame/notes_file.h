/* SPDX-License-Identifier: MIT */
/* The notes in a file that the caller named, so that the next run need not measure. */
#ifndef ZCI_FRAME_NOTES_FILE_H
#define ZCI_FRAME_NOTES_FILE_H

#include "frame/notes.h"

/* Takes what can be read; a file that is not there, or lines that are no notes, do not matter. */
void zci_notes_read(zcs_context *ctx);

/* Replaces the file as a whole; one that cannot be written is a warning. Both: where no file was named
 * they do nothing. */
void zci_notes_write(zcs_context *ctx);

#endif
