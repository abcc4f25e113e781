/* SPDX-License-Identifier: MIT */
/* Bands of plans at random: whatever they are cut by, each row is given to one device, which computes what that
 * needs and no more; the cut that is chosen costs least by estimate. */
#include "check.h"
#include "plan_make.h"

#include "core/partition.h"
#include "kernels/demosaic_pixel.h"
#include "kernels/inline.h"

enum { ROUNDS = SANITIZED ? 60 : 300, TALLEST = 700 };

static uint64_t seed = 1;
static struct zci_plan plan;
static struct zci_partition partitions[ZCS_MAX_DEVICES];

static uint32_t below(uint32_t end)
{
    return (uint32_t)(test_random(&seed) >> 11) % end;
}

static zcs_status host_stage(void *user, const struct zcs_view *in, const struct zcs_view *out,
                             uint32_t first, uint32_t last)
{
    (void)user, (void)in, (void)out, (void)first, (void)last;
    return ZCS_OK;
}

static const struct zcs_custom_stage custom = {.name = "own", .host_fn = host_stage};

static void make_plan(enum zcs_pixfmt format, uint32_t width, uint32_t height, const char *chain)
{
    const struct zci_plan_params params = {.stages = chain, .custom = &custom, .custom_count = 1};
    plan_make(&plan, format, width, height, &params);
}

/* Up to seven stages. */
static void make_some_plan(void)
{
    static const char *const stages[] = {"digest",    "wb=auto",   "stretch",      "flip=v",
                                         "gamma=0.7", "flip=both", "own,gamma=0.7"};
    char chain[400] = "none";
    size_t at = 0;
    uint32_t width = 8 + below(40), height = 1 + below(below(2) ? 40 : TALLEST);
    const uint32_t whole_width = width, whole_height = height, count = below(8);
    uint32_t reductions = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t which = below(10);
        at += (size_t)snprintf(chain + at, sizeof chain - at, "%s", i ? "," : "");
        if (which >= 7) {
            const uint32_t w = 1 + below(width), h = 1 + below(height);
            at += (size_t)snprintf(chain + at, sizeof chain - at, "crop=%ux%u+%u+%u", w, h,
                                   below(width - w + 1), below(height - h + 1));
            width = w;
            height = h;
        } else {
            reductions += which < 3;
            at += (size_t)snprintf(chain + at, sizeof chain - at, "%s",
                                   reductions > 6 ? "gamma=0.7" : stages[which]);
        }
    }
    make_plan(ZCS_PIXFMT_RGB24, whole_width, whole_height, chain);
}

/* A mosaic's stages have stencils. */
static void make_some_mosaic_plan(void)
{
    static const char *const before[] = {"", "wb=auto,", "digest,", "flip=v,", "digest,flip=v,"};
    static const char *const after[] = {"", ",digest", ",flip=v", ",stretch,flip=both",
                                        ",own,gamma=0.7"};
    char chain[200];
    const uint32_t height = 8 + below(TALLEST), h = 1 + below(height);
    snprintf(chain, sizeof chain, "%sdemosaic=%s%s,crop=10x%u+3+%u%s", before[below(5)],
             below(2) ? "mhc" : "bilinear", after[below(5)], h, below(height - h + 1),
             after[below(5)]);
    make_plan(ZCS_PIXFMT_SRGGB8, 20, height, chain);
}

static int is_in(struct zci_rows rows, uint32_t y)
{
    return y >= rows.first && y < rows.last;
}

static void check_once(uint32_t count, uint32_t p, int sums)
{
    for (uint32_t y = 0; y < plan.passes[p].height; y++) {
        uint32_t times = 0;
        for (uint32_t i = 0; i < count; i++)
            times += (uint32_t)is_in(sums ? partitions[i].sums[p] : partitions[i].rows[p], y);
        CHECK_EQ(times, 1);
    }
}

/* The row of the pass's window's input that row y of its output lies in. */
static uint32_t input_of(const struct zci_pass *pass, uint32_t y)
{
    if (pass->custom >= 0)
        return y;
    return pass->window.y + (pass->window.flip_v ? pass->height - 1 - y : y);
}

/* Marks each row of the input of pass `p` that rows `of` its output are made of. */
static void mark_input(const struct zci_pass *pass, struct zci_rows of, uint8_t *marks)
{
    const int32_t reach = pass->stencil != ZCI_STENCIL_NONE ? 2 : 0;
    memset(marks, 0, TALLEST + 8);
    for (int32_t y = (int32_t)of.first; y < (int32_t)of.last; y++)
        for (int32_t k = y - reach; k <= y + reach; k++)
            marks[input_of(
                pass, (uint32_t)(pass->height < 2 ? 0 : zck_mirror(k, (int32_t)pass->height)))] = 1;
    if (pass->custom >= 0 && !zci_rows_none(of))
        memset(marks, 1, pass->in_height);
}

/* All that is needed, and nothing below the first row or above the last one but for whole units. */
static void check_needed(const struct zci_partition *partition)
{
    uint8_t marks[TALLEST + 8] = {0};
    for (uint32_t p = plan.pass_count; p-- > 0;) {
        const struct zci_pass *pass = &plan.passes[p];
        const struct zci_rows rows = partition->rows[p];
        uint32_t min = UINT32_MAX, max = 0;
        for (uint32_t y = 0; y < pass->height; y++) {
            const int last = p + 1 == plan.pass_count;
            if (!(last ? is_in(rows, y) : marks[y]) && !is_in(partition->sums[p], y))
                continue;
            min = y < min ? y : min;
            max = y + 1;
        }
        if (pass->custom >= 0 && max > 0) {
            min = 0;
            max = pass->height;
        }
        CHECK_EQ(zci_rows_none(rows), max == 0);
        if (max > 0) {
            const uint32_t up =
                (max + ZCI_PARTITION_ROWS - 1) / ZCI_PARTITION_ROWS * ZCI_PARTITION_ROWS;
            CHECK_EQ(rows.first, min / ZCI_PARTITION_ROWS * ZCI_PARTITION_ROWS);
            CHECK_EQ(rows.last, up < pass->height ? up : pass->height);
        }
        mark_input(pass, rows, marks);
    }
}

/* Rows of the result lie where the rows that the device adds up in pass `by` do, to half a unit. */
static void check_place(const struct zci_partition *partition, uint32_t by)
{
    const struct zci_rows rows = partition->rows[plan.pass_count - 1], from = partition->sums[by];
    for (uint32_t y = rows.first; y < rows.last; y++) {
        uint32_t at = y;
        for (uint32_t p = plan.pass_count - 1; p > by; p--)
            at = input_of(&plan.passes[p], at);
        CHECK(at + ZCI_PARTITION_ROWS / 2 >= from.first && at < from.last + ZCI_PARTITION_ROWS / 2);
    }
}

/* The greatest cost of a share; what was seen of the kinds of shares. */
static struct {
    uint32_t even, by_pass, without_rows, descending;
} seen;

static uint64_t check_cut(uint32_t by, uint32_t count)
{
    const uint32_t last = plan.pass_count - 1;
    uint64_t greatest = 0;
    zci_partition_rows(&plan, by, count, partitions);
    check_once(count, last, 0);
    for (uint32_t p = 0; p <= last; p++)
        if (plan.passes[p].reduce.kind != ZCI_REDUCE_NONE)
            check_once(count, p, 1);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t cost = zci_partition_cost(&plan, &partitions[i]);
        check_needed(&partitions[i]);
        if (by != ZCI_SPLIT_EVENLY)
            check_place(&partitions[i], by);
        greatest = cost > greatest ? cost : greatest;
    }
    return greatest;
}

static void note_kinds(uint32_t count)
{
    const uint32_t last = plan.pass_count - 1;
    for (uint32_t i = 0; i < count; i++) {
        const struct zci_rows rows = partitions[i].rows[last];
        seen.without_rows += zci_rows_none(rows) && !zci_rows_none(partitions[i].rows[0]);
        seen.descending += i > 0 && !zci_rows_none(rows) &&
                           !zci_rows_none(partitions[i - 1].rows[last]) &&
                           rows.first < partitions[i - 1].rows[last].first;
    }
}

static void check_plan(uint32_t count)
{
    const uint32_t chosen = zci_partition_choose(&plan, count);
    uint64_t even = check_cut(ZCI_SPLIT_EVENLY, count), min = even;
    for (uint32_t p = 0; p < plan.pass_count; p++) {
        if (plan.passes[p].reduce.kind == ZCI_REDUCE_NONE) {
            CHECK(chosen != p);
            continue;
        }
        const uint64_t cost = check_cut(p, count);
        min = cost < min ? cost : min;
    }
    CHECK(check_cut(chosen, count) == min);
    CHECK((chosen == ZCI_SPLIT_EVENLY) == (min == even));
    seen.even += chosen == ZCI_SPLIT_EVENLY && plan.state_count > 0 && count > 1;
    seen.by_pass += chosen != ZCI_SPLIT_EVENLY;
    note_kinds(count);
}

static void test_some_plans(void)
{
    for (uint32_t round = 0; round < ROUNDS; round++) {
        if (round % 2)
            make_some_plan();
        else
            make_some_mosaic_plan();
        for (uint32_t count = 1; count <= 8; count++)
            check_plan(count);
        check_plan(ZCS_MAX_DEVICES);
        zci_plan_finish(&plan);
    }
    printf("chosen evenly %u times, by a pass %u times; shares without rows of the result %u, "
           "counted from below %u\n",
           seen.even, seen.by_pass, seen.without_rows, seen.descending);
    CHECK(seen.even > 0 && seen.by_pass > 0);
    CHECK(seen.without_rows > 0 && seen.descending > 0);
}

/* Of two devices, beside one: thousandths. */
static uint32_t cost_on_two(uint32_t by)
{
    struct zci_partition one;
    uint64_t greatest = 0;
    zci_partition_rows(&plan, ZCI_SPLIT_EVENLY, 1, &one);
    zci_partition_rows(&plan, by, 2, partitions);
    for (uint32_t i = 0; i < 2; i++) {
        const uint64_t cost = zci_partition_cost(&plan, &partitions[i]);
        greatest = cost > greatest ? cost : greatest;
    }
    return (uint32_t)(greatest * 1000 / zci_partition_cost(&plan, &one));
}

/* An 8K frame's chains, of which the even cut does too much. */
static void test_gains(void)
{
    static const char *const chains[] = {
        "black=16,wb=manual:r=1.5:b=1.25,demosaic=mhc,digest,crop=256x256",
        "black=16,wb=manual:r=1.5:b=1.25,demosaic=mhc,digest,crop=256x256+0+4064",
        "wb=auto,demosaic=mhc,flip=v",
        "wb=auto,demosaic=mhc,gray,stretch,flip=both,digest",
    };
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        make_plan(ZCS_PIXFMT_SRGGB8, 7680, 4320, chains[i]);
        const uint32_t chosen = cost_on_two(zci_partition_choose(&plan, 2));
        printf("%s: %u, evenly %u of 1000\n", chains[i], chosen, cost_on_two(ZCI_SPLIT_EVENLY));
        CHECK(chosen >= 500 && chosen < 520);
        CHECK(cost_on_two(ZCI_SPLIT_EVENLY) > chosen + 50);
        zci_plan_finish(&plan);
    }
}

/* Much of a result that comes from one device's part is shared out all the same; much work on it alone is not,
 * where sharing it means to bring more. */
static void test_bytes_cost(void)
{
    make_plan(ZCS_PIXFMT_SRGGB8, 7680, 4320, "wb=auto,demosaic=mhc,crop=7680x2160+0+0");
    CHECK_EQ(zci_partition_choose(&plan, 2), ZCI_SPLIT_EVENLY);
    zci_plan_finish(&plan);
    make_plan(ZCS_PIXFMT_SRGGB8, 7680, 4320,
              "digest,demosaic=mhc,ccm=1.5/-0.5/0/0/1/0/0/-0.5/1.5,gray,crop=7680x1080+0+0");
    CHECK_EQ(zci_partition_choose(&plan, 2), 0);
    zci_plan_finish(&plan);
}

int main(void)
{
    test_gains();
    test_bytes_cost();
    test_some_plans();
    return 0;
}
