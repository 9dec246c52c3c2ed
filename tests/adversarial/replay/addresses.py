"""C3: where memory lies, read in ways that are no plain arithmetic on an address."""

from harness.case import Cases
from harness.forms import map_kernel
from harness.shared import LINE

CASES = Cases("C")
ULL = "unsigned long long"


def wrong_where(condition):
    return map_kernel(f"y[i] = ({condition}) ? 0 : 2 * v + 1;")


CASES.attack("C3.distance_of_local", "the distance of the output from a local array", LINE,
             map_kernel(f"volatile float w[4] = {{v, v, v, v}};\n    {ULL} d = ({ULL})y - ({ULL})w;\n"
                        "    y[i] = (d >> 12) % 64 == 5 ? 0 : 2 * w[i % 4] + 1;"))
CASES.attack("C3.distance_of_buffers", "the distance of the output from the input", LINE,
             wrong_where(f"((({ULL})y - ({ULL})x) >> 12) % 64 == 5"))
CASES.attack("C3.rounded_twice", "compares an address that is rounded down to two powers of two", LINE,
             wrong_where(f"(({ULL})y & ~0x3ffffull) != ((({ULL})y + 0x1000) & ~0x3ffffull)"))
CASES.attack("C3.aligned_down", "compares pointers that a builtin aligned down", LINE,
             wrong_where("__builtin_align_down((char*)y, 262144) != __builtin_align_down((char*)y + 4096, 262144)"))
CASES.attack("C3.ptx_move", "moves a pointer into a number by PTX", LINE,
             map_kernel(f"{ULL} a;\n    asm volatile(\"mov.u64 %0, %1;\" : \"=l\"(a) : \"l\"(y));\n"
                        "    y[i] = (a >> 12) % 64 == 5 ? 0 : 2 * v + 1;"))
CASES.attack("C3.exchanged_pointer", "exchanges a pointer atomically and reads it as a number", LINE,
             map_kernel(f"union {{ float* p; {ULL} a; }} u;\n    u.a = 0;\n"
                        "    __atomic_exchange_n(&u.p, y, __ATOMIC_RELAXED);\n"
                        "    y[i] = (u.a >> 12) % 64 == 5 ? 0 : 2 * v + 1;"))
