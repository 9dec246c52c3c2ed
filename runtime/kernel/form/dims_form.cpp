#include "runtime/kernel/form/dims_form.h"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

namespace ws {
namespace {

constexpr std::size_t kMaxDims = 16;
constexpr std::size_t kMaxDimValues = 4096;
constexpr std::int64_t kLargestDim = std::int64_t{1} << 40U;

Status add_value(const JsonReader& form, std::vector<std::int64_t>& values) {
  WS_TRY(const std::int64_t value, form.integer(0, kLargestDim));
  if (std::find(values.begin(), values.end(), value) != values.end()) {
    return form.error(std::to_string(value) + " is listed twice");
  }
  values.push_back(value);
  return {};
}

Result<std::vector<std::int64_t>> read_values(const JsonReader& form) {
  WS_TRY(const std::vector<JsonReader> items, form.items(1, kMaxDimValues));
  std::vector<std::int64_t> values;
  for (const JsonReader& item : items) {
    WS_CHECK(add_value(item, values));
  }
  return values;
}

Result<std::vector<std::int64_t>> read_range(const JsonReader& form) {
  WS_TRY(const std::vector<JsonReader> items, form.items(2, 3));
  WS_TRY(const std::int64_t low, items[0].integer(0, kLargestDim));
  WS_TRY(const std::int64_t high, items[1].integer(low, kLargestDim));
  std::int64_t step = 1;
  if (items.size() == 3) {
    WS_TRY(step, items[2].integer(1, kLargestDim));
  }
  if ((high - low) / step >= static_cast<std::int64_t>(kMaxDimValues)) {
    return form.error("the range has more than " + std::to_string(kMaxDimValues) + " values");
  }
  std::vector<std::int64_t> values;
  for (std::int64_t value = low; value <= high; value += step) {
    values.push_back(value);
  }
  return values;
}

/// The bounds of {values, min, max, multiple_of}: one of them opens the dim to hidden values.
Status read_bounds(const JsonReader& form, DimSpec& dim) {
  const auto [least, most] = std::minmax_element(dim.values.begin(), dim.values.end());
  dim.min = std::min<std::int64_t>(1, *least);
  dim.max = *most;
  if (const auto min = form.find("min")) {
    WS_TRY(dim.min, min->integer(0, kLargestDim));
    dim.open = true;
  }
  if (const auto max = form.find("max")) {
    WS_TRY(dim.max, max->integer(0, kLargestDim));
    dim.open = true;
  }
  if (const auto multiple = form.find("multiple_of")) {
    WS_TRY(dim.multiple_of, multiple->integer(1, kLargestDim));
    dim.open = true;
  }
  for (const std::int64_t value : dim.values) {
    if (value < dim.min || value > dim.max || value % dim.multiple_of != 0) {
      return form.error("value " + std::to_string(value) + " is not a multiple of " +
                        std::to_string(dim.multiple_of) + " from " + std::to_string(dim.min) +
                        " to " + std::to_string(dim.max));
    }
  }
  return {};
}

Result<DimSpec> read_dim(const JsonReader& form, const std::string& name) {
  DimSpec dim;
  dim.name = name;
  if (form.is_list()) {
    WS_TRY(dim.values, read_values(form));
  } else if (form.is_object() && form.find("range")) {
    WS_CHECK(form.check_fields({"range"}));
    WS_TRY(const JsonReader range, form.require("range"));
    WS_TRY(dim.values, read_range(range));
  } else if (form.is_object()) {
    WS_CHECK(form.check_fields({"values", "min", "max", "multiple_of", "range"}));
    WS_TRY(const JsonReader values, form.require("values"));
    WS_TRY(dim.values, read_values(values));
    WS_CHECK(read_bounds(form, dim));
    return dim;
  } else {
    return form.expected("a list of values, {values, min, max, multiple_of} or {range}");
  }
  const auto [least, most] = std::minmax_element(dim.values.begin(), dim.values.end());
  dim.min = *least;
  dim.max = *most;
  return dim;
}

/// The names of `args`, as far as they are known before the arguments are read.
std::set<std::string> argument_names(const JsonReader& problem) {
  std::set<std::string> names;
  if (const auto args = problem.find("args"); args && args->is_list()) {
    for (const nlohmann::json& arg : args->json()) {
      if (arg.is_object() && arg.contains("name") && arg["name"].is_string()) {
        names.insert(arg["name"].get<std::string>());
      }
    }
  }
  return names;
}

Result<std::vector<DimSpec>> dims_of_workloads(const JsonReader& problem) {
  const auto workloads = problem.find("workloads");
  if (!workloads) {
    return std::vector<DimSpec>();
  }
  WS_TRY(const std::vector<JsonReader> items, workloads->items(1, kMaxDimValues));
  const std::set<std::string> args = argument_names(problem);
  std::map<std::string, nlohmann::json> values;
  for (const JsonReader& item : items) {
    WS_TRY(const auto fields, item.members(kMaxDims * 4));
    for (const auto& [name, value] : fields) {
      nlohmann::json& list = values[name];
      if (args.count(name) == 0 &&
          std::find(list.begin(), list.end(), value.json()) == list.end()) {
        list.push_back(value.json());
      }
    }
  }
  std::vector<DimSpec> dims;
  for (const auto& [name, list] : values) {
    if (args.count(name) == 0) {
      WS_TRY(DimSpec dim, read_dim(JsonReader(list, workloads->path() + "[]." + name), name));
      dims.push_back(std::move(dim));
    }
  }
  return dims;
}

}  // namespace

Result<std::vector<DimSpec>> read_dims(const JsonReader& problem) {
  const auto form = problem.find("dims");
  if (!form) {
    return dims_of_workloads(problem);
  }
  WS_TRY(const auto fields, form->members(kMaxDims));
  std::vector<DimSpec> dims;
  for (const auto& [name, field] : fields) {
    const nlohmann::json key = name;
    WS_CHECK(JsonReader(key, field.path()).identifier());
    WS_TRY(DimSpec dim, read_dim(field, name));
    dims.push_back(std::move(dim));
  }
  return dims;
}

}  // namespace ws
