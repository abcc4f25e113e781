/* SPDX-License-Identifier: MIT */
/* The stage table and the parser of chains: forms, presets, ranges, messages, hostile texts. */
#include "check.h"
#include "core/stage.h"

static struct zci_chain chain;
static char message[512];

static zcs_status parse(const char *text)
{
    memset(message, 0, sizeof message);
    return zci_chain_parse(text, NULL, 0, &chain, message, sizeof message);
}

static const struct zci_stage *good(const char *text)
{
    if (parse(text) != ZCS_OK) {
        fprintf(stderr, "%s: %s\n", text, message);
        CHECK(0);
    }
    return &chain.stages[0];
}

/* Each message is one printable line that holds all of the words. */
static void bad(const char *text, const char *const *words)
{
    CHECK_EQ(parse(text), ZCS_ERR_FORMAT);
    for (; *words; words++)
        if (!strstr(message, *words)) {
            fprintf(stderr, "\"%s\" gives \"%s\" without \"%s\"\n", text, message, *words);
            CHECK(0);
        }
    for (const char *c = message; *c; c++)
        CHECK(*c >= ' ' && *c <= '~');
}
#define BAD(text, ...) bad(text, (const char *const[]){__VA_ARGS__, NULL})

static void table(void)
{
    uint32_t i = 0;
    for (; zcs_stage_info(i); i++) {
        const struct zcs_stage_info *info = zcs_stage_info(i);
        CHECK(info->name[0] && info->help[0]);
        CHECK(info->key_count <= ZCI_STAGE_KEYS);
        if (strcmp(info->name, "crop") != 0)
            good(info->name);
        for (uint32_t k = 0; k < info->key_count; k++) {
            const struct zcs_stage_key *key = &info->keys[k];
            char text[128];
            CHECK(key->name[0] && key->values[0] && key->help[0] && key->default_value);
            /* A default is the value that the stage has without the key. */
            snprintf(text, sizeof text, "%s:%s=%s", info->name, key->name, key->default_value);
            if (*key->default_value && strcmp(info->name, "crop") != 0) {
                const struct zci_stage without = *good(info->name), with = *good(text);
                CHECK(memcmp(with.word, without.word, sizeof with.word) == 0);
                CHECK(memcmp(with.number, without.number, sizeof with.number) == 0);
            }
        }
    }
    CHECK_EQ(i, ZCI_STAGE_COUNT);
    CHECK(zcs_stage_info(i) == NULL && zcs_stage_info(UINT32_MAX) == NULL);
    CHECK(strcmp(zcs_stage_default(ZCS_PIXFMT_SGRBG10P), "black,wb,demosaic,ccm,gamma") == 0);
    CHECK(strcmp(zcs_stage_default(ZCS_PIXFMT_YUYV), "none") == 0);
    CHECK(strcmp(zcs_stage_default(ZCS_PIXFMT_MJPEG), "none") == 0);
    CHECK(strcmp(zcs_stage_default(ZCS_PIXFMT_NONE), "none") == 0);
}

static void forms(void)
{
    good("none");
    CHECK_EQ(chain.count, 0);
    good("black=64,wb,demosaic:bilinear,ccm,gamma=2.2,flip=both,digest");
    CHECK_EQ(chain.count, 7);
    CHECK_EQ(chain.stages[0].number[ZCI_BLACK_LEVEL], 64);
    CHECK_EQ(chain.stages[2].kind, ZCI_STAGE_DEMOSAIC);
    CHECK_EQ(chain.stages[2].word[ZCI_DEMOSAIC_METHOD], 1);
    CHECK_EQ(chain.stages[4].word[ZCI_GAMMA_CURVE], -1);
    CHECK(chain.stages[4].number[ZCI_GAMMA_CURVE] == 2.2);
    CHECK_EQ(chain.stages[5].word[ZCI_FLIP_AXIS], 2);
    CHECK_EQ(good("black:64")->number[ZCI_BLACK_LEVEL], 64);
    CHECK_EQ(good("black:level=64:white=1000")->number[ZCI_BLACK_WHITE], 1000);
    CHECK_EQ(good("black=64:white=1000")->number[ZCI_BLACK_WHITE], 1000);
    CHECK(good("wb:r=1.5:b=0.25")->number[ZCI_WB_R] == 1.5);
    CHECK(chain.stages[0].number[ZCI_WB_B] == 0.25 && chain.stages[0].number[ZCI_WB_G] == 1);
    CHECK(good("ccm=1.5/-0.25/0/0/1/0/0/-1/16")->number[1] == -0.25);
    CHECK(chain.stages[0].number[8] == 16);
    CHECK(good("ccm=+1.5/-.5/.0/0/1/0/0/0/1")->number[0] == 1.5);
    CHECK(chain.stages[0].number[1] == -0.5);
    CHECK(good("gamma=.5")->number[ZCI_GAMMA_CURVE] == 0.5);
    CHECK_EQ(good("black=+64")->number[ZCI_BLACK_LEVEL], 64);
    good("  black=64 , flip,crop=7x9  ");
    CHECK_EQ(chain.count, 3);
    CHECK_EQ(chain.stages[2].number[ZCI_CROP_HEIGHT], 9);
    good(" none ");
    CHECK_EQ(chain.count, 0);
    const struct zci_stage *crop = good("crop=640x480+3+5");
    CHECK_EQ(crop->number[ZCI_CROP_X], 3);
    CHECK_EQ(crop->number[ZCI_CROP_Y], 5);
    CHECK_EQ(crop->number[ZCI_CROP_WIDTH], 640);
    CHECK_EQ(crop->number[ZCI_CROP_HEIGHT], 480);
    CHECK_EQ(good("crop:height=2:width=1")->number[ZCI_CROP_HEIGHT], 2);
    CHECK_EQ(chain.stages[0].number[ZCI_CROP_X], 0);
    CHECK_EQ(good("crop=7x9")->number[ZCI_CROP_WIDTH], 7);
    CHECK_EQ(zcs_stage_parse("black,wb", NULL, 0), ZCS_OK);
    CHECK_EQ(zcs_stage_parse("blakc", NULL, 0), ZCS_ERR_FORMAT);
    CHECK_EQ(zcs_stage_parse(NULL, message, sizeof message), ZCS_ERR_ARG);
}

static void ranges(void)
{
    good("black=65535"), good("wb:r=15.99:g=0:b=0.0"), good("gamma=0.1"), good("gamma=10");
    good("ccm=-16/16/-16.0/16.000/0/0/0/0/0"), good("levels=0:high=1");
    good("crop=262144x1+262143+0");
    BAD("black=65536", "stage 1 \"black\"", "level=65536", "0..65535");
    BAD("wb,black:white=-1", "stage 2 \"black\"", "white=-1", "0..65535");
    BAD("black=1.5", "level=1.5", "0..65535");
    BAD("black=99999999999999999999999", "0..65535");
    BAD("wb:r=16", "r=16", "0.0..15.99");
    BAD("wb:g=-0.1", "0.0..15.99");
    BAD("wb=no", "mode=no", "auto|manual");
    BAD("wb=auto:r=2", "mode=auto takes no gains");
    BAD("gamma=0.09", "curve=0.09", "srgb|0.1..10.0");
    BAD("gamma=10.1", "srgb|0.1..10.0");
    BAD("gamma=sRGB", "srgb|0.1..10.0");
    BAD("gamma=1e0", "1e0"), BAD("gamma=.", "curve=."), BAD("gamma=1.", "curve=1.");
    BAD("gamma=0x1", "0x1"), BAD("gamma=+-1", "+-1"), BAD("gamma= 1", " 1"),
        BAD("gamma=nan", "nan");
    BAD("gamma=+", "curve=+"), BAD("gamma=++1", "++1"), BAD("gamma=-.5", "-.5");
    BAD("black=1.5", "is not a whole number within 0..65535"),
        BAD("wb:r=x", "r=x is not a number within");
    BAD("crop=20x20+10", "rect=20x20+10 is not of the form WxH+X+Y");
    BAD("ccm=1/2", "m=1/2 is not nine of -16.0..16.0 joined by /"),
        BAD("flip=x", "is not one of h|v|both");
    BAD("ccm=1/0/0/0/1/0/0/0", "nine of -16.0..16.0");
    BAD("ccm=1/0/0/0/1/0/0/0/1/0", "nine"), BAD("ccm=1/0/0/0/1/0/0/0/16.1", "nine");
    BAD("ccm=1//0/0/1/0/0/0/1", "nine"), BAD("ccm=1/0/0/0/1/0/0/0/", "nine");
    BAD("levels=7:high=7", "low=7 is not below high=7");
    BAD("black=9:white=8", "level=9 is not below white=8");
    BAD("crop", "width and height"), BAD("crop:width=3", "width and height");
    BAD("crop=0x3", "WxH+X+Y"), BAD("crop=3x0", "WxH+X+Y"), BAD("crop=3", "WxH+X+Y");
    BAD("crop=3x", "WxH+X+Y"), BAD("crop=3x3+1", "WxH+X+Y"), BAD("crop=3x3+1+", "WxH+X+Y");
    BAD("crop=3x3+1+1+1", "WxH"), BAD("crop=262145x1", "WxH"), BAD("crop=3x3-1-1", "WxH");
    BAD("crop=3x3:x=1", "x is given twice"), BAD("crop:x=1:rect=3x3", "rect is given twice");
    BAD("crop:width=262145:height=1", "1..262144");
}

static void places(void)
{
    BAD("", "stage 1 is empty", "black wb demosaic"), BAD("black,", "stage 2 is empty");
    BAD(",black", "stage 1 is empty");
    BAD("gama", "stage 1 \"gama\"", "gamma levels stretch gray flip crop digest");
    BAD("none,black", "stage 1 \"none\" stands alone");
    BAD("black, none", "stage 2 \"none\" stands alone"), BAD("none:x=1", "\"none\" stands alone");
    BAD("Black", "\"Black\" is not known");
    BAD("fl ip", "\"fl ip\" is not known"), BAD("flip, ", "stage 2 is empty");
    BAD("flip =h", "\"flip \" is not known"), BAD("\tflip", "\"?flip\" is not known");
    BAD("black:levle=3", "no key \"levle\"", "it has level white");
    BAD("black:3:4", "only the first value goes without its key", "KEY=4", "level white");
    BAD("levels=17899:19192", "write KEY=19192 with one of low high");
    BAD("levels=17899,19192", "stage 2 \"19192\" is a value", "joined by colons");
    BAD("levels=low=17899:high=19192", "write levels:low=17899");
    BAD("levels=high=19192", "write levels:high=19192");
    BAD("wb=r=2:b=1.5,demosaic", "write wb:r=2"), BAD("crop=x=1:y=2", "write crop:x=1");
    BAD("levels=lo=1", "low=lo=1 is not a whole number");
    BAD("black=3:level=3", "level is given twice");
    BAD("black:level", "level=level"), BAD("black:white=", "white has no value");
    BAD("black=", "level= is not"), BAD("black:", "level= is not");
    BAD("wb:r=1:g", "g has no value");
    BAD("digest=1", "\"digest\": no key \"1\"; it has none");
    BAD("stretch:", "it has none");
    BAD("bl\x01\n\xff", "\"bl???\"");
    char text[3000];
    memset(text, 'a', sizeof text);
    text[sizeof text - 1] = 0;
    BAD(text, "aaa...\" is not known");
    text[0] = 0;
    for (int i = 0; i < ZCI_MAX_STAGES; i++)
        strcat(text, i ? ",flip" : "flip");
    good(text);
    CHECK_EQ(chain.count, ZCI_MAX_STAGES);
    strcat(text, ",flip");
    BAD(text, "stage 33", "32 stages");
}

static void custom(void)
{
    const struct zcs_custom_stage mine[2] = {{.name = "blur"}, {.name = "edge_2"}};
    CHECK_EQ(zci_chain_parse("edge_2,flip,blur", mine, 2, &chain, message, sizeof message), ZCS_OK);
    CHECK(chain.stages[0].kind == ZCI_STAGE_CUSTOM && chain.stages[0].custom == 1);
    CHECK(chain.stages[2].kind == ZCI_STAGE_CUSTOM && chain.stages[2].custom == 0);
    CHECK(strcmp(zci_stage_name(&chain.stages[0], mine), "edge_2") == 0);
    CHECK(strcmp(zci_stage_name(&chain.stages[1], mine), "flip") == 0);
    CHECK_EQ(zci_chain_parse("blur=3", mine, 2, &chain, message, sizeof message), ZCS_ERR_FORMAT);
    CHECK(strstr(message, "\"blur\" takes no values"));
    CHECK_EQ(zci_chain_parse("blr", mine, 2, &chain, message, sizeof message), ZCS_ERR_FORMAT);
    CHECK(strstr(message, "digest blur edge_2"));
    BAD("blur", "not known");
}

/* Texts of pieces and of noise, each in memory of exactly its size, with every message size. */
static void hostile(void)
{
    static const char *const pieces[] = {"black",
                                         "wb",
                                         "crop",
                                         "ccm",
                                         "gamma",
                                         "flip",
                                         ",",
                                         ":",
                                         "=",
                                         "x",
                                         "+",
                                         "/",
                                         "-",
                                         ".",
                                         "0",
                                         "99999999",
                                         "width",
                                         "srgb",
                                         "1/0/0/0/1/0/0/0/1",
                                         "\x80",
                                         "none",
                                         "rect",
                                         "r"};
    uint64_t seed = 7;
    for (int round = 0; round < 60000; round++) {
        char built[300] = "";
        const uint32_t count = (uint32_t)(test_random(&seed) % 9);
        for (uint32_t i = 0; i < count; i++)
            if (test_random(&seed) % 16 == 0)
                strcat(built, (const char[2]){(char)(1 + test_random(&seed) % 255), 0});
            else
                strcat(built, pieces[test_random(&seed) % (sizeof pieces / sizeof *pieces)]);
        char *text = malloc(strlen(built) + 1);
        const size_t bytes = (size_t)(test_random(&seed) % 200);
        char *room = malloc(bytes + 1);
        CHECK(text && room);
        strcpy(text, built);
        memset(room, 'q', bytes + 1);
        const zcs_status status = zcs_stage_parse(text, room, bytes);
        CHECK(status == ZCS_OK || status == ZCS_ERR_FORMAT);
        CHECK_EQ(room[bytes], 'q');
        if (status != ZCS_OK && bytes > 0)
            CHECK(memchr(room, 0, bytes) != NULL);
        free(text);
        free(room);
    }
}

int main(void)
{
    table();
    forms();
    ranges();
    places();
    custom();
    hostile();
    return 0;
}
