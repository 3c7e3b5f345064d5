# The kernels of examples/ through tilec-run: rows of a softmax add up to 1 whatever the numbers are, and equal
# numbers have equal shares.
#
# RUN: tilec-run %S/../../examples/softmax/softmax.py --kernel=softmax_rows --grid=4 --arg x='full(1e4):fp32[4,8]' \
# RUN:   --arg out=empty:fp32[4,8] --arg x_stride=8 --arg out_stride=8 --arg n_cols=8 -D BLOCK=8 --expect out='full(0.125):fp32[4,8]'
# RUN: tilec-run %S/../../examples/softmax/softmax.py --kernel=softmax_persistent --grid=3 --arg x='full(-1e4):fp32[10,1000]' \
# RUN:   --arg out=empty:fp32[10,1000] --arg x_stride=1000 --arg out_stride=1000 --arg n_rows=10 --arg n_cols=1000 -D BLOCK=1024 \
# RUN:   --expect out='full(0.001):fp32[10,1000]' --bench
# RUN: tilec-run %S/../../examples/gelu/gelu.py --grid='cdiv(n, BLOCK)' --arg x='values(0,1,-1,8,-8,1e30,-1e30):fp32[7]' \
# RUN:   --arg out=empty:fp32[7] --arg n=7 -D BLOCK=8 --expect out='values(0,0.841192,-0.158808,8,0,1e30,0):fp32[7]' --atol=2e-6
