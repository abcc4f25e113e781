/* SPDX-License-Identifier: MIT */
/* The parsers of file headers and of injected faults: accepted and refused input, every truncation,
 * every changed byte, and random bytes, each in memory of exactly its size. */
#include "check.h"
#include "source/fault_injector.h"
#include "source/replay/pnm.h"
#include "source/replay/y4m.h"
#include "zcstream/source.h"

static char why[160];

/* Calls `read` with a copy of exactly that size. */
#define EXACT(data, bytes, call)                                                                   \
    do {                                                                                           \
        uint8_t *exact = malloc((bytes) ? (bytes) : 1);                                            \
        CHECK(exact != NULL);                                                                      \
        memcpy(exact, data, bytes);                                                                \
        call;                                                                                      \
        free(exact);                                                                               \
    } while (0)

static int y4m(const char *text, struct zci_y4m *out)
{
    int got = 0;
    EXACT(text, strlen(text), got = zci_y4m_head(exact, strlen(text), out, why, sizeof why));
    return got;
}

static int pnm(const char *text, struct zci_pnm *out)
{
    int got = 0;
    EXACT(text, strlen(text), got = zci_pnm_head(exact, strlen(text), out, why, sizeof why));
    return got;
}

static void test_y4m_kinds(void)
{
    struct zci_y4m out;
    CHECK(y4m("YUV4MPEG2 XYSCSS=444 W2 H3 XCOLORRANGE=LIMITED Xrest\n", &out) > 0);
    CHECK(out.format == ZCS_PIXFMT_YUV444M && out.range == ZCS_RANGE_LIMITED);
    CHECK(y4m("YUV4MPEG2 W2 H3 XYSCSS=422 XYSCSSX=444\n", &out) > 0);
    CHECK(out.format == ZCS_PIXFMT_YUV422P);
    CHECK(y4m("YUV4MPEG2 W2 H3 XYSCSS=420MPEG2\n", &out) > 0);
    CHECK(out.format == ZCS_PIXFMT_YUV420 && strstr(out.siting, "mpeg2") != NULL);
    CHECK(y4m("YUV4MPEG2 W2 H3 XYSCSS=422P10\n", &out) > 0);
    CHECK(out.format == ZCS_PIXFMT_YUV422P10);
    CHECK(y4m("YUV4MPEG2 W2 H3 XYSCSS=any C444 XYSCSS=422\n", &out) > 0);
    CHECK(out.format == ZCS_PIXFMT_YUV444M);
    CHECK(y4m("YUV4MPEG2 W2 H3 It XYSCSS=411\n", &out) > 0);
    CHECK(out.format == ZCS_PIXFMT_YUV422P && out.conversion == ZCI_CONVERT_411);
    CHECK(out.interlaced != NULL && strstr(out.interlaced, "top field first") != NULL);
    CHECK(y4m("YUV4MPEG2 W2 H3 Ib C420p9\n", &out) > 0);
    CHECK(out.conversion == ZCI_CONVERT_9_BITS && strstr(out.interlaced, "bottom") != NULL);
    CHECK(y4m("YUV4MPEG2 W2 H3 Im C444alpha\n", &out) > 0);
    CHECK(out.conversion == ZCI_CONVERT_DROP_ALPHA && out.interlaced != NULL);
}

static void test_y4m(void)
{
    static const char whole[] = "YUV4MPEG2 W1920 H1080 F30000:1001 Ip A1:1 C420mpeg2 Xany "
                                "XCOLORRANGE=FULL\n";
    struct zci_y4m out;
    CHECK_EQ(y4m(whole, &out), (int)strlen(whole));
    CHECK(out.width == 1920 && out.height == 1080 && out.format == ZCS_PIXFMT_YUV420);
    CHECK(out.fps_num == 30000 && out.fps_den == 1001 && out.range == ZCS_RANGE_FULL);
    CHECK(strstr(out.siting, "mpeg2") != NULL);
    for (size_t cut = 0; cut + 1 < sizeof whole - 1; cut++) {
        int got = 1;
        EXACT(whole, cut, got = zci_y4m_head(exact, cut, &out, why, sizeof why));
        CHECK_EQ(got, 0);
    }
    CHECK(y4m("YUV4MPEG2 W2 H3\n", &out) > 0);
    CHECK(out.format == ZCS_PIXFMT_YUV420 && out.fps_num == 0 && out.range == ZCS_RANGE_AUTO);
    CHECK(y4m("YUV4MPEG2  H3 F0:0 W2  C444p16 I? \n", &out) > 0);
    CHECK(out.format == ZCS_PIXFMT_YUV444P16 && out.fps_num == 0 && out.fps_den == 0);
    CHECK(y4m("YUV4MPEG2 W2 H3 Cmono9\n", &out) > 0);
    CHECK(out.format == ZCS_PIXFMT_Y10 && out.bits == 9);
    static const char *const bad[] = {"YUV4MPEG2 W2 H1 XYSCSS=\n",
                                      "YUV4MPEG2 W2 H1 XYSCSS=any\n",
                                      "YUV4MPEG2 W0 H1\n",
                                      "YUV4MPEG2 W1 H262145\n",
                                      "YUV4MPEG2 W1\n",
                                      "YUV4MPEG2 H1\n",
                                      "YUV4MPEG2 \n",
                                      "YUV4MPEG1 W1 H1\n",
                                      "YUV4MPEG2 W1x H1\n",
                                      "YUV4MPEG2 W-1 H1\n",
                                      "YUV4MPEG2 W1 H1 F1\n",
                                      "YUV4MPEG2 W1 H1 F1:\n",
                                      "YUV4MPEG2 W1 H1 F:1\n",
                                      "YUV4MPEG2 W1 H1 F1:2:3\n",
                                      "YUV4MPEG2 W1 H1 Ix\n",
                                      "YUV4MPEG2 W1 H1 C411p9\n",
                                      "YUV4MPEG2 W1 H1 C\n",
                                      "YUV4MPEG2 W1 H1 C420p8\n",
                                      "YUV4MPEG2 W1 H1 F99999999999:1\n",
                                      "YUV4MPEG2 W1 H1 Ctest\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_EQ(y4m(bad[i], &out), -1);
        CHECK(why[0] != '\0');
    }
    static const struct {
        const char *text;
        int got;
    } frames[] = {{"FRAME\n", 6}, {"FRAME Ip Xa\nx", 12}, {"FRAME", 0},    {"FRA", 0},
                  {"", 0},        {"FRAMEX\n", -1},       {"GRAME\n", -1}, {"FRAM\n", -1},
                  {"\n", -1},     {"FRAME x", 0}};
    for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
        int got = -2;
        EXACT(frames[i].text, strlen(frames[i].text),
              got = zci_y4m_frame(exact, strlen(frames[i].text), why, sizeof why));
        CHECK_EQ(got, frames[i].got);
    }
}

static void test_pnm(void)
{
    static const char whole[] = "P5 # a comment\n#another\n\t640\r\n 480 65535\n";
    struct zci_pnm out;
    CHECK_EQ(pnm(whole, &out), (int)strlen(whole));
    CHECK(out.channels == 1 && out.width == 640 && out.height == 480 && out.max == 65535);
    for (size_t cut = 0; cut + 1 < sizeof whole - 1; cut++) {
        int got = 1;
        EXACT(whole, cut, got = zci_pnm_head(exact, cut, &out, why, sizeof why));
        CHECK_EQ(got, 0);
    }
    CHECK_EQ(pnm("P6\n1 2 3 4", &out), 9);
    CHECK(out.channels == 3 && out.max == 3);
    static const char *const comments[] = {
        "P5#a\n2 1 255\n",       "P5 # a\r2 1 255\n",        "P5\n2#a\n1 255\n",
        "P5\n2 1#a\r255\n",      "P5\n2 1\n#a\n255\n",       "P5\n2 1\n255# a\n",
        "P5\n2 1\n255#a\r",      "P5\r#\r2 1\r#a\r#\r255\r", "P5\n2 #a\r\n1 255\n",
        "P5\n2 1 255#1 2 # 3\n", "P5\t2#\n#\n1#\n255#\n"};
    for (size_t i = 0; i < sizeof comments / sizeof *comments; i++) {
        const size_t bytes = strlen(comments[i]);
        CHECK_EQ(pnm(comments[i], &out), (int)bytes);
        CHECK(out.width == 2 && out.height == 1 && out.max == 255);
        int got = 1;
        EXACT(comments[i], bytes - 1, got = zci_pnm_head(exact, bytes - 1, &out, why, sizeof why));
        CHECK_EQ(got, 0);
    }
    /* Behind the white space that ends the header, a number sign is a sample. */
    CHECK_EQ(pnm("P5 2 1 255\n#\n", &out), 11);
    static const char *const bad[] = {"P4 1 1 1 ",          "P55 1 1 1 ", "P5 0 1 1 ",
                                      "P5 1 0 1 ",          "P5 1 1 0 ",  "P5 1 1 65536 ",
                                      "P5 262145 1 1 ",     "P5 -1 1 1 ", "P5 1 1 1x",
                                      "P5 1 1 4294967297 ", "Q5 1 1 1 "};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_EQ(pnm(bad[i], &out), -1);
}

static void test_mutations(void)
{
    static const char *const seeds[] = {
        "YUV4MPEG2 W16 H4 F25:1 Ip C420p10 XCOLORRANGE=FULL\nFRAME\n", "P5\n# x\n16 4\n1023\n"};
    uint64_t state = 99;
    for (int i = 0; i < 200000; i++) {
        char text[80];
        const char *seed = seeds[i % 2];
        size_t bytes = strlen(seed);
        memcpy(text, seed, bytes);
        for (uint64_t n = test_random(&state) % 4; n > 0; n--)
            text[test_random(&state) % bytes] = (char)(test_random(&state) >> 40);
        bytes -= test_random(&state) % bytes;
        struct zci_y4m a;
        struct zci_pnm b;
        int got = 0;
        EXACT(text, bytes, got = zci_y4m_head(exact, bytes, &a, why, sizeof why));
        CHECK(got <= (int)bytes && (got <= 0 || (a.width > 0 && a.height > 0)));
        EXACT(text, bytes, got = zci_pnm_head(exact, bytes, &b, why, sizeof why));
        CHECK(got <= (int)bytes && (got <= 0 || (b.max >= 1 && b.max <= 65535)));
        EXACT(text, bytes, got = zci_y4m_frame(exact, bytes, why, sizeof why));
        CHECK(got <= (int)bytes);
    }
}

static zcs_status inject(const char *text, struct zci_inject *out)
{
    return zci_inject_parse(text, out, why, sizeof why);
}

static void test_inject(void)
{
    struct zci_inject out;
    CHECK_EQ(inject("drop=5%,error=1%,short=0.25%,stall=200ms,gone=100,seed=7", &out), ZCS_OK);
    CHECK(out.drop_ppm == 50000 && out.error_ppm == 10000 && out.short_ppm == 2500);
    CHECK(out.stall_ns == 200000000 && out.stall_every == 30 && out.gone_after == 100);
    CHECK_EQ(out.seed, 7);
    CHECK_EQ(inject("stall=1.5s/4", &out), ZCS_OK);
    CHECK(out.stall_ns == 1500000000 && out.stall_every == 4 && out.drop_ppm == 0);
    CHECK_EQ(inject("stall=0.5us,drop=100%", &out), ZCS_OK);
    CHECK(out.stall_ns == 500 && out.drop_ppm == 1000000);
    CHECK_EQ(inject(NULL, &out), ZCS_OK);
    static const char *const bad[] = {"",
                                      "drop",
                                      "drop=",
                                      "drop=5",
                                      "drop=101%",
                                      "drop=5%,",
                                      "drop=5%drop=5%",
                                      "drop=5%,drop=1%",
                                      "loss=1%",
                                      "gone=0",
                                      "gone=-1",
                                      "gone=x",
                                      "stall=200",
                                      "stall=200h",
                                      "stall=2h",
                                      "stall=1s/0",
                                      "stall=1s/",
                                      "seed=",
                                      "drop=60%,short=60%",
                                      "drop=0.00001%",
                                      "stall=3601s",
                                      "seed=99999999999999999999",
                                      "DROP=1%",
                                      " drop=1%"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        why[0] = '\0';
        CHECK_EQ(inject(bad[i], &out), ZCS_ERR_FORMAT);
        CHECK(why[0] != '\0');
        CHECK_EQ(zcs_inject_parse(bad[i], NULL, 0), ZCS_ERR_FORMAT);
    }
    CHECK_EQ(zcs_inject_parse(NULL, NULL, 0), ZCS_ERR_ARG);
    /* The rates are met, and the same seed gives the same faults. */
    uint64_t count[ZCS_LOSS_COUNT + 1] = {0};
    CHECK_EQ(inject("drop=5%,error=1%,short=10%", &out), ZCS_OK);
    for (uint64_t n = 0; n < 100000; n++) {
        const enum zcs_loss loss = zci_inject_loss(&out, n);
        CHECK_EQ(zci_inject_loss(&out, n), loss);
        count[loss]++;
    }
    CHECK(count[ZCS_LOSS_DRIVER_GAP] > 4700 && count[ZCS_LOSS_DRIVER_GAP] < 5300);
    CHECK(count[ZCS_LOSS_ERROR] > 850 && count[ZCS_LOSS_ERROR] < 1150);
    CHECK(count[ZCS_LOSS_SHORT] > 9600 && count[ZCS_LOSS_SHORT] < 10400);
}

int main(void)
{
    test_y4m();
    test_y4m_kinds();
    test_pnm();
    test_mutations();
    test_inject();
    return 0;
}
