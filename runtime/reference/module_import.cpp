#include "runtime/reference/module_import.h"

#include <algorithm>
#include <chrono>

#include <nlohmann/json.hpp>

#include "runtime/base/hash.h"
#include "runtime/base/message.h"
#include "runtime/base/text.h"
#include "runtime/queue/memory_file.h"
#include "runtime/queue/worker_call.h"

namespace ws {

// nlohmann finds this by argument-dependent look-up.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ModuleJob, interpreter, source, seed)

namespace {

using Json = nlohmann::json;

/// To import PyTorch and to run the module some hundred times without elements and a few with.
constexpr std::chrono::seconds kLimit{120};
constexpr std::size_t kMaxAnswer = std::size_t{2} << 20U;
constexpr std::size_t kMaxNotes = 16;
constexpr std::size_t kMaxNote = 500;
/// Most of them have some KiB, the largest kMaxAnswer.
constexpr std::size_t kRemembered = 16;

std::string field_text(const Json& form, const char* key) {
  std::string text =
      form.contains(key) && form[key].is_string() ? form[key].get<std::string>() : "";
  text.resize(utf8_cut(text, 2000));
  return text;
}

std::vector<std::string> notes_of(const Json& problem) {
  std::vector<std::string> notes;
  const Json list = problem.value("notes", Json::array());
  for (std::size_t i = 0; i < std::min(list.size(), kMaxNotes); ++i) {
    std::string note = list[i].is_string() ? list[i].get<std::string>() : "";
    note.resize(utf8_cut(note, kMaxNote));
    notes.push_back(std::move(note));
  }
  return notes;
}

Error process_ended(int signal) {
  return {ErrorCode::kInvalidArgument,
          "the module's process ended" +
              (signal == 0 ? std::string() : " by signal " + std::to_string(signal)),
          "it may need more memory than an import may have: let get_inputs() give smaller tensors",
          {}};
}

/// The signal that ended the process, 0: none; nothing: it has answered.
std::optional<int> ended_by(const std::string& answer) {
  const Json form = Json::parse(answer, nullptr, false);
  return form.is_object() && form.contains("ended") && form["ended"].is_number_integer()
             ? std::optional(form["ended"].get<int>())
             : std::nullopt;
}

/// Nothing: there is no PyTorch.
Result<std::optional<ImportedModule>> read_answer(const std::string& answer) {
  const Json form = Json::parse(answer, nullptr, false);
  if (!form.is_object()) {
    return fail(ErrorCode::kDeviceLost, "the worker that runs the module gave no answer");
  }
  const std::string verdict = field_text(form, "verdict");
  if (verdict == "no_library") {
    return std::optional<ImportedModule>();
  }
  if (!verdict.empty() || !form.contains("problem") || !form["problem"].is_object()) {
    return fail(ErrorCode::kInvalidArgument, field_text(form, "message"), field_text(form, "hint"));
  }
  Json problem = form["problem"];
  ImportedModule module;
  module.notes = notes_of(problem);
  problem.erase("notes");
  module.form = problem.dump();
  return std::optional(std::move(module));
}

}  // namespace

std::string encode(const ModuleJob& job) {
  return json_line(Json(job));
}

Result<ModuleJob> decode_module_job(std::string_view frame) {
  return parse_value<ModuleJob>(frame, "job of a module");
}

ModuleImporter::ModuleImporter(ModuleImporterOptions options)
    : options_(std::move(options)),
      hosts_(options_.executable, "module") {}

Result<ImportedModule> ModuleImporter::import(const std::string& source,
                                              const std::stop_token& stop) {
  if (!options_.allowed) {
    return fail(ErrorCode::kUnsupported, "problems of kind `pytorch` are off in this server",
                "start it with --allow-python-reference, or describe the problem by hand");
  }
  const std::string key = sha256_hex(source);
  {
    const std::lock_guard lock(mutex_);
    const auto known = std::ranges::find(last_, key, [](const auto& each) { return each.first; });
    if (known != last_.end()) {
      std::rotate(known, known + 1, last_.end());  // One that is in use stays.
      return last_.back().second;
    }
  }
  WS_TRY(ImportedModule module, find_and_import(source, stop));
  const std::lock_guard lock(mutex_);
  last_.emplace_back(key, module);
  if (last_.size() > kRemembered) {
    last_.pop_front();
  }
  return module;
}

Result<ImportedModule> ModuleImporter::find_and_import(const std::string& source,
                                                       const std::stop_token& stop) {
  std::string known;
  {
    const std::lock_guard lock(mutex_);
    known = interpreter_;
  }
  for (const std::string& candidate :
       known.empty() ? options_.interpreters : std::vector<std::string>{known}) {
    WS_TRY(auto module, import_by(candidate, source, stop));
    if (module) {
      const std::lock_guard lock(mutex_);
      interpreter_ = candidate;
      return *std::move(module);
    }
  }
  return fail(ErrorCode::kUnsupported, "no Python interpreter here imports torch and numpy",
              "install the package python3-torch, or start warpsmith in an environment that has "
              "PyTorch; WARPSMITH_PYTHON names its interpreter");
}

Result<std::optional<ImportedModule>> ModuleImporter::import_by(const std::string& interpreter,
                                                                const std::string& source,
                                                                const std::stop_token& stop) {
  WS_TRY(const std::unique_ptr<HostProcess> process,
         hosts_.copy({.interpreter = interpreter, .libraries = {}}));
  WS_TRY(const Fd no_arena, memory_file(""));
  const Result<std::string> answer = [&] {
    const WorkerCall call(process->socket(), stop);
    // It is an interpreter already.
    process->start(encode(ModuleJob{.interpreter = {}, .source = source}), no_arena.get());
    return call.wait(kMaxAnswer, Clock::now() + kLimit);
  }();
  if (!answer && answer.error().code == ErrorCode::kTimeout) {
    return fail(ErrorCode::kTimeout,
                "the module was not understood in " + std::to_string(kLimit.count()) + " s",
                "let get_inputs() give smaller tensors: sizes are taken for examples");
  }
  if (!answer && answer.error().code == ErrorCode::kDeviceLost) {
    WS_TRY(const int signal, process->end_lost(std::nullopt));
    return signal == 0 ? Result<std::optional<ImportedModule>>(std::nullopt)  // No interpreter.
                       : fail(process_ended(signal));
  }
  if (!answer) {
    return fail(answer.error());
  }
  if (const std::optional<int> ended = ended_by(*answer)) {
    WS_TRY(const int signal, process->end_lost(ended));
    return fail(process_ended(signal));
  }
  return read_answer(*answer);
}

}  // namespace ws
