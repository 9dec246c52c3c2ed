#include "tests/support/contract_device.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include <doctest/doctest.h>

#include "runtime/compile/nvrtc_service.h"
#include "runtime/device/cuda/cuda_backend.h"
#include "runtime/device/hip/hip_backend.h"
#include "tests/support/engine_bench.h"

namespace ws::test {
namespace {

constexpr std::array kKernels = {
    ContractKernel{"add_one",
                   "__global__ void add_one(int* values, int n) {\n"
                   "  for (int i = threadIdx.x; i < n; i += blockDim.x) { values[i] += 1; }\n}\n",
                   "", 0},
    ContractKernel{"twice",
                   "__global__ void twice(int* values, int n) {\n"
                   "  for (int i = threadIdx.x; i < n; i += blockDim.x) { values[i] *= 2; }\n}\n",
                   "", 0},
    ContractKernel{"add_index",
                   "__global__ void add_index(int* values, int n) {\n"
                   "  for (int i = threadIdx.x; i < n; i += blockDim.x) { values[i] += i; }\n}\n",
                   "", 0},
    ContractKernel{"past_end",
                   "__global__ void past_end(int* values, int n) {\n"
                   "  if (threadIdx.x == 0) { values[n] = 7; }\n}\n",
                   "", 0},
    ContractKernel{"count",
                   "__device__ int counter;\n"
                   "__global__ void count(int* values, int n) {\n"
                   "  if (threadIdx.x == 0) { values[0] = ++counter; }\n}\n",
                   "counter", sizeof(int)},
    ContractKernel{"copy_table",
                   "__constant__ int table[4];\n"
                   "__global__ void copy_table(int* values, int n) {\n"
                   "  if (threadIdx.x < 4) { values[threadIdx.x] = table[threadIdx.x]; }\n}\n",
                   "table", 4 * sizeof(int)},
    ContractKernel{"hang",
                   "__global__ void hang(int* values, int n) {\n"
                   "  while (*(volatile int*)values != -1) {}\n}\n",
                   "", 0},
};

std::string warpsmith() {
  return std::string(WS_BINARY_DIR) + "/warpsmith";
}

Image compiled_kernels(Backend& backend, const std::vector<std::string>& kernels) {
  std::string source;
  for (const std::string& name : kernels) {
    source += contract_kernel(name).source;
  }
  return compile_image(backend, source, kernels);
}

/// The library itself, or a link to it by a name that scripts it.
std::string linked_library(const std::string& file, const std::string& name,
                           const std::string& script) {
  namespace fs = std::filesystem;
  const fs::path library = fs::path(WS_BINARY_DIR) / file;
  if (script.empty()) {
    return library.string();
  }
  const fs::path link = fs::path(WS_BINARY_DIR) / ("libfake" + name + ".so");
  std::error_code exists;
  fs::create_symlink(library, link, exists);
  return link.string();
}

}  // namespace

const ContractKernel& contract_kernel(const std::string& name) {
  const auto at = std::find_if(kKernels.begin(), kKernels.end(),
                               [&](const ContractKernel& kernel) { return kernel.name == name; });
  REQUIRE(at != kKernels.end());
  return *at;
}

Image compile_image(Backend& backend, const std::string& source,
                    const std::vector<std::string>& entries) {
  CompileRequest request;
  request.source.language = "cuda";
  request.source.source = source;
  request.source.entries = entries;
  const auto compiled = backend.compile(request, {}, false);
  REQUIRE_MESSAGE(compiled.has_value(), to_text(compiled.error()));
  REQUIRE_MESSAGE(compiled->outcome->verdict == CompileVerdict::kCompiled,
                  compiled->outcome->message);
  return compiled->outcome->image;
}

Image fake_image(const std::vector<std::string>& kernels) {
  Image image;
  for (const std::string& name : kernels) {
    CompiledEntry entry;
    entry.name = name;
    entry.lowered = name;
    entry.params = {{"values", "int *", 8, true, false, false, {}},
                    {"n", "int", 4, false, true, false, {}}};
    if (name.starts_with("product")) {
      const EntryParam matrix{"m", "float *", 8, true, false, false, {}};
      entry.params = {matrix, matrix, matrix, {"n", "int", 4, false, true, false, {}}};
    }
    image.entries.push_back(entry);
    image.blob += "entry " + name + "\n";
    const auto* at =
        std::find_if(kKernels.begin(), kKernels.end(),
                     [&](const ContractKernel& kernel) { return kernel.name == name; });
    if (at != kKernels.end() && *at->variable != '\0') {
      image.symbols.push_back({at->variable, 0, at->variable_bytes});
      image.blob +=
          "variable " + std::string(at->variable) + " " + std::to_string(at->variable_bytes) + "\n";
    }
  }
  return image;
}

std::unique_ptr<Backend> fake_gpu(const std::string& script, const std::string& cupti, int index,
                                  const std::string& sanitizer) {
  CudaOptions options;
  options.device = index;
  options.executable = warpsmith();
  options.library = linked_library("libws_fake_cuda.so", script, script);
  options.nvml = script == ".throttled" ? options.library : "none";
  options.cupti = cupti;
  options.sanitizer = sanitizer;
  options.cublas = std::string(WS_BINARY_DIR) + "/libws_fake_cublas.so";
  options.lock_folder = WS_BINARY_DIR;
  // Its images are made by hand: no compiler is asked.
  return make_cuda_backend(options,
                           std::make_shared<CompileService>(nvrtc_service(warpsmith(), {})));
}

std::unique_ptr<Backend> fake_hip_gpu(const std::string& script) {
  HipOptions options;
  options.executable = warpsmith();
  options.library = linked_library("libws_fake_hip.so", "hip" + script, script);
  options.helpers = "entry ws_poison_shared\n";
  options.lock_folder = WS_BINARY_DIR;
  return make_hip_backend(options, std::make_shared<HipCompiler>(
                                       hip_service(warpsmith(), {}),
                                       std::make_unique<HipArchs>(warpsmith(), HipKit{}, "")));
}

Backend* real_gpu() {
  static const std::unique_ptr<Backend> gpu = []() -> std::unique_ptr<Backend> {
    if (count_cuda_devices(std::nullopt) == 0) {
      return nullptr;
    }
    const Result<Toolkit> toolkit = find_toolkit({});
    if (!toolkit) {
      return nullptr;
    }
    CudaOptions options;
    options.executable = warpsmith();
    options.sanitizer = find_sanitizer({});
    auto found = make_cuda_backend(
        options, std::make_shared<CompileService>(nvrtc_service(warpsmith(), *toolkit)));
    return found->info() ? std::move(found) : nullptr;
  }();
  return gpu.get();
}

const std::vector<ContractDevice>& contract_devices() {
  static const std::unique_ptr<Backend> fake = fake_gpu();
  static const std::unique_ptr<Backend> fake_hip = fake_hip_gpu();
  static const std::vector<ContractDevice> devices = [] {
    std::vector<ContractDevice> all = {
        {"cpu", &cpu_engine(),
         [](const auto& kernels) { return compiled_kernels(cpu_engine(), kernels); }},
        {"fake", fake.get(), fake_image},
        {"fake hip", fake_hip.get(), fake_image},
    };
    if (Backend* gpu = real_gpu()) {
      all.push_back(
          {"gpu", gpu, [gpu](const auto& kernels) { return compiled_kernels(*gpu, kernels); }});
    }
    return all;
  }();
  return devices;
}

ContractRun::ContractRun(const ContractDevice& device, const std::vector<std::string>& kernels,
                         int n, bool table, const std::string& owner, const std::string& batch,
                         std::int64_t rotation_step)
    : image(device.image(kernels)),
      session(fail(ErrorCode::kInternal, "not opened")) {
  plan.buffers = {buffer_of("values", DType::kI32, n)};
  plan.buffers[0].rotation_step = rotation_step;
  if (table) {
    plan.buffers.push_back(buffer_of("table", DType::kI32, 4));
    plan.symbols = {{"table", 1}};
  }
  LaunchArg values;
  values.kind = LaunchArg::Kind::kBuffer;
  values.buffer = 0;
  LaunchArg count;
  count.int_value = n;
  for (const std::string& kernel : kernels) {
    LaunchStep step;
    step.entry = kernel;
    step.block = {64, 1, 1};
    step.args = {values, count};
    plan.steps.push_back(step);
  }
  auto made = Arena::create(plan.buffers, std::uint64_t{1} << 30U);
  REQUIRE_MESSAGE(made.has_value(), to_text(made.error()));
  arena = *made;
  auto bound = bind_plan(plan, image, *arena);
  REQUIRE_MESSAGE(bound.has_value(), to_text(bound.error()));
  bound->owner = owner;
  bound->batch = batch;
  session = device.backend->open(image, *bound, arena);
}

namespace {

std::span<int> ints(std::span<std::byte> bytes) {
  return {reinterpret_cast<int*>(bytes.data()), bytes.size() / sizeof(int)};
}

}  // namespace

std::span<int> ContractRun::values() const {
  return ints(arena->buffer(0));
}

std::span<int> ContractRun::table() const {
  return ints(arena->buffer(1));
}

std::span<int> ContractRun::guard_behind() const {
  return ints(arena->guards(0).second);
}

}  // namespace ws::test
