#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "runtime/kernel/form/baseline_form.h"
#include "runtime/kernel/form/dims_form.h"
#include "runtime/kernel/form/forms.h"
#include "runtime/kernel/form/json_reader.h"
#include "runtime/kernel/form/kernel_form.h"
#include "runtime/kernel/form/tied_args.h"
#include "runtime/kernel/ids.h"
#include "runtime/kernel/plan/workloads.h"

namespace ws {
namespace {

constexpr std::size_t kMaxArgs = 64;
constexpr std::int64_t kHardest = 5;
/// The limit for a program that is a reference: as ir::kMaxProgramBytes.
constexpr std::size_t kMaxReferenceBytes = std::size_t{1} << 20U;

/// True when the text uses acc_t and does not declare it: the contract makes it f64 then.
bool needs_acc_t(const std::string& source) {
  const auto has = [&source](const char* text) { return source.find(text) != std::string::npos; };
  return has("acc_t") && !has(" acc_t;") && !has("using acc_t") && !has("define acc_t");
}

Status read_reference(const JsonReader& form, Problem& problem) {
  if (!form.is_object()) {
    return form.expected("an object");
  }
  WS_TRY(const JsonReader kind, form.require("kind"));
  WS_TRY(problem.reference_kind, kind.text(kMaxNameBytes));
  if (problem.reference_kind == "python" || problem.reference_kind == "cuir") {
    WS_CHECK(form.check_fields({"kind", "source"}));
    WS_TRY(const JsonReader source, form.require("source"));
    WS_TRY(problem.reference_source, source.text(kMaxReferenceBytes));
    return {};
  }
  if (problem.reference_kind == "first_kernel") {
    problem.reference_trusted = false;
    return form.check_fields({"kind"});
  }
  if (problem.reference_kind != "kernel") {
    return kind.expected("`kernel`, `first_kernel`, `cuir` or `python`");
  }
  Names known = plan_fields();
  known.insert(known.end(), {"kind", "entry", "trusted", "types"});
  WS_CHECK(form.check_fields(known));
  if (const auto trusted = form.find("trusted")) {
    WS_TRY(problem.reference_trusted, trusted->boolean());
  }
  std::string entry;
  if (const auto field = form.find("entry")) {
    WS_TRY(entry, field->text(kMaxEntryBytes));
  }
  WS_TRY(Kernel kernel, read_plan(form, problem, entry));
  if (problem.reference_trusted && needs_acc_t(kernel.source)) {
    kernel.options.emplace_back("-Dacc_t=double");
  }
  kernel.name = "reference";
  kernel.id = content_id("krn", kernel.name, form.json());
  kernel.json = canonical_text(form.json());
  problem.reference = std::make_shared<const Kernel>(std::move(kernel));
  return {};
}

/// `tolerance` is {rtol, atol} for all outputs, or such an object for each output by name.
Status read_tolerances(const JsonReader& form, Problem& problem) {
  const bool whole = form.is_object() && (form.find("rtol") || form.find("atol"));
  if (whole) {
    WS_TRY(problem.tolerance, read_tolerance(form));
    return {};
  }
  Names outputs;
  for (const ArgSpec& arg : problem.args) {
    if (arg.role == Role::kOut || arg.role == Role::kInout) {
      outputs.push_back(arg.name);
    }
  }
  Names known = outputs;
  known.insert(known.end(), {"rtol", "atol"});
  WS_CHECK(form.check_fields(known));
  for (ArgSpec& arg : problem.args) {
    if (const auto one = form.find(arg.name)) {
      if (arg.tolerance) {
        return one->error("the argument has a `tolerance` already");
      }
      WS_TRY(arg.tolerance, read_tolerance(*one));
    }
  }
  return {};
}

Status read_costs(const JsonReader& form, Problem& problem) {
  const Names names = integer_names(problem);
  if (const auto valid = form.find("valid")) {
    WS_TRY(const Names sent, valid->expressions(names, 0, kMaxListItems));
    problem.valid.insert(problem.valid.end(), sent.begin(), sent.end());
  }
  if (const auto flops = form.find("flops")) {
    WS_TRY(problem.flops, flops->expression(names));
  }
  if (const auto bytes = form.find("bytes")) {
    WS_TRY(problem.bytes, bytes->expression(names));
  }
  if (const auto difficulty = form.find("difficulty")) {
    WS_TRY(const std::int64_t value, difficulty->integer(0, kHardest));
    problem.difficulty = static_cast<int>(value);
  }
  return {};
}

Status read_args(const JsonReader& form, Problem& problem) {
  WS_TRY(const JsonReader list, form.require("args"));
  WS_TRY(const std::vector<JsonReader> items, list.items(1, kMaxArgs));
  Names dims;
  std::set<std::string> taken;
  for (const DimSpec& dim : problem.dims) {
    dims.push_back(dim.name);
    taken.insert(dim.name);
  }
  bool has_output = false;
  for (const JsonReader& item : items) {
    WS_TRY(ArgSpec arg, read_arg_spec(item, dims));
    if (!taken.insert(arg.name).second) {
      return item.error("`" + arg.name + "` is declared already");
    }
    has_output = has_output || arg.role == Role::kOut || arg.role == Role::kInout;
    problem.args.push_back(std::move(arg));
  }
  if (!has_output) {
    return list.error("no argument has role `out` or `inout`");
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    WS_CHECK(check_sparse_fill(items[i], problem.args[i], problem));
    WS_CHECK(check_unordered(items[i], problem.args[i], problem));
  }
  return {};
}

Status read_workloads(const JsonReader& form, Problem& problem) {
  const auto listed = form.find("workloads");
  if (listed) {
    WS_TRY(const std::vector<JsonReader> items, listed->items(1, kMaxWorkloads));
    for (const JsonReader& item : items) {
      WS_TRY(Workload workload, workload_from_json(item.json(), problem, item.path()));
      problem.workloads.push_back(std::move(workload));
    }
  }
  const auto expanded = expand_workloads(problem);
  return expanded ? Status() : Status(at_path(form.path(), expanded.error()));
}

Result<nlohmann::json> parse_json(std::string_view text, const char* what) {
  constexpr int kMaxDepth = 64;
  bool too_deep = false;
  const auto limit = [&too_deep](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    too_deep = too_deep || depth > kMaxDepth;
    return !too_deep;
  };
  nlohmann::json json = nlohmann::json::parse(text, limit, false);
  if (too_deep) {
    return fail(ErrorCode::kInvalidArgument, std::string(what) + ": nested more than 64 deep");
  }
  if (json.is_discarded()) {
    return fail(ErrorCode::kInvalidArgument, std::string(what) + ": not JSON");
  }
  return json;
}

}  // namespace

Result<Problem> problem_from_json(const nlohmann::json& json) {
  const JsonReader form(json, "problem");
  WS_CHECK(form.check_fields({"name", "op", "dims", "valid", "args", "reference", "tolerance",
                              "flops", "bytes", "difficulty", "workloads", "baseline"}));
  Problem problem;
  if (const auto op = form.find("op")) {
    WS_TRY(problem.op, op->text(kMaxNameBytes));
  }
  problem.name = slug(problem.op, "problem");
  if (const auto name = form.find("name")) {
    WS_TRY(problem.name, name->text(kMaxNameBytes));
  }
  WS_TRY(problem.dims, read_dims(form));
  WS_CHECK(read_args(form, problem));
  WS_CHECK(read_costs(form, problem));
  if (const auto tolerance = form.find("tolerance")) {
    WS_CHECK(read_tolerances(*tolerance, problem));
  }
  WS_CHECK(read_workloads(form, problem));
  WS_TRY(const JsonReader reference, form.require("reference"));
  WS_CHECK(read_reference(reference, problem));
  if (const auto baseline = form.find("baseline")) {
    WS_TRY([[maybe_unused]] const NamedBaseline named, read_baseline(*baseline, problem));
  }
  problem.id = content_id("prb", slug(problem.name, "problem"), json);
  problem.json = canonical_text(json);
  return problem;
}

Result<Problem> parse_problem(std::string_view json_text) {
  WS_TRY(const nlohmann::json json, parse_json(json_text, "problem"));
  return problem_from_json(json);
}

Result<Kernel> parse_kernel(std::string_view json_text, const Problem& problem) {
  WS_TRY(const nlohmann::json json, parse_json(json_text, "kernel"));
  return kernel_from_json(json, problem);
}

Result<Problem> resolve_first_kernel(const Problem& problem, const Kernel& kernel) {
  if (problem.reference_kind != "first_kernel") {
    return fail(ErrorCode::kConflict, problem.id + " has a reference already");
  }
  WS_TRY(nlohmann::json form, parse_json(problem.json, "problem"));
  WS_TRY(nlohmann::json reference, parse_json(kernel.json, "kernel"));
  reference.erase("name");
  reference.erase("problem_id");
  reference["kind"] = "kernel";
  reference["trusted"] = false;
  form["reference"] = std::move(reference);
  return problem_from_json(form);
}

}  // namespace ws
