/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exhaustive exploration of the version protocol of lib/clock/map_publish.c under the C11 memory model, in small: four
 * slots of two words and seven versions instead of sixty-four slots of eighty-three. The steps and their orders are those of
 * snt__map_publish and map_read_head; readers store nothing, so the writer may run first and a reader then sees, load by
 * load, any value not older than what it already knows (views of messages, the operational form of release, acquire and
 * fences). Whatever a reader accepts must be one version, whole. Then every order and the check is weakened in turn, and a
 * torn version must turn up: else the explorer could not see one.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SLOTS = 4, WORDS = 2, VERSIONS = 7, LOCATIONS = 1 + SLOTS * WORDS, HEAD = 0, MESSAGES = VERSIONS + 1 };

typedef struct view {
    uint8_t at[LOCATIONS]; /* oldest message of each location that may still be read */
} view;

typedef struct message {
    uint32_t value;
    view seen;
} message;

typedef struct variant {
    const char *name;
    bool writer_fence, head_release, head_acquire, reader_fence;
    uint32_t slack; /* accepted while the head moved by at most SLOTS − slack */
    bool sound;
} variant;

static message store[LOCATIONS][MESSAGES];
static int stored[LOCATIONS];
static long executions, accepted, torn;

static int word_location(uint32_t version, int word)
{
    return 1 + (int)(version % SLOTS) * WORDS + word;
}

static void join(view *into, const view *other)
{
    for (int i = 0; i < LOCATIONS; i++)
        into->at[i] = into->at[i] > other->at[i] ? into->at[i] : other->at[i];
}

/* The writer publishes versions 1..VERSIONS. A relaxed store carries what was known at the last release fence. */
static void write_all(const variant *v)
{
    view now = {{0}}, fence = {{0}};
    memset(stored, 0, sizeof stored);
    memset(store, 0, sizeof store);
    for (int i = 0; i < LOCATIONS; i++)
        stored[i] = 1; /* all zero at first */
    for (uint32_t version = 1; version <= VERSIONS; version++) {
        if (v->writer_fence)
            fence = now;
        for (int word = 0; word <= WORDS; word++) {
            const int at = word < WORDS ? word_location(version, word) : HEAD;
            message *m = &store[at][stored[at]];
            m->value = version;
            now.at[at] = (uint8_t)stored[at];
            m->seen = at == HEAD && v->head_release ? now : fence;
            m->seen.at[at] = now.at[at];
            stored[at]++;
        }
    }
}

typedef struct reader {
    view known, pending; /* pending: becomes known at an acquire fence */
} reader;

static uint32_t read_message(reader *r, int at, int choice, bool acquire)
{
    const message *m = &store[at][choice];
    r->known.at[at] = (uint8_t)choice;
    join(&r->pending, &m->seen);
    if (acquire)
        join(&r->known, &m->seen);
    return m->value;
}

static void explore(const variant *v)
{
    for (int h = 0; h < stored[HEAD]; h++) {
        reader a = {{{0}}, {{0}}};
        const uint32_t version = read_message(&a, HEAD, h, v->head_acquire);
        if (!version)
            continue;
        const int first = word_location(version, 0), second = word_location(version, 1);
        for (int i = a.known.at[first]; i < stored[first]; i++) {
            reader b = a;
            const uint32_t x = read_message(&b, first, i, false);
            for (int j = b.known.at[second]; j < stored[second]; j++) {
                reader c = b;
                const uint32_t y = read_message(&c, second, j, false);
                if (v->reader_fence)
                    join(&c.known, &c.pending);
                for (int k = c.known.at[HEAD]; k < stored[HEAD]; k++) {
                    executions++;
                    if (store[HEAD][k].value - version > SLOTS - v->slack)
                        continue; /* may have been overwritten: read again */
                    accepted++;
                    torn += x != version || y != version;
                }
            }
        }
    }
}

int main(void)
{
    static const variant variants[] = {
        {"as it is", true, true, true, true, 2, true},
        {"without the fence before the words", false, true, true, true, 2, false},
        {"head stored relaxed", true, false, true, true, 2, false},
        {"head loaded relaxed", true, true, false, true, 2, false},
        {"without the fence after the words", true, true, true, false, 2, false},
        {"with one slot less to spare", true, true, true, true, 1, false},
    };
    const int count = (int)(sizeof variants / sizeof variants[0]);
    int failed = 0;
    printf("1..%d\n", count);
    for (int i = 0; i < count; i++) {
        executions = accepted = torn = 0;
        write_all(&variants[i]);
        explore(&variants[i]);
        const bool right = variants[i].sound ? torn == 0 && accepted > 0 : torn > 0;
        failed += !right;
        printf("%s %d - %s: %ld executions, %ld accepted, %ld torn\n", right ? "ok" : "not ok", i + 1,
               variants[i].name, executions, accepted, torn);
    }
    return failed != 0;
}
