// CompileRequest and CompileOutcome as bytes: JSON, a zero byte, then what needs no escaping: PTX,
// log, and the image's code.
#include <nlohmann/json.hpp>

#include "runtime/base/message.h"
#include "runtime/compile/compile.h"
#include "runtime/compile/image_json.h"

namespace ws {

using Json = nlohmann::json;

// nlohmann finds these by argument-dependent look-up.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TileArg, kind, name, type, value, number, shape,
                                                strides, span, given, writable)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TileLaunch, entry, grid, args, num_warps,
                                                num_stages)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RenderedSource, language, source, macros, entries,
                                                options, headers, launches)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(CompileRequest, source, target, build, defines)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Diagnostic, severity, message, region, line, column,
                                                snippet)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(CompileOutcome, verdict, message, diagnostics,
                                                diagnostics_total, instructions, image, compile_ms)

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
  return json_line(request);
}

std::string encode(const CompileOutcome& outcome) {
  Json json(outcome);
  json["ptx_bytes"] = outcome.ptx.size();
  json["log_bytes"] = outcome.log.size();
  return encode_message(json, {outcome.ptx, outcome.log, outcome.image.blob});
}

Result<CompileRequest> decode_compile_request(std::string_view frame) {
  return parse_value<CompileRequest>(frame, "compile request");
}

Result<CompileOutcome> decode_compile_outcome(std::string_view frame) {
  const MessageParts parts = split_message(frame);
  if (!parts.blobs) {
    return fail(ErrorCode::kInternal, "a compile outcome without an image part");
  }
  const Json json = Json::parse(parts.json, nullptr, /*allow_exceptions=*/false);
  std::string_view raw = *parts.blobs;
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
