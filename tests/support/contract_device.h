// The devices of the contract suite: a backend, and images of the suite's few kernels for it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/device/backend.h"
#include "runtime/device/bind.h"
#include "runtime/device/fault_report.h"

namespace ws::test {

/// A kernel of the suite: (int* values, int n).
struct ContractKernel {
  const char* name;
  const char* source;    ///< For compilers.
  const char* variable;  ///< Its __device__ variable; "" = none.
  std::uint64_t variable_bytes;
};

/// By name; fails the test when there is none.
const ContractKernel& contract_kernel(const std::string& name);

struct ContractDevice {
  std::string name;
  Backend* backend = nullptr;
  /// The kernels in one image.
  std::function<Image(const std::vector<std::string>&)> image;
};

/// The CPU engine; the CUDA and the HIP backend on the fake drivers; a real GPU and NVRTC where
/// both are here.
const std::vector<ContractDevice>& contract_devices();

/// A real GPU with its compiler, or null; `cuda:0`.
Backend* real_gpu();

/// The CUDA backend on the fake driver, whose file is linked as libfake<script>.so ("" = as it is),
/// with a cuBLASLt that runs there.
/// @param cupti  Path of what counts; "" = nothing does.
/// @param index  Of the driver's devices.
/// @param sanitizer  Path of a program that watches; "" = there is none.
std::unique_ptr<Backend> fake_gpu(const std::string& script = "", const std::string& cupti = "",
                                  int index = 0, const std::string& sanitizer = "");

/// The HIP backend on the fake runtime, likewise.
std::unique_ptr<Backend> fake_hip_gpu(const std::string& script = "");

/// The fake driver's image: entries and variables by name.
Image fake_image(const std::vector<std::string>& kernels);

/// Compiles with the backend's own compiler; fails the test when it does not.
Image compile_image(Backend& backend, const std::string& source,
                    const std::vector<std::string>& entries);

/// Some kernels over one buffer `values` of n ints; each is launched once, in order, with
/// (values, n). With `table`: a second buffer fills the variable of that name. `owner` and `batch`
/// as RunPlan has them, `rotation_step` as BufferSpec, for `values`.
struct ContractRun {
  ContractRun(const ContractDevice& device, const std::vector<std::string>& kernels, int n,
              bool table = false, const std::string& owner = "", const std::string& batch = "",
              std::int64_t rotation_step = 0);

  [[nodiscard]] std::span<int> values() const;
  [[nodiscard]] std::span<int> table() const;
  [[nodiscard]] std::span<int> guard_behind() const;

  Image image;
  ResolvedPlan plan;
  std::shared_ptr<Arena> arena;
  Result<std::unique_ptr<Session>> session;
};

}  // namespace ws::test
