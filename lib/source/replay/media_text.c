/* SPDX-License-Identifier: MIT */
/* Y4M, PGM and PPM, and what v4l2-ctl writes with headers: frames behind a line or some words. */
#include "source/replay/media.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "os/clock.h"
#include "core/pnm.h"
#include "core/vhdr.h"
#include "core/y4m.h"
#include "source/replay/media_walk.h"

/* Opens by the header at the file's begin, read by `read`. */
static zcs_status open_by(struct zci_media *m, int64_t deadline_ns, size_t *head,
                          int (*read)(struct zci_media *m, const uint8_t *data, size_t bytes,
                                      size_t *payload, char *why, size_t why_bytes))
{
    size_t payload;
    char why[160] = "";
    const zcs_status status =
        zci_walk_head(m, 0, deadline_ns, read, head, &payload, why, sizeof why);
    if (status == ZCS_EOF)
        return zci_fail(m->log, ZCS_ERR_FORMAT, "%s: ends within the header of a %s",
                        m->reader.name, m->ops->name);
    if (status == ZCS_ERR_FORMAT)
        return zci_fail(m->log, status, "%s: %s", m->reader.name, why);
    return status;
}

static int y4m_is(const uint8_t *data, size_t bytes)
{
    const size_t magic = strlen(ZCI_Y4M_MAGIC);
    return bytes >= magic && memcmp(data, ZCI_Y4M_MAGIC, magic) == 0;
}

static int y4m_read(struct zci_media *m, const uint8_t *data, size_t bytes, size_t *payload,
                    char *why, size_t why_bytes)
{
    struct zci_y4m y4m;
    const int head = zci_y4m_head(data, bytes, &y4m, why, why_bytes);
    *payload = 0;
    if (head <= 0)
        return head;
    m->says = (struct zci_request){.format = y4m.format,
                                   .width = y4m.width,
                                   .height = y4m.height,
                                   .bits = y4m.bits,
                                   .color.range = y4m.range};
    m->fps_num = y4m.fps_num;
    m->fps_den = y4m.fps_den;
    m->remark = y4m.siting;
    return head;
}

static zcs_status y4m_open(struct zci_media *m, int64_t deadline_ns)
{
    size_t head = 0;
    const zcs_status status = open_by(m, deadline_ns, &head, y4m_read);
    if (status != ZCS_OK)
        return status;
    m->first = head;
    if (m->reader.is_pipe)
        zci_replay_take(&m->reader, head);
    if (m->remark != NULL)
        zci_log(m->log, ZCS_LOG_INFO, "%s: %s: taken as it is, each sample for its pixels",
                m->reader.name, m->remark);
    return ZCS_OK;
}

static int y4m_frame_head(struct zci_media *m, const uint8_t *data, size_t bytes, size_t *payload,
                          char *why, size_t why_bytes)
{
    *payload = m->image.size_bytes;
    return zci_y4m_frame(data, bytes, why, why_bytes);
}

const struct zci_media_ops zci_media_y4m = {.name = "Y4M",
                                            .on_pipes = 1,
                                            .is = y4m_is,
                                            .open = y4m_open,
                                            .count = zci_walk_count,
                                            .find = zci_walk_find,
                                            .frame_head = y4m_frame_head};

static int pnm_is(const uint8_t *data, size_t bytes)
{
    return bytes >= 3 && data[0] == 'P' && (data[1] == '5' || data[1] == '6') &&
           (data[2] == '#' || data[2] == ' ' || (data[2] >= '\t' && data[2] <= '\r'));
}

static uint32_t bits_for(uint32_t max)
{
    uint32_t bits = 1;
    while (max >> bits != 0)
        bits++;
    return bits;
}

static int pnm_read(struct zci_media *m, const uint8_t *data, size_t bytes, size_t *payload,
                    char *why, size_t why_bytes)
{
    struct zci_pnm pnm;
    const int head = zci_pnm_head(data, bytes, &pnm, why, why_bytes);
    *payload = 0;
    if (head <= 0)
        return head;
    const int deep = pnm.max > 255, grey = pnm.channels == 1;
    m->max = pnm.max;
    m->code_bytes = !grey ? 0 : deep ? 2 : 1;
    /* Codes of a whole number of bits stay codes; other ranges have no white of their own. */
    const int codes = grey && (pnm.max & (pnm.max + 1)) == 0;
    m->fix = codes || pnm.max == 255 ? ZCI_FIX_NONE : deep ? ZCI_FIX_SCALE16 : ZCI_FIX_SCALE8;
    if (!grey && deep)
        m->fix = ZCI_FIX_EXPAND;
    m->says = (struct zci_request){.width = pnm.width, .height = pnm.height};
    m->says.format = grey   ? deep ? ZCS_PIXFMT_Y16_BE : ZCS_PIXFMT_GREY
                     : deep ? ZCS_PIXFMT_RGBA64
                            : ZCS_PIXFMT_RGB24;
    if (codes)
        m->says.bits = bits_for(pnm.max);
    if (!grey)
        m->says.color.transfer = ZCS_TRANSFER_SRGB;
    return head;
}

static zcs_status pnm_open(struct zci_media *m, int64_t deadline_ns)
{
    size_t head;
    return open_by(m, deadline_ns, &head, pnm_read);
}

/* Each picture of a file has a header of its own, which must be as the first one. */
static int pnm_frame_head(struct zci_media *m, const uint8_t *data, size_t bytes, size_t *payload,
                          char *why, size_t why_bytes)
{
    struct zci_pnm pnm;
    const int head = zci_pnm_head(data, bytes, &pnm, why, why_bytes);
    *payload = zci_media_frame_bytes(m);
    if (head <= 0)
        return head;
    const uint32_t channels = m->code_bytes != 0 ? 1 : 3;
    if (pnm.width == m->image.width && pnm.height == m->image.height && pnm.max == m->max &&
        pnm.channels == channels)
        return head;
    snprintf(why, why_bytes,
             "a picture of %" PRIu32 "x%" PRIu32 " in %" PRIu32 " channels up to %" PRIu32
             ", the first one %" PRIu32 "x%" PRIu32 " in %" PRIu32 " up to %" PRIu32,
             pnm.width, pnm.height, pnm.channels, pnm.max, m->image.width, m->image.height,
             channels, m->max);
    return -1;
}

const struct zci_media_ops zci_media_pnm = {.name = "PNM",
                                            .on_pipes = 1,
                                            .is = pnm_is,
                                            .open = pnm_open,
                                            .count = zci_walk_count,
                                            .find = zci_walk_find,
                                            .frame_head = pnm_frame_head};
