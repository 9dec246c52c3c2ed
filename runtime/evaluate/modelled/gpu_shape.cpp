#include "runtime/evaluate/modelled/gpu_shape.h"

#include <algorithm>

#include "runtime/device/cuda/arch.h"

namespace ws {
namespace {

std::int64_t product(const std::array<std::int64_t, 3>& extents) {
  return extents[0] * extents[1] * extents[2];
}

/// The limit that keeps occupancy from 1, found by leaving out one after another.
std::string limit_of(const cuda::ArchSpec& arch, CompiledEntry entry, const LaunchStep& step,
                     std::int64_t threads, double share) {
  if (share >= 1) {
    return {};
  }
  const std::int64_t shared = entry.shared_bytes;
  entry.shared_bytes = 0;
  const double without_shared = cuda::occupancy(arch, entry, threads, 0).value_or(share);
  entry.shared_bytes = shared;
  entry.registers = 0;
  const double without_registers =
      cuda::occupancy(arch, entry, threads, step.shared_bytes).value_or(share);
  if (without_registers > share && without_registers >= without_shared) {
    return "registers";
  }
  return without_shared > share ? "shared memory" : "block size";
}

LaunchShape shape_of(const LaunchStep& step, const CompiledEntry* known,
                     const cuda::ArchSpec* arch) {
  LaunchShape shape;
  shape.entry = step.entry;
  shape.blocks = static_cast<double>(product(step.grid));
  const bool chosen = known != nullptr && known->threads > 0;
  const std::int64_t threads = chosen ? known->threads : product(step.block);
  shape.threads = static_cast<double>(threads);
  if (known == nullptr || arch == nullptr) {
    return shape;
  }
  shape.shared_bytes = static_cast<double>(known->shared_bytes + step.shared_bytes);
  shape.registers = known->registers;
  shape.spill_bytes = known->spill_bytes;
  CompiledEntry entry = *known;
  entry.registers = std::max<std::int64_t>(entry.registers, 0);
  shape.occupancy = cuda::occupancy(*arch, entry, threads, step.shared_bytes);
  if (shape.occupancy) {
    shape.occupancy_limit = limit_of(*arch, entry, step, threads, *shape.occupancy);
  }
  return shape;
}

}  // namespace

std::vector<LaunchShape> launch_shapes(const ResolvedPlan& plan, const Image& image,
                                       std::string_view arch) {
  std::vector<LaunchShape> shapes;
  for (const LaunchStep& step : plan.steps) {
    const auto entry =
        std::find_if(image.entries.begin(), image.entries.end(),
                     [&](const CompiledEntry& row) { return row.name == step.entry; });
    const bool known = entry != image.entries.end();
    shapes.push_back(shape_of(step, known ? &*entry : nullptr, cuda::find_arch(arch)));
    const std::vector<std::uint32_t>& words = image.profile.live_words;
    const auto at = static_cast<std::size_t>(entry - image.entries.begin());
    shapes.back().live_words = known && at < words.size() ? words[at] : 0;
  }
  return shapes;
}

Status add_registers(Backend& gpu, const Subject& subject, const Workload& workload,
                     const Params& params, ProfileInput& input, const std::stop_token& stop) {
  WS_TRY(const Compiled compiled, compile_for(gpu, subject.problem, subject.kernel, workload,
                                              params, {.build = Build::kFast}, stop));
  if (compiled.ok()) {
    WS_TRY(const DeviceInfo device, gpu.info());
    input.launches = launch_shapes(compiled.plan, compiled.image(), device.arch);
  }
  return {};
}

}  // namespace ws
