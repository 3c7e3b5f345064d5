# if, early return, and the names that leave a branch.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton.language as tl


#: FLAG = None
#: out -> i32[2]
@triton.jit
def static_none(out, FLAG: tl.constexpr):
    if FLAG:
        undefined(1)
    else:
        y = 2
    tl.store(out, y)


#: FLAG = 1.5
@triton.jit
def static_float(p, FLAG: tl.constexpr):
    if FLAG:  #! must be a bool, an int or None
        pass


#:
@triton.jit
def static_string(p):
    if "text":  #! must be a bool, an int or None
        pass


#: FLAG = True
#: out -> i32[1]
@triton.jit
def static_names_stay(out, FLAG: tl.constexpr):
    if FLAG:
        y: tl.constexpr = 1
    tl.store(out, tl.full([], y, tl.int32))


#: out -> i32[1, 2, 3]
@triton.jit
def runtime_conditions(out, n, s):
    if n:
        tl.store(out, 1)
    if s:
        tl.store(out + 1, 2)
    if out:
        tl.store(out + 2, 3)


#:
@triton.jit
def block_condition(p):
    if tl.arange(0, 4) > 1:  #! a condition must be a scalar
        pass


#: out -> i32[4]
@triton.jit
def one_element_condition(out, n):
    y = 3
    if tl.full([1], 1, tl.int32) > 0:
        y = 4
    tl.store(out, y)


#: out -> i32[7, 8]
@triton.jit
def both_branches_define(out, n):
    if n > 0:
        y = 7
        z = 8
    elif n > -5:
        y = 9
        z = 1
    else:
        y = 11
        z = 2
    tl.store(out, y)
    tl.store(out + 1, z)


#:
@triton.jit
def types_differ(p, n):
    if n > 0:  #! mismatched type of 'y'
        y = 1
    else:
        y = 1.0


#:
@triton.jit
def shapes_differ(p, n):
    y = 0
    if n > 0:  #! the initial value of 'y'
        y = tl.arange(0, 4)


#:
@triton.jit
def constexpr_becomes_runtime(p, n):
    y: tl.constexpr = 1
    if n > 0:  #! the initial value of 'y'
        y = 2


#: out -> i32[5]
@triton.jit
def tuple_in_branches(out, n):
    t = (1, 2)
    if n > 0:
        t = (2, 3)
    tl.store(out, t[0] + t[1])


#:
@triton.jit
def constexpr_in_branch_vanishes(p, n):
    if n > 0:
        y: tl.constexpr = 1
    else:
        y: tl.constexpr = 1
    tl.store(p, y)  #! 'y' is not defined


#:
@triton.jit
def none_in_both_branches(p, n):
    if n > 0:  #! 'z' becomes None in both blocks
        z = None
    else:
        z = None


#: out -> i32[4]
@triton.jit
def loop_targets_in_both_branches(out, n):
    acc = 0
    if n > 0:
        for i in range(4):
            acc += 1
    else:
        for i in range(5):
            acc += 2
    tl.store(out, acc)


#: out -> i32[1, 0]
@triton.jit
def early_return(out, n):
    tl.store(out + 1, 0)
    tl.store(out, 1)
    if n > 0:
        return
    tl.store(out + 1, 2)


#: n = -1
#: out -> i32[1, 2]
@triton.jit
def early_return_not_taken(out, n):
    tl.store(out, 1)
    if n > 0:
        return
    tl.store(out + 1, 2)


#: out -> i32[10, 20, 30]
@triton.jit
def helper_returns_early(out):
    tl.store(out, classify(-3))
    tl.store(out + 1, classify(0 * tl.load(out).to(tl.int32)))
    tl.store(out + 2, classify(9))


@triton.jit
def classify(x):
    y = x + tl.program_id(0)
    if y < 0:
        return 10
    elif y == 0:
        return 20
    return 30


#: out -> i32[3, 4]
@triton.jit
def return_of_tuples(out, n):
    a, b = pair(n)
    tl.store(out, a)
    tl.store(out + 1, b)


@triton.jit
def pair(n):
    if n > 100:
        return 1, 2
    return 3, 4


#: out -> i32[5]
@triton.jit
def helper_with_return_in_loop(out, n):
    acc = 0
    for i in range(n):
        acc += limited(i)
    tl.store(out, acc)


@triton.jit
def limited(i):
    if i > 2:
        return 1
    return i + 0


#:
@triton.jit
def return_in_for(p, n):
    for i in range(n):
        if i > 2:
            return  #! 'return' is not supported inside a run-time loop


#:
@triton.jit
def return_in_while(p, n):
    i = n
    while i > 0:
        return  #! 'return' is not supported inside a run-time loop
        i -= 1


#: out -> i32[2]
@triton.jit
def return_in_static_range(out, n):
    tl.store(out, first_above(n))


@triton.jit
def first_above(n):
    for i in tl.static_range(4):
        if i * 3 > n:
            return i
    return -1


#:
@triton.jit
def return_types(p, n):
    x = mixed(n)


@triton.jit
def mixed(n):
    if n > 0:
        return 1
    return 1.5  #! inconsistent return types


#:
@triton.jit
def bare_and_valued(p, n):
    x = bare_mixed(n)


@triton.jit
def bare_mixed(n):
    if n > 0:
        return
    return 1  #! inconsistent return types


#:
@triton.jit
def kernel_returns_data(p, n):
    return n  #! a kernel cannot return a value


#:
@triton.jit
def returns_string(p):
    x = text()


@triton.jit
def text():
    return "text"  #! cannot return a string


#:
@triton.jit
def returns_dtype(p):
    x = a_type()


@triton.jit
def a_type():
    return tl.int32  #! cannot return a type


#: out -> i32[1]
@triton.jit
def nothing_is_none(out):
    x = nothing()
    tl.static_assert(x is None)
    y = bare()
    tl.static_assert(y is None)
    tl.store(out, 1)


@triton.jit
def nothing():
    pass


@triton.jit
def bare():
    return


#:
@triton.jit
def conditions_of_other_kinds(p, n):
    if (1, 2):  #! must be a bool, an int or None
        pass
    if ():  #! must be a bool, an int or None
        pass
    if tl.int32:  #! must be a bool, an int or None
        pass
    if pair:  #! must be a bool, an int or None
        pass
    if n.shape:  #! must be a bool, an int or None
        pass
    if 0:
        undefined(1)
    elif 2:
        a = 1
    else:
        undefined(1)
    b = a


#: n = 0
#: out -> i32[1, 2, 2, 4]
@triton.jit
def conditions_that_are_zero(out, n):
    tl.store(out + tl.arange(0, 4), tl.arange(0, 4) + 1)
    f = n * 1.0
    if n:
        tl.store(out, 9)
    if f:
        tl.store(out + 1, 9)
    if -f:
        tl.store(out + 2, 9)
    else:
        tl.store(out + 2, 2)
    if n.to(tl.int64):
        tl.store(out + 3, 9)


#: out -> i32[5, 6]
@triton.jit
def none_before_both_branches(out, n):
    a = None
    b = tl.int32
    if n > 3:
        a = n
        b = n + 1
    else:
        a = n + 1
        b = n
    tl.store(out, a)
    tl.store(out + 1, b)


#:
@triton.jit
def type_before_one_branch(p, n):
    b = tl.int32
    if n > 3:
        b = n
    tl.static_assert(b == tl.int32)


#:
@triton.jit
def none_in_one_of_two_branches(p, n):
    if n > 3:  #! 't'
        t = None
    else:
        t = 1


#:
@triton.jit
def tuple_length_changes(p, n):
    t = (1, 2)
    if n > 3:  #! the initial value of 't'
        t = (1, 2, 3)


#:
@triton.jit
def pointer_type_changes(p, f, n):
    q = p
    if n > 3:  #! the initial value of 'q'
        q = f


#:
@triton.jit
def loop_targets_of_two_widths(p, n):
    if n > 3:  #! mismatched type of 'i'
        for i in range(4):
            pass
    else:
        for i in range(n.to(tl.int64)):
            pass


#:
@triton.jit
def static_range_target_vanishes(p, n):
    if n > 3:
        for i in tl.static_range(4):
            pass
    else:
        for i in tl.static_range(4):
            pass
    tl.store(p, i)  #! 'i' is not defined


#:
@triton.jit
def missing_else(p, n):
    if n == 1:
        b = 2
    elif n == 2:
        b = 3
    tl.store(p, b)  #! 'b' is not defined


#: out -> i32[2, 5]
@triton.jit
def pointers_in_branches(out, n):
    q = out + 1
    if n > 3:
        q = out
    tl.store(q, 2)
    a: tl.constexpr = 5
    if n > 4:
        b = a + n
    tl.store(out + tl.arange(1, a - 3), a)


#:
@triton.jit
def return_under_a_false_static_if(p, n):
    x = partly_returning(n, False)


@triton.jit
def partly_returning(n, F: tl.constexpr):
    if n > 3:
        if F:
            return 1
        y = 2
    else:
        y = 3
    return y


#: out -> i32[1, 15, 2, 11, 30, 99]
@triton.jit
def nested_returns(out, n):
    tl.store(out, from_nested(n))
    tl.store(out + 1, from_nested(n - 1) + 1)
    tl.store(out + 2, from_nested(-n))
    tl.store(out + 3, from_nested(n - 4) + 10)
    tl.store(out + 4, from_unrolled(n - 2))
    tl.store(out + 5, from_unrolled(n))


@triton.jit
def from_nested(n):
    if n > 3:
        if n > 4:
            return 1
        n += 10
    else:
        if n < 0:
            return 2
    return n


@triton.jit
def from_unrolled(n):
    for i in tl.static_range(4):
        if i == n:
            return i * 10
    return 99


#: grid = 4
#: out -> i32[0, 1, 5, 5]
@triton.jit
def some_programs_return(out, n):
    pid = tl.program_id(0)
    tl.store(out + pid, n)
    if pid >= 2:
        return
    tl.store(out + pid, pid)


#: FLAG = True
@triton.jit
def static_return_in_a_loop(p, n, FLAG: tl.constexpr):
    while n > 3:
        if FLAG:
            return  #! 'return' is not supported inside a run-time loop
        n -= 1


#:
@triton.jit
def code_behind_a_static_return(p, n):
    if tl.constexpr(True):
        return
    tl.store(p, undefined)  #! 'undefined' is not defined
