import triton


import triton.language as tl


@triton.jit
def assembly_where_there_is_ptx(out, n):
    x = (n - 3).to(tl.float32)
    if tl.target_info.is_cuda():
        y = tl.inline_asm_elementwise("ex2.approx.f32 $0, $1;"," =f, f", [x], dtype=tl.float32, is_pure=True, pack=1)
    else:
        y = tl.exp2(x)
    tl.store(out, y)
