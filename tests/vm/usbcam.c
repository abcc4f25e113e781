/* SPDX-License-Identifier: MIT */
/* A USB webcam for the real uvcvideo driver: a USB/IP device in user space, attached to vhci_hcd through a
 * socket pair. YUYV over one isochronous endpoint; every frame is filled with its number.
 *
 *   vm_usbcam [-w WIDTH] [-h HEIGHT] [-r RATE] [-e N] [-t N] [-x N] [-p PORT] [-s SERIAL]
 *     -e  every N-th frame has the error bit     -t  every N-th frame is cut to its half
 *     -x  the camera is pulled out after N frames
 *     -p  the port of vhci_hcd [0]               -s  its serial number, digits [none] */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

#define MAX_PACKETS 128
#define MAX_WAITING 64
#define PACKET_BYTES 3072u /* three transactions of 1024 bytes a microframe */
#define PROBE_BYTES 26
#define UNIT 3 /* the processing unit, which has the controls */

/* USB/IP's numbers, big-endian on the wire. */
enum { CMD_SUBMIT = 1, CMD_UNLINK = 2, RET_SUBMIT = 3, RET_UNLINK = 4 };
struct header {
    uint32_t command, number, device, in, endpoint;
    uint32_t argument[5]; /* flags, bytes, first frame, packets, interval */
    uint8_t setup[8];
};
struct packet {
    uint32_t offset, length, actual, status;
};
struct request {
    struct header header;
    uint32_t bytes, packets;
    struct packet packet[MAX_PACKETS];
};

static struct {
    uint32_t width, height, rate, error_every, short_every, frames, port;
    const char *serial; /* NULL: none */
    int socket, streaming;
    uint8_t config[256];
    uint8_t config_bytes;
    uint8_t probe[PROBE_BYTES];
    struct request *waiting[MAX_WAITING];
    uint32_t waiting_count;
    uint32_t newest;                  /* the number of the last request that came */
    struct header early[MAX_WAITING]; /* took back what had not come yet */
    uint32_t early_count;
    uint8_t *frame;
    uint32_t frame_bytes, sent; /* of the frame on its way */
    uint32_t number;
    int64_t due_ns;
} cam = {.width = 320, .height = 240, .rate = 30};

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void receive(void *to, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        const ssize_t got = read(cam.socket, (uint8_t *)to + done, bytes - done);
        if (got <= 0)
            exit(0); /* detached */
        done += (size_t)got;
    }
}

static void send_all(const void *from, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        const ssize_t put = write(cam.socket, (const uint8_t *)from + done, bytes - done);
        if (put <= 0)
            exit(0);
        done += (size_t)put;
    }
}

static void answer(const struct request *request, int status, const void *data, uint32_t bytes)
{
    const struct header header = {
        .command = htonl(RET_SUBMIT),
        .number = htonl(request->header.number),
        .argument = {htonl((uint32_t)status), htonl(bytes), 0,
                     htonl(request->packets ? request->packets : UINT32_MAX), 0},
    };
    send_all(&header, sizeof header);
    if (request->header.in)
        send_all(data, bytes);
    for (uint32_t i = 0; i < request->packets; i++) {
        const struct packet *from = &request->packet[i];
        const struct packet packet = {htonl(from->offset), htonl(from->length), htonl(from->actual),
                                      0};
        send_all(&packet, sizeof packet);
    }
}

/* --- descriptors --------------------------------------------------------------------------------------- */
#define LOW(x) (uint8_t)((x)&255)
#define WORD(x) LOW(x), LOW((x) >> 8)
#define LONG(x) WORD(x), WORD((x) >> 16)

static const uint8_t device_descriptor[18] = {18,   1,    0, 2, 0xef, 2, 1, 64, 0x6b,
                                              0x1d, 0x02, 1, 0, 1,    1, 2, 0,  1};

static void add(const uint8_t *bytes, size_t count)
{
    memcpy(cam.config + cam.config_bytes, bytes, count);
    cam.config_bytes = (uint8_t)(cam.config_bytes + count);
}
#define ADD(...) add((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void describe(void)
{
    const uint32_t bytes = cam.width * cam.height * 2, interval = 10000000 / cam.rate;
    ADD(9, 2, 0, 0, 2, 1, 0, 0x80, 250); /* configuration; its length comes last */
    ADD(8, 11, 0, 2, 14, 3, 0, 0);       /* both interfaces are one function */
    ADD(9, 4, 0, 0, 0, 14, 1, 0, 0);     /* video control */
    ADD(13, 0x24, 1, WORD(0x100), WORD(51), LONG(48000000), 1, 1);
    ADD(18, 0x24, 2, 1, WORD(0x201), 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0); /* the camera */
    ADD(11, 0x24, 5, UNIT, 1, WORD(0), 2, WORD(0x401), 0); /* brightness, power line frequency */
    ADD(9, 0x24, 3, 2, WORD(0x101), 0, UNIT, 0);           /* to USB */
    ADD(9, 4, 1, 0, 0, 14, 2, 0, 0);                       /* video streaming, at rest */
    ADD(14, 0x24, 1, 1, WORD(77), 0x81, 0, 2, 0, 0, 0, 1, 0);
    ADD(27, 0x24, 4, 1, 1, 'Y', 'U', 'Y', '2', 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71,
        16, 1, 0, 0, 0, 0);
    ADD(30, 0x24, 5, 1, 0, WORD(cam.width), WORD(cam.height), LONG(bytes * 8),
        LONG(bytes * 8 * cam.rate), LONG(bytes), LONG(interval), 1, LONG(interval));
    ADD(6, 0x24, 13, 1, 1, 4);       /* colours: sRGB, BT.601 */
    ADD(9, 4, 1, 1, 1, 14, 2, 0, 0); /* video streaming, at work */
    ADD(7, 5, 0x81, 5, WORD(0x1400), 1);
    cam.config[2] = cam.config_bytes;
    cam.probe[2] = cam.probe[3] = 1;
    memcpy(cam.probe + 4, (const uint8_t[]){LONG(interval)}, 4);
    memcpy(cam.probe + 18, (const uint8_t[]){LONG(bytes)}, 4);
    memcpy(cam.probe + 22, (const uint8_t[]){LONG(PACKET_BYTES)}, 4);
}

/* --- the control endpoint ------------------------------------------------------------------------------ */
static int get_serial(const void **data)
{
    static uint8_t text[64];
    const size_t letters = strlen(cam.serial);
    CHECK(2 + 2 * letters <= sizeof text);
    text[0] = (uint8_t)(2 + 2 * letters);
    text[1] = 3;
    for (size_t i = 0; i < letters; i++)
        text[2 + 2 * i] = (uint8_t)cam.serial[i];
    *data = text;
    return text[0];
}

static int get_descriptor(const uint8_t *setup, const void **data)
{
    static const uint8_t languages[] = {4, 3, 9, 4}, name[] = {8, 3, 'C', 0, 'a', 0, 'm', 0};
    static uint8_t device[sizeof device_descriptor];
    switch (setup[3]) {
    case 1:
        memcpy(device, device_descriptor, sizeof device);
        device[16] = cam.serial != NULL ? 3 : 0;
        *data = device;
        return sizeof device;
    case 2:
        *data = cam.config;
        return cam.config_bytes;
    case 3:
        if (setup[2] == 3 && cam.serial != NULL)
            return get_serial(data);
        *data = setup[2] == 0 ? languages : name;
        return setup[2] == 0 ? sizeof languages : sizeof name;
    default:
        return -1;
    }
}

/* What a UVC request for the probe and commit controls gives: there is nothing to choose. */
static int get_probe(const uint8_t *setup, const void **data)
{
    static const uint8_t length[2] = {PROBE_BYTES, 0}, can_get_and_set[1] = {3};
    if (setup[4] != 1 || setup[3] < 1 || setup[3] > 2)
        return -1;
    switch (setup[1]) {
    case 0x85:
        *data = length;
        return sizeof length;
    case 0x86:
        *data = can_get_and_set;
        return sizeof can_get_and_set;
    default:
        *data = cam.probe;
        return PROBE_BYTES;
    }
}

/* Both controls are signed numbers of two bytes and a byte, low byte first. */
static struct unit_control {
    uint8_t selector;
    int bytes;
    int now, min, max, default_value;
} unit_controls[] = {{2, 2, 5, -10, 10, 5}, {5, 1, 1, 0, 2, 1}};

static struct unit_control *find_control(const uint8_t *setup)
{
    for (size_t i = 0; i < sizeof unit_controls / sizeof *unit_controls; i++)
        if (setup[4] == 0 && setup[5] == UNIT && setup[3] == unit_controls[i].selector)
            return &unit_controls[i];
    return NULL;
}

static int get_control(const uint8_t *setup, const void **data)
{
    static uint8_t out[2];
    const struct unit_control *c = find_control(setup);
    if (c == NULL)
        return -1;
    const int values[] = {c->now, c->min, c->max, 1, c->bytes, 3, c->default_value};
    if (setup[1] < 0x81 || setup[1] > 0x87)
        return -1;
    const int value = values[setup[1] - 0x81];
    out[0] = LOW(value);
    out[1] = LOW(value >> 8);
    *data = out;
    return setup[1] == 0x85 ? 2 : setup[1] == 0x86 ? 1 : c->bytes;
}

/* A camera that rounds: only even brightness. */
static void set_control(const uint8_t *setup, const uint8_t *data)
{
    struct unit_control *c = find_control(setup);
    if (c == NULL || setup[1] != 1)
        return;
    c->now = c->bytes == 1 ? data[0] : (int16_t)(data[0] | data[1] << 8);
    if (c->bytes == 2)
        c->now = c->now / 2 * 2;
}

static void control(const struct request *request, const uint8_t *sent_along)
{
    static const uint8_t zeros[2];
    const uint8_t *setup = request->header.setup;
    const uint32_t wanted = setup[6] | (uint32_t)setup[7] << 8;
    const void *data = zeros;
    int bytes = 0;
    if (setup[0] == 0x80 && setup[1] == 6)
        bytes = get_descriptor(setup, &data);
    else if ((setup[0] & 0x80) && setup[1] == 0)
        bytes = 2; /* status */
    else if (setup[0] == 0x01 && setup[1] == 11)
        cam.streaming = setup[2]; /* SET_INTERFACE */
    else if (setup[0] & 0x80)
        bytes = setup[0] != 0xa1   ? -1
                : setup[5] == UNIT ? get_control(setup, &data)
                                   : get_probe(setup, &data);
    else if (setup[0] == 0x21)
        set_control(setup, sent_along);
    if (!request->header.in)
        answer(request, 0, NULL, request->bytes);
    else if (bytes < 0)
        answer(request, -EPIPE, NULL, 0);
    else
        answer(request, 0, data, (uint32_t)bytes < wanted ? (uint32_t)bytes : wanted);
}

/* --- frames -------------------------------------------------------------------------------------------- */
static int every(uint32_t n)
{
    return n > 0 && cam.number % n == 0;
}

static void next_frame(void)
{
    if (cam.frames > 0 && cam.number == cam.frames)
        exit(0); /* the socket closes: the camera is pulled out */
    cam.number++;
    cam.due_ns += 1000000000 / cam.rate;
    cam.frame_bytes = cam.width * cam.height * 2;
    memset(cam.frame, (int)(cam.number & 127) + 16, cam.frame_bytes);
    if (every(cam.short_every))
        cam.frame_bytes /= 2;
    cam.sent = 0;
}

/* A payload: two bytes of header, and a piece of the frame. */
static uint32_t payload(uint8_t *to, uint32_t room)
{
    const uint32_t left = cam.frame_bytes - cam.sent;
    if (left == 0 || room < 3)
        return 0;
    const uint32_t bytes = left < room - 2 ? left : room - 2;
    memcpy(to + 2, cam.frame + cam.sent, bytes);
    cam.sent += bytes;
    to[0] = 2;
    to[1] = (uint8_t)(0x80 | (cam.number & 1) | (cam.sent == cam.frame_bytes ? 2 : 0) |
                      (every(cam.error_every) ? 0x40 : 0));
    return bytes + 2;
}

static void answer_waiting(void)
{
    static uint8_t data[MAX_PACKETS * PACKET_BYTES];
    while (cam.waiting_count > 0 && cam.streaming) {
        if (cam.sent == cam.frame_bytes && now_ns() < cam.due_ns)
            return;
        if (cam.sent == cam.frame_bytes)
            next_frame();
        struct request *request = cam.waiting[0];
        uint32_t bytes = 0;
        for (uint32_t i = 0; i < request->packets; i++) {
            const uint32_t room = request->packet[i].length;
            request->packet[i].actual =
                payload(data + bytes, room < PACKET_BYTES ? room : PACKET_BYTES);
            bytes += request->packet[i].actual;
        }
        answer(request, 0, data, bytes);
        free(request);
        memmove(cam.waiting, cam.waiting + 1, --cam.waiting_count * sizeof cam.waiting[0]);
    }
}

static void answer_unlink(const struct header *header, int status)
{
    const struct header reply = {.command = htonl(RET_UNLINK),
                                 .number = htonl(header->number),
                                 .argument = {htonl((uint32_t)status)}};
    send_all(&reply, sizeof reply);
}

/* The driver's sender looks for requests and then for unlinks: one that was made and taken back in between is
 * unlinked before it is sent. An answer now would be wrong, it waits for the request. */
static void unlink_request(const struct header *header)
{
    const uint32_t number = header->argument[0];
    if ((int32_t)(number - cam.newest) > 0) {
        CHECK(cam.early_count < MAX_WAITING);
        cam.early[cam.early_count++] = *header;
        return;
    }
    for (uint32_t i = 0; i < cam.waiting_count; i++)
        if (cam.waiting[i]->header.number == number) {
            free(cam.waiting[i]);
            memmove(cam.waiting + i, cam.waiting + i + 1,
                    (--cam.waiting_count - i) * sizeof cam.waiting[0]);
            answer_unlink(header, -ECONNRESET);
            return;
        }
    answer_unlink(header, 0);
}

static int was_unlinked(const struct request *request)
{
    for (uint32_t i = 0; i < cam.early_count; i++)
        if (cam.early[i].argument[0] == request->header.number) {
            answer_unlink(&cam.early[i], -ECONNRESET);
            cam.early[i] = cam.early[--cam.early_count];
            return 1;
        }
    return 0;
}

static void serve(void)
{
    struct request *request = calloc(1, sizeof *request);
    CHECK(request != NULL);
    struct header *header = &request->header;
    receive(header, sizeof *header);
    for (uint32_t *word = &header->command; word <= &header->argument[4]; word++)
        *word = ntohl(*word);
    if (header->command == CMD_UNLINK) {
        unlink_request(header);
        free(request);
        return;
    }
    CHECK_EQ(header->command, CMD_SUBMIT);
    request->bytes = header->argument[1];
    request->packets = header->argument[3] == UINT32_MAX ? 0 : header->argument[3];
    CHECK(request->packets <= MAX_PACKETS);
    uint8_t sent_along[4096] = {0};
    CHECK(header->in || request->bytes <= sizeof sent_along);
    if (!header->in)
        receive(sent_along, request->bytes);
    for (uint32_t i = 0; i < request->packets; i++) {
        struct packet *packet = &request->packet[i];
        receive(packet, sizeof *packet);
        packet->offset = ntohl(packet->offset);
        packet->length = ntohl(packet->length);
    }
    cam.newest = header->number;
    if (was_unlinked(request)) {
        free(request);
        return;
    }
    if (header->endpoint == 0) {
        control(request, sent_along);
        free(request);
        return;
    }
    CHECK(cam.waiting_count < MAX_WAITING);
    cam.waiting[cam.waiting_count++] = request;
}

static void attach(void)
{
    int ends[2];
    const int port = open("/sys/devices/platform/vhci_hcd.0/attach", O_WRONLY | O_CLOEXEC);
    CHECK(port >= 0);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    CHECK(dprintf(port, "%u %d %u 3", cam.port, ends[0], 0x10001 + cam.port) >
          0); /* port, socket, device, high speed */
    close(port);
    close(ends[0]);
    cam.socket = ends[1];
}

static void read_options(int argc, char **argv)
{
    for (int option; (option = getopt(argc, argv, "w:h:r:e:t:x:p:s:")) != -1;) {
        const uint32_t value = optarg != NULL ? (uint32_t)atoi(optarg) : 0;
        switch (option) {
        case 'w':
            cam.width = value;
            break;
        case 'h':
            cam.height = value;
            break;
        case 'r':
            cam.rate = value;
            break;
        case 'e':
            cam.error_every = value;
            break;
        case 't':
            cam.short_every = value;
            break;
        case 'x':
            cam.frames = value;
            break;
        case 'p':
            cam.port = value;
            break;
        case 's':
            cam.serial = optarg;
            break;
        default:
            exit(2);
        }
    }
}

int main(int argc, char **argv)
{
    read_options(argc, argv);
    cam.frame = malloc((size_t)cam.width * cam.height * 2);
    CHECK(cam.frame != NULL);
    describe();
    attach();
    for (;;) {
        struct pollfd fd = {.fd = cam.socket, .events = POLLIN};
        const int waits = cam.waiting_count > 0 && cam.streaming;
        const int64_t left_ms = (cam.due_ns - now_ns()) / 1000000;
        if (cam.due_ns < now_ns() - 500000000)
            cam.due_ns = now_ns(); /* at the start, and where the machine could not keep up */
        const int timeout = !waits ? 1000 : left_ms < 0 ? 0 : (int)left_ms + 1;
        if (poll(&fd, 1, timeout) > 0)
            serve();
        answer_waiting();
    }
}
