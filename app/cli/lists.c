/* SPDX-License-Identifier: MIT */
/* The --list-... options. */
#include "app/cli/lists.h"

static const char *model_name(enum zcs_model model)
{
    static const char *const names[] = {
        [ZCS_MODEL_MONO] = "mono", [ZCS_MODEL_BAYER] = "bayer", [ZCS_MODEL_YUV] = "yuv",
        [ZCS_MODEL_RGB] = "rgb",   [ZCS_MODEL_JPEG] = "jpeg",
    };
    return names[model];
}

void list_formats(void)
{
    printf("%-8s %-10s %4s  %-6s %s\n", "name", "V4L2 name", "bits", "model",
           "stages unless --stages says others");
    for (int i = ZCS_PIXFMT_NONE + 1; i < ZCS_PIXFMT_COUNT; i++) {
        const struct zcs_pixfmt_info *info = zcs_pixfmt_info((enum zcs_pixfmt)i);
        printf("%-8s %-10s %4u  %-6s %s\n", info->name, info->v4l2_name, info->bits,
               model_name(info->model),
               info->model == ZCS_MODEL_JPEG ? "(no decoder in this build)"
                                             : zcs_stage_default((enum zcs_pixfmt)i));
    }
}

static void list_key(const struct zcs_stage_key *key)
{
    const char *default_value = key->default_value != NULL ? key->default_value : "";
    printf("    %s=%s%s%s%s  %s\n", key->name, key->values, default_value[0] != '\0' ? " [" : "",
           default_value, default_value[0] != '\0' ? "]" : "", key->help != NULL ? key->help : "");
}

void list_stages(void)
{
    const struct zcs_stage_info *stage;
    fputs("A chain is stages joined by commas: levels:low=17899:high=19192,flip=v\n"
          "A stage is NAME, NAME=VALUE (of its first key) or NAME:KEY=VALUE:KEY=VALUE, and the "
          "last two\n"
          "mixed: NAME=VALUE:KEY=VALUE. Below, each key with what it takes and [what it is by "
          "itself].\n\n",
          stdout);
    for (uint32_t i = 0; (stage = zcs_stage_info(i)) != NULL; i++) {
        printf("%-10s %s\n", stage->name, stage->help);
        for (uint32_t k = 0; k < stage->key_count; k++)
            list_key(&stage->keys[k]);
    }
}
