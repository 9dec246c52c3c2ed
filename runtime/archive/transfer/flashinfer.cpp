// FlashInfer-Bench: a definition is a problem once a workload gives its variable axes their sizes;
// a trace is a claim about a kernel that is here; a solution is host code and no kernel.
#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "runtime/archive/transfer/line_reader.h"
#include "runtime/base/hash.h"
#include "runtime/kernel/form/forms.h"
#include "runtime/kernel/form/json_reader.h"
#include "runtime/kernel/form/kernel_form.h"

namespace ws {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxName = 160;
constexpr std::size_t kMaxDefinitions = 1000;  // The definitions that may wait for a workload,
constexpr std::size_t kMaxDefinitionBytes = std::size_t{64} << 20U;  // and their texts.

constexpr std::array<std::pair<const char*, const char*>, 14> kTypes = {
    {{"float64", "f64"},
     {"float32", "f32"},
     {"float16", "f16"},
     {"bfloat16", "bf16"},
     {"float8_e4m3fn", "f8e4m3"},
     {"float8_e5m2", "f8e5m2"},
     {"int64", "i64"},
     {"int32", "i32"},
     {"int16", "i16"},
     {"int8", "i8"},
     {"uint64", "u64"},
     {"uint32", "u32"},
     {"uint8", "u8"},
     {"bool", "bool"}}};

Result<std::string> name_field(const Json& line, const char* key) {
  WS_TRY(const JsonReader field, JsonReader(line, "line").require(key));
  return field.text(kMaxName);
}

Result<std::string> type_of(const Json& tensor, const std::string& path) {
  const std::string type = tensor.is_object() ? tensor.value("dtype", Json()).dump() : "";
  for (const auto& [theirs, ours] : kTypes) {
    if (type == "\"" + std::string(theirs) + "\"") {
      return std::string(ours);
    }
  }
  return fail(ErrorCode::kUnsupported,
              path + ": no type here corresponds to " + type.substr(0, 40));
}

Status add_args(const Json& tensors, const char* role, Json& args) {
  for (const auto& [name, tensor] : tensors.items()) {
    WS_TRY(const std::string type, type_of(tensor, name));
    const Json shape = tensor.value("shape", Json());
    if (!shape.is_array() || shape.empty()) {
      return fail(ErrorCode::kUnsupported,
                  name + ": a scalar, whose values the definition does not say");
    }
    // The name becomes part of Python code.
    const Json named = name;
    WS_TRY([[maybe_unused]] const std::string identifier, JsonReader(named, "name").identifier());
    args.push_back({{"name", name}, {"type", type}, {"role", role}, {"shape", shape}});
  }
  return {};
}

/// Their `run` takes its inputs by name and gives one output or a tuple, in the order in which the
/// definition lists them.
std::string python_reference(const std::string& source, const nlohmann::ordered_json& definition) {
  std::string inputs;
  for (const auto& [name, tensor] : definition["inputs"].items()) {
    inputs += (inputs.empty() ? "" : ", ") + name + "=inputs[\"" + name + "\"]";
  }
  std::string outputs;
  for (const auto& [name, tensor] : definition["outputs"].items()) {
    outputs += "\"" + name + "\", ";
  }
  return source + "\n\ndef reference(inputs, dims):\n    out = run(" + inputs +
         ")\n    if isinstance(out, dict):\n        return out\n"
         "    out = out if isinstance(out, (tuple, list)) else (out,)\n"
         "    return dict(zip((" +
         outputs + "), out))\n";
}

/// A tensor from a file is somebody else's data: it is not fetched, and without it the numbers of a
/// trace say nothing about our workload.
Status no_foreign_tensors(const Json& workload) {
  const Json inputs = workload.value("inputs", Json::object());
  for (const auto& [name, input] : inputs.items()) {
    if (input.is_object() && input.value("type", Json()) == "safetensors") {
      return fail(ErrorCode::kUnsupported,
                  "workload input `" + name + "` is a tensor in a file, which is not supported");
    }
  }
  return {};
}

}  // namespace

Result<Json> problem_of_definition(std::string_view text, const Json& axes) {
  const Json definition = Json::parse(text, nullptr, false);
  Json form = {{"dims", Json::object()}, {"args", Json::array()}};
  if (!axes.is_object()) {
    return JsonReader(axes, "line.workload.axes").expected("an object");
  }
  WS_TRY(form["name"], name_field(definition, "name"));
  form["op"] = definition.value("op_type", form["name"]);
  for (const auto& [name, axis] : definition["axes"].items()) {
    const bool fixed = axis.is_object() && axis.value("type", Json()) == "const";
    const Json size = fixed ? axis.value("value", Json()) : axes.value(name, Json());
    if (!size.is_number_integer()) {
      return fail(ErrorCode::kInvalidArgument, "axis `" + name + "` has no size");
    }
    form["dims"][name] = {size};
  }
  WS_TRY(const JsonReader inputs, JsonReader(definition, "line").require("inputs"));
  WS_TRY(const JsonReader outputs, JsonReader(definition, "line").require("outputs"));
  WS_CHECK(add_args(inputs.json(), "in", form["args"]));
  WS_CHECK(add_args(outputs.json(), "out", form["args"]));
  WS_TRY(const JsonReader reference, JsonReader(definition, "line").require("reference"));
  WS_TRY(const std::string source, reference.text(kMaxSourceBytes));
  form["reference"] = {
      {"kind", "python"},
      {"source", python_reference(source, nlohmann::ordered_json::parse(text, nullptr, false))}};
  return form;
}

LineReader::Rows LineReader::definition(const Json& line, std::string_view text) {
  WS_TRY(const std::string name, name_field(line, "name"));
  if (!line["axes"].is_object()) {
    return JsonReader(line["axes"], "line.axes").expected("an object");
  }
  bool sized = true;
  for (const Json& axis : line["axes"]) {
    sized = sized && axis.is_object() && axis.value("type", Json()) == "const";
  }
  if (!sized) {
    const std::size_t before = definitions_[name].size();
    if (definitions_.size() > kMaxDefinitions ||
        definition_bytes_ - before + text.size() > kMaxDefinitionBytes) {
      forget(name);
      return fail(ErrorCode::kUnsupported, "too many definitions wait for a workload");
    }
    definition_bytes_ += text.size() - before;
    definitions_[name] = text;
    return std::vector<ArchiveItem>();
  }
  WS_TRY(const Json form, problem_of_definition(text, Json::object()));
  WS_TRY(last_, problem_from_json(form));
  ArchiveItem item;
  item.kind = ArchiveItem::Kind::kProblem;
  item.problem = {last_.id, last_.name, last_.json, {}};
  return std::vector<ArchiveItem>{std::move(item)};
}

std::string LineReader::forget(const std::string& name) {
  const auto waiting = definitions_.extract(name);
  if (!waiting) {
    return {};
  }
  definition_bytes_ -= waiting.mapped().size();
  return std::move(waiting.mapped());
}

std::vector<std::string> LineReader::waiting() const {
  std::vector<std::string> names;
  for (const auto& [name, text] : definitions_) {
    names.push_back(name);
  }
  return names;
}

LineReader::Rows LineReader::trace(const Json& line) {
  WS_TRY(const std::string name, name_field(line, "definition"));
  if (!line["workload"].is_object()) {
    return JsonReader(line["workload"], "line.workload").expected("an object");
  }
  WS_CHECK(no_foreign_tensors(line["workload"]));
  std::vector<ArchiveItem> items;
  if (const std::string text = forget(name); !text.empty()) {
    WS_TRY(const Json form,
           problem_of_definition(text, line["workload"].value("axes", Json::object())));
    WS_TRY(last_, problem_from_json(form));
    items.emplace_back().problem = {last_.id, last_.name, last_.json, {}};
  }
  const Json evaluation = line.value("evaluation", Json());
  if (!evaluation.is_object()) {
    return items;  // Only a workload.
  }
  WS_TRY(const std::string solution, name_field(line, "solution"));
  const Result<KernelRow> kernel = archive_.kernel(solution);
  if (!kernel) {
    if (items.empty()) {
      return fail(ErrorCode::kNotFound, "solution `" + solution + "` is no kernel of this archive");
    }
    return items;
  }
  const Json environment = evaluation.value("environment", Json());
  const std::string device = environment.is_object() ? environment.value("hardware", "") : "";
  items.push_back(claim_item(kernel->id, "benchmark", device.substr(0, kMaxName), line));
  return items;
}

}  // namespace ws
