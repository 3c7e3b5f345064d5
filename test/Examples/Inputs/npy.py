"""Makes .npy files and checks a softmax of one, without NumPy.

    npy.py make FILE DESCR ROWS COLS     numbers from -8 to 8
    npy.py integers FILE NUMBER ..       a vector of i32
    npy.py check IN OUT BOUND            OUT is the softmax of IN's rows, but for a relative error
"""

import ast
import math
import struct
import sys

CODES = {"<f2": "e", "<f4": "f", "<f8": "d", "<i4": "i"}


def make(path, descr, rows, cols):
    values = [(i * 7919 % 1601) / 100 - 8 for i in range(rows * cols)]
    if descr == "<i4":
        values = [int(value) for value in values]
    write(path, descr, (rows, cols), values)


def write(path, descr, shape, values):
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (descr, shape)
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack("<%d%s" % (len(values), CODES[descr]), *values))


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + size].decode())
    assert (10 + size) % 64 == 0, "the elements do not start at a multiple of 64"
    code = CODES[header["descr"]]
    count = (len(data) - 10 - size) // struct.calcsize(code)
    return header["shape"], struct.unpack("<%d%s" % (count, code), data[10 + size:])


def check(given, result, bound):
    shape, x = read(given)
    result_shape, out = read(result)
    assert shape == result_shape, (shape, result_shape)
    rows, cols = shape
    for row in range(rows):
        top = max(x[row * cols:(row + 1) * cols])
        weights = [math.exp(value - top) for value in x[row * cols:(row + 1) * cols]]
        total = math.fsum(weights)
        for col, weight in enumerate(weights):
            expected = weight / total
            error = abs(out[row * cols + col] - expected)
            # Numbers near the smallest of float16 have fewer digits.
            if not error <= bound * max(expected, 1e-4):
                sys.exit("row %d, column %d: %g instead of %g" %
                         (row, col, out[row * cols + col], expected))


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
    elif sys.argv[1] == "integers":
        write(sys.argv[2], "<i4", (len(sys.argv) - 3,), [int(number) for number in sys.argv[3:]])
    else:
        check(sys.argv[2], sys.argv[3], float(sys.argv[4]))
