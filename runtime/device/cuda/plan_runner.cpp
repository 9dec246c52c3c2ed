#include "runtime/device/cuda/plan_runner.h"

#include <algorithm>

#include "runtime/compile/cubin/cubin.h"

namespace ws::cuda {
namespace {

/// Of dynamic shared memory that a kernel may have without asking.
constexpr std::uint32_t kSharedWithoutAsking = 48U << 10U;

/// Different for each launch of a plan, and not what the arena is poisoned with.
std::uint32_t shared_seed(std::uint64_t poison, std::size_t step) {
  return static_cast<std::uint32_t>((poison >> 32U) ^ poison) + static_cast<std::uint32_t>(step);
}

/// Every variable of the module, also those that no plan can name.
std::vector<std::string> names_of_variables(const Image& image) {
  std::vector<std::string> names;
  if (const Result<Cubin> cubin = read_cubin(image.blob); cubin) {
    for (const CubinSymbol& symbol : cubin->symbols) {
      names.push_back(symbol.name);
    }
    return names;
  }
  for (const ImageSymbol& symbol : image.symbols) {  // PTX has no table of them.
    names.push_back(symbol.name);
  }
  return names;
}

}  // namespace

Result<std::unique_ptr<PlanRunner>> PlanRunner::create(Context& context, const Load& load,
                                                       std::span<std::byte> host) {
  std::unique_ptr<PlanRunner> runner(new PlanRunner(context, load, host));
  Driver& driver = context.driver();
  WS_TRY(runner->mirror_, allocate(driver, host.size()));
  // Faster copies. Where the kernel refuses to pin so much, the driver copies by itself.
  driver.api().cuMemHostRegister(host.data(), host.size(), 0);
  runner->variable_names_ = names_of_variables(load.image);
  WS_CHECK(runner->load_module_again());
  runner->bind_arguments();
  return runner;
}

Status PlanRunner::load_module_again() {
  module_ = Module();  // First the old one goes: two might not fit.
  WS_TRY(module_, load_module(context_.driver(), load_.image.blob.c_str()));
  WS_CHECK(find_functions());
  WS_CHECK(find_symbols());
  find_variables();
  return {};
}

Status PlanRunner::find_functions() {
  Driver& driver = context_.driver();
  functions_.clear();
  for (std::size_t i = 0; i < load_.image.entries.size(); ++i) {
    const CompiledEntry& entry = load_.image.entries[i];
    WS_TRY(CuFunction function, find_function(driver, module_, entry.lowered.c_str()));
    WS_CHECK(check_parameters(entry, function));
    std::uint32_t shared = 0;
    for (const RunStep& step : load_.plan.steps) {
      shared = step.entry == i ? std::max(shared, step.dynamic_shared_bytes) : shared;
    }
    if (shared > kSharedWithoutAsking) {
      WS_CHECK(WS_CU_CALL(driver, cuFuncSetAttribute, function, kCuFuncMaxDynamicSharedBytes,
                          static_cast<int>(shared)));
    }
    functions_.push_back(function);
  }
  return {};
}

Status PlanRunner::check_parameters(const CompiledEntry& entry, CuFunction function) {
  const auto info = context_.driver().api().cuFuncGetParamInfo;
  if (info == nullptr) {
    return {};  // A driver before CUDA 12.4: the compiler's word has to do.
  }
  std::size_t offset = 0;
  std::size_t size = 0;
  for (std::size_t i = 0; i < entry.params.size(); ++i) {
    if (info(function, i, &offset, &size) != kCuSuccess || size != entry.params[i].size) {
      return fail(ErrorCode::kInternal, "parameter " + std::to_string(i) + " of `" + entry.name +
                                            "` has " + std::to_string(size) +
                                            " bytes in the binary, the plan passes " +
                                            std::to_string(entry.params[i].size));
    }
  }
  if (info(function, entry.params.size(), &offset, &size) == kCuSuccess) {
    return fail(ErrorCode::kInternal, "`" + entry.name + "` takes more than the " +
                                          std::to_string(entry.params.size()) +
                                          " parameters that the plan passes");
  }
  return {};
}

Status PlanRunner::find_symbols() {
  symbols_.clear();
  for (const ImageSymbol& symbol : load_.image.symbols) {
    Variable variable;
    WS_CHECK(WS_CU_CALL(context_.driver(), cuModuleGetGlobal, &variable.address, &variable.bytes,
                        module_.get(), symbol.name.c_str()));
    symbols_.push_back(variable);
  }
  return {};
}

void PlanRunner::find_variables() {
  variables_.clear();
  hidden_variables_ = false;
  for (const std::string& name : variable_names_) {
    Variable variable;
    // Not a failure: the driver finds no variable that the file keeps to itself.
    const bool found =
        context_.driver().api().cuModuleGetGlobal(&variable.address, &variable.bytes, module_.get(),
                                                  name.c_str()) == kCuSuccess;
    hidden_variables_ = hidden_variables_ || !found;
    if (found) {
      variables_.push_back(variable);
    }
  }
}

void PlanRunner::bind_arguments() {
  for (const RunStep& step : load_.plan.steps) {
    Arguments arguments;
    for (const RunArg& arg : step.args) {
      const bool address = arg.pointer && !arg.null;
      arguments.values.push_back(arg.null ? 0 : arg.value + (address ? mirror_.get() : 0));
    }
    for (std::uint64_t& value : arguments.values) {
      arguments.addresses.push_back(&value);
    }
    arguments_.push_back(std::move(arguments));
  }
}

Status PlanRunner::upload(CuDevicePtr device) {
  return WS_CU_CALL(context_.driver(), cuMemcpyHtoDAsync, device, host_.data(), host_.size(),
                    context_.stream());
}

Status PlanRunner::download() {
  return WS_CU_CALL(context_.driver(), cuMemcpyDtoHAsync, host_.data(), mirror_.get(), host_.size(),
                    context_.stream());
}

Status PlanRunner::fill_symbols() {
  for (const RunSymbol& fill : load_.plan.symbols) {
    const Variable& variable = symbols_.at(fill.symbol);
    WS_CHECK(WS_CU_CALL(context_.driver(), cuMemcpyDtoDAsync, variable.address,
                        mirror_.get() + fill.arena_offset,
                        std::min<std::size_t>(fill.bytes, variable.bytes), context_.stream()));
  }
  return {};
}

Status PlanRunner::launch(std::size_t step) {
  const RunStep& launch = load_.plan.steps[step];
  const auto [gx, gy, gz] = launch.grid;
  const auto [bx, by, bz] = launch.block;
  step_ = static_cast<std::uint32_t>(step);
  return WS_CU_CALL(context_.driver(), cuLaunchKernel, functions_.at(launch.entry), gx, gy, gz, bx,
                    by, bz, launch.dynamic_shared_bytes, context_.stream(),
                    arguments_[step].addresses.data(), nullptr);
}

Status PlanRunner::run(std::uint64_t poison) {
  step_ = 0;
  WS_CHECK(load_module_again());
  WS_CHECK(upload(mirror_.get()));
  WS_CHECK(fill_symbols());
  for (std::size_t i = 0; i < steps(); ++i) {
    WS_CHECK(context_.poison_shared(shared_seed(poison, i)));
    WS_CHECK(launch(i));
    WS_CHECK(context_.synchronize());  // A fault is then this launch's.
  }
  WS_CHECK(download());
  return context_.synchronize();
}

}  // namespace ws::cuda
