#include "runtime/evaluate/measure/baseline.h"

#include "runtime/evaluate/measure/library_arguments.h"
#include "runtime/kernel/form/baseline_form.h"
#include "runtime/kernel/language.h"
#include "runtime/kernel/module_reference.h"

namespace ws {
namespace {

constexpr const char* kChoices =
    "choose `root`, `parent`, `reference`, `problem`, `torch`, `torch.compile`, `cublas`, `cudnn`, "
    "`none`, a kernel's id or a ref";

Result<Baseline> stored(Archive& archive, const Subject& subject, const std::string& id) {
  const Result<Subject> found = load_subject(archive, id);
  if (!found && found.error().code == ErrorCode::kNotFound) {
    return fail(ErrorCode::kNotFound, "no baseline `" + id + "`", kChoices);
  }
  WS_TRY(const Subject other, found);
  if (other.problem.id != subject.problem.id) {
    return fail(ErrorCode::kInvalidArgument,
                "baseline " + other.kernel.id + " solves " + other.problem.id + ", the kernel " +
                    subject.problem.id,
                "choose a kernel of the same problem, or `reference`");
  }
  return Baseline{other.kernel.id, other.kernel, false};
}

/// The first ancestor that is for the same problem: what is before it computes something else.
Result<std::string> root_of(Archive& archive, const Subject& subject) {
  std::string root = subject.kernel.id;
  std::string parent = subject.kernel.parent;
  while (!parent.empty()) {
    WS_TRY(const KernelRow row, archive.kernel(parent));
    if (row.problem_id != subject.problem.id) {
      break;
    }
    root = row.id;
    parent = row.parent;
  }
  return root;
}

}  // namespace

bool can_time_reference(const Subject& subject) {
  const Kernel* const reference = subject.problem.reference.get();
  return reference != nullptr &&
         is_shader_language(reference->language) == is_shader_language(subject.kernel.language);
}

Result<Baseline> choose_baseline(Archive& archive, const Subject& subject,
                                 const std::string& name) {
  if (name == "none") {
    return Baseline{{}, subject.kernel, true};
  }
  if (name == "reference") {
    if (!subject.problem.reference) {
      return fail(ErrorCode::kUnsupported,
                  "a reference of kind `" + subject.problem.reference_kind +
                      "` does not run on the device and cannot be timed",
                  "choose `root`, `parent`, `none` or a kernel id");
    }
    return Baseline{name, *subject.problem.reference, false};
  }
  if (const std::optional<ModuleMode> mode = module_mode_of(name)) {
    if (!has_module(subject.problem)) {
      return fail(
          ErrorCode::kInvalidArgument,
          subject.problem.id + " was not made from a PyTorch module, so `" + name +
              "` cannot be timed",
          "send the module as the problem's reference, of kind `pytorch`, or choose `root`, "
          "`parent`, `reference`, `none` or a kernel id");
    }
    return Baseline{name, subject.kernel, false,
                    ModuleRun{subject.problem.reference_source, *mode}};
  }
  if (const std::optional<LibraryBaseline> library = library_baseline_of(name)) {
    WS_CHECK(check_library_op(*library, subject.problem));
    return Baseline{name, subject.kernel, false, std::nullopt, library};
  }
  if (name == "problem") {
    WS_TRY(const auto named, named_baseline(subject.problem));
    if (!named || !named->kernel) {
      return fail(ErrorCode::kInvalidArgument,
                  subject.problem.id + " has no kernel as its `baseline`",
                  "choose `reference`, `root`, `parent`, `none` or a kernel id");
    }
    return Baseline{name, *named->kernel, false};
  }
  if (name == "root") {
    WS_TRY(const std::string root, root_of(archive, subject));
    return stored(archive, subject, root);
  }
  if (name == "parent") {
    if (subject.kernel.parent.empty()) {
      return fail(ErrorCode::kInvalidArgument, subject.kernel.id + " has no parent",
                  "choose `reference`, `none` or a kernel id");
    }
    return stored(archive, subject, subject.kernel.parent);
  }
  return stored(archive, subject, name);
}

}  // namespace ws
