/* SPDX-License-Identifier: MIT */
/* The replay source: where in which file it is, and what is made of the frame there. */
#ifndef ZCI_SOURCE_REPLAY_REPLAY_H
#define ZCI_SOURCE_REPLAY_REPLAY_H

#include "source/fault_injector.h"
#include "source/replay/media.h"
#include "source/pace.h"
#include "source/replay/replay_input.h"
#include "source/source.h"
#include "source/replay/timestamp_rebase.h"

struct replay {
    struct zcs_source head;
    struct zci_replay_input input;
    struct zci_media media; /* of file `file` */
    struct zci_pace pace;
    struct zci_rebase rebase;
    struct zci_fault_injector faults;
    struct zci_slot *slot;  /* being filled; kept while its bytes have not all come */
    struct zci_place place; /* of the next frame, where `placed` */
    int placed;
    int wants_input; /* of a pipe: what was read ahead is too little for the next frame's header */
    uint64_t file, frame; /* next of that file */
    uint64_t sequence;    /* of the next frame, unless it is recorded */
    uint64_t pass_frames; /* delivered or passed over in this pass */
    uint32_t pass, loops; /* UINT32_MAX loops: for ever */
    zcs_status ended;     /* ZCS_OK while it goes on; then what every next gives */
    char need[96];        /* "a frame of YUYV 640x480 needs 614400" */
};

extern const struct zci_source_ops zci_replay_file_ops, zci_replay_pipe_ops;

#endif
