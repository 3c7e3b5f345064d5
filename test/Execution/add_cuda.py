# A GPU is there, so it must be used: every number of warps, and code for an older architecture.
#
# REQUIRES: gpu
# RUN: tilec-run %S/add.py --target=cuda --num-warps=1 --grid='cdiv(n, BLOCK)' --arg x=arange:fp32[99999] \
# RUN:   --arg y='full(2):fp32[99999]' --arg out=empty:fp32[99999] --arg n=99999 -D BLOCK=4096 --bench \
# RUN:   --expect out='arange(2,1):fp32[99999]' --rtol=0
# RUN: tilec-run %S/add.py --target=cuda --num-warps=2 --grid='cdiv(n, BLOCK)' --arg x=arange:fp32[99999] \
# RUN:   --arg y='full(2):fp32[99999]' --arg out=empty:fp32[99999] --arg n=99999 -D BLOCK=4096 --bench \
# RUN:   --expect out='arange(2,1):fp32[99999]' --rtol=0
# RUN: tilec-run %S/add.py --target=cuda --num-warps=4 --grid='cdiv(n, BLOCK)' --arg x=arange:fp32[99999] \
# RUN:   --arg y='full(2):fp32[99999]' --arg out=empty:fp32[99999] --arg n=99999 -D BLOCK=4096 --bench \
# RUN:   --expect out='arange(2,1):fp32[99999]' --rtol=0
# RUN: tilec-run %S/add.py --target=cuda --num-warps=8 --grid='cdiv(n, BLOCK)' --arg x=arange:fp32[99999] \
# RUN:   --arg y='full(2):fp32[99999]' --arg out=empty:fp32[99999] --arg n=99999 -D BLOCK=4096 --bench \
# RUN:   --expect out='arange(2,1):fp32[99999]' --rtol=0
# RUN: tilec-run %S/add.py --target=cuda --num-warps=16 --grid='cdiv(n, BLOCK)' --arg x=arange:fp32[99999] \
# RUN:   --arg y='full(2):fp32[99999]' --arg out=empty:fp32[99999] --arg n=99999 -D BLOCK=4096 --bench \
# RUN:   --expect out='arange(2,1):fp32[99999]' --rtol=0
# RUN: tilec-run %S/add.py --target=cuda --num-warps=32 --grid='cdiv(n, BLOCK)' --arg x=arange:fp32[99999] \
# RUN:   --arg y='full(2):fp32[99999]' --arg out=empty:fp32[99999] --arg n=99999 -D BLOCK=4096 --bench \
# RUN:   --expect out='arange(2,1):fp32[99999]' --rtol=0
# RUN: tilec-run %S/add.py --target=cuda --arch=compute_75 --grid='cdiv(n, BLOCK)' --arg x=arange:fp16[1000] \
# RUN:   --arg y='full(2):fp16[1000]' --arg out=empty:fp16[1000] --arg n=1000 -D BLOCK=256 \
# RUN:   --expect out='arange(2,1):fp16[1000]' --rtol=0
