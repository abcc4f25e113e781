/* SPDX-License-Identifier: MIT */
/* CUDA without a GPU, and CUDA that fails. */
#include "gpu/fake_api.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/pass.h"
#include "kernels/cuda/measure.h"
#include "kernels/cuda/persistent.h"

enum { INVALID = 1 };

struct fake_state fake_state;

static int device_count(int *out)
{
    *out = fake_state.devices > 0 ? fake_state.devices : 1;
    return 0;
}

static void some_function(void) {}

static int device_properties(int device, struct zci_cuda_properties *out)
{
    (void)device;
    *out = (struct zci_cuda_properties){.name = "a stand-in",
                                        .sm_count = 4,
                                        .node = -1,
                                        .memory_bytes = 1 << 30,
                                        .can_map = 1,
                                        .write_word = some_function};
    return 0;
}

static int set_device(int device)
{
    fake_state.device = device;
    return 0;
}

static int get_device(int *out)
{
    *out = fake_state.device;
    return 0;
}

static const char *error_text(int error)
{
    return error == ZCI_CUDA_NO_MEMORY ? "out of memory" : "injected";
}

static int last_error(void)
{
    return 0;
}

static int take(void **out, size_t bytes)
{
    *out = malloc(bytes);
    return *out != NULL ? 0 : ZCI_CUDA_NO_MEMORY;
}

static int host_alloc(void **out, size_t bytes, int write_combined)
{
    (void)write_combined;
    if (posix_memalign(out, 4096, bytes) != 0)
        return ZCI_CUDA_NO_MEMORY;
    memset(*out, 0x5a, bytes);
    return 0;
}

static int give(void *memory)
{
    free(memory);
    return 0;
}

static int host_register(void *host, size_t bytes)
{
    (void)host, (void)bytes;
    return 0;
}

static int host_unregister(void *host)
{
    (void)host;
    return 0;
}

static int host_device_pointer(void **out, void *host)
{
    *out = host;
    return 0;
}

static int is_pinned(int *out, const void *host)
{
    (void)host;
    *out = 0;
    return 0;
}

static int handle_create(void **out)
{
    return take(out, 1);
}

static int stream_query(void *stream)
{
    (void)stream;
    return 0;
}

static int event_record(void *event, void *stream)
{
    (void)event, (void)stream;
    return 0;
}

static int stream_wait_event(void *stream, void *event)
{
    (void)stream, (void)event;
    return 0;
}

static int peer_enable(int peer)
{
    (void)peer;
    return 0;
}

static int copy(void *to, const void *from, size_t bytes, enum zci_cuda_copy_kind kind,
                void *stream)
{
    (void)kind, (void)stream;
    memcpy(to, from, bytes);
    return 0;
}

static int write_word(const struct zci_cuda_properties *properties, uint32_t *to, uint32_t value,
                      void *stream)
{
    (void)properties, (void)stream;
    *to = value;
    return 0;
}

static int fill(void *to, int value, size_t bytes, void *stream)
{
    (void)stream;
    memset(to, value, bytes);
    return 0;
}

/* Takes the order that lies there, if one does, and closes. */
static void be_persistent(const struct zck_cuda_persistent *r)
{
    const uint32_t frame = r->served + 1;
    const uint64_t command = r->mailbox->command.result;
    if (command >> 48 == (frame & 65535u) && !(command & ZCK_COMMAND_STOP))
        r->completion->report = (struct zck_cuda_report){.frame = frame};
    r->completion->closed = r->launch;
}

static int launch(const void *kernel, uint32_t blocks, uint32_t threads, void **arguments,
                  void *stream)
{
    (void)stream;
    if (kernel == NULL || blocks == 0)
        return INVALID;
    if (kernel == zck_cuda_digest_kernel()) {
        const struct zck_cuda_digest *probe = arguments[0];
        for (uint32_t i = 0; i < blocks; i++)
            probe->sums[i] = probe->words;
        return 0;
    }
    if (kernel == zck_cuda_dot_kernel() || kernel == zck_cuda_work_kernel() ||
        kernel == zck_cuda_nothing_kernel() || kernel == zck_cuda_combine_kernel())
        return 0;
    if (threads == ZCK_CUDA_THREAD_GROUPS * ZCK_CUDA_THREADS) {
        be_persistent(arguments[0]);
        return 0;
    }
    const struct zck_cuda_finish *finish =
        threads == 1 ? arguments[0] : &((struct zck_cuda_pass *)arguments[0])->finish;
    if (finish->report != NULL)
        *finish->report = (struct zck_cuda_report){.frame = finish->frame};
    return 0;
}

static int blocks_per_sm(int *out, const void *kernel, uint32_t threads)
{
    (void)kernel, (void)threads;
    *out = 2;
    return 0;
}

const struct zci_cuda_api fake_cuda = {
    .device_count = device_count,
    .device_properties = device_properties,
    .set_device = set_device,
    .get_device = get_device,
    .error_text = error_text,
    .last_error = last_error,
    .host_alloc = host_alloc,
    .host_free = give,
    .host_register = host_register,
    .host_unregister = host_unregister,
    .host_device_pointer = host_device_pointer,
    .is_pinned = is_pinned,
    .device_alloc = take,
    .device_free = give,
    .stream_create = handle_create,
    .stream_destroy = give,
    .stream_query = stream_query,
    .stream_wait = stream_query,
    .event_create = handle_create,
    .event_destroy = give,
    .event_record = event_record,
    .stream_wait_event = stream_wait_event,
    .peer_enable = peer_enable,
    .copy = copy,
    .write_word = write_word,
    .fill = fill,
    .launch = launch,
    .blocks_per_sm = blocks_per_sm,
};

static const struct zci_cuda_api *inner;

/* The error that this call shall have; 0: none. */
static int injected(void)
{
    const uint64_t call = ++fake_state.calls;
    if (fake_state.fail_at == 0 || call < fake_state.fail_at)
        return 0;
    if (fake_state.fail_device > 0) {
        int device = 0;
        inner->get_device(&device);
        if (device != fake_state.fail_device)
            return 0;
    }
    return call == fake_state.fail_at || fake_state.sticky ? fake_state.fail_with : 0;
}

#define AROUND(name, declared, ...)                                                                \
    static int around_##name declared                                                              \
    {                                                                                              \
        const int error = injected();                                                              \
        return error ? error : inner->name(__VA_ARGS__);                                           \
    }

AROUND(device_count, (int *out), out)

/* These are no calls of the current device. */
static int around_set_device(int device)
{
    const int error = fake_state.fail_device > 0 ? 0 : injected();
    return error ? error : inner->set_device(device);
}

static int around_get_device(int *out)
{
    const int error = fake_state.fail_device > 0 ? 0 : injected();
    return error ? error : inner->get_device(out);
}

AROUND(host_device_pointer, (void **out, void *host), out, host)
AROUND(is_pinned, (int *out, const void *host), out, host)
AROUND(stream_query, (void *stream), stream)
AROUND(stream_wait, (void *stream), stream)
AROUND(event_record, (void *event, void *stream), event, stream)
AROUND(stream_wait_event, (void *stream, void *event), stream, event)
AROUND(peer_enable, (int peer), peer)
AROUND(copy, (void *to, const void *from, size_t bytes, enum zci_cuda_copy_kind kind, void *stream),
       to, from, bytes, kind, stream)
AROUND(write_word,
       (const struct zci_cuda_properties *properties, uint32_t *to, uint32_t value, void *stream),
       properties, to, value, stream)
AROUND(fill, (void *to, int value, size_t bytes, void *stream), to, value, bytes, stream)
AROUND(blocks_per_sm, (int *out, const void *kernel, uint32_t threads), out, kernel, threads)

/* A look that stale_at names sees less than is there, as if the rest were old. */
static int around_launch(const void *kernel, uint32_t blocks, uint32_t threads, void **arguments,
                         void *stream)
{
    const int error = injected();
    if (error != 0)
        return error;
    if (kernel == zck_cuda_digest_kernel() && ++fake_state.probes == fake_state.stale_at)
        ((struct zck_cuda_digest *)arguments[0])->words--;
    return inner->launch(kernel, blocks, threads, arguments, stream);
}

static int around_device_properties(int device, struct zci_cuda_properties *out)
{
    int error = injected();
    if (error == 0)
        error = inner->device_properties(device, out);
    if (error == 0 && fake_state.cannot_map)
        out->can_map = 0;
    return error;
}

/* Whatever makes something is undone by what its kind is let go with; failing calls let nothing
 * go. */
#define MAKES(name, declared, ...)                                                                 \
    static int around_##name declared                                                              \
    {                                                                                              \
        int error = injected();                                                                    \
        if (error == 0)                                                                            \
            error = inner->name(__VA_ARGS__);                                                      \
        if (error == 0)                                                                            \
            fake_state.alive++;                                                                    \
        return error;                                                                              \
    }
#define ENDS(name)                                                                                 \
    static int around_##name(void *what)                                                           \
    {                                                                                              \
        const int error = inner->name(what);                                                       \
        fake_state.alive--;                                                                        \
        return error ? error : injected();                                                         \
    }

MAKES(host_register, (void *host, size_t bytes), host, bytes)
MAKES(device_alloc, (void **out, size_t bytes), out, bytes)
MAKES(stream_create, (void **out), out)
MAKES(event_create, (void **out), out)
ENDS(host_free)
ENDS(host_unregister)
ENDS(device_free)
ENDS(stream_destroy)
ENDS(event_destroy)

static int around_host_alloc(void **out, size_t bytes, int write_combined)
{
    int error = injected();
    fake_state.host_bytes += bytes;
    if (error == 0 && fake_state.host_limit > 0 && fake_state.host_bytes > fake_state.host_limit)
        error = ZCI_CUDA_NO_MEMORY;
    if (error == 0)
        error = inner->host_alloc(out, bytes, write_combined);
    if (error == 0)
        fake_state.alive++;
    return error;
}

const struct zci_cuda_api *fake_around(const struct zci_cuda_api *of)
{
    static struct zci_cuda_api table;
    inner = of;
    table = (struct zci_cuda_api){
        .device_count = around_device_count,
        .device_properties = around_device_properties,
        .set_device = around_set_device,
        .get_device = around_get_device,
        .error_text = of->error_text,
        .last_error = of->last_error,
        .host_alloc = around_host_alloc,
        .host_free = around_host_free,
        .host_register = around_host_register,
        .host_unregister = around_host_unregister,
        .host_device_pointer = around_host_device_pointer,
        .is_pinned = around_is_pinned,
        .device_alloc = around_device_alloc,
        .device_free = around_device_free,
        .stream_create = around_stream_create,
        .stream_destroy = around_stream_destroy,
        .stream_query = around_stream_query,
        .stream_wait = around_stream_wait,
        .event_create = around_event_create,
        .event_destroy = around_event_destroy,
        .event_record = around_event_record,
        .stream_wait_event = around_stream_wait_event,
        .peer_enable = around_peer_enable,
        .copy = around_copy,
        .write_word = around_write_word,
        .fill = around_fill,
        .launch = around_launch,
        .blocks_per_sm = around_blocks_per_sm,
    };
    return &table;
}
