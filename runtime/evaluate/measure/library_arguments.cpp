#include "runtime/evaluate/measure/library_arguments.h"

namespace ws {
namespace {

LibraryArgument argument_of(const ArgSpec& arg, const ResolvedPlan& plan) {
  LibraryArgument argument{.arg = &arg, .buffer = nullptr, .index = 0};
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    if (plan.buffers[i].name == arg.name) {
      argument.buffer = &plan.buffers[i];
      argument.index = static_cast<std::uint32_t>(i);
    }
  }
  return argument;
}

}  // namespace

std::string LibraryArgument::text() const {
  std::string extents;
  for (const std::string& extent : arg->shape) {
    extents += (extents.empty() ? "" : ", ") + extent;
  }
  return arg->name + "[" + extents + "]";
}

Status check_library_op(const LibraryBaseline& baseline, const Problem& problem) {
  if (problem.op == baseline.op) {
    return {};
  }
  const std::string op = problem.op.empty() ? "has no op" : "has the op `" + problem.op + "`";
  return fail(ErrorCode::kInvalidArgument,
              "`" + std::string(baseline.name) + "` is a baseline of problems with the op `" +
                  std::string(baseline.op) + "`, and " + problem.id + " " + op,
              "choose `root`, `parent`, `reference`, `none` or a kernel id");
}

Error not_for_library(Library library, const Problem& problem, const std::string& reason) {
  return {ErrorCode::kUnsupported,
          std::string(name_of(library)) + " cannot be called for " + problem.id + ": " + reason,
          "choose `root`, `parent`, `reference`, `none` or a kernel id",
          {}};
}

Result<LibraryArguments> library_arguments(const LibraryTakes& takes, const Problem& problem,
                                           const ResolvedPlan& plan, const Workload& workload) {
  LibraryArguments found;
  std::size_t outputs = 0;
  for (const ArgSpec& arg : problem.args) {
    if (arg.role == Role::kScalar && arg.name == takes.scalar) {
      found.factor = workload.scalars.at(arg.name);
      continue;
    }
    if (arg.role == Role::kScalar || arg.role == Role::kInout) {
      return fail(not_for_library(
          takes.library, problem,
          "`" + arg.name + "` is " + (arg.role == Role::kScalar ? "a scalar" : "read and written") +
              ", for which a call has no place"));
    }
    if (arg.role == Role::kOut) {
      found.output = argument_of(arg, plan);
      ++outputs;
    } else {
      found.inputs.push_back(argument_of(arg, plan));
    }
  }
  if (found.inputs.size() != takes.inputs || outputs != 1) {
    return fail(not_for_library(
        takes.library, problem,
        "a call takes " + std::to_string(takes.inputs) + " inputs and gives one output, here are " +
            std::to_string(found.inputs.size()) + " and " + std::to_string(outputs)));
  }
  return found;
}

}  // namespace ws
