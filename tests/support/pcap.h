/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets of a pcap file (the classic format, little-endian), for tests on real recordings beside the source tree. */
#ifndef SNT_TEST_PCAP_H
#define SNT_TEST_PCAP_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct test_packet {
    int64_t capture_ns; /* unix */
    const uint8_t *bytes;
    uint32_t length;
} test_packet;

typedef struct test_pcap {
    uint8_t *file;
    size_t size;
    size_t at;
} test_pcap;

static inline uint64_t pcap_be(const uint8_t *p, int bytes)
{
    uint64_t value = 0;
    while (bytes--)
        value = value << 8 | *p++;
    return value;
}

static inline uint32_t pcap_le32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* `name` below ../shared/data beside the source root. 0 if the recording is not at hand. */
static inline int pcap_open(test_pcap *pcap, const char *name)
{
    char path[4096];
    const char *root = getenv("SNT_SOURCE_ROOT");
    snprintf(path, sizeof path, "%s/../shared/data/%s", root ? root : ".", name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        printf("# %s is not at hand (../shared/data)\n", name);
        return 0;
    }
    enum { MOST = 16 << 20 };
    *pcap = (test_pcap){.file = malloc(MOST), .at = 24};
    pcap->size = pcap->file ? fread(pcap->file, 1, MOST, file) : 0;
    fclose(file);
    return pcap->size >= 24 && pcap_le32(pcap->file) == 0xa1b2c3d4u;
}

static inline void pcap_close(test_pcap *pcap)
{
    free(pcap->file);
}

static inline int pcap_next(test_pcap *pcap, test_packet *packet)
{
    if (pcap->at + 16 > pcap->size)
        return 0;
    const uint8_t *head = pcap->file + pcap->at;
    const uint32_t length = pcap_le32(head + 8);
    if (length > pcap->size - pcap->at - 16)
        return 0;
    packet->capture_ns =
        (int64_t)pcap_le32(head) * INT64_C(1000000000) + (int64_t)pcap_le32(head + 4) * INT64_C(1000);
    packet->bytes = head + 16;
    packet->length = length;
    pcap->at += 16 + length;
    return 1;
}

/* The payload of a UDP packet over IPv4 on Ethernet, and its destination port; NULL if it is none. */
static inline const uint8_t *pcap_udp(const test_packet *packet, uint32_t *length, uint32_t *port)
{
    const uint8_t *p = packet->bytes;
    if (packet->length < 42 || pcap_be(p + 12, 2) != 0x0800 || p[23] != 17)
        return NULL;
    const uint32_t ip = 4u * (p[14] & 15u), udp = 14 + ip;
    if (udp + 8 > packet->length)
        return NULL;
    *port = (uint32_t)pcap_be(p + udp + 2, 2);
    *length = packet->length - udp - 8;
    return p + udp + 8;
}

#endif
