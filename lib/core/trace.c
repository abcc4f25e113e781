/* SPDX-License-Identifier: MIT */
/* Ranges for NVIDIA's profilers. NVTX is headers only; without ZCS_NVTX this file is empty. */
#include "core/trace.h"

#ifdef ZCS_NVTX
#include <stdio.h>
#include <string.h>

#include <nvtx3/nvToolsExt.h>

#define TEXT_BYTES 160

static nvtxEventAttributes_t event_of(const char *text, uint64_t number)
{
    nvtxEventAttributes_t event = {0};
    event.version = NVTX_VERSION;
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    event.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
    event.payload.ullValue = number;
    event.messageType = NVTX_MESSAGE_TYPE_ASCII;
    event.message.ascii = text;
    return event;
}

void zci_trace_push(const char *what)
{
    nvtxRangePushA(what);
}

void zci_trace_pop(void)
{
    nvtxRangePop();
}

uint64_t zci_trace_begin(const char *what, uint64_t number)
{
    char text[TEXT_BYTES];
    snprintf(text, sizeof text, "%s %llu", what, (unsigned long long)number);
    const nvtxEventAttributes_t event = event_of(text, number);
    const nvtxRangeId_t range = nvtxRangeStartEx(&event);
    return range != 0 ? range : UINT64_MAX;
}

void zci_trace_end(uint64_t range)
{
    if (range != 0 && range != UINT64_MAX)
        nvtxRangeEnd(range);
}

static void add(char *text, const char *word)
{
    const size_t used = strlen(text);
    snprintf(text + used, TEXT_BYTES - used, " %s", word);
}

static void add_ops(char *text, const struct zci_plan *plan, uint32_t first, uint32_t count)
{
    static const char *const names[ZCI_OP_COUNT] = {
        [ZCI_OP_SCALE] = "scale", [ZCI_OP_GAIN] = "gain", [ZCI_OP_TABLE] = "table",
        [ZCI_OP_CCM] = "ccm",     [ZCI_OP_GRAY] = "gray",
    };
    for (uint32_t i = first; i < first + count; i++) {
        const uint8_t kind = plan->ops[i].kind;
        add(text, kind < ZCI_OP_COUNT && names[kind] != NULL ? names[kind] : "op");
    }
}

void zci_trace_push_pass(const struct zci_plan *plan, uint32_t index)
{
    static const char *const stencils[ZCI_STENCIL_COUNT] = {
        [ZCI_STENCIL_BILINEAR] = "bilinear", [ZCI_STENCIL_MHC] = "mhc"};
    const struct zci_pass *pass = &plan->passes[index];
    char text[TEXT_BYTES];
    snprintf(text, sizeof text, "pass %u of %u:", index + 1, plan->pass_count);
    if (pass->custom >= 0) {
        add(text, plan->custom_names[pass->custom]);
    } else {
        add(text, pass->in < 0 ? "load" : "read");
        add_ops(text, plan, pass->pre_first, pass->pre_count);
        if (pass->stencil != ZCI_STENCIL_NONE && pass->stencil < ZCI_STENCIL_COUNT &&
            stencils[pass->stencil] != NULL)
            add(text, stencils[pass->stencil]);
        add_ops(text, plan, pass->post_first, pass->post_count);
        if (pass->reduce.kind != ZCI_REDUCE_NONE)
            add(text, "reduce");
    }
    const nvtxEventAttributes_t event = event_of(text, index);
    nvtxRangePushEx(&event);
}
#endif
