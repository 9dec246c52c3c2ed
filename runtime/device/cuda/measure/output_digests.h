// Digests of what each timed launch wrote, taken on the device between the launch and the lead of
// the next one.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/device/cuda/worker/host_pages.h"
#include "runtime/device/cuda/worker/plan_runner.h"
#include "runtime/device/output_digest.h"

namespace ws::cuda {

/// The secret by which the elements of a buffer get their signs. @param inputs  As
/// OutputDigests::take(). @param buffer  Index into RunPlan::buffers.
std::uint64_t digest_key(std::uint64_t inputs, std::uint64_t buffer);

class OutputDigests {
 public:
  /// Loads the kernels that the plan's outputs need. None are taken where there are no such
  /// outputs, or where the driver does not take our PTX (AMD's).
  /// @param runner  Lives longer; its buffers lie in its mirror. @errors as Driver::check.
  static Result<OutputDigests> create(Context& context, PlanRunner& runner);

  /// Begins a timing. @param launches  So many digests of each output are taken at most.
  /// @errors kIo: no memory.
  Status start(std::size_t launches);

  /// Enqueues the digests of what the last launch wrote. @param launch  As OutputDigest::launch.
  /// @param inputs  Secret, the same for launches whose digests are compared.
  /// @errors as Driver::check.
  Status take(std::uint64_t launch, std::uint64_t inputs);

  /// Enqueues what overwrites the memory that the device keeps them in meanwhile, so that a kernel
  /// can leave nothing there. @errors as above.
  Status scrub(std::uint32_t word);

  /// All since start(), when the stream's work is done.
  [[nodiscard]] std::vector<OutputDigest> taken() const;

 private:
  using Parts = std::array<OutputDigest::Part, kDigestParts>;

  /// One buffer that a launch writes.
  struct Output {
    std::uint64_t buffer = 0;  ///< Index into RunPlan::buffers.
    CuDevicePtr values = 0;
    std::uint64_t elements = 0;
    CuFunction kernel = nullptr;
  };

  explicit OutputDigests(Context& context)
      : context_(&context) {}

  Result<CuFunction> kernel_for(DType type);

  Context* context_;
  std::vector<std::pair<DType, Module>> modules_;
  std::vector<Output> outputs_;
  Region parts_;     ///< Parts of each output, of one launch.
  HostPages pages_;  ///< The same of all launches.
  std::vector<std::uint64_t> launches_;
};

}  // namespace ws::cuda
