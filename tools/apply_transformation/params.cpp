#include "tools/apply_transformation/params.h"

namespace ws {
namespace {

std::optional<std::string> text_of(const Json& arguments, const char* field) {
  const auto at = arguments.find(field);
  return at == arguments.end() ? std::nullopt : std::optional(at->get<std::string>());
}

}  // namespace

void from_json(const Json& arguments, TransformParams& params) {
  params.common = common_params(arguments);
  params.kernel_id = arguments.at("kernel_id");
  params.transformation = text_of(arguments, "transformation");
  if (arguments.contains("pass")) {
    params.pass = arguments["pass"].get<std::size_t>();
  }
  params.arch = arguments.value("arch", "");
  params.target_ir = text_of(arguments, "target_ir");
  params.problem = arguments.value("problem", Json());
  params.problem_id = text_of(arguments, "problem_id");
  params.edits = arguments.value("edits", Json());
  params.set = arguments.value("set", Json());
  params.ref = text_of(arguments, "ref");
}

}  // namespace ws
