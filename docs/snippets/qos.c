/* SPDX-License-Identifier: BSD-3-Clause */
/* docs/qos.md and docs/recipes.md: will they connect, and what does a late joiner get? */
#include "snippet.h"

int main(void)
{
    char text[1024];
    /* [check] */
    snt_qos_profile scan, node;
    need(snt_qos_preset(SNT_QOS_PRESET_SENSOR_DATA, &scan)); /* what the lidar driver offers */
    need(snt_qos_preset(SNT_QOS_PRESET_DEFAULT, &node));     /* what the node asks for */
    snt_qos_verdict why;
    if (snt_qos_check(&scan, &node, &why) == SNT_ERR_INCOMPATIBLE) {
        need(snt_qos_verdict_format(&why, text, sizeof text));
        puts(text);
    }
    /* [check] */
    expect(why.errors == SNT_QOS_RELIABILITY_MISMATCH);
    /* [late] */
    snt_qos_profile latched, late;
    need(snt_qos_preset(SNT_QOS_PRESET_STATIC_TF, &latched)); /* /tf_static as it should be published */
    need(snt_qos_preset(SNT_QOS_PRESET_TF, &late));           /* a subscription made for /tf */
    need(snt_qos_check(&latched, &late, &why));               /* they do connect … */
    if (why.warnings & SNT_QOS_LATE_JOINER)                   /* … and a node started later hears nothing */
        puts(snt_qos_reason_text(SNT_QOS_LATE_JOINER));
    need(snt_qos_preset(SNT_QOS_PRESET_STATIC_TF, &late)); /* reliable, transient local */
    need(snt_qos_check(&latched, &late, &why));
    /* [late] */
    expect(why.warnings == 0);
    return 0;
}
