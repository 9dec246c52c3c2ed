// A compiler of a further language for a device, beside the device's own.
#pragma once

#include <stop_token>
#include <string_view>

#include "runtime/compile/compile_service.h"

namespace ws {

/// Any thread.
class LanguageCompiler {
 public:
  virtual ~LanguageCompiler() = default;

  /// As LanguageInfo::name.
  [[nodiscard]] virtual std::string_view language() const = 0;

  /// @param request  Of that language, with the device's architecture as its target.
  /// @errors as CompileService::compile.
  virtual Result<CompileReply> compile(const CompileRequest& request, const std::stop_token& stop,
                                       bool fresh) = 0;
};

}  // namespace ws
