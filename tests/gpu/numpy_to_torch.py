#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# What people do now: a frame in an ordinary numpy array, .cuda(), a bilinear debayer of convolutions.
import statistics
import sys
import time

try:
    import numpy as np
    import torch
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)
if not torch.cuda.is_available():
    print("skipped: no GPU")
    sys.exit(77)

WIDTH, HEIGHT = 3840, 2160
frame = np.random.default_rng(1).integers(0, 256, (HEIGHT, WIDTH), dtype=np.uint8)
cross = torch.tensor([[0, 1, 0], [1, 4, 1], [0, 1, 0]], dtype=torch.float16, device="cuda") / 4
square = torch.tensor([[1, 2, 1], [2, 4, 2], [1, 2, 1]], dtype=torch.float16, device="cuda") / 4
kernels = torch.stack([square, cross, square])[:, None]
masks = torch.zeros(3, HEIGHT, WIDTH, dtype=torch.float16, device="cuda")
masks[0, 0::2, 0::2] = 1
masks[1, 0::2, 1::2] = 1
masks[1, 1::2, 0::2] = 1
masks[2, 1::2, 1::2] = 1


def debayer():
    mosaic = torch.from_numpy(frame).cuda().to(torch.float16)
    planes = (mosaic[None] * masks)[None]
    rgb = torch.nn.functional.conv2d(planes, kernels, padding=1, groups=3)
    return rgb.clamp(0, 255).to(torch.uint8).permute(0, 2, 3, 1).contiguous()


times = []
for i in range(45):
    torch.cuda.synchronize()
    begin = time.perf_counter()
    debayer()
    torch.cuda.synchronize()
    times.append((time.perf_counter() - begin) * 1e6)
print(f"numpy, torch .cuda(), debayer, {WIDTH}x{HEIGHT}: {statistics.median(times[5:]):.1f} us")
