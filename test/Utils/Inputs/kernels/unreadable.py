# KERNEL: k
# SIZE: n=1
def k():
    pass
