#include <array>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "runtime/base/message.h"
#include "runtime/device/cuda/torch/confinement.h"
#include "runtime/queue/frame.h"
#include "runtime/queue/memory_file.h"
#include "runtime/queue/process.h"
#include "runtime/worker/host_worker.h"
#include "runtime/worker/interpreter.h"

namespace ws {

/// The text of python_torch.py.
std::string_view python_torch();

namespace {

constexpr std::size_t kMaxStart = std::size_t{256} << 10U;

/// Comes back only when it fails.
Status start_interpreter(int socket) {
  WS_TRY(const Received frame, receive_frame(socket, kMaxStart));
  WS_TRY(const cuda::TorchStart start, cuda::decode_torch_start(frame.payload));
  WS_TRY(const Fd text, memory_file(frame.payload));
  WS_TRY(const Fd filter, cuda::module_filter(start.compiles));
  WS_CHECK(cuda::confine_files(start));
  return become_interpreter(start.interpreter, python_torch(), std::array{filter.get(), text.get()},
                            true);
}

}  // namespace

int torch_worker_main() {
  tie_to_parent();
  const Status failed = start_interpreter(kWorkerSocket);
  nlohmann::json answer = {{"error", failed ? "" : to_text(failed.error())}};
  if (!failed && failed.error().code == ErrorCode::kIo) {
    answer["no_library"] = true;  // The interpreter is not there; another may be.
  }
  // If the server is gone, nobody asks.
  [[maybe_unused]] const Status sent = send_frame(kWorkerSocket, json_line(answer));
  return 1;
}

}  // namespace ws
