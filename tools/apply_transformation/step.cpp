#include "tools/apply_transformation/step.h"

#include <algorithm>
#include <array>

#include "runtime/base/verdict.h"
#include "runtime/kernel/language.h"
#include "runtime/session/skills.h"

namespace ws {
namespace {

/// The pass whose turn it is: after one of the same transformation the one after it, else the
/// first.
std::size_t next_pass(const std::vector<PassTry>& history, const Transformation& transformation) {
  if (history.empty() || history.back().transformation != transformation.name) {
    return 0;
  }
  const auto done = static_cast<std::size_t>(history.back().pass);
  return done < transformation.passes.size() ? done : 0;
}

/// Whether the history has a pass of it that changed something.
bool made_by(const std::vector<PassTry>& history, const std::string& transformation) {
  return std::any_of(history.begin(), history.end(), [&](const PassTry& done) {
    return done.transformation == transformation && done.verdict == Verdict::kPassed;
  });
}

Status check_order(std::size_t asked, std::size_t next, const Step& step) {
  const std::size_t of = step.transformation.passes.size();
  const std::string name = "`" + step.transformation.name + "`";
  if (asked > of) {
    return fail(ErrorCode::kInvalidArgument, "`pass` is " + std::to_string(asked) + ", and " +
                                                 name + " has " + std::to_string(of));
  }
  if (asked > next + 1) {
    return fail(ErrorCode::kInvalidArgument,
                "pass " + std::to_string(asked) + " of " + name + " is not the next of " +
                    step.subject.kernel.id + ": pass " + std::to_string(next + 1) + " is",
                "make the passes in order; send `edits` [] for one that has nothing to change");
  }
  return {};
}

Status check_requirements(const Step& step) {
  for (const RequirementState& requirement : step.requirements) {
    if (requirement.holds == false) {
      return fail(ErrorCode::kInvalidArgument,
                  "`" + step.transformation.name + "` does not apply to " + step.subject.kernel.id +
                      " on " + step.info.id + " (" + step.info.arch + "): it needs " +
                      requirement.text,
                  "call it without `transformation` to see those that apply");
    }
  }
  return {};
}

}  // namespace

InstructionFacts Step::facts() const {
  return {.problem = subject.problem,
          .kernel = subject.kernel,
          .device = arch.empty() ? device->id : arch,
          .arch = info.arch,
          .warp_size = info.limits.warp_size,
          .shared_bytes = info.limits.max_shared_bytes,
          .lineage = lineage};
}

Result<Step> begin_step(Services& services, const TransformParams& params) {
  Step step;
  WS_TRY(step.subject, load_subject(*services.archive, params.kernel_id));
  WS_TRY(step.device, services.device_for(params.common.device, step.subject.kernel.language));
  WS_TRY(Backend* const backend, services.compiler_for(*step.device, params.arch));
  step.arch = backend == step.device->backend.get() ? "" : params.arch;
  WS_TRY(step.info, backend->info());
  WS_TRY(step.history, services.archive->pass_history(step.subject.kernel.id));
  for (const PassTry& done : step.history) {
    if (done.pass == done.passes && made_by(step.history, done.transformation)) {
      step.lineage.push_back(done.transformation);
    }
  }
  return step;
}

Result<Step> choose_step(Services& services, const TransformParams& params) {
  WS_TRY(Step step, begin_step(services, params));
  const SkillLibrary skills = current_skills(services.options);
  WS_TRY(const Transformation* const found, skills.find(params.transformation.value_or("")));
  step.transformation = *found;
  const std::size_t next = next_pass(step.history, step.transformation);
  const std::size_t asked = params.pass.value_or(next + 1);
  WS_CHECK(check_order(asked, next, step));
  step.pass = asked - 1;
  step.requirements = judge_requirements(step.transformation, step.facts());
  if (step.pass > 0 && made_by(step.history, step.transformation.name)) {
    // Later passes may rest on what earlier ones changed; the language, which is judged first, is
    // the same in all.
    step.requirements.resize(1);
  }
  WS_CHECK(check_requirements(step));
  if (is_shader_language(step.subject.kernel.language)) {
    step.transformation.passes[step.pass].imports.clear();  // The helpers are in CUDA C++.
  }
  step.imports = skills.with_includes(step.spec().imports);
  return step;
}

Json pass_form(const Step& step) {
  constexpr std::array<const char*, 3> kChecks = {"compile", "quick", "standard"};
  std::string regions;
  for (const std::string& region : step.regions()) {
    regions += (regions.empty() ? "" : "+") + region;
  }
  const PassCheck check = step.last() ? PassCheck::kStandard : step.spec().check;
  return {{"index", step.pass + 1},
          {"of", step.transformation.passes.size()},
          {"name", step.spec().name},
          {"region", regions},
          {"check", kChecks.at(static_cast<std::size_t>(check))}};
}

std::string step_text(const Step& step) {
  return "pass " + std::to_string(step.pass + 1) + " of " +
         std::to_string(step.transformation.passes.size()) + " of `" + step.transformation.name +
         "` (" + step.spec().name + ")";
}

std::string one_line(std::string text, std::size_t limit) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return quoted(text, limit);
}

Json missing_params(const Step& step) {
  Json params = Json::object();
  for (std::size_t i = 0; i <= step.pass; ++i) {
    for (const std::string& name : step.transformation.passes[i].adds) {
      const auto values = step.transformation.introduces.find(name);
      if (values != step.transformation.introduces.end() &&
          !step.subject.kernel.params.contains(name)) {
        params[name] = values->second;
      }
    }
  }
  return params;
}

namespace {

/// Whether this pass, or one before it, lifts the constraint.
bool is_lifted(const Step& step, const std::string& constraint) {
  const auto without_blanks = [](std::string text) {
    std::erase(text, ' ');
    return text;
  };
  for (std::size_t i = 0; i <= step.pass; ++i) {
    for (const std::string& lifted : step.transformation.passes[i].lifts) {
      if (without_blanks(lifted) == without_blanks(constraint)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

Json missing_constraints(const Step& step) {
  Json missing = Json::array();
  for (std::size_t i = 0; i <= step.pass; ++i) {
    for (const std::string& constraint : step.transformation.passes[i].constraints) {
      if (!has(step.subject.kernel.constraints, constraint) && !is_lifted(step, constraint)) {
        missing.push_back(constraint);
      }
    }
  }
  return missing;
}

Json lifted_constraints(const Step& step) {
  Json lifted = Json::array();
  for (const std::string& own : step.subject.kernel.constraints) {
    if (is_lifted(step, own)) {
      lifted.push_back(own);
    }
  }
  return lifted;
}

}  // namespace ws
