#include "runtime/tune/kernel_tuner.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "runtime/base/units.h"
#include "runtime/kernel/expr/expr.h"

namespace ws::tune {
namespace {

using Json = nlohmann::json;
/// Fields in the order in which they are written.
using OrderedJson = nlohmann::ordered_json;

/// The word of the schema for a point without a time.
const char* failure_word(const Evaluation& evaluation) {
  if (evaluation.fate == Fate::kPruned) {
    return "InvalidConfig";
  }
  return evaluation.verdict == Verdict::kCompileError ? "CompilationFailedConfig"
                                                      : "RuntimeFailedConfig";
}

OrderedJson entry_of(const Evaluation& evaluation, const std::vector<Axis>& axes) {
  OrderedJson entry;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    entry[axes[i].name] = axes[i].values[evaluation.point[i]];
  }
  if (evaluation.fate == Fate::kGood) {
    OrderedJson times = OrderedJson::array();
    for (const double us : evaluation.samples) {
      times.push_back(us / kUsPerMs);
    }
    entry["time"] = evaluation.us / kUsPerMs;
    entry["times"] = std::move(times);
    entry["verified"] = evaluation.verified;
  } else {
    entry["time"] = failure_word(evaluation);
    entry["verdict"] = name_of(evaluation.verdict);
  }
  entry["compile_time"] = evaluation.build_s * kMsPerS;
  // The journal has both in one figure.
  entry["verification_time"] = 0;
  entry["benchmark_time"] = evaluation.trial_s * kMsPerS;
  entry["strategy_time"] = 0;
  entry["framework_time"] = 0;
  entry["timestamp"] = evaluation.at;
  return entry;
}

std::string key_of(const Evaluation& evaluation, const std::vector<Axis>& axes) {
  std::string key;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    key += (i == 0 ? "" : ",") + std::to_string(axes[i].values[evaluation.point[i]]);
  }
  return key;
}

/// A list, or Python's text of one: "[16, 32]".
Result<std::vector<std::int64_t>> values_of(const std::string& name, const Json& field) {
  const Json list =
      field.is_string() ? Json::parse(field.get<std::string>(), nullptr, false) : field;
  const bool integers =
      list.is_array() && !list.empty() &&
      std::all_of(list.begin(), list.end(), [](const Json& v) { return v.is_number_integer(); });
  if (!integers) {
    return fail(ErrorCode::kInvalidArgument,
                "the values of `" + name.substr(0, 64) + "` are not a list of integers",
                "write them out: \"[16, 32, 64]\"");
  }
  return list.get<std::vector<std::int64_t>>();
}

Result<std::string> condition_of(const Json& condition) {
  const Json text = condition.is_object() ? condition.value("Expression", Json()) : condition;
  if (!text.is_string()) {
    return fail(ErrorCode::kInvalidArgument, "a condition has no `Expression`");
  }
  WS_TRY(const Expr expr, parse_expr(text.get<std::string>()));
  return expr.text();
}

}  // namespace

std::string kernel_tuner_cache(const JournalFile& journal, const std::string& kernel_name) {
  const std::vector<Axis>& axes = journal.key.axes;
  OrderedJson keys = OrderedJson::array();
  OrderedJson params = OrderedJson::object();
  for (const Axis& axis : axes) {
    keys.push_back(axis.name);
    params[axis.name] = axis.values;
  }
  OrderedJson cache = OrderedJson::object();
  for (const Evaluation& evaluation : journal.evaluations) {
    cache[key_of(evaluation, axes)] = entry_of(evaluation, axes);
  }
  const OrderedJson file = {{"schema_version", "1.1.0"},  {"device_name", journal.key.device},
                            {"kernel_name", kernel_name}, {"problem_size", journal.key.workloads},
                            {"tune_params_keys", keys},   {"tune_params", params},
                            {"objective", "time"},        {"cache", cache}};
  return file.dump(1, ' ', false, OrderedJson::error_handler_t::replace);
}

Result<SpaceForm> read_t1(std::string_view text) {
  const Json file = Json::parse(text, nullptr, false);
  const Json space = file.is_object() ? file.value("ConfigurationSpace", Json()) : Json();
  const Json parameters = space.is_object() ? space.value("TuningParameters", Json()) : Json();
  if (!parameters.is_array() || parameters.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "not a T1 file: it has no ConfigurationSpace.TuningParameters");
  }
  SpaceForm form;
  for (const Json& parameter : parameters) {
    const Json name = parameter.is_object() ? parameter.value("Name", Json()) : Json();
    if (!name.is_string() || !is_identifier(name.get<std::string>())) {
      return fail(ErrorCode::kInvalidArgument, "a tuning parameter has no usable `Name`");
    }
    WS_TRY(std::vector<std::int64_t> values,
           values_of(name.get<std::string>(), parameter.value("Values", Json())));
    const Json standard = parameter.value("Default", Json());
    if (standard.is_number_integer()) {
      form.defaults[name.get<std::string>()] = standard.get<std::int64_t>();
    }
    form.params.push_back({name.get<std::string>(), std::move(values)});
  }
  for (const Json& condition : space.value("Conditions", Json::array())) {
    WS_TRY(std::string constraint, condition_of(condition));
    form.constraints.push_back(std::move(constraint));
  }
  return form;
}

std::string to_json_text(const SpaceForm& form) {
  OrderedJson params = OrderedJson::object();
  for (const Axis& axis : form.params) {
    params[axis.name] = axis.values;
  }
  const OrderedJson json = {
      {"params", params}, {"defaults", form.defaults}, {"constraints", form.constraints}};
  return json.dump();
}

}  // namespace ws::tune
