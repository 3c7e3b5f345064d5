#sig: x=*i64
import triton
import triton.language as tl

a = 1
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a
a = a + a

DOUBLED: tl.constexpr = a


@triton.jit
def doubled_names(x):
    tl.store(x, DOUBLED)
