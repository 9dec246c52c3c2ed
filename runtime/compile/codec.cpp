// CompileRequest and CompileOutcome as bytes: JSON, a zero byte, then what needs no escaping: PTX,
// log, and the image's code.
#include <nlohmann/json.hpp>

#include "runtime/compile/compile.h"
#include "runtime/compile/image_json.h"

namespace ws {

using Json = nlohmann::json;

// nlohmann finds these by argument-dependent look-up.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RenderedSource, language, source, macros, entries,
                                                options, headers)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(CompileRequest, source, target, build, defines)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Diagnostic, severity, message, region, line, column,
                                                snippet)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(CompileOutcome, verdict, message, diagnostics,
                                                diagnostics_total, instructions, image, compile_ms)

namespace {

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string_view name_of(CompileVerdict verdict) {
  switch (verdict) {
    case CompileVerdict::kCompiled:
      return "compiled";
    case CompileVerdict::kCompileError:
      return "compile_error";
    case CompileVerdict::kTimeout:
      return "timeout";
    case CompileVerdict::kResourceLimit:
      return "resource_limit";
    case CompileVerdict::kPruned:
    case CompileVerdict::kUnsupported:
      break;
  }
  return "unsupported";
}

std::string encode(const CompileRequest& request) {
  return dump(Json(request));
}

std::string encode(const CompileOutcome& outcome) {
  Json json(outcome);
  json["ptx_bytes"] = outcome.ptx.size();
  json["log_bytes"] = outcome.log.size();
  std::string frame = dump(json);
  frame.reserve(frame.size() + 1 + outcome.ptx.size() + outcome.log.size() +
                outcome.image.blob.size());
  frame.push_back('\0');
  return frame.append(outcome.ptx).append(outcome.log).append(outcome.image.blob);
}

Result<CompileRequest> decode_compile_request(std::string_view frame) {
  const Json json = Json::parse(frame, nullptr, /*allow_exceptions=*/false);
  try {
    return json.get<CompileRequest>();
  } catch (const Json::exception& error) {
    return fail(ErrorCode::kInternal, "a malformed compile request", {}, error.what());
  }
}

Result<CompileOutcome> decode_compile_outcome(std::string_view frame) {
  const std::size_t end = frame.find('\0');
  if (end == std::string_view::npos) {
    return fail(ErrorCode::kInternal, "a compile outcome without an image part");
  }
  const Json json = Json::parse(frame.substr(0, end), nullptr, /*allow_exceptions=*/false);
  std::string_view raw = frame.substr(end + 1);
  try {
    auto outcome = json.get<CompileOutcome>();
    for (const auto& [size, text] :
         {std::pair{"ptx_bytes", &outcome.ptx}, std::pair{"log_bytes", &outcome.log}}) {
      text->assign(raw.substr(0, json.at(size).get<std::size_t>()));
      raw.remove_prefix(text->size());
    }
    outcome.image.blob = raw;
    return outcome;
  } catch (const Json::exception& error) {
    return fail(ErrorCode::kInternal, "a malformed compile outcome", {}, error.what());
  }
}

}  // namespace ws
