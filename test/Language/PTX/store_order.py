# RUN: tilec %s --kernel=shifted --sig="x=*fp32:16,out=*fp32:16" --num-warps=4 --arch=sm_80 -o - | FileCheck %s --check-prefix=SHIFTED
# RUN: tilec %s --kernel=shifted --sig="x=*fp32:16,out=*fp32:16" --num-warps=1 --arch=sm_80 -o - | FileCheck %s --check-prefix=ALONE
# RUN: tilec %s --kernel=fields --sig="x=*fp32:16,out=*fp32:16,mean=*fp32:16" --num-warps=4 --arch=sm_80 -o - | FileCheck %s --check-prefix=FIELDS
# RUN: tilec %s --kernel=compacted --sig="x=*fp32:16,out=*fp32:16,n=i32" --num-warps=4 --arch=sm_80 -o - | FileCheck %s --check-prefix=COMPACTED
# RUN: tilec %s --kernel=rows --sig="x=*fp32:16,out=*fp32:16,n=i32" --num-warps=4 --arch=sm_80 -o - | FileCheck %s --check-prefix=ROWS

# Stores of tiles that are smaller than the threads are made by the first warp, in program order, if
# they may overlap: its threads are those below 32.

import triton
import triton.language as tl


# The results of a reduction are spread over the warps; a scalar is stored by the first thread.
# SHIFTED-LABEL: .entry shifted
# SHIFTED: bar.warp.sync 0xffffffff;
# SHIFTED: setp.lt.u32 [[FIRST:%p[0-9]+]], [[THREAD:%r[0-9]+]], 32;
# SHIFTED: @[[FIRST]] st.global.b32
# SHIFTED: bar.warp.sync 0xffffffff;
# SHIFTED: @[[FIRST]] st.global.b32
# SHIFTED: bar.warp.sync 0xffffffff;
# SHIFTED: setp.eq.b32 [[ONE:%p[0-9]+]], [[THREAD]], 0;
# SHIFTED: @[[ONE]] st.global.b32
# SHIFTED-NOT: st.global
# A tile that fills the threads of one warp needs nothing.
# ALONE-NOT: bar.warp.sync 0xffffffff
@triton.jit
def shifted(x, out):
    r = tl.arange(0, 32)
    v = tl.sum(tl.load(x + r[:, None] * 64 + tl.arange(0, 64)[None, :]), 1)
    tl.store(out + r, v)
    tl.store(out + r + 1, v)
    tl.store(out, 0.0)


# What cannot overlap is stored from where it is: fields of a structure, and other arrays.
# FIELDS-LABEL: .entry fields
# FIELDS-NOT: bar.warp.sync
# FIELDS: ret;
@triton.jit
def fields(x, out, mean):
    r = tl.arange(0, 32)
    v = tl.load(x + r[:, None] * 64 + tl.arange(0, 64)[None, :])
    place = out + (tl.program_id(0) * 32 + r) * 4
    tl.store(place, tl.sum(v, 1))
    tl.store(place + 1, tl.max(v, 1))
    tl.store(mean + r, tl.min(v, 1))


# Each iteration writes over the end of what the last one wrote. The other warps would repeat all of it, so they leave.
# COMPACTED-LABEL: .entry compacted
# COMPACTED: mov.u32 [[TID:%r[0-9]+]], %tid.x;
# COMPACTED: setp.gt.u32 [[OTHER:%p[0-9]+]], [[TID]], 31;
# COMPACTED: @[[OTHER]] bra [[END:.*]];
# COMPACTED: bar.warp.sync 0xffffffff;
# COMPACTED: {{^[[:space:]]*}}st.global.b32
# COMPACTED: {{^[[:space:]]*}}st.global.b32
# COMPACTED-NOT: st.global
# COMPACTED: [[END]]:
@triton.jit
def compacted(x, out, n):
    i = tl.arange(0, 64)
    count = 0
    for k in range(n):
        v = tl.load(x + k * 64 + i)
        tl.store(out + count + i, v)
        count += tl.sum((v > 0).to(tl.int32), 0)


# Rows of a fixed size are the same or have nothing in common.
# ROWS-LABEL: .entry rows
# ROWS-NOT: bar.warp.sync
# ROWS: setp.lt.u32 [[MINE:%p[0-9]+]], %r{{[0-9]+}}, 64;
# ROWS: @[[MINE]] st.global.b32
# ROWS-NOT: bar.warp.sync
# ROWS: ret;
@triton.jit
def rows(x, out, n):
    i = tl.arange(0, 64)
    for k in range(n):
        tl.store(out + k * 64 + i, tl.load(x + k * 64 + i))
