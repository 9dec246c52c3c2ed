#include "runtime/device/cuda/worker/plan_runner.h"

#include <algorithm>

#include "runtime/compile/cubin/cubin.h"
#include "runtime/compile/hip/code_object.h"

namespace ws::cuda {
namespace {

/// The dynamic shared memory that a kernel may have without asking.
constexpr std::uint32_t kSharedWithoutAsking = 48U << 10U;

/// The blocks of a cluster that every device with clusters supports.
constexpr std::uint32_t kPortableCluster = 8;

/// A small number in every float type: a library tries its algorithms on it.
constexpr std::uint32_t kPlainNumbers = 0x3c003c00;

std::uint32_t cluster_blocks(const RunStep& step) {
  return step.cluster[0] * step.cluster[1] * step.cluster[2];
}

/// The attributes that a launch asks for beyond grid and block.
std::vector<CuLaunchAttribute> attributes_of(const RunStep& step, bool first) {
  std::vector<CuLaunchAttribute> attributes;
  const auto add = [&attributes](int id, unsigned x, unsigned y = 0, unsigned z = 0) {
    attributes.push_back({.id = id, .padding = 0, .value = {x, y, z}});
  };
  if (step.cooperative) {
    add(kCuLaunchCooperative, 1);
  }
  if (cluster_blocks(step) > 1) {
    add(kCuLaunchClusterDimension, step.cluster[0], step.cluster[1], step.cluster[2]);
  }
  // Our own kernels run before the plan's first launch, which must not overlap them.
  if (step.pdl && !first) {
    add(kCuLaunchProgrammaticSerialization, 1);
  }
  return attributes;
}

/// The sizes of the parameters that a launch passes, in bytes.
std::vector<std::uint32_t> passed_sizes(const CompiledEntry& entry) {
  std::vector<std::uint32_t> sizes;
  for (const EntryParam& param : entry.params) {
    if (!param.folded) {
      sizes.push_back(param.size);
    }
  }
  sizes.insert(sizes.end(), static_cast<std::size_t>(entry.null_params), sizeof(CuDevicePtr));
  return sizes;
}

struct VariableNames {
  std::vector<std::string> names;
  bool all = true;
};

/// Every variable of the module, also those that no plan can name.
VariableNames variables_of(const Image& image) {
  VariableNames found;
  if (const Result<Cubin> cubin = read_cubin(image.blob); cubin) {
    for (const CubinSymbol& symbol : cubin->symbols) {
      found.names.push_back(symbol.name);
    }
    return found;
  }
  if (const Result<hip::CodeObject> object = hip::read_code_object(image.blob); object) {
    for (const hip::CodeSymbol& symbol : object->symbols) {
      found.names.push_back(symbol.name);
    }
    return found;
  }
  found.all = false;  // PTX has no table of them.
  for (const ImageSymbol& symbol : image.symbols) {
    found.names.push_back(symbol.name);
  }
  return found;
}

}  // namespace

Result<std::unique_ptr<PlanRunner>> PlanRunner::create(Context& context, const Load& load,
                                                       std::span<std::byte> host,
                                                       Placement placement) {
  std::unique_ptr<PlanRunner> runner(new PlanRunner(context, load, host));
  Driver& driver = context.driver();
  if (placement == Placement::kApart) {
    WS_TRY(runner->apart_, BuffersApart::create(driver, load.plan));
  } else {
    WS_CHECK(runner->mirror_arena());
  }
  VariableNames variables = variables_of(load.image);
  runner->keeps_nothing_ = variables.all && variables.names.empty();
  runner->variable_names_ = std::move(variables.names);
  WS_CHECK(runner->renew_module());
  if (placement == Placement::kMirror) {
    WS_CHECK(runner->prepare_local());
  }
  WS_TRY(runner->tensor_maps_,
         make_tensor_maps(driver, load.plan.tensor_maps,
                          [&](std::uint64_t offset) { return runner->address_of(offset); }));
  WS_TRY(runner->textures_, DeviceTextures::create(context, load.plan, [&](std::uint64_t offset) {
           return runner->address_of(offset);
         }));
  runner->bind_arguments();
  return runner;
}

Result<std::unique_ptr<PlanRunner>> PlanRunner::create_library(Context& context, const Load& load,
                                                               std::span<std::byte> host,
                                                               const LibraryJob& job) {
  std::unique_ptr<PlanRunner> runner(new PlanRunner(context, load, host));
  WS_CHECK(runner->mirror_arena());
  WS_CHECK(overwrite(context.driver(), context.stream(), runner->mirror_, 0, kPlainNumbers));
  std::vector<CuDevicePtr> buffers;
  for (const RunRange& buffer : load.plan.buffers) {
    buffers.push_back(runner->address_of(buffer.low));
  }
  WS_TRY(runner->library_, make_library_launch(context, job, buffers));
  return runner;
}

Status PlanRunner::mirror_arena() {
  WS_TRY(mirror_, allocate_pages(context_.driver(), host_.size()));
  pinned_ = pin(context_.driver(), host_);
  return {};
}

Status PlanRunner::renew_module() {
  if (module_is_fresh()) {
    return {};
  }
  module_ = Module();  // First the old one goes: two might not fit.
  launched_ = false;
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
    WS_CHECK(allow(function, i));
    functions_.push_back(function);
  }
  return {};
}

Status PlanRunner::prepare_local() {
  int most = 0;
  for (CuFunction function : functions_) {
    int bytes = 0;
    WS_CHECK(
        WS_CU_CALL(context_.driver(), cuFuncGetAttribute, &bytes, kCuFuncLocalSizeBytes, function));
    most = std::max(most, bytes);
  }
  WS_TRY(local_, LocalPoison::create(context_, static_cast<std::uint64_t>(most)));
  return {};
}

/// Asks for what the launches of an entry need beyond what every kernel may have.
Status PlanRunner::allow(CuFunction function, std::size_t entry) {
  Driver& driver = context_.driver();
  std::uint32_t shared = 0;
  std::uint32_t cluster = 1;
  for (const RunStep& step : load_.plan.steps) {
    if (step.entry == entry) {
      shared = std::max(shared, step.dynamic_shared_bytes);
      cluster = std::max(cluster, cluster_blocks(step));
    }
  }
  if (shared > kSharedWithoutAsking) {
    WS_CHECK(WS_CU_CALL(driver, cuFuncSetAttribute, function, kCuFuncMaxDynamicSharedBytes,
                        static_cast<int>(shared)));
  }
  if (cluster > kPortableCluster) {
    WS_CHECK(WS_CU_CALL(driver, cuFuncSetAttribute, function, kCuFuncNonPortableClusterSize, 1));
  }
  return {};
}

Status PlanRunner::check_parameters(const CompiledEntry& entry, CuFunction function) {
  const auto info = context_.driver().api().cuFuncGetParamInfo;
  if (info == nullptr) {
    return {};  // A driver before CUDA 12.4: the compiler's word has to do.
  }
  const std::vector<std::uint32_t> passed = passed_sizes(entry);
  std::size_t offset = 0;
  std::size_t size = 0;
  for (std::size_t i = 0; i < passed.size(); ++i) {
    if (info(function, i, &offset, &size) != kCuSuccess || size != passed[i]) {
      return fail(ErrorCode::kInternal, "parameter " + std::to_string(i) + " of `" + entry.name +
                                            "` has " + std::to_string(size) +
                                            " bytes in the binary, the plan passes " +
                                            std::to_string(passed[i]));
    }
  }
  if (info(function, passed.size(), &offset, &size) == kCuSuccess) {
    return fail(ErrorCode::kInternal, "`" + entry.name + "` takes more than the " +
                                          std::to_string(passed.size()) +
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
      arguments.values.push_back(arg.texture >= 0 ? textures_.object(arg.texture)
                                 : arg.null       ? 0
                                 : address        ? address_of(arg.value)
                                                  : arg.value);
    }
    for (std::size_t i = 0; i < step.args.size(); ++i) {
      const std::int32_t map = step.args[i].tensor_map;
      const std::vector<std::uint8_t>& bytes = step.args[i].bytes;
      arguments.addresses.push_back(
          !bytes.empty() ? static_cast<void*>(const_cast<std::uint8_t*>(bytes.data()))
          : map < 0      ? static_cast<void*>(&arguments.values[i])
                         : static_cast<void*>(&tensor_maps_.at(static_cast<std::size_t>(map))));
    }
    arguments_.push_back(std::move(arguments));
  }
}

Status PlanRunner::upload(CuDevicePtr device) {
  return WS_CU_CALL(context_.driver(), cuMemcpyHtoDAsync, device, host_.data(), host_.size(),
                    context_.stream());
}

Status PlanRunner::download(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
  return WS_CU_CALL(context_.driver(), cuMemcpyDtoHAsync, host_.data() + to, mirror_.get() + from,
                    bytes, context_.stream());
}

Status PlanRunner::fill_symbols() {
  for (const RunSymbol& fill : load_.plan.symbols) {
    const Variable& variable = symbols_.at(fill.symbol);
    WS_CHECK(WS_CU_CALL(context_.driver(), cuMemcpyDtoDAsync, variable.address,
                        address_of(fill.arena_offset),
                        std::min<std::size_t>(fill.bytes, variable.bytes), context_.stream()));
  }
  return {};
}

Status PlanRunner::zero_scratch() {
  static constexpr std::uint32_t kZero = 0;
  for (const RunRange& buffer : load_.plan.buffers) {
    const std::uint64_t bytes = buffer.zero ? buffer.high - buffer.low : 0;
    const std::uint64_t words = bytes / sizeof(kZero);
    const std::uint64_t rest = bytes % sizeof(kZero);
    if (words > 0) {
      WS_CHECK(WS_CU_CALL(context_.driver(), cuMemsetD32Async, address_of(buffer.low), kZero, words,
                          context_.stream()));
    }
    if (rest > 0) {
      WS_CHECK(WS_CU_CALL(context_.driver(), cuMemcpyHtoDAsync,
                          address_of(buffer.low) + words * sizeof(kZero), &kZero, rest,
                          context_.stream()));
    }
  }
  return {};
}

Status PlanRunner::launch(std::size_t step) {
  if (step == 0) {
    WS_CHECK(zero_scratch());
  }
  step_ = static_cast<std::uint32_t>(step);
  launched_ = true;
  if (library_ != nullptr) {
    return library_->enqueue();
  }
  WS_CHECK(textures_.renew(context_, step));
  const RunStep& launch = load_.plan.steps[step];
  std::vector<CuLaunchAttribute> attributes = attributes_of(launch, step == 0);
  const CuLaunchConfig config = {.grid = launch.grid,
                                 .block = launch.block,
                                 .shared_bytes = launch.dynamic_shared_bytes,
                                 .stream = context_.stream(),
                                 .attributes = attributes.data(),
                                 .attribute_count = static_cast<unsigned>(attributes.size())};
  return WS_CU_CALL(context_.driver(), cuLaunchKernelEx, &config, functions_.at(launch.entry),
                    arguments_[step].addresses.data(), nullptr);
}

Status PlanRunner::restore() {
  WS_CHECK(renew_module());
  WS_CHECK(apart_ ? apart_->upload(context_.driver(), context_.stream(), host_)
                  : upload(mirror_.get()));
  WS_CHECK(fill_symbols());
  return context_.synchronize();
}

Status PlanRunner::launch_all() {
  for (std::size_t i = 0; i < steps(); ++i) {
    WS_CHECK(launch(i));
  }
  return context_.synchronize();
}

Status PlanRunner::run(std::uint64_t poison) {
  step_ = 0;
  if (apart_) {
    WS_CHECK(restore());
    return launch_all();
  }
  WS_CHECK(renew_module());
  WS_CHECK(upload(mirror_.get()));
  WS_CHECK(fill_symbols());
  WS_CHECK(scrub_tail(poison_keys(poison, "tail", 0).front()));
  for (std::size_t i = 0; i < steps(); ++i) {
    if (i == 0 || !load_.plan.steps[i].pdl) {
      WS_CHECK(context_.synchronize());  // A fault is then that of a launch before this one.
      WS_CHECK(context_.poison_shared(poison_keys(poison, "shared", i)));
      WS_CHECK(poison_local(poison_keys(poison, "local", i)));
    }
    WS_CHECK(launch(i));
  }
  WS_CHECK(download());
  return context_.synchronize();
}

}  // namespace ws::cuda
