#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A recording's frames in Python without a copy: NumPy, PyTorch and CuPy use the library's own memory.

Build the shared object once, with the installed library:

    export PKG_CONFIG_PATH=PREFIX/lib/pkgconfig
    cc -shared -fPIC -o libzcs_frames.so zcs_frames.c $(pkg-config --cflags --libs zcstream) -Wl,--exclude-libs,ALL

This works if the compiler makes position independent code by default, as gcc does on Debian and Ubuntu. Otherwise
configure the library with -DCMAKE_POSITION_INDEPENDENT_CODE=ON. Then

    python3 zcs_frames.py ./libzcs_frames.so RECORDING.zcr [--device]

prints what each library gets, and shows that the addresses are equal. --device leaves the results on the GPU.

An array is a frame of the stream, and a stream has few: frames(..., keep=4) says how many may be held at the same time,
at most 256. If all are held, the next one raises RuntimeError. To keep more of a recording, keep copies:

    every = [numpy.from_dlpack(frame).copy() for frame in frames(lib, "RECORDING.zcr")]
"""
import ctypes
import sys


OK, AGAIN, EOF = 0, 1, 2  # zcstream/base.h; less than 0 is a failure


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


def load(path):
    """Loads the shared object and declares the types of its functions."""
    lib = ctypes.CDLL(path)
    lib.frames_open.restype = ctypes.c_void_p
    lib.frames_open.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_uint]
    lib.frames_next.restype = ctypes.c_int
    lib.frames_next.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p)]
    lib.frames_strerror.restype = ctypes.c_char_p
    lib.frames_strerror.argtypes = [ctypes.c_int]
    lib.frames_delete.argtypes = lib.frames_close.argtypes = [ctypes.c_void_p]
    return lib


capsule_new = ctypes.pythonapi.PyCapsule_New
capsule_new.restype = ctypes.py_object
capsule_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class Frame:
    """One frame. A library takes it once, with from_dlpack(frame); it then lives as long as that array."""

    def __init__(self, lib, tensor):
        self._lib, self._tensor, self._taken = lib, tensor, False
        head = ctypes.cast(tensor, ctypes.POINTER(DLTensor)).contents
        self.address, self.shape = head.data, tuple(head.shape[:head.ndim])
        self._device = (head.device_type, head.device_id)

    def __dlpack_device__(self):
        return self._device

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if self._taken:
            raise BufferError("this frame has been taken")
        if copy or dl_device not in (None, self._device):
            raise BufferError("only without a copy")
        self._taken = True
        return capsule_new(self._tensor, b"dltensor", None)

    def __del__(self):
        if not self._taken:
            self._lib.frames_delete(self._tensor)


def next_tensor(lib, handle, path, keep):
    """The tensor of the next frame; None: no more frames."""
    tensor = ctypes.c_void_p()
    status = lib.frames_next(handle, ctypes.byref(tensor))
    for _ in range(2):  # a signal also ends a wait
        if status == AGAIN:
            status = lib.frames_next(handle, ctypes.byref(tensor))
    if status == AGAIN:
        raise RuntimeError(f"{path}: all frames are held, {keep} may be held: drop some, keep copies of them, "
                           "or raise 'keep'")
    if status < OK:
        raise OSError(f"{path}: {lib.frames_strerror(status).decode()}")
    return tensor.value if status == OK else None


def frames(lib, path, stages=None, on_device=False, keep=4):
    """The frames of a recording in order. At most `keep` may be held at the same time."""
    if not 1 <= keep <= 256:
        raise ValueError(f"keep={keep}: 1 to 256 frames may be held at once")
    handle = lib.frames_open(path.encode(), stages.encode() if stages else None, on_device, keep)
    if not handle:
        raise OSError(f"{path}: cannot be opened")
    try:
        while tensor := next_tensor(lib, handle, path, keep):
            yield Frame(lib, tensor)
    finally:
        lib.frames_close(handle)


def with_numpy(frame):
    import numpy
    array = numpy.from_dlpack(frame)
    return array.__array_interface__["data"][0], array.shape, array.dtype, float(array.mean())


def with_torch(frame):
    import torch
    tensor = torch.from_dlpack(frame)
    return tensor.data_ptr(), tuple(tensor.shape), tensor.dtype, float(tensor.to(torch.float64).mean())


def with_cupy(frame):
    import cupy
    array = cupy.from_dlpack(frame)
    return array.data.ptr, array.shape, array.dtype, float(array.mean())


def main(arguments):
    on_device = "--device" in arguments
    library, path = [a for a in arguments if not a.startswith("--")]
    lib, took = load(library), 0
    for name, take in (("numpy", with_numpy), ("torch", with_torch), ("cupy", with_cupy)):
        if (name == "numpy" and on_device) or (name == "cupy" and not on_device):
            continue
        try:
            __import__(name)
        except ImportError:
            print(f"{name}: is not installed")
            continue
        for frame in frames(lib, path, on_device=on_device):
            address, shape, dtype, mean = take(frame)
            same = address == frame.address
            print(f"{name}: {dtype} {'x'.join(map(str, shape))}, mean {mean:.3f}, at {address:#x}, which is "
                  f"{'the frame itself' if same else f'a copy of {frame.address:#x}'}")
            if not same or shape != frame.shape:
                return 1
            took += 1
            break
    return 0 if took else 77


if __name__ == "__main__":
    if len([a for a in sys.argv[1:] if not a.startswith("--")]) != 2:
        sys.exit(__doc__)
    try:
        sys.exit(main(sys.argv[1:]))
    except OSError as error:
        sys.exit(f"zcs_frames.py: {error}")
