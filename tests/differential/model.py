# SPDX-License-Identifier: MIT
# What zcapp must compute, in numpy, written from the formats' definitions and the documented rounding rules.
import numpy as np

# name: (model, layout, bits, hsub, vsub, argument); V4L2's documentation says what the bytes are.
FORMATS = {"GREY": ("mono", "u8", 8, 1, 1, 0), "Y16_BE": ("mono", "u16be", 16, 1, 1, 0)}
for _b in (10, 12, 14, 16):
    FORMATS[f"Y{_b}"] = ("mono", "u16", _b, 1, 1, 0)
for _b in (10, 12, 14):
    FORMATS[f"Y{_b}P"] = ("mono", "packed", _b, 1, 1, 0)
for _i, _order in enumerate(("RGGB", "GRBG", "GBRG", "BGGR")):
    FORMATS[f"S{_order}8"] = ("bayer", "u8", 8, 1, 1, _i)
    for _b in (10, 12, 14, 16):
        FORMATS[f"S{_order}{_b}"] = ("bayer", "u16", _b, 1, 1, _i)
    for _b in (10, 12, 14):
        FORMATS[f"S{_order}{_b}P"] = ("bayer", "packed", _b, 1, 1, _i)
# Packed 4:2:2: the place of Y0, Cb, Y1, Cr in four bytes.
for _name, _order in (("YUYV", (0, 1, 2, 3)), ("UYVY", (1, 0, 3, 2)), ("YVYU", (0, 3, 2, 1)), ("VYUY", (1, 2, 3, 0))):
    FORMATS[_name] = ("yuv", "422", 8, 2, 1, _order)
for _name, _h, _v, _swap in (("NV12", 2, 2, 0), ("NV21", 2, 2, 1), ("NV16", 2, 1, 0), ("NV61", 2, 1, 1),
                             ("NV24", 1, 1, 0), ("NV42", 1, 1, 1), ("NV12M", 2, 2, 0), ("NV61M", 2, 1, 1)):
    FORMATS[_name] = ("yuv", "semi", 8, _h, _v, _swap)
FORMATS["P010"] = ("yuv", "semi10", 10, 2, 2, 0)
for _name, _h, _v, _swap in (("YUV420", 2, 2, 0), ("YVU420", 2, 2, 1), ("YUV422P", 2, 1, 0), ("YUV420M", 2, 2, 0),
                             ("YVU422M", 2, 1, 1), ("YUV444M", 1, 1, 0), ("YVU444M", 1, 1, 1)):
    FORMATS[_name] = ("yuv", "planar", 8, _h, _v, _swap)
for _name, _h, _v in (("YUV420P", 2, 2), ("YUV422P", 2, 1), ("YUV444P", 1, 1)):
    for _b in (10, 12, 14, 16):
        FORMATS[f"{_name}{_b}"] = ("yuv", "planar16", _b, _h, _v, 0)
# The bytes of R, G and B in a pixel.
for _name, _n, _rgb in (("RGB24", 3, (0, 1, 2)), ("BGR24", 3, (2, 1, 0)), ("XBGR32", 4, (2, 1, 0)), ("BGRX32", 4, (3, 2, 1)),
                        ("XRGB32", 4, (1, 2, 3)), ("RGBX32", 4, (0, 1, 2)), ("RGBA32", 4, (0, 1, 2))):
    FORMATS[_name] = ("rgb", f"rgb{_n}", 8, 1, 1, _rgb)
FORMATS["RGB565"] = ("rgb", "565", 6, 1, 1, 0)
FORMATS["RGB565X"] = ("rgb", "565be", 6, 1, 1, 0)
FORMATS["RGBA64"] = ("rgb", "rgba64", 16, 1, 1, 0)

GROUP = {10: (4, 5), 12: (2, 3), 14: (4, 7)}  # pixels and bytes of a CSI-2 group


def ceil_div(n, by):
    return -(-n // by)


def row_bytes(layout, bits, samples):
    if layout in ("u8", "semi", "planar"):
        return samples
    if layout in ("u16", "u16be", "semi10", "planar16", "565", "565be"):
        return 2 * samples
    if layout == "packed":
        return ceil_div(samples * bits, 8)
    if layout == "422":
        return 4 * ceil_div(samples, 2)
    return {"rgb3": 3, "rgb4": 4, "rgba64": 8}[layout] * samples


def planes(name, width, height, stride):
    """[(stride, rows)] of each plane, stride that of the first."""
    _, layout, bits, hsub, vsub, _ = FORMATS[name]
    out = [(stride, height)]
    chroma = ceil_div(width, hsub)
    if layout in ("semi", "semi10"):
        out.append((max(stride * (2 if hsub == 1 else 1), row_bytes(layout, bits, 2 * chroma)), ceil_div(height, vsub)))
    elif layout in ("planar", "planar16"):
        out += [(max(stride // hsub, row_bytes(layout, bits, chroma)), ceil_div(height, vsub))] * 2
    return out


def frame_bytes(name, width, height, stride):
    return sum(s * rows for s, rows in planes(name, width, height, stride))


def unpack(row, bits, width, stride):
    """One row of CSI-2 packed codes; a partial last group has its low bits behind whole high bytes if there is room."""
    pixels, size = GROUP[bits]
    low_bits = bits - 8
    out = np.empty(width, np.int64)
    for first in range(0, width, pixels):
        group, n = row[first // pixels * size:], min(pixels, width - first)
        low_at = pixels if n == pixels or stride >= (width // pixels + 1) * size else n
        low = int.from_bytes(bytes(group[low_at:size]), "little")
        for k in range(n):
            out[first + k] = int(group[k]) << low_bits | low >> (k * low_bits) & ((1 << low_bits) - 1)
    return out


def words(rows, order="<"):
    return rows.copy().view(order + "u2").astype(np.int64)


def cut(data, name, width, height, stride):
    """The planes of a frame as arrays of bytes, rows without padding kept whole."""
    at, out = 0, []
    for s, rows in planes(name, width, height, stride):
        out.append(data[at:at + s * rows].reshape(rows, s))
        at += s * rows
    return out


def codes(data, name, width, height, stride, shift):
    _, layout, bits, *_ = FORMATS[name]
    rows = cut(data, name, width, height, stride)[0]
    if layout == "packed":
        return np.stack([unpack(r, bits, width, stride) for r in rows])
    if layout == "u8":
        return rows[:, :width].astype(np.int64)
    v = words(rows[:, :2 * width], ">" if layout == "u16be" else "<") >> shift
    return np.minimum(v, (1 << bits) - 1)


def components(data, name, width, height, stride):
    """Y, Cb and Cr at the full size; chroma is repeated."""
    _, layout, bits, hsub, vsub, arg = FORMATS[name]
    p = cut(data, name, width, height, stride)
    cw = ceil_div(width, hsub)
    if layout == "422":
        four = p[0][:, :4 * cw].reshape(height, cw, 4).astype(np.int64)
        y = np.stack([four[:, :, arg[0]], four[:, :, arg[2]]], 2).reshape(height, 2 * cw)[:, :width]
        u, v = four[:, :, arg[1]], four[:, :, arg[3]]
    elif layout in ("semi", "semi10"):
        if layout == "semi":
            y, uv = p[0][:, :width].astype(np.int64), p[1][:, :2 * cw].astype(np.int64)
        else:
            y, uv = words(p[0][:, :2 * width]) >> 6, words(p[1][:, :4 * cw]) >> 6
        u, v = uv[:, arg::2], uv[:, 1 - arg::2]
    elif layout == "planar":
        y = p[0][:, :width].astype(np.int64)
        u, v = (q[:, :cw].astype(np.int64) for q in (p[1 + arg], p[2 - arg]))
    else:
        top = (1 << bits) - 1
        y, u, v = (np.minimum(words(q[:, :2 * n]), top) for q, n in zip(p, (width, cw, cw)))
    spread = lambda c: c.repeat(vsub, 0).repeat(hsub, 1)[:height, :width]
    return y, spread(u), spread(v)


LUMA = {"bt601": (0.299, 0.114), "bt709": (0.2126, 0.0722), "bt2020": (0.2627, 0.0593)}


def from_yuv(y, u, v, bits, matrix, limited, depth):
    """Coefficients rounded to a fixed point of 21 bits (13 + bits above 10), then the sum rounded half up."""
    kr, kb = LUMA[matrix]
    kg = 1 - kr - kb
    unit, top = 1 << (bits - 8), (1 << bits) - 1
    out_max = (1 << depth) - 1
    luma = out_max / (219 * unit if limited else top)
    chroma = out_max / (224 * unit if limited else top)
    shift = 13 + bits if bits > 10 else 21
    fixed = lambda c: int(np.floor(abs(c) * (1 << shift) + 0.5)) * (1 if c > 0 else -1)
    y = fixed(luma) * (y - (16 * unit if limited else 0)) + (1 << (shift - 1))
    u, v = u - 128 * unit, v - 128 * unit
    r = y + fixed(chroma * 2 * (1 - kr)) * v
    g = y + fixed(-chroma * 2 * (1 - kb) * kb / kg) * u + fixed(-chroma * 2 * (1 - kr) * kr / kg) * v
    b = y + fixed(chroma * 2 * (1 - kb)) * u
    return np.clip(np.stack([r, g, b], 2) >> shift, 0, out_max)


def from_rgb(data, name, width, height, stride, depth):
    _, layout, _, _, _, arg = FORMATS[name]
    rows = cut(data, name, width, height, stride)[0]
    top = (1 << depth) - 1
    if layout.startswith("565"):
        w = words(rows[:, :2 * width], ">" if layout == "565be" else "<")
        part = lambda v, m: (2 * v * top + m) // (2 * m)
        return np.stack([part(w >> 11, 31), part(w >> 5 & 63, 63), part(w & 31, 31)], 2)
    if layout == "rgba64":
        v = words(rows[:, :8 * width]).reshape(height, width, 4)[:, :, :3]
        return v if depth == 16 else (v + 128) // 257
    n = int(layout[3])
    v = rows[:, :n * width].reshape(height, width, n).astype(np.int64)[:, :, list(arg)]
    return v * 257 if depth == 16 else v


def scale(v, sub, span, top):
    d = np.clip(v - sub, 0, span)
    return d * 0 if span == 0 else (2 * d * top + span) // (2 * span)


def mirrored(a, by):
    return np.pad(a, by, "reflect") if min(a.shape) > by else a[np.ix_(fold(a.shape[0], by), fold(a.shape[1], by))]


def fold(n, by):
    period = 2 * (n - 1)
    i = np.arange(-by, n + by) % period
    return np.where(i < n, i, period - i)


def demosaic(a, cfa, method, top):
    h, w = a.shape
    m = mirrored(a, 2)
    at = lambda dy, dx: m[2 + dy:2 + dy + h, 2 + dx:2 + dx + w]
    h1, v1 = at(0, -1) + at(0, 1), at(-1, 0) + at(1, 0)
    d = at(-1, -1) + at(-1, 1) + at(1, -1) + at(1, 1)
    if method == "bilinear":
        cross, diagonal, along_h, along_v = (h1 + v1 + 2) >> 2, (d + 2) >> 2, (h1 + 1) >> 1, (v1 + 1) >> 1
    else:
        h2, v2 = at(0, -2) + at(0, 2), at(-2, 0) + at(2, 0)
        six = lambda s: np.clip((s + 8) >> 4, 0, top)
        cross = six(8 * a + 4 * (h1 + v1) - 2 * (h2 + v2))
        diagonal = six(12 * a + 4 * d - 3 * (h2 + v2))
        along_h = six(10 * a + 8 * h1 - 2 * d - 2 * h2 + v2)
        along_v = six(10 * a + 8 * v1 - 2 * d - 2 * v2 + h2)
    y, x = np.mgrid[0:h, 0:w]
    odd_x, odd_y = (x ^ cfa) & 1, (y ^ cfa >> 1) & 1
    color = odd_x + odd_y  # 0 red, 1 green, 2 blue
    red_row = odd_y == 0
    r = np.where(color == 0, a, np.where(color == 2, diagonal, np.where(red_row, along_h, along_v)))
    b = np.where(color == 2, a, np.where(color == 0, diagonal, np.where(red_row, along_v, along_h)))
    return np.stack([r, np.where(color == 1, a, cross), b], 2)


def gray_world(a, cfa, top):
    limit = (top * 251 - 1) // 256
    if a.ndim == 2:
        h, w = a.shape[0] // 2, a.shape[1] // 2
        cell = a[:2 * h, :2 * w].reshape(h, 2, w, 2).transpose(0, 2, 1, 3).reshape(-1, 4)
        kept = cell[cell.max(1) <= limit] if cell.size else cell
        place, sums = kept.sum(0), [0, 0, 0]
        for p in range(4):
            sums[((p & 1) ^ cfa & 1) + ((p >> 1) ^ (cfa >> 1) & 1)] += int(place[p]) if kept.size else 0
        sums = [2 * sums[0], sums[1], 2 * sums[2]]
    else:
        kept = a.reshape(-1, 3)
        kept = kept[kept.max(1) <= limit]
        sums = [int(s) for s in kept.sum(0)] if kept.size else [0, 0, 0]
    best = max(sums)
    if best == 0:
        return [4096] * 3
    return [min(((best << 12) + s // 2) // s if s else 65535, 65535) for s in sums]


def curve(depth, target, gamma):
    v = np.arange(1 << depth) / ((1 << depth) - 1)
    out = np.power(v, 1 / gamma) if gamma else np.where(v <= 0.0031308, 12.92 * v, 1.055 * np.power(v, 1 / 2.4) - 0.055)
    return np.floor(out * ((1 << target) - 1) + 0.5).astype(np.int64)


def identity(stage, top):
    name, v = stage
    if name in ("black", "levels"):
        return v[0] < 1 and v[1] in (0, top)
    if name == "wb":
        return v is not None and [int(g * 4096 + 0.5) for g in v] == [4096] * 3
    return name == "gamma" and v == 1


def is_linear(name, color):
    """Sensors' samples are linear; what is made for a display is not."""
    kind, _, bits, *_ = FORMATS[name]
    return color.get("transfer") != "srgb" and (kind == "bayer" or (bits > 8 and kind != "yuv"))


def develop(data, name, width, height, stride, shift, color, chain, depth):
    """A frame's result and its depth. color: {matrix, range}; chain: [(stage, values)]; depth: 8, 16 or None."""
    model, layout, bits, _, _, arg = FORMATS[name]
    top_code = (1 << bits) - 1
    linear = is_linear(name, color)
    for stage, v in chain:
        if stage == "gamma" and linear:
            linear = v == 1
    final = depth or (16 if linear and bits > 8 else 8)
    place = ("flip", "crop")
    values = [s for s in chain if s[0] not in place and not identity(s, top_code)]
    deep = final == 16 or bits > 8 or (model == "bayer" and any(s[0] in ("gamma", "ccm", "wb", "black") for s in values))
    work = (16 if deep else 8) if values else final
    pending, cfa = model in ("mono", "bayer"), arg if model == "bayer" else 0
    if pending:
        a, now = codes(data, name, width, height, stride, shift), 8 if bits <= 8 else 16
    elif model == "yuv":
        a = from_yuv(*components(data, name, width, height, stride), bits, color.get("matrix", "bt601"),
                     color.get("range", "limited") == "limited", work)
        now = work
    else:
        a, now = from_rgb(data, name, width, height, stride, work), work
    top_of = lambda d: (1 << d) - 1

    def full(to):
        nonlocal a, now, pending
        if pending:
            a, now, pending = scale(a, 0, top_code, top_of(to)), to, False

    for i, (stage, v) in enumerate(chain):
        later = any(s[0] not in place and not identity(s, top_code) for s in chain[i + 1:])
        target = work if later else final
        if identity((stage, v), top_code):
            continue
        if stage in ("black", "levels"):
            low, high = v[0], v[1] or top_code
            if pending:
                pending = False
                a, now = scale(a, low, high - low, top_of(target)), target
            else:
                here = lambda c: (2 * c * top_of(now) + top_code) // (2 * top_code)
                a, now = scale(a, here(low), here(high) - here(low), top_of(target)), target
        elif stage == "wb":
            full(work)
            gains = gray_world(a, cfa, top_of(now)) if v is None else [int(g * 4096 + 0.5) for g in v]
            apply = lambda s, g: np.minimum((s * g + 2048) >> 12, top_of(now))
            if a.ndim == 3:
                a = np.stack([apply(a[:, :, c], gains[c]) for c in range(3)], 2)
            else:
                y, x = np.mgrid[0:a.shape[0], 0:a.shape[1]]
                which = ((x ^ cfa) & 1) + ((y ^ cfa >> 1) & 1)
                a = apply(a, np.array(gains)[which])
        elif stage == "demosaic":
            full(work)
            a, cfa = demosaic(a, cfa, v, top_of(now)), 0
        elif stage == "ccm":
            full(work)
            m = [int(x * 65536 + (0.5 if x >= 0 else -0.5)) for x in v]
            a = np.stack([np.clip((m[3 * c] * a[:, :, 0] + m[3 * c + 1] * a[:, :, 1] + m[3 * c + 2] * a[:, :, 2] + 32768) >> 16,
                                  0, top_of(now)) for c in range(3)], 2)
        elif stage == "gamma":
            full(work)
            a, now = curve(now, target, v)[a], target
        elif stage == "stretch":
            full(work)
            low, high = int(a.min()), int(a.max())
            a = scale(a, low, high - low, top_of(now))
        elif stage == "gray":
            if a.ndim == 3:
                full(work)
                w = {"bt709": (13933, 46871, 4732), "bt601": (19595, 38470, 7471)}[v]
                a = (w[0] * a[:, :, 0] + w[1] * a[:, :, 1] + w[2] * a[:, :, 2] + 32768) >> 16
        elif stage == "flip":
            h, w = a.shape[:2]
            if v in ("h", "both"):
                a = a[:, ::-1]
                cfa ^= (w - 1) & 1
            if v in ("v", "both"):
                a = a[::-1]
                cfa ^= ((h - 1) & 1) << 1
        elif stage == "crop":
            x, y, w, h = v
            a = a[y:y + h, x:x + w]
            cfa ^= (x & 1) | (y & 1) << 1
    if pending:
        full(final)
    elif now != final:
        a = scale(a, 0, top_of(now), top_of(final))
    return np.ascontiguousarray(a), final
