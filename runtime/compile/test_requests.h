// For tests of compilers: short ways to ask, and to look at what came.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/compile/compile.h"

namespace ws {

inline CompileRequest request_in(std::string language, std::string target, std::string source,
                                 std::vector<std::string> entries) {
  CompileRequest request;
  request.target = std::move(target);
  request.source.language = std::move(language);
  request.source.source = std::move(source);
  request.source.entries = std::move(entries);
  return request;
}

/// "float*:8p int:4i ": each parameter's type and bytes; p for a pointer, i for an integer.
inline std::string parameters(const CompiledEntry& entry) {
  std::string text;
  for (const EntryParam& param : entry.params) {
    text += param.type + ":" + std::to_string(param.size) + (param.pointer ? "p" : "") +
            (param.integer ? "i" : "") + " ";
  }
  return text;
}

}  // namespace ws
