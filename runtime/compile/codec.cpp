// CompileRequest and CompileOutcome as bytes: JSON, a zero byte, then the image's code.
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
                                                diagnostics_total, instructions, ptx, log, image,
                                                compile_ms)

namespace {

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <typename T>
Result<T> from_text(std::string_view text, const char* what) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  try {
    return json.get<T>();
  } catch (const Json::exception& error) {
    return fail(ErrorCode::kInternal, std::string("a malformed ") + what, {}, error.what());
  }
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
  std::string frame = dump(Json(outcome));
  frame.push_back('\0');
  return frame + outcome.image.blob;
}

Result<CompileRequest> decode_compile_request(std::string_view frame) {
  return from_text<CompileRequest>(frame, "compile request");
}

Result<CompileOutcome> decode_compile_outcome(std::string_view frame) {
  const std::size_t end = frame.find('\0');
  if (end == std::string_view::npos) {
    return fail(ErrorCode::kInternal, "a compile outcome without an image part");
  }
  WS_TRY(CompileOutcome outcome,
         from_text<CompileOutcome>(frame.substr(0, end), "compile outcome"));
  outcome.image.blob = frame.substr(end + 1);
  return outcome;
}

}  // namespace ws
