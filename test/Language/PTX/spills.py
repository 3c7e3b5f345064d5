# REQUIRES: ptxas
# RUN: tilec %S/softmax.py -DBLOCK=4096 --num-warps=8 --arch=sm_90 --sig='out=*fp32:16,x=*fp32:16,stride=i32:16,n=i32:16' -o %t.ptx
# RUN: ptxas -arch=sm_90 -v %t.ptx -o %t.cubin 2>&1 | FileCheck %s
# CHECK: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
