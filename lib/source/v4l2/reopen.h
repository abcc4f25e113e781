/* SPDX-License-Identifier: MIT */
/* Finding a camera that was away, and putting everything back as it was. */
#ifndef ZCI_SOURCE_V4L2_REOPEN_H
#define ZCI_SOURCE_V4L2_REOPEN_H

#include "source/v4l2/camera.h"

/* One try: ZCS_OK: found by its identity, open, agreed as before, its buffers those of before, and streaming.
 * Else nothing is open, and camera->away.why says why not, "" where it was not found. */
zcs_status zci_v4l2_reopen(struct zci_v4l2_camera *camera);

#endif
