#include "tools/kernels/imported_problem.h"

#include <utility>

namespace ws {
namespace {

constexpr const char* kKind = "pytorch";

/// The module's source, checked.
Result<std::string> source_of(const Json& problem) {
  const Json& reference = problem["reference"];
  for (const auto& field : reference.items()) {
    if (field.key() != "kind" && field.key() != "source") {
      return fail(ErrorCode::kInvalidArgument,
                  "problem.reference: a module has no field `" + field.key() + "`",
                  "give `kind` and `source`");
    }
  }
  if (!reference.contains("source") || !reference["source"].is_string()) {
    return fail(ErrorCode::kInvalidArgument, "problem.reference.source: expected the module's text",
                "send the whole Python file: class Model, get_inputs() and get_init_inputs()");
  }
  auto source = reference["source"].get<std::string>();
  if (source.empty() || source.size() > kMaxModuleBytes) {
    return fail(ErrorCode::kInvalidArgument,
                "problem.reference.source: a module of " + std::to_string(source.size()) +
                    " bytes; at most " + std::to_string(kMaxModuleBytes) + " are read");
  }
  return source;
}

}  // namespace

bool is_module(const Json& problem) {
  return problem.is_object() && problem.contains("reference") && problem["reference"].is_object() &&
         problem["reference"].contains("kind") && problem["reference"]["kind"] == kKind;
}

Result<ImportedForm> import_problem(Services& services, const Json& problem,
                                    const std::stop_token& stop) {
  if (problem.contains("args")) {
    return fail(ErrorCode::kInvalidArgument,
                "problem.args: the arguments of a module are found out by running it",
                "leave `args` out, or write the problem with a reference of kind `python`");
  }
  WS_TRY(const std::string source, source_of(problem));
  WS_TRY(const ImportedModule module, services.modules->import(source, stop));
  ImportedForm imported{Json::parse(module.form, nullptr, false), module.notes};
  for (const auto& field : problem.items()) {
    if (field.key() != "reference") {
      imported.form[field.key()] = field.value();
    }
  }
  return imported;
}

}  // namespace ws
