#include "runtime/reference/solution_reader.h"

#include <chrono>

#include <nlohmann/json.hpp>

#include "runtime/queue/worker_call.h"
#include "runtime/queue/worker_pool.h"
#include "runtime/reference/module_import.h"

namespace ws {
namespace {

constexpr std::chrono::seconds kReadLimit{30};
constexpr std::size_t kMaxParts = std::size_t{8} << 20U;

/// Where there is no interpreter, a worker answers so (solution_worker.cpp).
constexpr const char* kNoInterpreter = "no_library";

}  // namespace

Result<std::string> read_solution(const SolutionReaderOptions& options, const std::string& source,
                                  const std::stop_token& stop) {
  WorkerPool pool({options.executable, "solution", 1, WorkerOutput::kKept});
  for (const std::string& interpreter : options.interpreters) {
    WS_TRY(WorkerProcess process, pool.take());
    const ModuleJob job = {.interpreter = interpreter, .source = source};
    const Result<std::string> answer =
        ask_worker(process, encode(job), kMaxParts, Clock::now() + kReadLimit, stop);
    process.finish();
    if (!answer && answer.error().code == ErrorCode::kDeviceLost) {
      return fail(ErrorCode::kInvalidArgument, "the file ended the process that read it",
                  "its expressions may be nested too deep");
    }
    if (!answer) {
      return fail(answer.error());
    }
    const nlohmann::json form = nlohmann::json::parse(*answer, nullptr, false);
    const auto text = [&form](const char* key) {
      return form.is_object() && form.contains(key) && form[key].is_string()
                 ? form[key].get<std::string>()
                 : std::string();
    };
    if (text("verdict") == kNoInterpreter) {
      continue;
    }
    if (!text("verdict").empty() || !form.is_object() || !form.contains("parts")) {
      return fail(ErrorCode::kInvalidArgument, text("message"));
    }
    return form["parts"].dump();
  }
  return fail(ErrorCode::kUnsupported, "no Python interpreter is here to read the solution with",
              "install the package python3; WARPSMITH_PYTHON names another interpreter");
}

}  // namespace ws
