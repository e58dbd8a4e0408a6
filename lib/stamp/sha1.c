/* SPDX-License-Identifier: BSD-3-Clause */
/* SHA-1 (FIPS 180-4), because leap-seconds.list carries one. It guards against damage, not against forgery. */
#include "../base/internal.h"

#include "stamp.h"

static uint32_t sha1_rotate(uint32_t x, unsigned n)
{
    return (x << n) | (x >> (32 - n));
}

static void sha1_block(snt__sha1 *sha)
{
    uint32_t w[80];
    for (unsigned i = 0; i < 16; i++) {
        const unsigned char *p = sha->block + 4 * i;
        w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | (uint32_t)p[3];
    }
    for (unsigned i = 16; i < 80; i++)
        w[i] = sha1_rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    uint32_t a = sha->state[0], b = sha->state[1], c = sha->state[2], d = sha->state[3], e = sha->state[4];
    for (unsigned i = 0; i < 80; i++) {
        uint32_t mix, constant;
        if (i < 20)
            mix = (b & c) | (~b & d), constant = 0x5a827999u;
        else if (i < 40)
            mix = b ^ c ^ d, constant = 0x6ed9eba1u;
        else if (i < 60)
            mix = (b & c) | (b & d) | (c & d), constant = 0x8f1bbcdcu;
        else
            mix = b ^ c ^ d, constant = 0xca62c1d6u;
        const uint32_t next = sha1_rotate(a, 5) + mix + e + constant + w[i];
        e = d;
        d = c;
        c = sha1_rotate(b, 30);
        b = a;
        a = next;
    }
    sha->state[0] += a;
    sha->state[1] += b;
    sha->state[2] += c;
    sha->state[3] += d;
    sha->state[4] += e;
    sha->used = 0;
}

void snt__sha1_begin(snt__sha1 *sha)
{
    *sha = (snt__sha1){.state = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u}};
}

void snt__sha1_add(snt__sha1 *sha, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sha->block[sha->used++] = (unsigned char)bytes[i];
        if (sha->used == sizeof sha->block)
            sha1_block(sha);
    }
    sha->total += count;
}

void snt__sha1_end(snt__sha1 *sha, uint32_t digest[5])
{
    const uint64_t bits = sha->total * 8;
    const char one = (char)0x80, zero = 0;
    snt__sha1_add(sha, &one, 1);
    while (sha->used != 56)
        snt__sha1_add(sha, &zero, 1);
    for (unsigned i = 0; i < 8; i++) {
        const char byte = (char)(unsigned char)(bits >> (56 - 8 * i));
        snt__sha1_add(sha, &byte, 1);
    }
    memcpy(digest, sha->state, sizeof sha->state);
}
