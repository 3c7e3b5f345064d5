# Descriptors that a signature gives wrong types.
#
# DEFINE: %{sig} =
# DEFINE: %{tilec} = not tilec %s --kernel=k -DBLOCK=32 -DSCALE=0.5 --emit=tile -o - --sig=%{sig} 2>&1
# DEFINE: %{check} = FileCheck %s --implicit-check-not=error: --check-prefix

# REDEFINE: %{sig} = "d=tensordesc<fp32[64, 32],n=i32"
# RUN: %{tilec} | %{check}=OPEN
# OPEN: --sig:1:3: error: expected '>' at the end of the tensor descriptor's type

# REDEFINE: %{sig} = "d=tensordesc[64, 32],n=i32"
# RUN: %{tilec} | %{check}=NO-TYPE
# NO-TYPE: --sig:1:3: error: expected '<' after 'tensordesc', as in tensordesc<fp32[64, 32]>

# REDEFINE: %{sig} = "d=tensordesc<fp32>,n=i32"
# RUN: %{tilec} | %{check}=NO-BLOCK
# NO-BLOCK: --sig:1:14: error: expected the shape of the blocks in brackets, as in tensordesc<fp32[64, 32]>

# REDEFINE: %{sig} = "d=tensordesc<fp32[64, 32>,n=i32"
# RUN: %{tilec} | %{check}=NO-END
# NO-END: --sig:1:14: error: expected the shape of the blocks in brackets, as in tensordesc<fp32[64, 32]>

# REDEFINE: %{sig} = "d=tensordesc<fp23[64, 32]>,n=i32"
# RUN: %{tilec} | %{check}=TYPE
# TYPE: --sig:1:14: error: unknown type 'fp23' in the signature; did you mean 'fp32'?

# REDEFINE: %{sig} = "d=tensordesc<*fp32[64, 32]>,n=i32"
# RUN: %{tilec} | %{check}=POINTER
# POINTER: --sig:1:14: error: the elements of a tensor descriptor are numbers of whole bytes, found pointer<float32>

# REDEFINE: %{sig} = "d=tensordesc<i1[64, 32]>,n=i32"
# RUN: %{tilec} | %{check}=BIT
# BIT: --sig:1:14: error: the elements of a tensor descriptor are numbers of whole bytes, found int1

# REDEFINE: %{sig} = "d=tensordesc<fp32[]>,n=i32"
# RUN: %{tilec} | %{check}=RANK-0
# RANK-0: --sig:1:19: error: a tensor descriptor has 1 to 5 axes, found none

# REDEFINE: %{sig} = "n=i32, d=tensordesc<fp32[1, 1, 1, 1, 1, 4]>"
# RUN: %{tilec} | %{check}=RANK-6
# RANK-6: --sig:1:26: error: a tensor descriptor has 1 to 5 axes, found 6

# REDEFINE: %{sig} = "d=tensordesc<fp32[64, 4+4]>,n=i32"
# RUN: %{tilec} | %{check}=SIZE
# SIZE: --sig:1:23: error: expected a size of the block, a number or the name of a tl.constexpr parameter, found '4+4'

# REDEFINE: %{sig} = "d=tensordesc<fp32[BLOK, 32]>,n=i32"
# RUN: %{tilec} | %{check}=NAME
# NAME: --sig:1:19: error: the size 'BLOK' of a descriptor's block is neither a number nor a tl.constexpr parameter that is an integer; did you mean 'BLOCK'?
# NAME: signature_descriptor.py:[[@LINE+47]]:7: note: the parameter is declared here

# REDEFINE: %{sig} = "d=tensordesc<fp32[SCALE, 32]>,n=i32"
# RUN: %{tilec} | %{check}=NO-INTEGER
# NO-INTEGER: --sig:1:19: error: the size 'SCALE' of a descriptor's block is neither a number nor a tl.constexpr parameter that is an integer

# REDEFINE: %{sig} = "n=i32,d=tensordesc<fp32[48, 32]>"
# RUN: %{tilec} | %{check}=POWER
# POWER: --sig:1:7: error: dimension 0 of the shape must be a power of two, found 48

# REDEFINE: %{sig} = "d=tensordesc<fp16[BLOCK, 4]>,n=i32"
# RUN: %{tilec} | %{check}=NARROW
# NARROW: --sig:1:1: error: the last axis of a descriptor's block needs at least 16 bytes, found 4 * 2 = 8 bytes

# REDEFINE: %{sig} = "d=tensordesc<fp32[1024, 2048]>,n=i32"
# RUN: %{tilec} | %{check}=LARGE
# LARGE: --sig:1:1: error: a block holds at most 1048576 elements, the shape has more

# REDEFINE: %{sig} = "d=tensordesc<i32[64, 32], nan>,n=i32"
# RUN: %{tilec} | %{check}=NAN
# NAN: --sig:1:14: error: only floats can be padded with NaN, found int32

# REDEFINE: %{sig} = "d=tensordesc<fp32[64, 32], inf>,n=i32"
# RUN: %{tilec} | %{check}=PADDING
# PADDING: --sig:1:28: error: expected ', nan', ', zero' or nothing behind the shape, found 'inf'

# REDEFINE: %{sig} = "d=tensordesc<fp32[64, 32]>:8,n=i32"
# RUN: %{tilec} | %{check}=HINT
# HINT: --sig:1:28: error: the hint of a tensor descriptor must be 16, found '8'

# REDEFINE: %{sig} = "d=tensordesc<fp32[64, 32]> 16,n=i32"
# RUN: %{tilec} | %{check}=BEHIND
# BEHIND: --sig:1:28: error: expected nothing behind '>' but a hint, found '16'

# REDEFINE: %{sig} = "d=i32,n=i32,BLOCK=tensordesc<fp32[64, 32]>"
# RUN: not tilec %s --kernel=k -DSCALE=1 --emit=tile -o - --sig=%{sig} 2>&1 | %{check}=CONSTEXPR
# CONSTEXPR: --sig:1:13: error: parameter 'BLOCK' is tl.constexpr: expected a value, found a tensor descriptor, tensordesc<fp32[64, 32]>

# REDEFINE: %{sig} = "d=i32,n=tensordesc<fp32[64, 32]>"
# RUN: %{tilec} | %{check}=DECLARED
# DECLARED: --sig:1:7: error: parameter 'n' is declared as i64, found a tensor descriptor, tensordesc<fp32[64, 32]>

import triton
import triton.language as tl


@triton.jit
def k(d, n: tl.int64, BLOCK: tl.constexpr, SCALE: tl.constexpr):
    pass
