#include "runtime/exchange/definition.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "runtime/base/text.h"
#include "runtime/exchange/run_code.h"
#include "runtime/exchange/tensor_types.h"
#include "runtime/kernel/expr/expr.h"
#include "runtime/kernel/form/forms.h"
#include "runtime/kernel/form/json_reader.h"
#include "runtime/kernel/form/kernel_form.h"

namespace ws {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t kMaxDefinitionName = 160;
constexpr std::int64_t kMostSize = std::int64_t{1} << 40U;

/// A name that becomes part of expressions or of Python code.
Status check_plain_name(const std::string& name, const std::string& path) {
  const Json text = name;
  WS_TRY([[maybe_unused]] const std::string plain, JsonReader(text, path).identifier());
  return {};
}

/// The different values that the workloads have for a name, in their order.
/// @param value_of  The value in a workload; null where there is none.
template <typename ValueOf>
Json listed_values(const std::vector<Json>& workloads, const ValueOf& value_of) {
  Json values = Json::array();
  std::set<Json> known;
  for (const Json& workload : workloads) {
    const Json value = value_of(workload);
    if (!value.is_null() && known.insert(value).second) {
      values.push_back(value);
    }
  }
  return values;
}

Json size_in(const Json& workload, const std::string& axis) {
  const Json axes = workload.value("axes", Json());
  return axes.is_object() ? axes.value(axis, Json()) : Json();
}

Json scalar_in(const Json& workload, const std::string& name) {
  const Json inputs = workload.value("inputs", Json());
  const Json input = inputs.is_object() ? inputs.value(name, Json()) : Json();
  const bool scalar = input.is_object() && input.value("type", Json()) == "scalar";
  const Json value = scalar ? input.value("value", Json()) : Json();
  return value.is_boolean() ? Json(value.get<bool>() ? 1 : 0) : value;
}

Result<Json> dim_of_axis(const std::string& name, const Json& axis,
                         const std::vector<Json>& workloads) {
  const std::string path = "definition.axes." + name;
  if (axis.is_object() && axis.value("type", Json()) == "const") {
    WS_TRY(const JsonReader value, JsonReader(axis, path).require("value"));
    WS_TRY(const std::int64_t size, value.integer(1, kMostSize));
    return Json::array({size});
  }
  Json sizes = listed_values(workloads, [&](const Json& each) { return size_in(each, name); });
  std::int64_t largest = 0;
  for (const Json& size : sizes) {
    WS_TRY(const std::int64_t each, JsonReader(size, path).integer(1, kMostSize));
    largest = std::max(largest, each);
  }
  if (sizes.empty()) {
    return fail(ErrorCode::kInvalidArgument, "axis `" + name + "` has no size",
                "give a file with workloads, or --size " + name + "=SIZE");
  }
  return Json{{"values", std::move(sizes)}, {"min", 1}, {"max", largest}};
}

Result<Json> shape_of(const Json& shape, const Json& axes, const std::string& path) {
  Json extents = Json::array();
  for (const Json& extent : shape) {
    if (!extent.is_string() || !axes.contains(extent.get<std::string>())) {
      return fail(ErrorCode::kInvalidArgument,
                  path + ".shape: " + describe(extent) + " is none of the axes");
    }
    extents.push_back(extent);
  }
  return extents;
}

/// An argument from a tensor or scalar of the definition.
Result<Json> arg_of_tensor(const std::string& name, const Json& tensor, const char* role,
                           const Json& axes, const std::vector<Json>& workloads) {
  WS_CHECK(check_plain_name(name, "definition: the name of a tensor"));
  const Json word = tensor.is_object() ? tensor.value("dtype", Json()) : Json();
  WS_TRY(const DType type, type_of_tensor(word.is_string() ? word.get<std::string>() : "", name));
  Json arg = {{"name", name}, {"type", name_of(type)}, {"role", role}};
  const Json shape = tensor.value("shape", Json());
  if (shape.is_array()) {
    WS_TRY(arg["shape"], shape_of(shape, axes, name));
    return arg;
  }
  if (std::string_view(role) == "out") {
    return fail(ErrorCode::kUnsupported,
                "output `" + name + "` is a scalar, and kernels write tensors only");
  }
  arg["role"] = "scalar";
  arg["values"] = listed_values(workloads, [&](const Json& each) { return scalar_in(each, name); });
  if (arg["values"].empty()) {
    return fail(ErrorCode::kInvalidArgument, "scalar `" + name + "` has no value",
                "give a file with workloads that have one");
  }
  return arg;
}

/// The workloads as a problem lists them: where one axis varies, its values say all.
Json chosen_workloads(const Json& form, const std::vector<Json>& workloads) {
  std::size_t varied = 0;
  for (const Json& dim : form["dims"]) {
    varied += dim.is_object() && dim["values"].size() > 1 ? 1U : 0U;
  }
  for (const Json& arg : form["args"]) {
    varied += arg["role"] == "scalar" && arg["values"].size() > 1 ? 1U : 0U;
  }
  Json chosen = Json::array();
  std::set<Json> known;
  for (const Json& workload : workloads) {
    Json choice = Json::object();
    for (const auto& [name, dim] : form["dims"].items()) {
      choice[name] = dim.is_array() ? dim[0] : size_in(workload, name);
    }
    for (const Json& arg : form["args"]) {
      if (arg["role"] == "scalar") {
        choice[arg["name"].get<std::string>()] = scalar_in(workload, arg["name"]);
      }
    }
    if (known.insert(choice).second) {
      chosen.push_back(std::move(choice));
    }
  }
  return varied > 1 ? chosen : Json::array();
}

Status add_valid(const Json& definition, Json& form) {
  const Json constraints = definition.value("constraints", Json());
  for (const Json& constraint : constraints.is_array() ? constraints : Json::array()) {
    const std::string text = constraint.is_string() ? constraint.get<std::string>() : "";
    const Result<Expr> expr = parse_expr(text);
    if (!expr) {
      return at_path("definition.constraints", expr.error());
    }
    form["valid"].push_back(text);
  }
  return {};
}

Status add_dims(const JsonReader& definition, const std::vector<Json>& workloads, Json& form) {
  WS_TRY(const JsonReader axes, definition.require("axes"));
  if (!axes.is_object()) {
    return axes.expected("an object");
  }
  for (const auto& [axis, spec] : axes.json().items()) {
    WS_CHECK(check_plain_name(axis, "definition: the name of an axis"));
    WS_TRY(form["dims"][axis], dim_of_axis(axis, spec, workloads));
  }
  return {};
}

Status add_args(const OrderedJson& tensors, const char* role, const std::vector<Json>& workloads,
                Json& form) {
  for (const auto& [name, tensor] : tensors.items()) {
    const Json plain = Json::parse(tensor.dump());
    WS_TRY(Json arg, arg_of_tensor(name, plain, role, form["dims"], workloads));
    form["args"].push_back(std::move(arg));
  }
  return {};
}

}  // namespace

Status check_workload_inputs(const Json& workload) {
  WS_TRY(const JsonReader axes, JsonReader(workload, "workload").require("axes"));
  if (!axes.is_object()) {
    return axes.expected("an object");
  }
  const Json inputs = workload.value("inputs", Json::object());
  for (const auto& [name, input] : inputs.items()) {
    if (input.is_object() && input.value("type", Json()) == "safetensors") {
      return fail(ErrorCode::kUnsupported,
                  "workload input `" + name + "` is a tensor in a file, which is not supported");
    }
  }
  return {};
}

Result<Json> problem_of_definition(std::string_view text, const std::vector<Json>& workloads) {
  const Json definition = Json::parse(text, nullptr, false);
  const OrderedJson ordered = OrderedJson::parse(text, nullptr, false);
  const JsonReader reader(definition, "definition");
  for (const Json& workload : workloads) {
    WS_CHECK(check_workload_inputs(workload));
  }
  Json form = {{"dims", Json::object()}, {"args", Json::array()}};
  WS_TRY(const JsonReader name, reader.require("name"));
  WS_TRY(form["name"], name.text(kMaxDefinitionName));
  form["op"] = definition.value("op_type", form["name"]);
  WS_CHECK(add_dims(reader, workloads, form));
  for (const char* side : {"inputs", "outputs"}) {
    WS_TRY(const JsonReader tensors, reader.require(side));
    if (!tensors.is_object()) {
      return tensors.expected("an object");
    }
    WS_CHECK(add_args(ordered[side], side == std::string_view("inputs") ? "in" : "out", workloads,
                      form));
  }
  WS_CHECK(add_valid(definition, form));
  if (Json chosen = chosen_workloads(form, workloads); !chosen.empty()) {
    form["workloads"] = std::move(chosen);
  }
  WS_TRY(const JsonReader reference, reader.require("reference"));
  WS_TRY(const std::string source, reference.text(kMaxSourceBytes));
  form["reference"] = {{"kind", "python"}, {"source", with_reference(source, ordered)}};
  return form;
}

Result<Problem> problem_of_export(std::string_view text) {
  OrderedJson sent = OrderedJson::parse(text, nullptr, false);
  const Json own = Json::parse(text, nullptr, false).value(kOwnField, Json());
  WS_TRY(Problem problem,
         problem_from_json(own.is_object() ? own.value("problem", Json()) : Json()));
  WS_TRY(const OrderedJson written, definition_of(problem));
  for (const auto& [field, value] : written.items()) {
    if (field != kOwnField && sent.value(field, OrderedJson()) != value) {
      return fail(
          ErrorCode::kConflict,
          "the definition was changed after its export: `" + field +
              "` is not that of the problem in `" + kOwnField + "`",
          std::string("remove the field `") + kOwnField + "` to read the definition by itself");
    }
  }
  return problem;
}

}  // namespace ws
