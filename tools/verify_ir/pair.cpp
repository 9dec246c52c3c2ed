#include "tools/verify_ir/pair.h"

#include <utility>

#include "runtime/base/text.h"
#include "tools/answer/next_steps.h"
#include "tools/evidence/validation_form.h"

namespace ws {
namespace {

std::string pair_summary(const VerifiedPair& pair) {
  const auto& [request, result, reasons] = pair;
  const std::string kernel = request.subject.kernel.id;
  if (result.verdict != Verdict::kPassed) {
    std::string text =
        kernel + ": " + std::string(name_of(result.verdict)) + ": " + quoted(result.message);
    if (!reasons.empty()) {
      const Explanation& first = reasons.front();
      text += "; perhaps " + std::string(first.rule) +
              (first.line > 0 ? " in line " + std::to_string(first.line) : "") + ": " +
              std::string(first.message);
    }
    return text;
  }
  return "ok: " + kernel + " gave the outputs of " + request.against.kernel.id + " in " +
         std::to_string(result.runs_total) + " runs";
}

std::vector<Json> pair_steps(const VerifiedPair& pair) {
  const ValidationResult& result = pair.result;
  const std::string& kernel = pair.request.subject.kernel.id;
  if (result.verdict == Verdict::kPassed) {
    return {next_step("validate", {{"kernel_id", kernel}, {"level", "standard"}},
                      "two kernels can be wrong alike: compare it with the problem's reference")};
  }
  if (result.verdict == Verdict::kInvalidReference) {
    return {edit_step("compile_kernel", pair.request.against.kernel.id,
                      "it is the one that went wrong")};
  }
  const bool values = result.mismatch && !result.fault;
  return {edit_step(
      "compile_kernel", kernel,
      values ? result.mismatch->pattern.hint : "fix the lines that fault or diagnostics name")};
}

Json rule_form(const Explanation& row) {
  Json form = {{"rule", row.rule}, {"message", row.message}, {"fix", row.fix}};
  if (row.line > 0) {
    form["line"] = row.line;
    form["text"] = quoted(row.text);
  }
  if (row.other_line > 0) {
    form["other_line"] = row.other_line;
    form["other_text"] = quoted(row.other_text);
  }
  return form;
}

Json binding_form(const Binding& binding) {
  Json args = Json::object();
  for (const BoundArg& arg : binding.args) {
    args[arg.own] = {{"other", arg.other}};
    if (arg.order && !arg.order->empty()) {
      args[arg.own]["order"] = *arg.order;
    }
    if (arg.add != 0) {
      args[arg.own]["add"] = arg.add;
    }
  }
  return {{"dims", binding.dims}, {"args", std::move(args)}};
}

}  // namespace

Binding binding_of_form(const Json& form) {
  Binding binding;
  const Json dims = form.value("dims", Json::object());
  for (const auto& [name, size] : dims.items()) {
    binding.dims[name] = size.get<std::string>();
  }
  const Json args = form.value("args", Json::object());
  for (const auto& [name, row] : args.items()) {
    BoundArg arg{name, row.at("other").get<std::string>(), std::nullopt,
                 row.value("add", std::int64_t{0})};
    if (row.contains("order")) {
      arg.order = row["order"].get<std::vector<std::size_t>>();
    }
    binding.args.push_back(std::move(arg));
  }
  return binding;
}

Answer answer_of(const VerifiedPair& pair) {
  StoredValidation shown{.result = pair.result,
                         .weak_problem = {},
                         .kernel_id = pair.request.subject.kernel.id,
                         .evidence_id = {}};
  shown.result.message = ws::quoted(shown.result.message);
  shorten_runs(shown.result);
  Json body = shown;
  for (const char* of_evidence : {"age_s", "reference"}) {
    body.erase(of_evidence);
  }
  if (pair.result.verdict == Verdict::kPassed) {
    body["verdict"] = "ok";
  }
  body["against"] = pair.request.against.kernel.id;
  body["binding"] = binding_form(pair.request.binding);
  body["seed"] = pair.request.seed;
  for (const Explanation& row : pair.reasons) {
    body["rules"].push_back(rule_form(row));
  }
  return {.summary = pair_summary(pair), .body = std::move(body), .next_steps = pair_steps(pair)};
}

}  // namespace ws
