#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Runs zcapp on random sources and compares every file, count and loss with what model.py computes.
# Usage: differential.py ZCAPP [--runs N] [--seconds S] [--seed K] [--jobs J]; a failure prints the command and keeps its files.
import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import zlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import model

NAMES = sorted(model.FORMATS)
Y4M = {"mono": "GREY", "420jpeg": "YUV420", "422": "YUV422P", "444": "YUV444M", "420p10": "YUV420P10", "422p12": "YUV422P12",
       "444p16": "YUV444P16"}


class Wrong(Exception):
    pass


def pixels(rng, size):
    """Random bytes of one of several characters: noise, flat, only extremes, a ramp."""
    kind = rng.randrange(6)
    gen = np.random.default_rng(rng.getrandbits(32))
    if kind == 0:
        return np.full(size, rng.randrange(256), np.uint8)
    if kind == 1:
        return gen.choice(np.array([0, 255], np.uint8), size)
    if kind == 2:
        return (np.arange(size) * rng.randrange(1, 9) >> rng.randrange(4)).astype(np.uint8)
    return gen.integers(0, 256, size, np.uint8)


def draw_chain(rng, source):
    """A chain that fits: as text and as model.develop takes it."""
    kind, _, bits, *_ = model.FORMATS[source.format]
    top = (1 << bits) - 1
    text, chain, color, w, h = [], [], kind in ("yuv", "rgb"), source.width, source.height
    mosaic, encoded = kind == "bayer", not model.is_linear(source.format, source.color)
    for _ in range(rng.choice((0, 0, 1, 1, 2, 3, 4, 6))):
        stage = rng.choice(("black", "levels", "wb", "demosaic", "ccm", "gamma", "stretch", "gray", "flip", "crop"))
        if stage in ("black", "levels"):
            low = rng.choice((0, rng.randrange(top)))
            high = rng.choice((0, rng.randrange(low + 1, top + 1)))
            keys = ("level", "white") if stage == "black" else ("low", "high")
            text.append(f"{stage}:{keys[0]}={low}:{keys[1]}={high}")
            chain.append((stage, (low, high)))
        elif stage == "wb" and (mosaic or color):
            if rng.random() < 0.5:
                text.append("wb")
                chain.append((stage, None))
            else:
                g = [rng.choice((1, rng.randrange(0, 65000) / 4096)) for _ in range(3)]
                text.append(f"wb:r={g[0]!r}:g={g[1]!r}:b={g[2]!r}")
                chain.append((stage, g))
        elif stage == "demosaic" and mosaic and w >= 2 and h >= 2:
            method = rng.choice(("mhc", "bilinear"))
            text.append(f"demosaic={method}")
            chain.append((stage, method))
            mosaic, color = False, True
        elif stage == "ccm" and color and not mosaic:
            m = [rng.randrange(-40000, 90000) / 16384 for _ in range(9)]
            text.append("ccm=" + "/".join(repr(v) for v in m))
            chain.append((stage, m))
        elif stage == "gamma" and not mosaic:
            v = rng.choice((None, 2, 0.5, 3.25)) if not encoded else rng.choice((2, 0.5))
            text.append("gamma" if v is None else f"gamma={v}")
            chain.append((stage, v))
            encoded = True
        elif stage == "stretch":
            text.append(stage)
            chain.append((stage, None))
        elif stage == "gray" and not mosaic:
            weights = rng.choice(("bt709", "bt601"))
            text.append(f"gray={weights}")
            chain.append((stage, weights))
            color = False
        elif stage == "flip":
            axis = rng.choice(("h", "v", "both"))
            text.append(f"flip={axis}")
            chain.append((stage, axis))
        elif stage == "crop":
            cw, ch = rng.randrange(1, w + 1), rng.randrange(1, h + 1)
            x, y = rng.randrange(w - cw + 1), rng.randrange(h - ch + 1)
            text.append(f"crop={cw}x{ch}+{x}+{y}")
            if (cw, ch) != (w, h):
                chain.append((stage, (x, y, cw, ch)))
            w, h = cw, ch
    return ",".join(text) or "none", chain


class Source:
    """One input: its files, its options, and for each frame in order its data, or the loss that it is."""

    def __init__(self, rng, folder, index, alone):
        self.rng, self.name = rng, f"in{index}"
        self.base = os.path.join(folder, self.name)
        self.width, self.height = rng.randrange(1, 40), rng.randrange(1, 24)
        self.format, self.shift, self.options, self.color, self.stdin = rng.choice(NAMES), 0, [], {}, None
        self.count = rng.randrange(1, 6)
        self.lost_short, self.has_tail = 0, False  # in one pass
        kinds = ["raw", "raw", "raw", "folder", "y4m", "pnm"] + (["pipe"] if alone else [])
        getattr(self, "make_" + rng.choice(kinds))()

    def lay_out(self):
        rng = self.rng
        layout, bits = model.FORMATS[self.format][1:3]
        self.stride = model.row_bytes(layout, bits, self.width)
        if rng.random() < 0.4:
            self.stride += rng.choice((1, 2, 3, 4, 16, 61)) * (2 if layout in ("planar", "planar16", "semi10") else 1)
            self.options += ["--stride", str(self.stride)]
        if layout in ("u16", "u16be") and bits < 16 and rng.random() < 0.3:
            self.shift = 16 - bits
            self.options += ["--shift", str(self.shift)]
        self.options += ["-f", self.format, "-s", f"{self.width}x{self.height}"]
        self.size = model.frame_bytes(self.format, self.width, self.height, self.stride)
        if model.FORMATS[self.format][0] == "yuv" and rng.random() < 0.5:
            self.color = {"matrix": rng.choice(sorted(model.LUMA)), "range": rng.choice(("limited", "full"))}
            self.options += ["--color", ",".join(f"{k}={v}" for k, v in self.color.items())]
        self.frames = [pixels(rng, self.size) for _ in range(self.count)]

    def around(self):
        """Bytes around the frames, at times: of the file, and before and after each frame."""
        rng = self.rng
        sizes = [rng.choice((0, 1, 7, 128, 5000)) if rng.random() < 0.3 else 0 for _ in range(3)]
        for name, size in zip(("--offset", "--frame-header", "--frame-footer"), sizes):
            self.options += [name, str(size)] if size else []
        first, header, footer = (rng.randbytes(size) for size in sizes)
        return first, b"".join(header + f.tobytes() + footer for f in self.frames)

    def write(self, path, data):
        with open(path, "wb") as f:
            f.write(data)

    def make_raw(self):
        self.lay_out()
        self.path = self.base + ".raw"
        self.write(self.path, b"".join(self.around()) + self.tail())

    def make_pipe(self):
        self.lay_out()
        self.path, self.stdin, self.name = "-", b"".join(self.around()) + self.tail(), "stdin"

    def tail(self):
        """A last frame that is not whole, at times."""
        if self.size < 2 or self.rng.random() < 0.7:
            return b""
        self.lost_short += 1
        self.has_tail = True
        return bytes(self.rng.randrange(1, self.size))

    def make_folder(self):
        self.lay_out()
        self.path = self.base
        os.mkdir(self.path)
        kept = []
        for i, data in enumerate(self.frames):
            empty = i > 0 and self.rng.random() < 0.15
            self.write(os.path.join(self.path, f"f{i * 3}.raw"), b"" if empty else data.tobytes())
            kept.append(None if empty else data)
            self.lost_short += empty
        self.frames = kept

    def make_y4m(self):
        rng = self.rng
        word = rng.choice(sorted(Y4M))
        self.format = Y4M[word]
        layout, bits = model.FORMATS[self.format][1:3]
        self.stride = model.row_bytes(layout, bits, self.width)
        self.size = model.frame_bytes(self.format, self.width, self.height, self.stride)
        self.color = {"range": rng.choice(("limited", "full"))} if self.format != "GREY" else {}
        self.frames = [pixels(rng, self.size) for _ in range(self.count)]
        self.path = self.base + ".y4m"
        extra = f" XCOLORRANGE={self.color['range'].upper()}" if self.color else ""
        alpha = word == "444" and rng.random() < 0.5
        rest = bytes(self.width * self.height) if alpha else b""
        name = ("C444alpha" if alpha else f"C{word}") if rng.random() < 0.7 or alpha else f"XYSCSS={word.upper()}"
        rate, order = rng.choice((25, 30, 50)), rng.choice("pptbm")
        head = f"YUV4MPEG2 W{self.width} H{self.height} F{rate}:1 I{order} A1:1 {name}{extra}\n"
        self.write(self.path, head.encode() + b"".join(b"FRAME\n" + f.tobytes() + rest for f in self.frames))

    def make_pnm(self):
        rng = self.rng
        color, deep = rng.random() < 0.5, rng.random() < 0.5
        self.format = ("RGB24" if color else "GREY") if not deep else ("RGBA64" if color else "Y16")
        samples = self.width * (3 if color else 1)
        self.stride = self.width * {"RGB24": 3, "GREY": 1, "RGBA64": 8, "Y16": 2}[self.format]
        self.frames, files = [], []
        for _ in range(self.count):
            data = pixels(rng, samples * self.height * (2 if deep else 1))
            head = f"P{6 if color else 5}\n{self.width} {self.height}\n{65535 if deep else 255}\n".encode()
            files.append(head + data.tobytes())
            if deep:
                data = data.view(">u2").astype("<u2")
                if color:
                    data = np.dstack([data.reshape(self.height, self.width, 3), np.full((self.height, self.width, 1), 65535, "<u2")])
                data = np.ascontiguousarray(data.astype("<u2")).reshape(-1).view(np.uint8)
            self.frames.append(data)
        self.path = self.base + (".ppm" if color else ".pgm")
        self.color = {"transfer": "srgb"} if color else {}
        self.write(self.path, b"".join(files))


def read_png(data):
    """Pixels of a PNG that zcapp writes: grey, RGB or RGBA, 8 or 16 bits, not interlaced."""
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise Wrong("not a PNG")
    at, idat, head = 8, b"", None
    while at < len(data):
        size, kind = int.from_bytes(data[at:at + 4], "big"), data[at + 4:at + 8]
        body = data[at + 8:at + 8 + size]
        if zlib.crc32(kind + body) != int.from_bytes(data[at + 8 + size:at + 12 + size], "big"):
            raise Wrong("a PNG chunk's CRC is wrong")
        if kind == b"IHDR":
            head = body
        elif kind == b"IDAT":
            idat += body
        at += 12 + size
    w, h, bits, kind = int.from_bytes(head[:4], "big"), int.from_bytes(head[4:8], "big"), head[8], head[9]
    channels = {0: 1, 2: 3, 6: 4}[kind]
    bpp = channels * bits // 8
    raw = np.frombuffer(zlib.decompress(idat), np.uint8).reshape(h, 1 + w * bpp)
    out = np.zeros((h + 1, (w + 1) * bpp), np.int64)
    for y in range(h):
        method, row, up, here = raw[y, 0], raw[y, 1:], out[y], out[y + 1]
        if method in (0, 2):
            here[bpp:] = (row.astype(np.int64) + (up[bpp:] if method else 0)) & 255
            continue
        for i in range(w * bpp):
            a, b, c = int(here[i]), int(up[i + bpp]), int(up[i])
            if method == 1:
                p = a
            elif method == 3:
                p = (a + b) >> 1
            else:
                pa, pb, pc = abs(b - c), abs(a - c), abs(a + b - 2 * c)
                p = a if pa <= pb and pa <= pc else b if pb <= pc else c
            here[i + bpp] = (int(row[i]) + p) & 255
    flat = out[1:, bpp:].astype(np.uint8)
    if bits == 16:
        flat = flat.reshape(h, -1).copy().view(">u2")
    a = flat.astype(np.int64).reshape(h, w, channels)
    return (a[:, :, 0] if channels == 1 else a[:, :, :3]), bits


def read_pnm(data):
    kind, size, top, rest = data.split(b"\n", 3) if data[:2] in (b"P5", b"P6") else (None,) * 4
    if kind is None:
        raise Wrong("not a PGM or PPM")
    w, h = (int(v) for v in size.split())
    bits = 16 if int(top) > 255 else 8
    a = np.frombuffer(rest, ">u2" if bits == 16 else np.uint8).astype(np.int64)
    return (a.reshape(h, w) if kind == b"P5" else a.reshape(h, w, 3)), bits


def expect(condition, what):
    if not condition:
        raise Wrong(what)


def draw(rng, folder):
    """The command, and for each input the numbers and pixels of its files and its losses."""
    several = rng.random() < 0.15
    sources = [Source(rng, folder, i, not several) for i in range(rng.randrange(2, 5) if several else 1)]
    if several:  # options are of all inputs: only those that say themselves what they are
        sources = [s for s in sources if not s.options]
        if len(sources) < 2:
            return None
    first = sources[0]
    chain_text, chain = draw_chain(rng, first) if not several else ("none", [])
    depth = rng.choice((None, None, 8, 16))
    args = [*first.options, "--stages", chain_text]
    if depth:
        args += ["--depth", str(depth)]
    args += ["--threads", str(rng.randrange(1, 4))]
    if rng.random() < 0.3:
        args += ["--devices", "0,0"]
        args += ["--dispatch", rng.choice(("frames", "bands", "relay"))]
    skip = rng.choice((0, 0, 0, 1, 2))
    every = rng.choice((1, 1, 1, 2, 3))
    limit = rng.choice((0, 0, 0, 1, 2))
    loops = rng.choice((1, 1, 1, 2)) if first.stdin is None and not several else 1
    for option, value, usual in (("--skip", skip, 0), ("--every", every, 1), ("-n", limit, 0), ("--loop", loops, 1)):
        if value != usual:
            args += [option, str(value)]
    inject = None
    if rng.random() < 0.15 and not several:
        inject = rng.choice(("drop=30%", "error=30%", "short=30%", "drop=20%,error=20%,short=20%")) + f",seed={rng.randrange(99)}"
        args += ["--inject", inject]
    ending = rng.choice(("png", "pnm", "pnm"))
    args += ["-o", os.path.join(folder, "out", f"%03u.{ending}"), "--json", os.path.join(folder, "report.json")]
    if ending == "png" and rng.random() < 0.5:
        args += ["--png-level", str(rng.choice((0, 1, 2, 6, 9)))]
    args += [s.path for s in sources]
    # A recording of the run gives the same files when it is played.
    again = None
    if not several and inject is None and (skip, every, limit, loops) == (0, 1, 0, 1) and rng.random() < 0.3:
        args[:0] = ["--record", os.path.join(folder, "take.zcr")]
        again = ["--depth", str(depth)] if depth else []
        again += ["--stages", chain_text]
    return sources, args, chain, depth, (skip, every, limit, loops, inject), ending, again


def passes(source, loops):
    """The frames of all passes by number; None is a lost one."""
    return (source.frames + [None] * source.has_tail) * loops


def expected(source, which):
    skip, every, limit, loops, inject = which
    numbers, n = [], 0
    for number, data in enumerate(passes(source, loops)):
        if data is None:
            continue
        if n >= skip and (n - skip) % every == 0 and (limit == 0 or len(numbers) < limit):
            numbers.append((number, data))
        n += 1
    return numbers


def check_input(source, report, folder, chain, depth, which, ending):
    skip, every, limit, loops, inject = which
    found = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    wanted = expected(source, which)
    frames = report["frames"]
    if inject is None:
        names = [f"{number:03d}.{ending}" for number, _ in wanted]
        expect(found == names, f"files are {found}, not {names}")
        if limit == 0:
            expect(frames["lost"]["short"] == source.lost_short * loops,
                   f"lost.short is {frames['lost']['short']}, not {source.lost_short * loops}")
            expect(sum(frames["lost"].values()) == frames["lost"]["short"], f"other losses: {frames['lost']}")
    elif (skip, every, limit) == (0, 1, 0) and loops == 1:
        whole = sum(f is not None for f in source.frames)
        expect(len(found) + sum(frames["lost"].values()) - source.lost_short == whole,
               f"{len(found)} files and {frames['lost']} of {whole} frames")
    expect(frames["processed"] == frames["written"] == len(found), f"counts {frames}, {len(found)} files")
    data_of = dict(enumerate(passes(source, loops)))
    for name in found:
        number = int(name.split(".")[0])
        with open(os.path.join(folder, name), "rb") as f:
            got, bits = (read_png if ending == "png" else read_pnm)(f.read())
        data = data_of.get(number)
        expect(data is not None, f"{name}: no such frame was there")
        want, want_bits = model.develop(data, source.format, source.width, source.height, source.stride, source.shift,
                                        source.color, chain, depth)
        expect(bits == want_bits and got.shape == want.shape, f"{name}: {got.shape} of {bits} bits, not {want.shape} of {want_bits}")
        if not np.array_equal(got, want):
            at = tuple(int(v[0]) for v in np.nonzero(got != want))
            raise Wrong(f"{name}: {int(got[at])} at {at}, not {int(want[at])}")


def play_again(zcapp, folder, options, ending, report):
    """The recording has each captured frame; its pictures are the first run's, and it has lost none."""
    args = [zcapp, "-q", *options, "--json", os.path.join(folder, "again.json"), "-o",
            os.path.join(folder, "again", f"%03u.{ending}"), os.path.join(folder, "take.zcr")]
    run = subprocess.run(args, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    expect(run.returncode == 0, f"playing the recording: {run.stderr.decode(errors='replace')[-300:]}")
    first, second = (os.path.join(folder, name) for name in ("out", "again"))
    expect(sorted(os.listdir(first)) == sorted(os.listdir(second)), "the recording gives other files")
    for name in os.listdir(first):
        with open(os.path.join(first, name), "rb") as a, open(os.path.join(second, name), "rb") as b:
            left, right = a.read(), b.read()
        pair = [(read_png if ending == "png" else read_pnm)(d) for d in (left, right)]
        expect(pair[0][1] == pair[1][1] and np.array_equal(pair[0][0], pair[1][0]), f"{name}: the recording gives other pixels")
    with open(os.path.join(folder, "again.json")) as f:
        played = json.load(f)["frames"]
    expect(report["frames"]["recorded"] == played["processed"], f"recorded {report['frames']}, played {played}")


def one(zcapp, seed, keep):
    rng = random.Random(seed)
    folder = tempfile.mkdtemp(prefix="zc-diff-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    drawn = draw(rng, folder)
    args = []
    try:
        if drawn is None:
            return False
        sources, args, chain, depth, which, ending, again = drawn
        run = subprocess.run([zcapp, "-q"] + args, input=sources[0].stdin if sources[0].stdin is not None else b"",
                             capture_output=True, timeout=60)
        # A run that gives no picture says so and fails.
        empty = any(not expected(s, which) for s in sources) or (which[4] is not None and b" no " in run.stderr)
        expect(run.returncode == (1 if empty else 0), f"status {run.returncode}: {run.stderr.decode(errors='replace')[-300:]}")
        with open(os.path.join(folder, "report.json")) as f:
            report = json.load(f)
        if again is not None and not empty:
            play_again(zcapp, folder, again, ending, report)
        if len(sources) == 1:
            check_input(sources[0], report, os.path.join(folder, "out"), chain, depth, which, ending)
        else:
            for source, part in zip(sources, report["inputs"]):
                check_input(source, part, os.path.join(folder, "out", source.name), chain, depth, which, ending)
    except (Wrong, subprocess.TimeoutExpired, KeyError, ValueError) as error:
        print(f"seed {seed}: {error!r}\n  {zcapp} {' '.join(args)}", file=sys.stderr)
        return None
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("zcapp")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    end = time.monotonic() + options.seconds if options.seconds else None
    done = failed = 0

    def run(seed):
        if end is not None and time.monotonic() > end:
            return False
        return one(options.zcapp, seed, options.keep)

    seeds = range(options.seed, options.seed + (options.runs if end is None else 1 << 40))
    with ThreadPoolExecutor(options.jobs) as pool:
        for result in pool.map(run, seeds) if end is None else (run(s) for s in seeds):
            if result is False and end is not None and time.monotonic() > end:
                break
            done += result is not False
            failed += result is None
    print(f"{done} runs, {failed} failed, seeds from {options.seed}")
    return 1 if failed or not done else 0


if __name__ == "__main__":
    sys.exit(main())
