"""The blocks of a launch of a kernel whose record says that several programs may share a block, or that it is persistent."""


def divisor_up_to(most, size):
    """The largest number up to `most` that divides `size`."""
    return next(number for number in range(most, 0, -1) if size % number == 0)


def sizes_of_grid(record, grid):
    """The parameters in which launches of a persistent kernel pass the grid; none for others."""
    return list(tuple(grid) + (1,) * (3 - len(grid))) if "persistent" in record else []


def of_record(record, grid, multiprocessors):
    """The grid, the block and the dynamic shared memory of a launch, as tilec_launch_shape_evaluate has them."""
    x, y, z = tuple(grid) + (1,) * (3 - len(grid))
    plain = (x * record["num_ctas"], y, z), (record["threads"], 1, 1), record["dynamic_shared_bytes"]
    if "persistent" in record:
        return (min(x * y * z, record["persistent"] * multiprocessors), 1, 1), *plain[1:]
    packing = record.get("packing")
    if not packing or x * y * z < packing["least"] * multiprocessors:
        return plain
    threads, most = packing["threads"], packing["programs"]
    if x >= 16 * most:
        blocks = -(-x // most)
        return (blocks, y, z), (threads, most, 1), blocks * most - x
    along = divisor_up_to(most, x)
    if along > 1:
        return (x // along, y, z), (threads, along, 1), 0
    along = divisor_up_to(most, y)
    return ((x, y // along, z), (threads, 1, along), 0) if along > 1 else plain
