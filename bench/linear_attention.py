"""Runs operators of flash-linear-attention forwards and backwards: a program for bench/launches.py.

    python3 bench/linear_attention.py [--filter=REGEX] [--part=K/N] [--dtype=bfloat16]

It needs torch, Triton and the packages fla-core and einops. Each operator is called with a few sizes of heads, and
with each of the given types; --part=K/N takes every Nth call from the Kth on, so that several processes can fill
Triton's cache first. What an operator does not support is named and left out.
"""

import argparse
import functools

import torch
import torch.nn.functional as F

import library_calls

# Module, operator, arguments: of q to z a tensor of a kind below, by name or as name=kind; others are numbers.
OPERATORS = [
    ("abc", "chunk_abc", "q k v s=slots"),
    ("attn", "parallel_attn", "q k v"),
    ("attn", "parallel_attn", "q k v g=gate"),
    ("based", "parallel_based", "q=narrow k=narrow v"),
    ("based", "fused_chunk_based", "q=narrow k=narrow v"),
    ("comba", "chunk_comba", "q=unit k=unit v p=unit g=gate beta"),
    ("delta_rule", "chunk_delta_rule", "q=unit k=unit v beta"),
    ("delta_rule", "fused_recurrent_delta_rule", "q=unit k=unit v beta"),
    ("forgetting_attn", "parallel_forgetting_attn", "q k v g=gate"),
    ("gated_delta_rule", "chunk_gated_delta_rule", "q=unit k=unit v g=gate beta"),
    ("gated_delta_rule", "fused_recurrent_gated_delta_rule", "q=unit k=unit v g=gate beta=beta"),
    ("gated_oja_rule", "chunk_gated_oja_rule", "q=unit k=unit v=unit gv=gates beta"),
    ("gdn2", "chunk_gdn2", "q=unit k=unit v g=gates b=share w=share"),
    ("generalized_delta_rule", "chunk_iplr_delta_rule", "q k v a=unit b=unit"),
    ("generalized_delta_rule", "chunk_dplr_delta_rule", "q k v a=unit b=unit gk=gates"),
    ("gla", "chunk_gla", "q k v g=gates"),
    ("gla", "fused_recurrent_gla", "q k v gk=gates"),
    ("gsa", "chunk_gsa", "q k v s=slots g=slot_gates"),
    ("hgrn", "fused_recurrent_hgrn", "x=row g=row_gate"),
    ("kda", "chunk_kda", "q=unit k=unit v g=gates beta"),
    ("kda", "fused_recurrent_kda", "q=unit k=unit v g=gates beta"),
    ("lightning_attn", "chunk_lightning_attn", "q k v layer_idx=3 num_layers=12"),
    ("linear_attn", "chunk_linear_attn", "q k v"),
    ("log_linear_attn", "chunk_log_linear_attn", "q k v g=gate level_scales=levels"),
    ("mesa_net", "chunk_mesa_net", "q=unit k=unit v g=gate beta lamb=lambda"),
    ("momentum_delta_rule", "chunk_momentum_delta_rule", "q=unit k=unit v log_alpha=gate log_mu=gate"),
    ("nsa", "parallel_nsa", "q=groups k v block_indices=blocks block_counts=8 block_size=64"),
    ("path_attn", "parallel_path_attn", "q k v w=unit beta g=gate"),
    ("retention", "chunk_retention", "q k v"),
    ("retention", "parallel_retention", "q k v"),
    ("rwkv6", "chunk_rwkv6", "r=q k v w=gates u=bonus"),
    ("rwkv7", "chunk_rwkv7", "r=q w=gates k v a=unit b=unit"),
    ("simple_gla", "chunk_simple_gla", "q k v g=gate"),
    ("simple_gla", "parallel_simple_gla", "q k v g=gate"),
    ("ttt", "chunk_ttt_linear", "q k=unit v w=weight b=bias eta=rate"),
    ("wall_attn", "parallel_wall_attn", "q k v g=gates"),
]


def kinds(batch, time, heads, width, dtype):
    """Functions that make a tensor, by kind."""
    whole = (batch, time, heads, width)
    make = lambda *shape: torch.randn(shape, device="cuda", dtype=dtype)
    levels = time.bit_length()
    table = {
        "narrow": lambda: make(batch, time, heads, 16),
        "unit": lambda: F.normalize(make(*whole).float(), dim=-1).to(dtype),
        "gate": lambda: F.logsigmoid(make(batch, time, heads).float()),
        "gates": lambda: F.logsigmoid(make(*whole).float()),
        "beta": lambda: make(batch, time, heads).sigmoid(),
        "share": lambda: make(*whole).sigmoid(),
        "lambda": lambda: torch.rand(heads, width, device="cuda", dtype=dtype) + 0.5,
        "slots": lambda: make(batch, time, heads, 64),
        "slot_gates": lambda: F.logsigmoid(make(batch, time, heads, 64).float()),
        "row": lambda: make(batch, time, heads * width),
        "row_gate": lambda: F.logsigmoid(make(batch, time, heads * width)),
        "levels": lambda: make(batch, time, heads, levels).sigmoid(),
        "groups": lambda: make(batch, time, heads * 16, width),
        "blocks": lambda: torch.randint(0, time // 64, (batch, time, heads, 8), device="cuda").sort(-1)[0],
        "bonus": lambda: make(heads, width),
        "weight": lambda: make(heads, width),
        "bias": lambda: make(heads, width),
        "rate": lambda: make(batch, time, heads, 1).sigmoid() * 0.1,
    }
    return lambda kind: table.get(kind, lambda: make(*whole))()


def arguments(text, make):
    result = {}
    for word in text.split():
        name, _, kind = word.partition("=")
        value = int(kind) if kind.isdigit() else make(kind or name)
        if isinstance(value, torch.Tensor) and value.is_floating_point():
            value = value.detach().requires_grad_()
        result[name] = value
    return result


def call(module, name, text, size, dtype):
    operator = getattr(__import__("fla.ops." + module, fromlist=[name]), name)
    library_calls.backward(operator(**arguments(text, kinds(*size, dtype))))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    library_calls.add_options(parser)
    parser.add_argument("--dtype", default="bfloat16", help="types of elements, with commas")
    args = parser.parse_args()
    sizes = [(4, 2048, 8, 128), (4, 2048, 8, 64)]
    calls = [("%s with heads of %d" % (operator[1], size[3]),
              functools.partial(call, *operator, size, getattr(torch, dtype)))
             for size in sizes for dtype in args.dtype.split(",") for operator in OPERATORS]
    library_calls.run(calls, args)


if __name__ == "__main__":
    main()
