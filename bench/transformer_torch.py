"""The model of examples/transformer under torch.compile: prefill and decoding of a batch.

    python3 bench/transformer_torch.py [--layers=16 --heads=32 --kv-heads=8 --width=2048 --hidden=8192 --vocab=32000]
                                       [--batch=16] [--prompt=512] [--tokens=128]

The options, the sizes and the printed lines are those of the example. Weights are random, in bfloat16, and the next
token is the likeliest. Prompts go through compiled layers whose attention is torch's own; a step of decoding is one
compiled function over a cache of fixed size, which torch replays as a CUDA graph. Medians of several runs count,
behind those that compile. It needs torch and a GPU.
"""

import argparse
import math
import statistics
import sys
import time

import torch
import torch.nn.functional as F

BF16 = torch.bfloat16


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in (("layers", 16), ("heads", 32), ("kv-heads", 8), ("width", 2048), ("hidden", 8192),
                        ("vocab", 32000), ("batch", 16), ("prompt", 512), ("tokens", 128), ("runs", 5)):
        parser.add_argument("--" + name, type=int, default=value)
    parser.add_argument("--rope-base", type=float, default=10000.0)
    return parser.parse_args(arguments)


class Layer(torch.nn.Module):
    """The weights of a layer, and its cache. Buffers are what torch takes to stay where they are."""

    def __init__(self, tensors):
        super().__init__()
        for name, tensor in tensors.items():
            self.register_buffer(name, tensor)


class Model(torch.nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.sizes = sizes
        self.dim = sizes.width // sizes.heads
        self.capacity = sizes.prompt + sizes.tokens
        all_heads = sizes.heads + 2 * sizes.kv_heads
        torch.manual_seed(1)

        def matrix(rows, columns):
            return torch.empty(rows, columns, dtype=BF16, device="cuda").uniform_(-1, 1).mul_(1 / math.sqrt(columns))

        def cache():
            return torch.zeros(sizes.batch, sizes.kv_heads, self.capacity, self.dim, dtype=BF16, device="cuda")

        ones = torch.ones(sizes.width, dtype=BF16, device="cuda")
        self.layers = torch.nn.ModuleList(Layer({
            "attention_norm": ones.clone(), "mlp_norm": ones.clone(), "qkv": matrix(all_heads * self.dim, sizes.width),
            "output": matrix(sizes.width, sizes.heads * self.dim), "gate_up": matrix(2 * sizes.hidden, sizes.width),
            "down": matrix(sizes.width, sizes.hidden), "keys": cache(), "values": cache()})
            for _ in range(sizes.layers))
        pairs = torch.arange(0, self.dim, 2, device="cuda") / self.dim
        angles = torch.outer(torch.arange(self.capacity, device="cuda").float(), sizes.rope_base ** -pairs)
        for name, tensor in (("embedding", matrix(sizes.vocab, sizes.width)), ("norm", ones),
                             ("head", matrix(sizes.vocab, sizes.width)), ("cosines", angles.cos().to(BF16)),
                             ("sines", angles.sin().to(BF16)),
                             ("columns", torch.arange(self.capacity, device="cuda"))):
            self.register_buffer(name, tensor)

    def weights_of_token(self):
        s = self.sizes
        attention = s.width * self.dim * (2 * s.heads + 2 * s.kv_heads)
        return s.layers * (attention + 3 * s.width * s.hidden), s.width * s.vocab

    def rotate(self, x, places):
        low, high = x.unflatten(-1, (2, self.dim // 2)).unbind(-2)
        cosine, sine = self.cosines[places], self.sines[places]
        return torch.cat([low * cosine - high * sine, high * cosine + low * sine], dim=-1)

    def layer(self, x, weights, places, mask):
        """x is [batch, tokens, width]; without a mask, all keys are those of the tokens."""
        s = self.sizes
        normed = F.rms_norm(x, (s.width,), weights.attention_norm, 1e-5)
        heads = F.linear(normed, weights.qkv).unflatten(-1, (-1, self.dim)).transpose(1, 2)
        queries, keys, values = heads.split([s.heads, s.kv_heads, s.kv_heads], dim=1)
        queries, keys = self.rotate(queries, places), self.rotate(keys, places)
        weights.keys.index_copy_(2, places, keys)
        weights.values.index_copy_(2, places, values)
        if mask is not None:
            keys, values = weights.keys, weights.values
        attended = F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask, is_causal=mask is None,
                                                  enable_gqa=True)
        x = x + F.linear(attended.transpose(1, 2).flatten(2), weights.output)
        gate, up = F.linear(F.rms_norm(x, (s.width,), weights.mlp_norm, 1e-5), weights.gate_up).chunk(2, dim=-1)
        return x + F.linear(F.silu(gate) * up, weights.down)

    def forward(self, ids, places, mask):
        """The next token of each request."""
        x = self.embedding[ids]
        for weights in self.layers:
            x = self.layer(x, weights, places, mask)
        last = F.rms_norm(x[:, -1], (self.sizes.width,), self.norm, 1e-5)
        return F.linear(last, self.head).argmax(dim=-1, keepdim=True)

    def prefill(self, ids):
        return self.forward(ids, self.columns[:self.sizes.prompt], None)

    def decode(self, ids, place):
        """`place` is that of the token, on the device."""
        return self.forward(ids, place, (self.columns <= place)[None, None, None, :])


def seconds(work):
    torch.cuda.synchronize()
    start = time.perf_counter()
    result = work()
    torch.cuda.synchronize()
    return time.perf_counter() - start, result


def main():
    sizes = parse(sys.argv[1:])
    if not torch.cuda.is_available():
        sys.exit("error: there is no GPU")
    with torch.no_grad():
        model = Model(sizes)
        prefill = torch.compile(model.prefill, fullgraph=True, dynamic=False)
        step = torch.compile(model.decode, fullgraph=True, dynamic=False, mode="reduce-overhead")
        prompts = torch.randint(sizes.vocab, (sizes.batch, sizes.prompt), device="cuda")
        places = model.columns[sizes.prompt:, None]

        def decode(ids):
            for number in range(sizes.tokens - 1):
                torch.compiler.cudagraph_mark_step_begin()
                ids = step(ids, places[number]).clone()
            return ids

        first = prefill(prompts)
        for _ in range(2):  # Compiles, and records the graph.
            decode(first)
        of_prefill = statistics.median(seconds(lambda: prefill(prompts))[0] for _ in range(sizes.runs))
        of_decode = statistics.median(seconds(lambda: decode(first))[0] for _ in range(sizes.runs))
    body, head = model.weights_of_token()
    tokens, steps = sizes.batch * sizes.prompt, sizes.tokens - 1
    print("prefill %9d tokens in %9.2f ms  %10.0f tokens/s  %8.3f TFLOP/s in products" % (
        tokens, of_prefill * 1e3, tokens / of_prefill, 2e-12 * (body * tokens + head * sizes.batch) / of_prefill))
    if steps:
        print("decode  %9d tokens in %9.2f ms  %10.0f tokens/s  %8.3f ms a step, %.1f GB/s of weights" % (
            steps * sizes.batch, of_decode * 1e3, steps * sizes.batch / of_decode, of_decode / steps * 1e3,
            2e-9 * (body + head) * steps / of_decode))


if __name__ == "__main__":
    main()
