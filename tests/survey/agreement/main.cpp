// Runs kernels of a survey on the CPU engine and on a GPU, and says where they differ.
//
//   ws_survey_agreement CASES THREADS
//
// CASES has one JSON object a line: repository, file, source, headers, kernels. Prints one JSON
// object a line for each kernel. Without a GPU nothing is compared with one.
#include <atomic>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "runtime/compile/nvrtc_service.h"
#include "runtime/device/cpu/cpu_backend.h"
#include "runtime/device/cuda/cuda_backend.h"
#include "runtime/device/cuda/offline_backend.h"
#include "tests/survey/agreement/kernel_run.h"

namespace ws::survey {
namespace {

using Json = nlohmann::json;

/// Compiles for the GPU, or for one that is not here.
struct Gpu {
  std::unique_ptr<Backend> compiler;
  Backend* device = nullptr;  ///< Null: there is none.
};

Result<Gpu> find_gpu(const std::string& executable) {
  WS_TRY(const Toolkit toolkit, find_toolkit({}));
  const auto compiler = std::make_shared<CompileService>(nvrtc_service(executable, toolkit));
  Gpu gpu;
  if (count_cuda_devices(std::nullopt) > 0) {
    CudaOptions options;
    options.executable = executable;
    gpu.compiler = make_cuda_backend(options, compiler);
    WS_TRY(const DeviceInfo info, gpu.compiler->info());
    gpu.device = gpu.compiler.get();
  } else {
    gpu.compiler = make_offline_cuda_backend("sm_90a", compiler);
  }
  return gpu;
}

/// @errors kInvalidArgument: the compiler's reason.
Result<Image> compiled(Backend& device, const Json& file, Build build) {
  CompileRequest request;
  request.source.language = "cuda";
  request.source.source = file.at("source");
  request.source.headers = file.at("headers");
  request.source.entries = file.at("kernels");
  request.build = build;
  WS_TRY(const CompileReply reply, device.compile(request, {}, false));
  if (reply.outcome->verdict != CompileVerdict::kCompiled) {
    const auto& found = reply.outcome->diagnostics;
    return fail(ErrorCode::kInvalidArgument,
                found.empty() ? reply.outcome->message : found.front().message);
  }
  return reply.outcome->image;
}

Result<Images> images_of(const Json& file, Backend& engine, const Gpu& gpu) {
  Images images;
  WS_TRY(images.gpu, compiled(*gpu.compiler, file, Build::kFast));
  WS_TRY(images.checked, compiled(engine, file, Build::kBounds));
  WS_TRY(images.fast, compiled(engine, file, Build::kFast));
  WS_TRY(images.watched, compiled(engine, file, Build::kWatched));
  return images;
}

void print(const Json& file, const std::string& kernel, const KernelResult& result) {
  static std::mutex printing;
  const Json row = {
      {"repository", file.at("repository")},    {"file", file.at("file")}, {"kernel", kernel},
      {"agreement", name_of(result.agreement)}, {"trials", result.trials}, {"why", result.why}};
  const std::lock_guard lock(printing);
  std::puts(row.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
  std::fflush(stdout);
}

void run_file(const Json& file, Backend& engine, const Gpu& gpu) {
  const Result<Images> images = images_of(file, engine, gpu);
  for (const std::string kernel : file.at("kernels")) {
    print(file, kernel,
          images ? run_kernel(kernel, *images, engine, gpu.device)
                 : KernelResult{.why = "it does not compile: " + images.error().message});
  }
}

int run(const std::string& cases, unsigned threads, const std::string& executable) {
  std::vector<Json> files;
  std::ifstream input(cases);
  for (std::string line; std::getline(input, line);) {
    files.push_back(Json::parse(line));
  }
  const std::unique_ptr<Backend> engine = make_cpu_backend(executable);
  const Result<Gpu> gpu = find_gpu(executable);
  if (!gpu) {
    std::fprintf(stderr, "%s\n", to_text(gpu.error()).c_str());
    return 1;
  }
  std::fprintf(stderr, "%zu files; %s\n", files.size(),
               gpu->device ? "with a GPU" : "without a GPU");
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> workers;
  workers.reserve(threads);
  for (unsigned i = 0; i < threads; ++i) {
    workers.emplace_back([&] {
      for (std::size_t at = next++; at < files.size(); at = next++) {
        run_file(files[at], *engine, *gpu);
      }
    });
  }
  return 0;
}

}  // namespace
}  // namespace ws::survey

int main(int argc, char** argv) {
  const int threads = argc == 3 ? std::atoi(argv[2]) : 0;
  if (threads < 1) {
    std::fputs("usage: ws_survey_agreement CASES THREADS\n", stderr);
    return 2;
  }
  const std::string self = argv[0];
  const std::string folder = self.substr(0, self.rfind('/') + 1);
  return ws::survey::run(argv[1], static_cast<unsigned>(threads), folder + "warpsmith");
}
