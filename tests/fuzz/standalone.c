/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a fuzz target without libFuzzer: replays every file of the corpus folder given, then SNT_FUZZ_ROUNDS (default
 * 20 000) mutations of them. The seed is printed and can be set with SNT_SEED.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rng.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_FILES = 256, MAX_SIZE = 65536 };

static struct {
    uint8_t *bytes;
    size_t size;
} corpus[MAX_FILES];
static size_t corpus_size;

static void load(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return;
    uint8_t *bytes = malloc(MAX_SIZE);
    if (bytes) {
        corpus[corpus_size].bytes = bytes;
        corpus[corpus_size++].size = fread(bytes, 1, MAX_SIZE, file);
    }
    fclose(file);
}

static void load_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    if (!dir)
        return;
    for (struct dirent *entry; (entry = readdir(dir)) && corpus_size < MAX_FILES;) {
        char path[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        load(path);
    }
    closedir(dir);
}

/* Runs on a copy of exactly `size` bytes, so that a sanitizer sees a read past the end. */
static void run(const uint8_t *data, size_t size)
{
    uint8_t *exact = malloc(size ? size : 1);
    if (!exact)
        abort();
    memcpy(exact, data, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

static size_t mutate(test_rng *rng, uint8_t *data, size_t size)
{
    static const uint8_t interesting[] = {0, 1, 0x7f, 0x80, 0xff, '-', '0', '9', ':', '\n'};
    for (uint64_t n = 1 + rng_below(rng, 8); n; n--) {
        switch (rng_below(rng, 5)) {
        case 0:
            if (size)
                data[rng_below(rng, size)] ^= (uint8_t)(1u << rng_below(rng, 8));
            break;
        case 1:
            if (size)
                data[rng_below(rng, size)] = interesting[rng_below(rng, sizeof interesting)];
            break;
        case 2:
            if (size)
                data[rng_below(rng, size)] = (uint8_t)rng_next(rng);
            break;
        case 3: /* cut */
            if (size)
                size = (size_t)rng_below(rng, size + 1);
            break;
        default: /* grow */
            for (uint64_t grow = rng_below(rng, 16); grow && size < MAX_SIZE; grow--)
                data[size++] = (uint8_t)rng_next(rng);
        }
    }
    return size;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        load_folder(argv[i]);
    const char *rounds_text = getenv("SNT_FUZZ_ROUNDS");
    const long rounds = rounds_text ? atol(rounds_text) : 20000;
    test_rng rng = rng_from_env();
    for (size_t i = 0; i < corpus_size; i++)
        run(corpus[i].bytes, corpus[i].size);
    static uint8_t scratch[MAX_SIZE];
    for (long round = 0; round < rounds; round++) {
        size_t size = 0;
        if (corpus_size) {
            const size_t pick = (size_t)rng_below(&rng, corpus_size);
            size = corpus[pick].size;
            memcpy(scratch, corpus[pick].bytes, size);
        }
        run(scratch, mutate(&rng, scratch, size));
    }
    printf("1..1\nok 1 - replayed %zu files and %ld mutations\n", corpus_size, rounds);
    return 0;
}
