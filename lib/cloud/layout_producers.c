/* SPDX-License-Identifier: BSD-3-Clause */
#include "layout.h"

#define X(name, fields, step, unit, reference, role, note)                                                   \
    {name, fields, note, step, SNT_TIME_UNIT_##unit, SNT_TIME_REF_##reference, SNT_HEADER_ROLE_##role},
static const snt__producer producers_all[] = {
#include "producers.inc"
};
#undef X

static uint32_t producers_type(const char *text, size_t size)
{
    static const struct {
        char name[4];
        uint32_t type;
    } types[] = {{"i8", SNT_TYPE_I8},   {"u8", SNT_TYPE_U8},   {"i16", SNT_TYPE_I16}, {"u16", SNT_TYPE_U16},
                 {"i32", SNT_TYPE_I32}, {"u32", SNT_TYPE_U32}, {"f32", SNT_TYPE_F32}, {"f64", SNT_TYPE_F64},
                 {"i64", SNT_TYPE_I64}, {"u64", SNT_TYPE_U64}};
    for (size_t i = 0; i < SNT_COUNT_OF(types); i++)
        if (strlen(types[i].name) == size && memcmp(types[i].name, text, size) == 0)
            return types[i].type;
    return SNT_TYPE_NONE;
}

/* One word of a row's fields: "name", "name:type" or "name:type@offset". */
static bool producers_word_fits(const char *word, size_t size, const snt_point_field *field)
{
    const char *colon = memchr(word, ':', size);
    const size_t name_size = colon ? (size_t)(colon - word) : size;
    if (field->name.size != name_size || memcmp(field->name.data, word, name_size) != 0)
        return false;
    if (!colon)
        return true;
    const char *type = colon + 1;
    const size_t rest = size - name_size - 1;
    const char *at = memchr(type, '@', rest);
    const size_t type_size = at ? (size_t)(at - type) : rest;
    if (producers_type(type, type_size) != field->datatype)
        return false;
    if (!at)
        return true;
    uint32_t offset = 0;
    for (const char *digit = at + 1; digit < word + size; digit++)
        offset = offset * 10 + (uint32_t)(*digit - '0');
    return offset == field->offset;
}

/* Words of the row if all of them fit, else 0. */
static uint32_t producers_score(const snt__producer *row, const snt_point_field *fields, uint32_t count,
                                uint32_t point_step)
{
    if (row->point_step && row->point_step != point_step)
        return 0;
    uint32_t words = 0;
    for (const char *word = row->fields; *word;) {
        const size_t size = strcspn(word, " ");
        bool found = false;
        for (uint32_t i = 0; i < count && !found; i++)
            found = producers_word_fits(word, size, &fields[i]);
        if (!found)
            return 0;
        words++;
        word += size;
        word += *word == ' ';
    }
    if (row->time_ref == SNT_TIME_REF_NONE && words != count)
        return 0;
    return words;
}

uint32_t snt__producers_match(const snt_point_field *fields, uint32_t count, uint32_t point_step,
                              const snt__producer *found[SNT__LAYOUT_PRODUCERS])
{
    uint32_t best = 0, n = 0;
    for (size_t i = 0; i < SNT_COUNT_OF(producers_all); i++) {
        const uint32_t score = producers_score(&producers_all[i], fields, count, point_step);
        if (!score || score < best)
            continue;
        if (score > best)
            n = 0;
        best = score;
        if (n < SNT__LAYOUT_PRODUCERS)
            found[n++] = &producers_all[i];
    }
    return n;
}
