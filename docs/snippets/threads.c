/* SPDX-License-Identifier: BSD-3-Clause */
/* docs/threading.md: one writer, two readers of a transform buffer, each with its own cursor. */
#include "snippet.h"

#include <pthread.h>

enum { SAMPLES = 2000 };

static snt_tf_buffer *tf;
static snt_tf_path *path;

static void *write_transforms(void *unused)
{
    for (int i = 1; i <= SAMPLES; i++) {
        snt_tf_transform in;
        snt_tf_transform_init(&in, 0, 0, i * SNT_NS_PER_MS);
        in.pose.t[0] = i;
        need(snt_tf_buffer_insert_named(tf, "odom", "base_link", &in, NULL));
    }
    return unused;
}

static void *read_transforms(void *answers)
{
    /* [reader] */
    snt_tf_cursor mine; /* each reader its own; the path is shared */
    snt_tf_cursor_init(&mine);
    snt_tf_question latest;
    snt_tf_question_init(&latest, sizeof latest);
    latest.when = SNT_TF_LATEST_COMMON;
    snt_tf_result T;
    const snt_status status = snt_tf_path_ask(path, &latest, &mine, &T, NULL);
    /* [reader] */
    for (int i = 0; i < 1000; i++)
        *(int *)answers += snt_tf_path_ask(path, &latest, &mine, &T, NULL) == SNT_OK;
    *(int *)answers += status == SNT_OK;
    return NULL;
}

int main(void)
{
    need(snt_tf_buffer_create(NULL, NULL, &tf));
    need(snt_tf_buffer_path(tf, "odom", "base_link", &path));
    snt_tf_transform first;
    snt_tf_transform_init(&first, 0, 0, 0);
    need(snt_tf_buffer_insert_named(tf, "odom", "base_link", &first, NULL));
    pthread_t writer, readers[2];
    int answers[2] = {0};
    expect(!pthread_create(&writer, NULL, write_transforms, NULL));
    for (int i = 0; i < 2; i++)
        expect(!pthread_create(&readers[i], NULL, read_transforms, &answers[i]));
    expect(!pthread_join(writer, NULL));
    for (int i = 0; i < 2; i++)
        expect(!pthread_join(readers[i], NULL));
    printf("%d answers while %d transforms came in\n", answers[0] + answers[1], (int)SAMPLES);
    expect(answers[0] + answers[1] == 2002);
    snt_tf_path_destroy(path);
    snt_tf_buffer_destroy(tf);
    return 0;
}
