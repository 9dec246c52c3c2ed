// Kernels whose threads compute numbers of their own: what lift_to_ir makes of them, and whether
// that computes what the kernels do.
#pragma once

#include <string>

namespace ws::test {

/// Lifts a kernel of four blocks of 32 threads, and verifies the program in the mode `typed`. Gives
/// "right", the reason why it is not lifted, or what verify_ir finds.
/// @param body  Knows `i`, the thread's own element of `a`, `b` (floats), `k` (ints from -100 to
/// 100), and of the outputs `c` and `d`, which are 0; `lane`; `x`, a number; `n`, 128; and `s`, 0.
/// @param declarations  Before the kernel.
std::string outcome_of_numbers(const std::string& body, const std::string& declarations = "");

}  // namespace ws::test
