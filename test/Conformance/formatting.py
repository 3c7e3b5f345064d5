# How a file may be laid out: lines, comments, blanks, names and literals of every spelling.
#
# RUN: %{python} %S/../../utils/conformance.py --run=tilec-run %s
import triton
import triton . language as tl ; import math
from triton.language.extra import \
    libdevice

SIZE = tl . constexpr (
    4   # a comment
)


#: out -> i32[7]
#: n = 5
@triton.jit
def parameters_with_comments(
    out,  # where the result goes
    n,

    # a line of its own
):
    tl.store(out, n + 2)


#: out -> i32[7]
#: n = 5
@triton.jit
def comments_of_any_indentation(out,
                                n  # a number
                                ,
                                ):  # after the colon
    # deeper
  # between the levels
            # far right
    tl.store(out, \
             7)

    # a blank line above
# at the margin
    if n > 0: # c

        # c
        pass
    # before else
    else  : # c
        pass


#: out -> i32[7]
@triton.jit
def on_one_line(out, n): tl.store(out, 7); pass


#: out -> i32[7]
@triton.jit
def tabs(out, n):
	tl.store(out, 7)
	if n > 3:
		pass
	else:
	        pass


#: out -> i32[7]
@ triton . jit
def  blanks_everywhere ( out , n ) -> None :
    tl . store ( out , n + 2 , ) ; 


#: out -> i32[7]
@triton.jit

# between decorator and function

def continued_lines(out, n):

    '''a
    docstring'''

    r"""another: \d"""
    x = (
        n
        + 1
    )
    y = n + \
2
    tl.store(out, y
)
    if (n > 3
        and x < 7): pass


#: out -> i32[7]
@triton.jit
def names_of_any_script(out, n):
    größe = n + 2
    变量 = größe
    tl.store(out, 变量)  # ünïcödé → ✓
    tl.static_assert("ü" == "\u00fc")


#: out -> i32[7]
@triton.jit
def words_of_newer_grammars_are_names(out, n):
    match = n
    case = 1
    type = 1
    _ = match + case + type
    print_ = _  # type: int
    tl.store(out, print_)


#: out -> i32[7]
@triton.jit
def several_statements_on_a_line(out, n):
    if n > 3: x = 6; y = 8
    else: x = 8; y = 9
    for i in range(3): x += 1; y += 1
    while x > 7: x -= 1
    tl.store(out, x)


#: out -> i32[7]
@triton.jit
def no_blanks(out,n):
    if(n>7):x=1
    elif(n>3):x=7
    else:x=3
    y=1if n>3else 2
    z=not(n>3)
    assert(n>3),"x"
    tl.store(out,x*y,)


#: out -> i32[7]
@triton.jit
def constants_as_statements(out, n):
    "doc"
    """doc"""
    1
    None; "x"; 4.5
    ...
    n
    (1, 2)
    tl.store(out, 7)


#:
@triton.jit
def numbers(p):
    tl.static_assert(0xFF == 255)
    tl.static_assert(0XfF == 255)
    tl.static_assert(0b1_0 == 2)
    tl.static_assert(0o7_7 == 63)
    tl.static_assert(1_0e1_0 == 100000000000.0)
    tl.static_assert(.5 == 0.5)
    tl.static_assert(5. == 5.0)
    tl.static_assert(00 == 0)
    tl.static_assert(1e400 == float("inf"))


#:
@triton.jit
def strings(p):
    tl.static_assert('a' "b" r'\n' == "ab\\n")
    tl.static_assert(u"x" == "x")
    tl.static_assert("\x41\u0041\101\N{LATIN CAPITAL LETTER A}" == "AAAA")
    tl.static_assert("""a
b""" == "a\nb")
    tl.static_assert("a\
b" == "ab")
    tl.static_assert(F"{'a' if SIZE else 'b'}" == "a")
    tl.static_assert(rf"\n{SIZE}" == "\\n4")
    tl.static_assert("a" f"{SIZE}" "b" == "a4b")
    tl.static_assert(f"{SIZE=}" == "SIZE=4")
    tl.static_assert(f"""{
        SIZE
    }""" == "4")
    tl.static_assert(f"{f'{SIZE}'}" == "4")


#:
@triton.jit
def literals_without_use(p):
    a = 1j  #! an imaginary literal
    b = b"x"  #! a bytes literal
    c = ...  #! '...'


#:
@triton.jit
def statements_of_other_python(p, n):
    with n:  #! 'with'
        pass
    match n:  #! match
        case 1:
            pass
    async for i in range(3):  #! async
        pass
    type X = int  #! a type alias
    nonlocal n  #! nonlocal
    yield n  #! yield
    x = yield  #! yield
    await n  #! await
    async def g():  #! async
        pass
    from os import path  #! import
