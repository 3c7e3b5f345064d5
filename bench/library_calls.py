"""What the programs for launches.py have in common: calls of a library's operators by name, each of which may fail."""

import re
import sys

import torch


def add_options(parser):
    parser.add_argument("--filter", default="", help="only calls in whose name this regular expression is found")
    parser.add_argument("--part", default="0/1", help="K/N: every Nth call from the Kth on")


def choose(calls, args):
    """Those of the pairs of a name and a function that the options ask for."""
    first, step = map(int, args.part.split("/"))
    return [each for each in calls if re.search(args.filter, each[0])][first::step]


def run(calls, args):
    for name, function in choose(calls, args):
        torch.manual_seed(0)
        try:
            function()
            torch.cuda.synchronize()
        except Exception as failure:  # One operator must not hide the others.
            lines = str(failure).strip().splitlines() or [""]
            print("left out: %s: %s: %s" % (name, type(failure).__name__, lines[0]), file=sys.stderr, flush=True)


def backward(outputs):
    """Runs what has gradients backwards, from random ones; tuples and lists may be nested."""
    flat, open = [], [outputs]
    while open:
        each = open.pop(0)
        if isinstance(each, (tuple, list)):
            open[:0] = each
        elif isinstance(each, torch.Tensor) and each.requires_grad:
            flat.append(each)
    if flat:
        torch.autograd.backward(flat, [torch.randn_like(each) for each in flat])
