#include "tests/support/step_check.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>

#include <doctest/doctest.h>

#include "tests/support/archive_copy.h"
#include "tools/kernels/archive_resources.h"

namespace ws::test {
namespace {

std::mutex g_mutex;
std::set<std::filesystem::path> g_left;  // Folders of benches whose steps are left. g_mutex.
std::set<std::string> g_taken;           // g_mutex.

bool is_left(const ToolBench& bench) {
  const std::lock_guard lock(g_mutex);
  return g_left.contains(bench.folder());
}

/// Whether nothing like it was taken by this program before.
bool is_new(const Json& step) {
  const std::string uri = step.value("read", "");
  std::string kind = step.value("tool", "") + uri.substr(0, uri.find(':')) +
                     uri.substr(std::min(uri.find_last_of('/'), uri.size()));
  const Json arguments = step.value("arguments", Json::object());
  for (const auto& [name, value] : arguments.items()) {
    kind += " " + name;
  }
  const std::lock_guard lock(g_mutex);
  return g_taken.insert(kind).second;
}

/// Tools on a copy of a bench's archive: what they do leaves nothing there.
class Copy {
 public:
  explicit Copy(ToolBench& bench) {
    REQUIRE(copy_archive(bench.folder(), folder_.path()).has_value());
    ServicesOptions options = bench.services().options;
    options.data_dir = folder_.path();
    auto opened = open_services(options);
    REQUIRE_MESSAGE(opened.has_value(), to_text(opened.error()));
    services_ = *std::move(opened);
    registry_ = std::make_unique<ToolRegistry>();
    add_all_tools(*registry_, *services_);
  }

  [[nodiscard]] const ToolRegistry& registry() const { return *registry_; }

 private:
  TestFolder folder_;
  std::unique_ptr<ToolRegistry> registry_;  // Jobs use its tools until the services end.
  std::unique_ptr<Services> services_;
};

/// An answer that the work goes on is one: the arguments were right.
std::string fault_when_taken(ToolBench& bench, const std::string& tool, Json arguments) {
  constexpr int kWaitMs = 3000;
  const bool own = tool == "job";  // It lives in this bench's services alone.
  const Json& fields = bench.registry().find(tool)->tool->spec().json["inputSchema"]["properties"];
  if (fields.contains("wait_ms")) {
    arguments["wait_ms"] = own ? 0 : kWaitMs;
  }
  const std::unique_ptr<Copy> copy = own ? nullptr : std::make_unique<Copy>(bench);
  const ToolRegistry& registry = own ? bench.registry() : copy->registry();
  CallContext context;
  const Result<Json> answer = registry.find(tool)->tool->call(arguments, context);
  return answer ? "" : to_text(answer.error());
}

std::string fault_of_call(ToolBench& bench, const Json& step, bool take) {
  const ToolRegistry::Entry* entry = bench.registry().find(step["tool"].get<std::string>());
  if (entry == nullptr) {
    return "no such tool";
  }
  if (!step.contains("arguments") || step.size() != 3) {
    return "a call has `tool`, `arguments` and `why`";
  }
  if (const Status fits = entry->input.check(step["arguments"]); !fits) {
    return to_text(fits.error());
  }
  return take ? fault_when_taken(bench, step["tool"].get<std::string>(), step["arguments"]) : "";
}

}  // namespace

std::string step_fault(ToolBench& bench, const Json& step, bool take) {
  if (!step.is_object() || step.value("why", "").empty()) {
    return "it does not say why";
  }
  if (step.contains("tool")) {
    return fault_of_call(bench, step, take);
  }
  if (step.contains("read")) {
    const auto text = take ? make_archive_resources(bench.services())->read(step["read"])
                           : Result<ResourceText>(ResourceText());
    return !text ? to_text(text.error()) : step.size() == 2 ? "" : "to read has `read` and `why`";
  }
  return step.size() == 1 ? "" : "neither a call nor something to read";
}

void leave_steps(const ToolBench& bench) {
  const std::lock_guard lock(g_mutex);
  g_left.insert(bench.folder());
}

void check_steps(ToolBench& bench, const Json& output) {
  if (is_left(bench)) {
    return;
  }
  if (output.is_object() && output.contains("next_steps")) {
    for (const Json& step : output["next_steps"]) {
      const std::string fault = step_fault(bench, step, step.is_object() && is_new(step));
      REQUIRE_MESSAGE(fault.empty(), step.dump(), ": ", fault);
    }
  }
  if (output.is_structured()) {
    for (const Json& part : output) {
      check_steps(bench, part);
    }
  }
}

}  // namespace ws::test
