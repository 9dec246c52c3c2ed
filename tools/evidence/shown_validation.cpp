#include "tools/evidence/shown_validation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/base/numbers.h"
#include "runtime/kernel/language.h"
#include "runtime/kernel/plan/plan.h"
#include "tools/answer/next_steps.h"
#include "tools/answer/subject_form.h"
#include "tools/evidence/validation_form.h"

namespace ws {
namespace {

Result<std::vector<OutputBound>> bounds_at(const Problem& problem, const Workload& workload) {
  WS_TRY(const ResolvedPlan plan, resolve_plan(problem, Kernel{}, workload, {}));
  WS_TRY(const ErrorModel error_model, ErrorModel::of(problem, workload));
  return error_model.bounds(plan.buffers);
}

/// The widest part of any bound.
double width(const std::vector<OutputBound>& bounds) {
  double widest = 0;
  for (const OutputBound& each : bounds) {
    widest = std::max({widest, each.explained.bound.rtol, each.explained.bound.atol});
  }
  return widest;
}

std::string origin_words(BoundOrigin origin, const OutputBound& bound) {
  switch (origin) {
    case BoundOrigin::kType:
      return std::string(name_of(bound.type));
    case BoundOrigin::kReduction:
      return "sums of " + significant_digits(std::round(bound.explained.reduction_length), 12) +
             " terms";
    case BoundOrigin::kProblem:
      return "the problem's tolerance";
    case BoundOrigin::kArgument:
      break;
  }
  return "its own tolerance";
}

Json bound_form(const OutputBound& bound) {
  const ExplainedBound& explained = bound.explained;
  Json form = {{"output", bound.output}, {"type", name_of(bound.type)}};
  if (explained.bound.exact) {
    form["exact"] = true;
    return form;
  }
  form["rtol"] = rounded(explained.bound.rtol);
  form["rtol_from"] = name_of(explained.rtol_from);
  form["atol"] = rounded(explained.bound.atol);
  form["atol_from"] = name_of(explained.atol_from);
  form["atol_of"] = "row_rms";
  form["reduction_length"] = rounded(explained.reduction_length);
  if (explained.bound.sum > 0) {
    form["zero_rows"] = rounded(explained.bound.sum);
  }
  return form;
}

/// Sets the sizes that no run of a pass had.
Status find_untried(const Subject& subject, const ValidationResult& result,
                    ShownValidation& found) {
  std::vector<Workload> tried;
  tried.reserve(result.runs.size());
  for (const RunRecord& run : result.runs) {
    tried.push_back(run.workload);
  }
  if (!result.emulated && result.runs.size() < result.runs_total) {
    // Not all runs are shown; a GPU runs listed workloads as they are.
    WS_TRY(const std::vector<Workload> listed, expand_workloads(subject.problem));
    tried.insert(tried.end(), listed.begin(), listed.end());
  }
  const Params& params = result.runs.empty() ? subject.kernel.defaults : result.runs.front().params;
  WS_TRY(found.untried, untried_range(subject.problem, subject.kernel, params, tried,
                                      std::numeric_limits<double>::infinity()));
  std::map<std::string, std::int64_t> largest = result.largest;
  for (const Workload& workload : tried) {
    for (const auto& [dim, size] : workload.dims) {
      largest[dim] = std::max(largest[dim], size);
    }
  }
  WS_TRY(found.far_above, untried_sizes(subject.problem, subject.kernel, params, largest));
  return {};
}

/// "more than 2^31 elements of `x`, n above 1999 and m above 8"; nothing where all was tried.
std::string untried_words(const ShownValidation& shown) {
  std::vector<std::string> parts;
  if (shown.untried) {
    parts.push_back("more than 2^31 elements of `" + shown.untried->name + "`");
    if (const auto& sparse = shown.validation.result.sparse) {
      parts.back() += " (" + std::to_string(sparse->blocks) + " of " + std::to_string(sparse->of) +
                      " blocks stayed within bounds at " +
                      std::to_string(sparse->largest.elements) + ")";
    }
  }
  for (const UntriedSizes& sizes : shown.far_above) {
    parts.push_back(sizes.dim + " above " + std::to_string(sizes.tried));
  }
  std::string words;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    words += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  }
  return words;
}

Json untried_form(const ShownValidation& shown) {
  Json form = Json::object();
  if (shown.untried) {
    form = {{"argument", shown.untried->name},
            {"elements", shown.untried->elements},
            {"more_than", kIndexRange}};
  }
  for (const UntriedSizes& sizes : shown.far_above) {
    form["sizes"].push_back(
        {{"dim", sizes.dim}, {"above", sizes.tried}, {"allowed", sizes.allowed}});
  }
  return form;
}

/// "; memcheck and racecheck found nothing; initcheck took longer than 60000 ms"; "; no race".
std::string sanitizers_text(const SanitizerResult& result) {
  if (std::ranges::find(result.clean, SanitizerTool::kEngine) != result.clean.end()) {
    return "; no race";
  }
  std::string names;
  for (std::size_t i = 0; i < result.clean.size(); ++i) {
    names += i == 0 ? "; " : i + 1 == result.clean.size() ? " and " : ", ";
    names += name_of(result.clean[i]);
  }
  std::string text = names.empty() ? "" : names + " found nothing";
  for (const std::string& why : result.skipped) {
    text += "; " + why;
  }
  return text;
}

/// ", and 3 on the CPU engine", or why it tells nothing.
std::string engine_text(const EngineCheck& check) {
  if (check.verdict == Verdict::kPassed) {
    return ", and " + std::to_string(check.runs) + " on the CPU engine";
  }
  return "; the CPU engine says " + verdict_text(check.verdict, check.message);
}

/// Why it is wrong: first where, if a race or unwritten memory explains it.
std::string wrong_text(const ValidationResult& result) {
  const bool explained = result.finding && result.fault && result.sanitized;
  return verdict_text(result.verdict,
                      explained ? result.fault->message + "; " + result.message : result.message);
}

/// The answer without the bounds, and without what was not tried.
Answer verdict_answer(const StoredValidation& validation) {
  const ValidationResult& result = validation.result;
  const std::string& kernel = validation.kernel_id;
  const bool passed = result.verdict == Verdict::kPassed;
  Answer answer{.summary = {}, .body = validation, .next_steps = {}};
  answer.body["links"] = kernel_links(kernel);
  answer.body["links"].push_back(
      {{"rel", "report"}, {"uri", "evidence://" + validation.evidence_id}});
  if (passed) {
    answer.summary = kernel + " passed " + std::to_string(result.runs_total) + " runs";
    if (result.engine) {
      answer.summary += engine_text(*result.engine);
    }
    if (result.sanitized) {
      answer.summary += sanitizers_text(*result.sanitized);
    }
    if (!validation.weak_problem.empty()) {
      answer.summary += ", on a weak problem: " + validation.weak_problem.front();
    }
    answer.next_steps = {
        next_step("benchmark", {{"kernel_id", kernel}}, "time it against its root")};
  } else if (result.verdict == Verdict::kInvalidReference) {
    answer.summary = kernel + ": " + verdict_text(result.verdict, result.message);
    answer.next_steps = {
        advice("change the problem, not the kernel: give its inputs another `fill` or `domain`, or "
               "correct its reference, and send it with compile_kernel")};
  } else if (result.verdict == Verdict::kUnsupported && result.diagnostics.empty()) {
    answer.summary = kernel + ": " + verdict_text(result.verdict, result.message);
    answer.next_steps = {
        advice("the kernel was not judged and need not be wrong: change what the message names, or "
               "validate other sizes with `workloads`")};
  } else {
    answer.summary = kernel + ": " + wrong_text(result);
    answer.next_steps = {edit_step("compile_kernel", kernel,
                                   result.mismatch && !result.fault
                                       ? result.mismatch->pattern.hint
                                       : "fix the lines that fault or diagnostics name")};
  }
  return answer;
}

}  // namespace

void from_json(const Json& form, ShownValidation& shown) {
  shown.validation = form.get<StoredValidation>();
}

Result<ShownValidation> shown(const Subject& subject, StoredValidation validation) {
  ShownValidation found;
  const Problem& problem = subject.problem;
  const std::vector<RunRecord>& runs = validation.result.runs;
  const bool passed = validation.result.verdict == Verdict::kPassed;
  for (auto run = passed || runs.empty() ? runs.begin() : runs.end() - 1; run != runs.end();
       ++run) {
    WS_TRY(std::vector<OutputBound> bounds, bounds_at(problem, run->workload));
    if (found.bounds.empty() || width(bounds) > width(found.bounds)) {
      found.bounds = std::move(bounds);
      found.workload = run->workload;
      found.whole_numbers = !passed && run->distribution == name_of(Distribution::kExactIntegers);
    }
  }
  if (passed) {
    WS_CHECK(find_untried(subject, validation.result, found));
  }
  found.timed_here = timed_there(validation.result, subject.kernel);
  found.validation = std::move(validation);
  return found;
}

bool timed_there(const ValidationResult& result, const Kernel& kernel) {
  return !result.emulated || !is_tile_language(kernel.language);
}

void add_history(const ValidationHistory& history, std::int64_t passes, ShownValidation& shown) {
  shown.passes = passes;
  if (history.wrong && shown.validation.result.verdict == Verdict::kPassed) {
    shown.found_wrong = {history.wrong->verdict, history.wrong->id, history.wrong->kernel_id,
                         repetition(*history.wrong)};
  }
}

std::string bound_words(const OutputBound& bound) {
  const ExplainedBound& explained = bound.explained;
  const std::string name = "`" + bound.output + "`: ";
  if (explained.bound.exact) {
    return name + "equal values (" + std::string(name_of(bound.type)) + ")";
  }
  return name + "|got - want| <= " + three_digits(explained.bound.rtol) + " * |want| (" +
         origin_words(explained.rtol_from, bound) + ") + " + three_digits(explained.bound.atol) +
         " * row's RMS (" + origin_words(explained.atol_from, bound) + ")";
}

Answer answer_of(const ShownValidation& shown) {
  Answer answer = verdict_answer(shown.validation);
  if (!shown.timed_here && shown.validation.result.verdict == Verdict::kPassed) {
    answer.next_steps = {next_step("profile", {{"kernel_id", shown.validation.kernel_id}},
                                   "see what it moves and computes; this device cannot time it")};
  }
  if (const std::string words = untried_words(shown); !words.empty()) {
    answer.summary += ", not tried: " + words;
    answer.body["not_tried"] = untried_form(shown);
  }
  answer.body["passes"] = shown.passes;
  if (const auto& wrong = shown.found_wrong) {
    answer.summary += "; but flaky: " + wrong->evidence_id + " found " + wrong->kernel_id + " " +
                      std::string(name_of(wrong->verdict)) +
                      ", which stands, so it is not timed: change the kernel";
    answer.body["flaky"] = {{"verdict", name_of(wrong->verdict)},
                            {"evidence_id", wrong->evidence_id},
                            {"kernel_id", wrong->kernel_id}};
    Json again = wrong->again;
    again["kernel_id"] = wrong->kernel_id;
    answer.next_steps = {
        next_step("validate", std::move(again), "run the inputs again that it was wrong on")};
  }
  if (shown.bounds.empty()) {
    return answer;
  }
  Json forms = Json::array();
  std::string line;
  for (const OutputBound& bound : shown.bounds) {
    Json form = bound_form(bound);
    form["workload"] = to_json(shown.workload);
    forms.push_back(std::move(form));
    line += (line.empty() ? "" : "; ") + bound_words(bound);
  }
  if (shown.whole_numbers) {
    line += "; equal values where whole numbers give whole results, as in this run";
  }
  answer.body["tolerance"] = std::move(forms);
  answer.body["error_model"] = line;
  return answer;
}

}  // namespace ws
