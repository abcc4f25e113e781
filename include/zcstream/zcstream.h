/* SPDX-License-Identifier: MIT */
/* All public headers of libzcstream except dlpack.h, in reading order. */
#ifndef ZCSTREAM_ZCSTREAM_H
#define ZCSTREAM_ZCSTREAM_H

#include "zcstream/base.h"
#include "zcstream/device.h"
#include "zcstream/format.h"
#include "zcstream/memory.h"
#include "zcstream/frame.h"
#include "zcstream/source.h"
#include "zcstream/camera.h"
#include "zcstream/stream.h"
#include "zcstream/set.h"
#include "zcstream/latency.h"
#include "zcstream/record.h"
#include "zcstream/cuda.h"
#include "zcstream/measure.h"

#endif
