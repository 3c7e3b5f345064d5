"""Files in the safetensors format for the transformer's test.

    safetensors.py write FOLDER                 a model's weights, good files and bad ones
    safetensors.py mutate FOLDER PROGRAM ..     runs the program with --weights= of damaged copies; each must end
                                                well or with a message
"""

import json
import os
import random
import struct
import subprocess
import sys

# Of the command lines in the test.
LAYERS, HEADS, KV_HEADS, WIDTH, HIDDEN, VOCAB = 1, 2, 1, 128, 64, 64
HEAD_DIM = WIDTH // HEADS


def shapes():
    yield "model.embed_tokens.weight", [VOCAB, WIDTH]
    for i in range(LAYERS):
        layer = "model.layers.%d." % i
        yield layer + "input_layernorm.weight", [WIDTH]
        yield layer + "self_attn.q_proj.weight", [HEADS * HEAD_DIM, WIDTH]
        yield layer + "self_attn.k_proj.weight", [KV_HEADS * HEAD_DIM, WIDTH]
        yield layer + "self_attn.v_proj.weight", [KV_HEADS * HEAD_DIM, WIDTH]
        yield layer + "self_attn.o_proj.weight", [WIDTH, HEADS * HEAD_DIM]
        yield layer + "post_attention_layernorm.weight", [WIDTH]
        yield layer + "mlp.gate_proj.weight", [HIDDEN, WIDTH]
        yield layer + "mlp.up_proj.weight", [HIDDEN, WIDTH]
        yield layer + "mlp.down_proj.weight", [WIDTH, HIDDEN]
    yield "model.norm.weight", [WIDTH]
    yield "lm_head.weight", [VOCAB, WIDTH]


def encode(values, dtype):
    if dtype == "BF16":  # The values have 8 bits, so this is exact.
        return b"".join(struct.pack("<f", value)[2:] for value in values)
    return struct.pack("<%d%s" % (len(values), {"F16": "e", "F32": "f"}[dtype]), *values)


def make(dtype="BF16", skip=()):
    """Header and elements."""
    generator = random.Random(1)
    header, elements = {"__metadata__": {"format": "pt", "caf\u00e9": "\"\\\n\U0001f600"}}, b""
    for name, shape in shapes():
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        values = [generator.randrange(-127, 128) / 1024 for _ in range(count)]
        if name in skip:
            continue
        piece = encode(values, dtype)
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(elements), len(elements) + len(piece)]}
        elements += piece
    return header, elements


def pack(header, elements):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + elements


def changed(**fields):
    """A file whose final norm's entry has other fields."""
    header, elements = make()
    header["model.norm.weight"].update(fields)
    return pack(header, elements)


def bad_files():
    header, elements = make()
    text = json.dumps(header).encode()
    good = pack(text, elements)
    yield "empty", b""
    yield "short", good[:7]
    yield "cut_header", good[:100]
    yield "cut_elements", good[:-1]
    yield "longer", good + b"x"
    yield "huge_header", struct.pack("<Q", 1 << 62) + good[8:]
    yield "no_object", pack(b"[]", elements)
    yield "open_string", pack(b'{"model', elements)
    yield "escape", pack(b'{"a\\x": 1}', elements)
    yield "surrogate", pack(b'{"\\udc00": 1}', elements)
    yield "control", pack(b'{"a\n": 1}', elements)
    yield "comma", pack(text.replace(b", ", b" ", 1), elements)
    yield "behind", pack(text + b" {}", elements)
    yield "twice", pack(text[:-1] + b', "model.norm.weight": {}}', elements)
    yield "negative", pack(text.replace(b'"shape": [128]', b'"shape": [-128]', 1), elements)
    yield "fraction", pack(text.replace(b'"shape": [128]', b'"shape": [128.0]', 1), elements)
    yield "large", pack(text.replace(b'"shape": [128]', b'"shape": [99999999999999999999]', 1), elements)
    yield "nested", pack(b'{"a": ' + b"[" * 100000, elements)
    yield "key", changed(device="cuda")
    yield "dtype", changed(dtype="F13")
    yield "product", changed(shape=[1 << 40, 1 << 40])
    yield "size", changed(shape=[64])
    yield "backwards", changed(data_offsets=[256, 0])
    yield "one_offset", changed(data_offsets=[0])
    yield "overlap", changed(data_offsets=[0, 256])
    yield "integers", changed(dtype="I16")
    yield "name", pack(text.replace(b"lm_head.weight", b"lm\\u001b[1m", 1).replace(b"BF16", b"BF17"), elements)
    yield "shape", changed(shape=[64, 2])
    missing = make(skip=["model.norm.weight"])
    yield "missing", pack(*missing)


def write(folder):
    files = {"good": pack(*make()), "half": pack(*make("F16")), "float": pack(*make("F32")),
             "tied": pack(*make(skip=["lm_head.weight"]))}
    for name, data in list(files.items()) + list(bad_files()):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)


def damage(data, generator):
    """Changes, takes out or repeats some bytes of the first 3000, where the header is."""
    data = bytearray(data)
    for _ in range(generator.randrange(1, 4)):
        at, kind = generator.randrange(0, 3000), generator.randrange(4)
        if kind == 0:
            data[at] = generator.randrange(256)
        elif kind == 1:
            data[at] = generator.choice(b'{}[]",:\\0129-')
        elif kind == 2:
            del data[at:at + generator.randrange(1, 9)]
        else:
            data[at:at] = data[at:at + generator.randrange(1, 9)]
    return bytes(data)


def mutate(folder, command):
    with open(os.path.join(folder, "good"), "rb") as file:
        good = file.read()
    generator = random.Random(2)
    refused = 0
    for _ in range(150):
        path = os.path.join(folder, "damaged")
        with open(path, "wb") as file:
            file.write(damage(good, generator))
        result = subprocess.run(command + ["--weights=" + path], capture_output=True, text=True, errors="replace")
        is_refused = result.returncode == 1 and result.stderr.startswith("error: " + path + ": ")
        if result.returncode != 0 and not is_refused:
            sys.exit("exit status %d: %s" % (result.returncode, result.stderr))
        refused += is_refused
    print("%d of 150 were refused" % refused)
    return 0 if refused > 100 else 1


if __name__ == "__main__":
    sys.exit(write(sys.argv[2]) if sys.argv[1] == "write" else mutate(sys.argv[2], sys.argv[3:]))
