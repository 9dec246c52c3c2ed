#include "runtime/lineage/workflow_script.h"

#include <algorithm>
#include <array>

#include "runtime/base/files.h"
#include "runtime/kernel/form/json_reader.h"
#include "runtime/kernel/form/lines.h"

namespace ws {
namespace {

constexpr std::int64_t kVersion = 1;
constexpr std::size_t kMaxFile = std::size_t{4} << 20U;
constexpr std::size_t kMaxName = 64;
constexpr std::size_t kMaxText = 2000;  // Bytes of a title or a note.
constexpr std::size_t kMaxSteps = 400;
constexpr std::size_t kMaxDevices = 16;

/// Fields of a kernel and of an edit that may be written as a list of lines.
constexpr std::array<const char*, 5> kTexts = {"source", "macros", "old", "text", "target_ir"};

bool is_lines(const Json& value) {
  return value.is_array() &&
         std::all_of(value.begin(), value.end(), [](const Json& line) { return line.is_string(); });
}

/// Lists of lines become texts, each line with its end.
void join_texts(Json& object) {
  for (const char* field : kTexts) {
    if (object.is_object() && object.contains(field) && is_lines(object[field])) {
      std::string text;
      for (const Json& line : object[field]) {
        text += line.get_ref<const std::string&>() + "\n";
      }
      object[field] = text;
    }
  }
}

/// The opposite, for texts of several whole lines.
void split_texts(Json& object) {
  for (const char* field : kTexts) {
    if (!object.contains(field) || !object[field].is_string()) {
      continue;
    }
    const auto text = object[field].get<std::string>();
    const std::vector<std::string> lines = split_lines(text);
    if (lines.size() > 1 && text.back() == '\n') {
      object[field] = lines;
    }
  }
}

Result<Json> read_json(const std::filesystem::path& path) {
  WS_TRY(const std::string text, read_file(path, kMaxFile));
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) {
    return fail(ErrorCode::kInvalidArgument, path.filename().string() + " is not JSON");
  }
  return json;
}

/// An object, or the name of a file beside the workflow that holds one. The replay of
/// somebody else's workflow reads no other file.
Result<Json> read_part(const JsonReader& form, const std::filesystem::path& folder) {
  Json json = form.json();
  if (form.is_text()) {
    WS_TRY(const std::string name, form.text(kMaxText));
    if (name.find('/') != std::string::npos) {
      return form.expected("the name of a file in the workflow's folder");
    }
    WS_TRY(json, read_json(folder / name));
  }
  if (!json.is_object()) {
    return form.expected("an object, or the name of a file that holds one");
  }
  join_texts(json);
  return json;
}

Result<std::string> read_name(const JsonReader& form) {
  WS_TRY(std::string name, form.text(kMaxName));
  if (name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.-") != std::string::npos) {
    return form.expected("lower-case letters, digits and _ . -");
  }
  return name;
}

Result<std::string> optional_text(const JsonReader& object, const char* field) {
  const auto form = object.find(field);
  return form ? form->any_text(kMaxText) : Result<std::string>(std::string());
}

Result<std::vector<std::string>> read_devices(const JsonReader& object) {
  std::vector<std::string> devices;
  if (const auto form = object.find("devices")) {
    WS_TRY(const std::vector<JsonReader> items, form->items(1, kMaxDevices));
    for (const JsonReader& item : items) {
      WS_TRY(std::string device, item.text(kMaxName));
      devices.push_back(std::move(device));
    }
  }
  return devices;
}

Result<Json> optional_object(const JsonReader& object, const char* field) {
  const auto form = object.find(field);
  if (!form) {
    return Json();
  }
  if (!form->is_object()) {
    return form->expected("an object");
  }
  return form->json();
}

Result<Json> read_edits(const JsonReader& object) {
  const auto form = object.find("edits");
  if (!form) {
    return Json();
  }
  if (!form->is_list()) {
    return form->expected("a list of edits");
  }
  Json edits = form->json();
  for (Json& edit : edits) {
    join_texts(edit);
  }
  return edits;
}

/// A program, or the name of a file beside the workflow that has it.
Result<std::string> read_target(const JsonReader& object, const std::filesystem::path& folder) {
  const auto form = object.find("target_ir");
  if (!form) {
    return std::string();
  }
  Json holder = {{"target_ir", form->json()}};
  join_texts(holder);
  const Json& text = holder["target_ir"];
  if (!text.is_string()) {
    return form->expected("a program, or the name of a file in the workflow's folder");
  }
  std::string program = text;
  if (program.find('\n') != std::string::npos) {
    return program;
  }
  if (program.find('/') != std::string::npos) {
    return form->expected("a program, or the name of a file in the workflow's folder");
  }
  return read_file(folder / program);
}

Status check_kind(const JsonReader& form, const WorkflowStep& step) {
  if (step.target_ir.empty() && !step.problem.is_null()) {
    return form.error("`problem` belongs to a step with `target_ir`");
  }
  if (!step.target_ir.empty() && !(step.transformation.empty() && step.tune.is_null())) {
    return form.error("a step with `target_ir` has no transformation and no search");
  }
  const bool changes = !step.edits.is_null() || !step.set.is_null();
  if (step.tune.is_null()) {
    if (!step.params.is_null()) {
      return form.error("`params` belongs to a step with `tune`");
    }
    return changes ? Status() : form.error("it has neither `edits`, `set` nor `tune`");
  }
  if (changes || !step.transformation.empty()) {
    return form.error("a step with `tune` has no edits, set or transformation of its own");
  }
  return step.params.is_null()
             ? form.error(
                   "field `params` is missing",
                   "record the values that the search found, for servers without the tool tune")
             : Status();
}

Result<WorkflowStep> read_step(const JsonReader& form, const std::filesystem::path& folder) {
  WS_CHECK(form.check_fields({"devices", "transformation", "pass", "target_ir", "problem", "edits",
                              "set", "tune", "params", "note"}));
  WorkflowStep step;
  WS_TRY(step.devices, read_devices(form));
  if (const auto name = form.find("transformation")) {
    WS_TRY(step.transformation, name->text(kMaxName));
  }
  if (const auto pass = form.find("pass")) {
    WS_TRY(step.pass, pass->integer(1, kMaxSteps));
    if (step.transformation.empty()) {
      return pass->error("it needs a `transformation`");
    }
  }
  WS_TRY(step.target_ir, read_target(form, folder));
  if (const auto problem = form.find("problem")) {
    WS_TRY(step.problem, read_part(*problem, folder));
  }
  WS_TRY(step.edits, read_edits(form));
  WS_TRY(step.set, optional_object(form, "set"));
  WS_TRY(step.tune, optional_object(form, "tune"));
  WS_TRY(step.params, optional_object(form, "params"));
  WS_TRY(step.note, optional_text(form, "note"));
  WS_CHECK(check_kind(form, step));
  return step;
}

Result<WorkflowTiming> read_timing(const JsonReader& form) {
  WS_CHECK(form.check_fields({"devices", "workloads", "cache", "time_budget_ms"}));
  WorkflowTiming timing;
  WS_TRY(timing.devices, read_devices(form));
  timing.arguments = form.json();
  timing.arguments.erase("devices");
  return timing;
}

Status check_version(const JsonReader& form) {
  WS_TRY(const JsonReader version, form.require("workflow"));
  if (!version.is_integer() || version.json() != kVersion) {
    return version.expected(std::to_string(kVersion), "a newer warpsmith may read it");
  }
  return {};
}

Result<Workflow> read_form(const JsonReader& form, const std::filesystem::path& folder) {
  if (!form.is_object()) {
    return form.expected("an object");
  }
  WS_CHECK(check_version(form));
  WS_CHECK(
      form.check_fields({"workflow", "name", "title", "problem", "kernel", "benchmark", "steps"}));
  Workflow workflow;
  WS_TRY(const JsonReader name, form.require("name"));
  WS_TRY(workflow.name, read_name(name));
  WS_TRY(workflow.title, optional_text(form, "title"));
  WS_TRY(const JsonReader problem, form.require("problem"));
  WS_TRY(workflow.problem, read_part(problem, folder));
  WS_TRY(const JsonReader kernel, form.require("kernel"));
  WS_TRY(workflow.kernel, read_part(kernel, folder));
  if (const auto timings = form.find("benchmark")) {
    WS_TRY(const std::vector<JsonReader> items, timings->items(1, kMaxDevices));
    for (const JsonReader& item : items) {
      WS_TRY(WorkflowTiming timing, read_timing(item));
      workflow.timings.push_back(std::move(timing));
    }
  }
  WS_TRY(const JsonReader steps, form.require("steps"));
  WS_TRY(const std::vector<JsonReader> items, steps.items(0, kMaxSteps));
  for (const JsonReader& item : items) {
    WS_TRY(WorkflowStep step, read_step(item, folder));
    workflow.steps.push_back(std::move(step));
  }
  return workflow;
}

Json step_form(const WorkflowStep& step) {
  Json form = Json::object();
  const auto put = [&form](const char* field, const Json& value, bool there) {
    if (there) {
      form[field] = value;
    }
  };
  put("devices", step.devices, !step.devices.empty());
  put("transformation", step.transformation, !step.transformation.empty());
  put("pass", step.pass ? Json(*step.pass) : Json(), step.pass.has_value());
  put("target_ir", step.target_ir, !step.target_ir.empty());
  put("problem", step.problem, !step.problem.is_null());
  put("edits", step.edits, !step.edits.is_null());
  put("set", step.set, !step.set.is_null());
  put("tune", step.tune, !step.tune.is_null());
  put("params", step.params, !step.params.is_null());
  put("note", step.note, !step.note.empty());
  split_texts(form);
  if (form.contains("edits")) {
    for (Json& edit : form["edits"]) {
      split_texts(edit);
    }
  }
  return form;
}

}  // namespace

Result<Workflow> read_workflow(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path file = path;
  if (std::filesystem::is_directory(path, error)) {
    file /= "workflow.json";
  } else if (!std::filesystem::exists(path, error)) {
    file += ".json";
  }
  WS_TRY(const Json json, read_json(file));
  return read_form(JsonReader(json, "workflow"), file.parent_path());
}

Json to_json(const Workflow& workflow) {
  Json form = {{"workflow", kVersion},      {"name", workflow.name},
               {"title", workflow.title},   {"problem", workflow.problem},
               {"kernel", workflow.kernel}, {"steps", Json::array()}};
  split_texts(form["kernel"]);
  for (const WorkflowTiming& timing : workflow.timings) {
    Json row = timing.arguments;
    if (!timing.devices.empty()) {
      row["devices"] = timing.devices;
    }
    form["benchmark"].push_back(std::move(row));
  }
  for (const WorkflowStep& step : workflow.steps) {
    form["steps"].push_back(step_form(step));
  }
  return form;
}

std::string step_name(const WorkflowStep& step) {
  if (!step.tune.is_null()) {
    return "tune";
  }
  if (!step.target_ir.empty()) {
    return "lower";
  }
  if (step.transformation.empty()) {
    return "edit";
  }
  return "`" + step.transformation + "`" +
         (step.pass ? ", pass " + std::to_string(*step.pass) : "");
}

bool is_for(const std::vector<std::string>& devices, const std::string& backend,
            const std::string& arch) {
  return devices.empty() ||
         std::any_of(devices.begin(), devices.end(), [&](const std::string& device) {
           return device == backend || device == arch;
         });
}

}  // namespace ws
