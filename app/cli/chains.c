/* SPDX-License-Identifier: MIT */
/* A broadcast's chains on the command line, and their files. */
#include "app/cli/chains.h"

#include <stdio.h>
#include <stdlib.h>

#include "app/output/clash.h"
#include "app/run/inputs.h"
#include "app/cli/status.h"

int chains_check(const struct options *options, struct console *console)
{
    const int broadcast = options->dispatch == ZCS_DISPATCH_BROADCAST;
    if (options->chain_count > 1 && !broadcast)
        console_error(console,
                      "--stages is given %u times: several chains are for --dispatch "
                      "broadcast",
                      options->chain_count);
    else if (options->chain_count > 1 && options->target.to_stdout)
        console_error(console, "--output '-': standard output is for one chain, here are %u",
                      options->chain_count);
    else if (broadcast && options->sync)
        console_error(console, "--sync: not with --dispatch broadcast");
    else
        return 0;
    return ZCAPP_USAGE;
}

static int split_one(const struct options *options, struct console *console,
                     struct chain_targets *out)
{
    char label[32], why[256];
    const unsigned i = out->count;
    struct options own = *options;
    snprintf(label, sizeof label, "chain-%u", i + 1);
    out->texts[i] = inputs_with_label(options->target.text, label);
    if (out->texts[i] == NULL ||
        output_parse(&out->targets[i], out->texts[i], why, sizeof why) != 0) {
        console_error(console, "--output '%s': %s", options->target.text,
                      out->texts[i] != NULL ? why : "no memory");
        free(out->texts[i]);
        return ZCAPP_FAILED;
    }
    out->count++;
    own.target = out->targets[i];
    return clash_check(&own, console);
}

int chains_split(const struct options *options, struct console *console, struct chain_targets *out)
{
    int status = 0;
    *out = (struct chain_targets){.count = 0};
    if (options->chain_count < 2 || options->target.kind == NULL)
        return 0;
    out->targets = calloc(options->chain_count, sizeof *out->targets);
    out->texts = calloc(options->chain_count, sizeof *out->texts);
    if (out->targets == NULL || out->texts == NULL) {
        console_error(console, "%u chains: no memory", options->chain_count);
        return ZCAPP_FAILED;
    }
    for (unsigned i = 0; i < options->chain_count && status == 0; i++)
        status = split_one(options, console, out);
    return status;
}

void chains_finish(struct chain_targets *targets)
{
    for (unsigned i = 0; i < targets->count; i++) {
        output_finish(&targets->targets[i]);
        free(targets->texts[i]);
    }
    free(targets->targets);
    free(targets->texts);
    *targets = (struct chain_targets){.count = 0};
}
