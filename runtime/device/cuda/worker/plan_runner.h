// One plan on one device: the module, a mirror of the arena byte for byte (guards included), and
// the launches.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/device/cuda/library/library_launch.h"
#include "runtime/device/cuda/worker/buffers_apart.h"
#include "runtime/device/cuda/worker/context.h"
#include "runtime/device/cuda/worker/host_pages.h"
#include "runtime/device/cuda/worker/local_poison.h"
#include "runtime/device/cuda/worker/tensor_maps.h"
#include "runtime/device/cuda/worker/textures.h"
#include "runtime/device/run_plan.h"

namespace ws::cuda {

class PlanRunner {
 public:
  /// Where buffers lie on the device.
  enum class Placement : std::uint8_t {
    kMirror,
    kApart,  ///< For a program that watches: only run() may be called, and nothing is poisoned or
             ///< copied back.
  };

  /// Takes device memory for the arena and loads the module once, to see that it fits the plan.
  ///
  /// @param host  The arena, mapped. It and the others must outlive the runner.
  /// @errors kInvalidArgument: not enough memory; kInternal: the binary's entries are not those of
  /// the plan, naming the entry; as Driver::check.
  static Result<std::unique_ptr<PlanRunner>> create(Context& context, const Load& load,
                                                    std::span<std::byte> host,
                                                    Placement placement = Placement::kMirror);

  /// The same for a plan without launches, in whose place stands one call of a library.
  /// @errors as create(), and as make_library_launch().
  static Result<std::unique_ptr<PlanRunner>> create_library(Context& context, const Load& load,
                                                            std::span<std::byte> host,
                                                            const LibraryJob& job);

  PlanRunner(const PlanRunner&) = delete;
  PlanRunner& operator=(const PlanRunner&) = delete;
  PlanRunner(PlanRunner&&) = delete;
  PlanRunner& operator=(PlanRunner&&) = delete;
  ~PlanRunner() = default;

  /// One doorbell: fresh variables, upload, all launches, download. Between launches
  /// shared and local memory are poisoned and the device waited for, but for a launch that
  /// may overlap the one ahead of it (`pdl`): that it does is part of what is run.
  /// @errors as Driver::check; step() then says which launch it was, or the last of those that
  /// overlap.
  Status run(std::uint64_t poison);

  /// The launch that the last failure belongs to.
  [[nodiscard]] std::uint32_t step() const { return step_; }

  // The steps of run(), for the timer. All but the loading only enqueue on the stream.

  /// The module's variables have their first values: it is loaded again where it has variables and
  /// was launched since. Drivers load one module after the other, also for several GPUs.
  Status renew_module();

  /// There is nothing to renew.
  [[nodiscard]] bool module_is_fresh() const {
    return library_ != nullptr || (module_.valid() && (keeps_nothing_ || !launched_));
  }

  /// Host to `device`, as large as the arena.
  Status upload(CuDevicePtr device);

  /// Device to host: all of it.
  Status download() { return download(0, 0, host_.size()); }

  /// A part of it. @param to, from  Offsets in the arena, on the host and on the device.
  Status download(std::uint64_t to, std::uint64_t from, std::uint64_t bytes);
  Status fill_symbols();
  /// Sets the scratch to zero that the plan wants so.
  Status zero_scratch();
  Status launch(std::size_t step);

  /// Module, buffers and variables as before the first launch; waits.
  Status restore();
  /// Every launch; waits.
  Status launch_all();

  /// Overwrites what an earlier launch left in local memory.
  Status poison_local(PoisonKeys keys) { return local_.enqueue(context_, keys); }

  /// Overwrites what an earlier launch left beyond the arena, in the same pages, and in copies that
  /// are made again before they are read.
  Status scrub_tail(std::uint32_t word) {
    WS_CHECK(overwrite(context_.driver(), context_.stream(), mirror_, mirror_.bytes, word));
    return textures_.scrub(context_, word);
  }

  /// kApart: the buffers', in the order of RunPlan::buffers.
  [[nodiscard]] std::vector<std::uint64_t> addresses() const {
    return apart_ ? apart_->addresses() : std::vector<std::uint64_t>();
  }

  [[nodiscard]] const RunPlan& plan() const { return load_.plan; }

  [[nodiscard]] std::size_t steps() const {
    return library_ != nullptr ? 1 : load_.plan.steps.size();
  }

  /// Null: the launches are a kernel's.
  [[nodiscard]] const LibraryLaunch* library() const { return library_.get(); }

  [[nodiscard]] CuDevicePtr mirror() const { return mirror_.get(); }

  [[nodiscard]] std::uint64_t bytes() const { return host_.size(); }

  /// The arena, as the server fills it.
  [[nodiscard]] std::span<const std::byte> host() const { return host_; }

  /// A variable of the module that is loaded now.
  struct Variable {
    CuDevicePtr address = 0;
    std::size_t bytes = 0;
  };

  /// All that the driver finds by name.
  [[nodiscard]] const std::vector<Variable>& variables() const { return variables_; }

  /// The module has more (string constants, mostly): only loading it again restores those.
  [[nodiscard]] bool has_hidden_variables() const { return hidden_variables_; }

 private:
  /// A launch's arguments, as the driver wants them.
  struct Arguments {
    std::vector<std::uint64_t> values;
    std::vector<void*> addresses;
  };

  PlanRunner(Context& context, const Load& load, std::span<std::byte> host)
      : context_(context),
        load_(load),
        host_(host) {}

  Status mirror_arena();
  Status find_functions();
  Status allow(CuFunction function, std::size_t entry);
  Status prepare_local();
  Status check_parameters(const CompiledEntry& entry, CuFunction function);
  Status find_symbols();
  void find_variables();
  void bind_arguments();

  /// The device's address of a place in the arena.
  [[nodiscard]] CuDevicePtr address_of(std::uint64_t offset) const {
    return apart_ ? apart_->at(offset) : mirror_.get() + offset;
  }

  Context& context_;
  const Load& load_;
  std::span<std::byte> host_;
  Pinned pinned_;  // The arena.
  Region mirror_;
  std::optional<BuffersApart> apart_;       // In place of the mirror.
  std::unique_ptr<LibraryLaunch> library_;  // In place of the module.
  Module module_;
  LocalPoison local_;
  std::vector<CuFunction> functions_;  // By entry.
  std::vector<std::string> variable_names_;
  std::vector<Variable> symbols_;  // In the order of Image::symbols.
  std::vector<Variable> variables_;
  bool hidden_variables_ = false;
  bool keeps_nothing_ = false;  // It has no variables.
  bool launched_ = false;       // Since it was loaded.
  std::vector<CuTensorMap> tensor_maps_;
  DeviceTextures textures_;
  std::vector<Arguments> arguments_;  // By step.
  std::uint32_t step_ = 0;
};

}  // namespace ws::cuda
