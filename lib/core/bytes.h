/* SPDX-License-Identifier: MIT */
/* Little-endian numbers at any address. */
#ifndef ZCI_CORE_BYTES_H
#define ZCI_CORE_BYTES_H

#include <stdint.h>

static inline void zci_put32(uint8_t *out, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(value >> 8 * i);
}

static inline void zci_put64(uint8_t *out, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        out[i] = (uint8_t)(value >> 8 * i);
}

static inline uint32_t zci_get32(const uint8_t *in)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++)
        value |= (uint32_t)in[i] << 8 * i;
    return value;
}

static inline uint64_t zci_get64(const uint8_t *in)
{
    return zci_get32(in) | (uint64_t)zci_get32(in + 4) << 32;
}

#endif
