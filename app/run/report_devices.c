/* SPDX-License-Identifier: MIT */
/* Devices in the report: in the order of the list, each with what it did. */
#include "app/run/report_devices.h"

#include <inttypes.h>
#include <stdio.h>

#include "zcstream/device.h"

void report_put_devices(struct json *json, const struct report *report)
{
    static const char *const names[] = {"frames", "bands", "relay", "broadcast"};
    const struct zcs_stream_stats *stream = &report->stream;
    const struct options *options = report->options;
    json_string(json, "dispatch", names[options->dispatch]);
    json_begin(json, "chains", '[');
    for (uint32_t i = 0; i < options->chain_count; i++)
        json_string(json, NULL, options->chains[i]);
    json_end(json, ']');
    json_begin(json, "device_use", '[');
    for (uint32_t i = 0; i < stream->device_count; i++) {
        struct zcs_device_info info = {.name = ""};
        if (zcs_device_info(report->ctx, stream->devices[i].index, &info) != ZCS_OK)
            info = (struct zcs_device_info){.node = -1};
        json_begin(json, NULL, '{');
        json_uint(json, "index", stream->devices[i].index);
        json_string(json, "name", info.name);
        json_uint(json, "frames", stream->devices[i].frames);
        if (info.node >= 0)
            json_uint(json, "node", (uint64_t)info.node);
        else
            json_null(json, "node");
        json_string(json, "state", stream->devices[i].lost ? "failed" : "working");
        json_end(json, '}');
    }
    json_end(json, ']');
    json_uint(json, "frames_redone", stream->redone);
}

void report_tell_devices(char *text, size_t bytes, const struct zcs_stream_stats *stream)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < stream->device_count; i++) {
        if (!stream->devices[i].lost || used >= bytes)
            continue;
        const int more = snprintf(text + used, bytes - used, "%s %u",
                                  used ? "," : "; failed: device", stream->devices[i].index);
        used += more > 0 ? (size_t)more : 0;
    }
    if (used > 0 && used < bytes)
        snprintf(text + used, bytes - used, ", %" PRIu64 " frame%s done again", stream->redone,
                 stream->redone == 1 ? "" : "s");
}
