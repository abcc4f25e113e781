/* SPDX-License-Identifier: MIT */
/* What two seconds of a camera came to: told, and what could be better. */
#include "app/doctor/doctor_measured.h"

#include <inttypes.h>

#define ISOCHRONOUS_BYTES 24576000u /* a second: what one high-speed endpoint carries at most */

static double nominal(const struct zcs_source_info *source)
{
    return source->fps_den != 0 ? (double)source->fps_num / source->fps_den : 0;
}

static void tell_stream(struct findings *findings, const struct doctor_measured *m)
{
    const struct zcs_image *image = &m->source.image;
    findings_fact(findings, "format", "%s %ux%u, %zu bytes a frame, %.4g frames a second promised",
                  zcs_pixfmt_info(image->format)->name, image->width, image->height,
                  image->size_bytes, nominal(&m->source));
    findings_fact(findings, "path", "%s: %s", zcs_path_name(m->stream.path),
                  m->source.path_reason != NULL ? m->source.path_reason : "");
    findings_fact(findings, "memory", "%s; fresh: %s", zcs_memory_name(m->stream.memory),
                  zcs_freshness_name(m->stream.freshness));
    findings_fact(findings, "route", "%s: %s", zcs_route_name(m->stream.route),
                  m->stream.route_reason != NULL ? m->stream.route_reason : "");
}

static void tell_times(struct findings *findings, const struct doctor_measured *m)
{
    char lost[200] = "none lost";
    size_t used = 0;
    for (int i = 0; i < ZCS_LOSS_COUNT; i++)
        if (m->stream.lost[i] > 0 && used < sizeof lost)
            used += (size_t)snprintf(lost + used, sizeof lost - used, "%s%" PRIu64 " lost: %s",
                                     used > 0 ? ", " : "", m->stream.lost[i],
                                     zcs_loss_name((enum zcs_loss)i));
    findings_fact(findings, "measured", "%" PRIu64 " frames in %.2f s, %.2f a second; %s",
                  m->frames, m->seconds, m->seconds > 0 ? (double)m->frames / m->seconds : 0, lost);
    if (m->driver.count > 0)
        findings_fact(findings, "latency",
                      "driver's time (%s) to frame in hand: p50 %.2f, p99 %.2f, max %.2f ms",
                      m->flags & ZCS_FRAME_EXPOSURE_START ? "start of exposure" : "end of frame",
                      (double)m->driver.p50_ns / 1e6, (double)m->driver.p99_ns / 1e6,
                      (double)m->driver.max_ns / 1e6);
    else
        findings_fact(findings, "latency", "from the driver's time: not comparable: %s",
                      m->driver.because != NULL ? m->driver.because : "no frame");
    findings_fact(findings, "latency", "frame in hand to result: p50 %.2f, p99 %.2f, max %.2f ms",
                  (double)m->result.p50_ns / 1e6, (double)m->result.p99_ns / 1e6,
                  (double)m->result.max_ns / 1e6);
    findings_fact(findings, "clock", "%s", zcs_clock_name(m->clock));
}

static uint64_t all_lost(const struct zcs_stream_stats *stream)
{
    uint64_t all = 0;
    for (int i = 0; i < ZCS_LOSS_COUNT; i++)
        all += stream->lost[i];
    return all;
}

static void advise_rate(const struct doctor_measured *m, unsigned usb_mbit,
                        struct findings *findings)
{
    const double promised = nominal(&m->source);
    const double got = m->seconds > 0 ? (double)m->frames / m->seconds : 0;
    const double needs = promised * (double)m->source.image.size_bytes;
    if (usb_mbit == 480 && needs > ISOCHRONOUS_BYTES)
        findings_advice(findings,
                        "%.1f MB/s are promised over USB 2.0, whose endpoints carry 24.6 at most: "
                        "a smaller size, a lower rate, or a USB 3 port",
                        needs / 1e6);
    const double lost = m->seconds > 0 ? (double)all_lost(&m->stream) / m->seconds : 0;
    if (promised <= 0 || got + lost >= 0.95 * promised) /* lost ones have their own advice */
        return;
    if (m->may_slow_down)
        findings_advice(findings,
                        "%.2f frames a second of %.4g: automatic exposure may lower the rate in "
                        "the dark: --set exposure_dynamic_framerate=0 (or more light)",
                        got, promised);
    else
        findings_advice(findings,
                        "%.2f frames a second of %.4g: exposure longer than the frame, or too "
                        "little bandwidth: try a smaller size or another port",
                        got, promised);
}

void doctor_measured_advise(const struct doctor_measured *m, unsigned usb_mbit,
                            struct findings *findings)
{
    advise_rate(m, usb_mbit, findings);
    if (m->stream.path == ZCS_PATH_COPIED)
        findings_advice(findings,
                        "each frame is copied by the CPU: see the paths above for what stands "
                        "against the shorter ones");
    if (m->stream.freshness == ZCS_FRESHNESS_STALE)
        findings_advice(findings, "write-combined memory showed old frames: --memory cached");
    if (m->stream.lost[ZCS_LOSS_DRIVER_GAP] > 0)
        findings_advice(findings,
                        "the driver lost frames: more buffers (--buffers 8), or less on the bus");
    if (m->stream.lost[ZCS_LOSS_ERROR] + m->stream.lost[ZCS_LOSS_SHORT] > 0)
        findings_advice(findings,
                        "frames came damaged: another cable or port, without a hub; 'dmesg' may "
                        "say more");
    if (m->stream.lost[ZCS_LOSS_STALE] > 0)
        findings_advice(findings, "the driver announced frames that it had not written");
    if (m->driver.because != NULL)
        findings_advice(findings,
                        "latency from the camera on cannot be told, nor can frames be matched "
                        "with other cameras' by time: %s",
                        m->driver.because);
}

void doctor_measured_tell(const struct doctor_measured *m, struct findings *findings)
{
    tell_stream(findings, m);
    tell_times(findings, m);
}
