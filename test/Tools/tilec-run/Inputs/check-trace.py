"""Reads a trace as a viewer does, and compares it with what is expected: check-trace.py FILE --slices=N .."""

import argparse
import json

parser = argparse.ArgumentParser()
parser.add_argument("file")
parser.add_argument("--slices", required=True, help="as many, or with '..' at least as many")
parser.add_argument("--name", required=True)
parser.add_argument("--kind", required=True)
parser.add_argument("--bytes", type=int)
parser.add_argument("--operations", type=int)
parser.add_argument("--grid")
parser.add_argument("--peak", type=float)
options = parser.parse_args()

with open(options.file) as file:
    trace = json.load(file)
events = trace["traceEvents"]
slices = [event for event in events if event["ph"] == "X"]
names = {(event["name"], event["pid"], event.get("tid")) for event in events if event["ph"] == "M"}
least = int(options.slices.removesuffix(".."))
assert len(slices) == least or options.slices.endswith("..") and len(slices) > least, len(slices)
end = 0
for event in slices:
    # One stream, so no two at a time; each has a track and a process with names.
    assert event["name"] == options.name, event
    assert ("process_name", event["pid"], None) in names and ("thread_name", event["pid"], event["tid"]) in names
    assert event["dur"] >= 0 and event["ts"] + 1 >= end, (event, end)
    end = event["ts"] + event["dur"]
    assert event["args"].get("bytes") == options.bytes, event
    assert options.grid is None or event["args"]["grid"] == options.grid, event

(device,) = trace["tilec"]["devices"]
(kernel,) = trace["tilec"]["kernels"]
assert device["kind"] == options.kind and device.get("peak_gb_per_s") == options.peak, device
assert kernel["launches"] == kernel["timed"] == len(slices), kernel
assert kernel["min_us"] == min(event["dur"] for event in slices), kernel
assert abs(kernel["total_us"] - sum(event["dur"] for event in slices)) < 0.01, kernel
assert kernel["min_us"] <= kernel["median_us"] <= max(event["dur"] for event in slices), kernel
assert kernel.get("bytes") == options.bytes and kernel.get("operations") == options.operations, kernel
for amount, rate in (("bytes", "gb_per_s"), ("operations", "gop_per_s")):
    if len(slices) == 1 and amount in kernel:
        expected = kernel[amount] / slices[0]["dur"] / 1000
        assert abs(kernel[rate] - expected) < 0.001 + 0.001 * expected, kernel
