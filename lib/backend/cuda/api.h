/* SPDX-License-Identifier: MIT */
/* The CUDA calls that the backend makes, as a table: the only way to CUDA, and where tests
 * substitute calls.
 *
 * Each call returns CUDA's error number, 0 for success. Streams, events and kernels are CUDA's
 * own handles. All but the first three act on the calling thread's current device. */
#ifndef ZCI_BACKEND_CUDA_API_H
#define ZCI_BACKEND_CUDA_API_H

#include <stddef.h>
#include <stdint.h>

/* The error numbers that the backend distinguishes. */
enum {
    ZCI_CUDA_SUCCESS = 0,
    ZCI_CUDA_NO_MEMORY = 2,
    ZCI_CUDA_OLD_DRIVER = 35, /* or there is no driver */
    ZCI_CUDA_NOT_READY = 600,
    ZCI_CUDA_ALREADY_REGISTERED = 712,
};

struct zci_cuda_properties {
    char name[128];
    uint32_t sm_count; /* multiprocessors */
    uint64_t memory_bytes;
    uint32_t driver;  /* the driver's version, as CUDA counts */
    uint32_t toolkit; /* the runtime's version */
    char pci[16];     /* "0000:06:00.0" */
    int node;         /* NUMA node; -1: unknown, or there is only one */
    int integrated, can_map;
    void (*write_word)(void); /* the driver's cuStreamWriteValue32; NULL: it has none */
    int has_bulk_copy;        /* 1: bulk copies with barriers (compute capability 9.0 and up) */
};

/* The direction of a copy; the numbers are CUDA's. */
enum zci_cuda_copy_kind {
    ZCI_CUDA_TO_DEVICE = 1,
    ZCI_CUDA_TO_HOST = 2,
    ZCI_CUDA_ON_DEVICE = 3,
    ZCI_CUDA_BETWEEN = 4, /* between devices: the addresses tell which */
};

struct zci_cuda_api {
    int (*device_count)(int *out);
    int (*device_properties)(int device, struct zci_cuda_properties *out);
    int (*set_device)(int device);
    int (*get_device)(int *out);
    const char *(*error_text)(int error);
    int (*last_error)(void); /* and clears it */

    int (*host_alloc)(void **out, size_t bytes, int write_combined); /* mapped and portable */
    int (*host_free)(void *host);
    int (*host_register)(void *host, size_t bytes);
    int (*host_unregister)(void *host);
    int (*host_device_pointer)(void **out, void *host);
    int (*is_pinned)(int *out, const void *host); /* by any owner */
    int (*device_alloc)(void **out, size_t bytes);
    int (*device_free)(void *memory);

    int (*stream_create)(void **out); /* does not wait for the default stream */
    int (*stream_destroy)(void *stream);
    int (*stream_query)(void *stream);
    int (*stream_wait)(void *stream);
    int (*event_create)(void **out); /* without timing */
    int (*event_destroy)(void *event);
    int (*event_record)(void *event, void *stream);
    int (*stream_wait_event)(void *stream, void *event); /* the event may be of another device */
    int (*peer_enable)(
        /* lets the current device access the peer's memory; an error if it already can */
        int peer);

    int (*copy)(void *to, const void *from, size_t bytes, enum zci_cuda_copy_kind kind,
                void *stream);
    /* In stream order; cheaper than a copy of 4 bytes. */
    int (*write_word)(const struct zci_cuda_properties *properties, uint32_t *to, uint32_t value,
                      void *stream);
    int (*fill)(void *to, int value, size_t bytes, void *stream);
    int (*launch)(const void *kernel, uint32_t blocks, uint32_t threads, void **arguments,
                  void *stream);
    int (*blocks_per_sm)(int *out, const void *kernel, uint32_t threads);
};

/* The real CUDA runtime. */
extern const struct zci_cuda_api zci_cuda_runtime;

#endif
