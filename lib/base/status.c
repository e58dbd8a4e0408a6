/* SPDX-License-Identifier: BSD-3-Clause */
#include "internal.h"

const char *snt_status_name(snt_status status)
{
    switch (status) {
#define SNT_X(name, number, text)                                                                            \
    case number:                                                                                             \
        return #name;
        SNT_STATUS_MAP(SNT_X)
#undef SNT_X
    }
    return "SNT_UNKNOWN_STATUS";
}

const char *snt_status_text(snt_status status)
{
    switch (status) {
#define SNT_X(name, number, text)                                                                            \
    case number:                                                                                             \
        return text;
        SNT_STATUS_MAP(SNT_X)
#undef SNT_X
    }
    return "unknown status";
}
