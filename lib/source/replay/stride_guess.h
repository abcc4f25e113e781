/* SPDX-License-Identifier: MIT */
/* Finds the stride of raw frames whose rows have padding, which the caller did not say. */
#ifndef ZCI_SOURCE_REPLAY_STRIDE_GUESS_H
#define ZCI_SOURCE_REPLAY_STRIDE_GUESS_H

#include "source/replay/reader.h"
#include "zcstream/format.h"

/* Raw frames in a file: `between` bytes lie between the end of a frame and the next one. */
struct zci_raw_span {
    uint64_t first; /* offset of the first frame */
    uint64_t end;   /* where the last one ends, with the bytes after it */
    uint64_t between;
};

/* Returns a stride with which the frames fill the file exactly and neighbouring rows of the first
 * frame are much more alike than with the stride of `image`; 0: none. Reads some rows of a regular
 * file that is not read with O_DIRECT. */
size_t zci_stride_guess(struct zci_reader *reader, const struct zcs_image *image,
                        const struct zci_raw_span *span);

#endif
