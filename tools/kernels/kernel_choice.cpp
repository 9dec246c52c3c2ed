#include "tools/kernels/kernel_choice.h"

#include "runtime/base/audit.h"
#include "runtime/evaluate/validate/reference.h"
#include "runtime/judge/fills.h"
#include "runtime/kernel/form/edits.h"
#include "runtime/kernel/form/forms.h"
#include "tools/kernels/form_faults.h"
#include "tools/kernels/helper_headers.h"
#include "tools/kernels/imported_problem.h"
#include "tools/kernels/stored_id.h"

namespace ws {
namespace {

Status store(Archive& archive, Subject& subject) {
  WS_CHECK(take_stored_id(archive, subject.kernel));
  WS_CHECK(archive.put_problem({.id = subject.problem.id,
                                .name = subject.problem.name,
                                .json = subject.problem.json,
                                .created_at = {}}));
  WS_CHECK(archive.put_kernel({.id = subject.kernel.id,
                               .name = subject.kernel.name,
                               .problem_id = subject.problem.id,
                               .parent = subject.kernel.parent,
                               .json = subject.kernel.json,
                               .created_at = {}}));
  audit_stored(StoredKind::kProblem, subject.problem.id);
  audit_stored(StoredKind::kKernel, subject.kernel.id);
  return {};
}

Status exactly_one_source(const Json& arguments) {
  const int given = static_cast<int>(arguments.contains("kernel")) +
                    static_cast<int>(arguments.contains("kernel_id")) +
                    static_cast<int>(arguments.contains("base"));
  if (given != 1) {
    return fail(ErrorCode::kInvalidArgument,
                given == 0 ? "no kernel: give one of `kernel`, `kernel_id` and `base`"
                           : "several kernels: give only one of `kernel`, `kernel_id` and `base`");
  }
  if (!arguments.contains("base") && (arguments.contains("edits") || arguments.contains("set"))) {
    return fail(ErrorCode::kInvalidArgument, "`edits` and `set` need `base`",
                "name the kernel that they change");
  }
  return {};
}

/// The problem of a kernel that is sent whole.
Result<Problem> sent_problem(Services& services, const Json& arguments,
                             const std::stop_token& stop) {
  const bool whole = arguments.contains("problem");
  if (whole == arguments.contains("problem_id")) {
    return fail(ErrorCode::kInvalidArgument,
                whole ? "give only one of `problem` and `problem_id`"
                      : "`kernel` needs a `problem` or a `problem_id` beside it");
  }
  if (!whole) {
    return load_problem(*services.archive, arguments["problem_id"]);
  }
  return new_problem(services, arguments["problem"], stop);
}

Result<Subject> sent_whole(Services& services, const Json& arguments, const std::stop_token& stop) {
  Subject subject;
  WS_TRY(subject.problem, sent_problem(services, arguments, stop));
  Json form = arguments["kernel"];
  add_helper_headers(services, form);
  if (subject.problem.reference_kind == "first_kernel") {
    // This kernel becomes the reference, and with it the problem gets its final id.
    form.erase("problem_id");
    WS_TRY(const Kernel first, kernel_from_json(form, subject.problem));
    WS_TRY(subject.problem, resolve_first_kernel(subject.problem, first));
    WS_CHECK(take_stored_id(*services.archive, subject.problem));
    WS_TRY(subject.kernel, kernel_from_json(form, subject.problem));
    return subject;
  }
  WS_TRY(subject.kernel, kernel_from_json(form, subject.problem));
  return subject;
}

/// A stored kernel, and the problem that it or its change is for: its own where none is sent.
Result<Subject> stored_subject(Services& services, const Json& arguments,
                               const std::stop_token& stop) {
  const bool changed = arguments.contains("base");
  WS_TRY(Subject subject,
         load_subject(*services.archive, arguments[changed ? "base" : "kernel_id"]));
  if (!arguments.contains("problem") && !arguments.contains("problem_id")) {
    return subject;
  }
  Result<Problem> problem = sent_problem(services, arguments, stop);
  if (!problem) {
    return fail(with_all_faults(std::move(problem).error(), arguments));
  }
  if (problem->id != subject.problem.id && !changed) {
    return fail(ErrorCode::kConflict,
                "the kernel belongs to " + subject.problem.id + ", not to " + problem->id,
                "leave the problem out, or send the kernel as `base` to carry it over to this one");
  }
  subject.problem = *std::move(problem);
  return subject;
}

/// The changed copy of a base. For another problem, such as a corrected one, it may be unchanged.
Result<Kernel> changed_kernel(const Json& arguments, const Problem& problem, const Kernel& base) {
  const Json edits = arguments.value("edits", Json());
  const bool nothing = edits.empty() && !arguments.contains("set");
  if (nothing && base.problem_id != problem.id) {
    return edit_kernel(problem, base, Json(), Json::object());
  }
  return edit_kernel(problem, base, edits, arguments.value("set", Json()));
}

/// The same, with the helper files that the copy now includes.
Result<Kernel> with_helpers(Services& services, const Json& arguments, const Problem& problem,
                            const Kernel& base) {
  WS_TRY(Kernel kernel, changed_kernel(arguments, problem, base));
  Json form = Json::parse(kernel.json, nullptr, false);
  if (add_helper_headers(services, form)) {
    WS_TRY(kernel, kernel_from_json(form, problem));
    kernel.parent = base.id;
  }
  return kernel;
}

}  // namespace

Result<Problem> new_problem(Services& services, const Json& sent, const std::stop_token& stop) {
  Json form = sent;
  if (is_module(sent)) {
    WS_TRY(ImportedForm imported, import_problem(services, sent, stop));
    form = std::move(imported.form);
  }
  WS_TRY(Problem problem, problem_from_json(form));
  for (const ArgSpec& arg : problem.args) {
    if (arg.role == Role::kIn || arg.role == Role::kInout) {
      WS_CHECK(validate_fill(arg));
    }
  }
  if (!services.archive->problem(problem.id)) {
    WS_CHECK(check_host_reference(*services.host_workers, problem, stop));
  }
  WS_CHECK(take_stored_id(*services.archive, problem));
  return problem;
}

bool choice_takes_time(const Services& services, const Json& arguments) {
  if (!arguments.contains("problem")) {
    return false;
  }
  if (is_module(arguments["problem"])) {
    return true;
  }
  const Result<Problem> problem = problem_from_json(arguments["problem"]);
  return problem && !problem->reference_source.empty() &&
         !services.archive->problem(problem->id).has_value();
}

Result<Subject> choose_kernel(Services& services, const Json& arguments,
                              const std::stop_token& stop) {
  WS_CHECK(exactly_one_source(arguments));
  Archive& archive = *services.archive;
  Subject subject;
  if (arguments.contains("kernel")) {
    Result<Subject> sent = sent_whole(services, arguments, stop);
    if (!sent) {
      return fail(with_all_faults(std::move(sent).error(), arguments));
    }
    subject = *std::move(sent);
  } else {
    WS_TRY(subject, stored_subject(services, arguments, stop));
  }
  if (arguments.contains("base")) {
    const Kernel base = subject.kernel;
    WS_TRY(subject.kernel, with_helpers(services, arguments, subject.problem, base));
  }
  WS_CHECK(store(archive, subject));
  WS_TRY(const KernelRow stored, archive.kernel(subject.kernel.id));
  subject.kernel.parent = stored.parent;  // The one it had first.
  return subject;
}

}  // namespace ws
