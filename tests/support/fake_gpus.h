// Several GPUs that are alike, on the fake driver, for tools and servers.
#pragma once

#include <string>
#include <vector>

#include "runtime/session/services.h"
#include "tools/tool.h"

namespace ws::test {

/// `cuda:0` and on. Their compiler makes an image of the entries' names: what they do is what the
/// fake driver has under these (tests/support/fake_cuda/kernels.cpp).
/// @param sanitizer  As fake_gpu() has it.
std::vector<Device> fake_gpus(int count, const std::string& sanitizer = "");

/// Under this name the driver's first one has its lock, in WS_BINARY_DIR.
inline constexpr const char* kFirstGpuUuid = "GPU-a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf";

/// Writes down what the first benchmark on each of them would measure, by kernels that the fake
/// driver does not have: a noise floor of 2 %, and no ceilings.
void settle_fake_gpus(Archive& archive, int count);

/// Adds one to each of int values[n], n from 1 to 65536.
Json bump_problem();

/// A kernel for it. @param entry  "add_one", "nap" (right, takes 50 ms), "twice" (wrong),
/// "right_once" (wrong from its second launch on), "small_only" (wrong where n is over 64), "hang".
/// @param number  Makes it another kernel.
Json bump_kernel(const std::string& entry, int number = 0);

/// C = A B of float[n][n] with the op `matmul`, computed by "product", or by "product_and_one",
/// which adds one.
Json product_problem(const std::string& entry);
Json product_kernel(const std::string& entry);

}  // namespace ws::test
