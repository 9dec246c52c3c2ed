#include "runtime/compile/nvrtc_service.h"

#include <algorithm>
#include <thread>

namespace ws {

CompileService::Options nvrtc_service(const std::string& executable, const Toolkit& toolkit) {
  // Above what a worker gives one compile of processor time: it answers by itself.
  constexpr std::chrono::seconds deadline{90};
  CompileService::Options options;
  options.executable = executable;
  options.role = "nvrtc";
  options.compiler = "the CUDA compiler (NVRTC)";
  options.setup = encode(toolkit);
  options.workers = std::max(1U, std::thread::hardware_concurrency());
  options.deadline = deadline;
  return options;
}

}  // namespace ws
