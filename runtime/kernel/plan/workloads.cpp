#include "runtime/kernel/plan/workloads.h"

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

#include "runtime/kernel/expr/conditions.h"
#include "runtime/kernel/form/json_reader.h"
#include "runtime/kernel/ids.h"

namespace ws {
namespace {

constexpr std::int64_t kSaturated = std::numeric_limits<std::int64_t>::max();

std::vector<const ArgSpec*> scalars_of(const Problem& problem) {
  std::vector<const ArgSpec*> scalars;
  for (const ArgSpec& arg : problem.args) {
    if (arg.role == Role::kScalar) {
      scalars.push_back(&arg);
    }
  }
  return scalars;
}

/// Every choice of dims and scalars; fails before it takes memory for too many.
Result<std::vector<Workload>> all_choices(const Problem& problem) {
  std::vector<Workload> choices(1);
  const auto too_many = [](std::size_t now, std::size_t times) {
    return now * times > kMaxWorkloads;
  };
  const auto error =
      fail(ErrorCode::kInvalidArgument,
           "dims and scalars span more than " + std::to_string(kMaxWorkloads) + " choices",
           "list the `workloads` that matter");
  const auto multiply = [&choices](const auto& values, const auto& set) {
    std::vector<Workload> next;
    next.reserve(choices.size() * values.size());
    for (const Workload& choice : choices) {
      for (const auto value : values) {
        set(next.emplace_back(choice), value);
      }
    }
    choices = std::move(next);
  };
  for (const DimSpec& dim : problem.dims) {
    if (too_many(choices.size(), dim.values.size())) {
      return error;
    }
    multiply(dim.values, [&](Workload& w, std::int64_t value) { w.dims[dim.name] = value; });
  }
  for (const ArgSpec* arg : scalars_of(problem)) {
    if (too_many(choices.size(), arg->values.size())) {
      return error;
    }
    multiply(arg->values, [&](Workload& w, double value) { w.scalars[arg->name] = value; });
  }
  return choices;
}

Result<std::optional<std::int64_t>> evaluate_cost(const std::string& text, const char* field,
                                                  const Problem& problem,
                                                  const Workload& workload) {
  if (text.empty()) {
    return std::optional<std::int64_t>();
  }
  const Result<std::int64_t> value = eval_expr(text, bindings_of(problem, workload));
  if (!value) {
    return at_path(field, value.error());
  }
  return std::optional<std::int64_t>(*value);
}

bool allows(const DimSpec& dim, std::int64_t value) {
  const bool listed = std::find(dim.values.begin(), dim.values.end(), value) != dim.values.end();
  return listed ||
         (dim.open && value >= dim.min && value <= dim.max && value % dim.multiple_of == 0);
}

std::string allowed_values(const DimSpec& dim) {
  if (dim.open) {
    return "a multiple of " + std::to_string(dim.multiple_of) + " from " + std::to_string(dim.min) +
           " to " + std::to_string(dim.max);
  }
  std::string text = "one of ";
  for (std::size_t i = 0; i < dim.values.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(dim.values[i]);
  }
  return text;
}

}  // namespace

Bindings bindings_of(const Problem& problem, const Workload& workload, const Params& params) {
  Bindings bindings = workload.dims;
  for (const ArgSpec* arg : scalars_of(problem)) {
    const auto value = workload.scalars.find(arg->name);
    if (!is_float(arg->type) && value != workload.scalars.end()) {
      bindings[arg->name] = static_cast<std::int64_t>(value->second);
    }
  }
  bindings.insert(params.begin(), params.end());
  return bindings;
}

Result<std::vector<Workload>> expand_workloads(const Problem& problem) {
  if (!problem.workloads.empty()) {
    return problem.workloads;
  }
  WS_TRY(const std::vector<Workload> choices, all_choices(problem));
  WS_TRY(const Conditions valid, Conditions::parse(problem.valid, "valid"));
  std::vector<Workload> workloads;
  for (const Workload& choice : choices) {
    WS_TRY(const std::string broken, valid.broken(bindings_of(problem, choice)));
    if (broken.empty()) {
      workloads.push_back(choice);
    }
  }
  if (workloads.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "no choice of the listed dims and scalars meets `valid`");
  }
  return workloads;
}

Result<Workload> workload_from_json(const nlohmann::json& json, const Problem& problem,
                                    const std::string& path) {
  const JsonReader form(json, path);
  Names known;
  for (const DimSpec& dim : problem.dims) {
    known.push_back(dim.name);
  }
  for (const ArgSpec* arg : scalars_of(problem)) {
    known.push_back(arg->name);
  }
  WS_CHECK(form.check_fields(known));
  Workload workload;
  for (const DimSpec& dim : problem.dims) {
    const auto field = form.find(dim.name);
    if (!field && dim.values.size() > 1) {
      return form.error("dim `" + dim.name + "` is missing");
    }
    workload.dims[dim.name] = dim.values.front();
    if (field) {
      WS_TRY(workload.dims[dim.name], field->integer(0, kSaturated));
    }
  }
  for (const ArgSpec* arg : scalars_of(problem)) {
    double& value = workload.scalars[arg->name];
    value = arg->values.front();
    if (const auto field = form.find(arg->name)) {
      WS_TRY(value, field->number());
    }
  }
  if (const Status allowed = check_workload(problem, workload); !allowed) {
    return at_path(path, allowed.error());
  }
  return workload;
}

std::string to_json_text(const Workload& workload) {
  nlohmann::json form = workload.dims;
  for (const auto& [name, value] : workload.scalars) {
    form[name] = value;
  }
  return canonical_text(form.is_null() ? nlohmann::json::object() : form);
}

Status check_workload(const Problem& problem, const Workload& workload) {
  for (const DimSpec& dim : problem.dims) {
    const auto value = workload.dims.find(dim.name);
    if (value == workload.dims.end() || !allows(dim, value->second)) {
      return fail(ErrorCode::kInvalidArgument,
                  "dim `" + dim.name + "`: expected " + allowed_values(dim) + ", got " +
                      (value == workload.dims.end() ? "nothing" : std::to_string(value->second)));
    }
  }
  for (const ArgSpec* arg : scalars_of(problem)) {
    const auto value = workload.scalars.find(arg->name);
    if (value == workload.scalars.end() ||
        std::find(arg->values.begin(), arg->values.end(), value->second) == arg->values.end()) {
      return fail(ErrorCode::kInvalidArgument,
                  "scalar `" + arg->name + "`: expected one of its declared values");
    }
  }
  WS_TRY(const Conditions valid, Conditions::parse(problem.valid, "valid"));
  WS_TRY(const std::string broken, valid.broken(bindings_of(problem, workload)));
  if (!broken.empty()) {
    return fail(ErrorCode::kInvalidArgument, "the workload does not meet `" + broken + "`");
  }
  return {};
}

Result<std::optional<std::int64_t>> flops_of(const Problem& problem, const Workload& workload) {
  return evaluate_cost(problem.flops, "flops", problem, workload);
}

Result<std::optional<std::int64_t>> bytes_of(const Problem& problem, const Workload& workload) {
  return evaluate_cost(problem.bytes, "bytes", problem, workload);
}

Result<std::int64_t> elements_of(const ArgSpec& arg, const Bindings& bindings) {
  std::int64_t elements = 1;
  for (const std::string& text : arg.shape) {
    const Result<std::int64_t> extent = eval_expr(text, bindings);
    if (!extent) {
      return at_path("shape of `" + arg.name + "`", extent.error());
    }
    if (__builtin_mul_overflow(elements, std::max<std::int64_t>(*extent, 0), &elements)) {
      return kSaturated;
    }
  }
  return elements;
}

Result<std::int64_t> elements_of(const Problem& problem, const Workload& workload) {
  const Bindings bindings = bindings_of(problem, workload);
  std::int64_t total = 0;
  for (const ArgSpec& arg : problem.args) {
    if (arg.role == Role::kScalar) {
      continue;
    }
    WS_TRY(const std::int64_t elements, elements_of(arg, bindings));
    if (__builtin_add_overflow(total, elements, &total)) {
      return kSaturated;
    }
  }
  return total;
}

Result<std::int64_t> cost_of(const Problem& problem, const Workload& workload) {
  WS_TRY(const std::optional<std::int64_t> flops, flops_of(problem, workload));
  return flops.value_or(0) > 0 ? Result<std::int64_t>(*flops) : elements_of(problem, workload);
}

}  // namespace ws
