// Compilers that a compile worker loads as plug-ins: tables of functions with an `abi_version` and
// a `compile` that writes its outcome to a sink.
#pragma once

#include <cstddef>
#include <string>

#include <dlfcn.h>

#include "runtime/base/files.h"
#include "runtime/base/result.h"

namespace ws {

/// Where a plug-in is, and what to say where it is not.
struct CompilerPlugin {
  const char* file;    ///< Beside the executable.
  const char* symbol;  ///< A function without parameters that returns the table.
  int abi;
  const char* missing;
  const char* hint;
};

/// @errors kUnsupported: it cannot be loaded, or belongs to another version.
template <typename Table>
Result<const Table*> load_compiler(const CompilerPlugin& plugin) {
  const std::string path = (executable_path().parent_path() / plugin.file).string();
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return fail(ErrorCode::kUnsupported, plugin.missing, plugin.hint,
                ::dlerror());  // NOLINT(concurrency-mt-unsafe)
  }
  using TableFn = const Table* (*)();
  const auto function = reinterpret_cast<TableFn>(::dlsym(library, plugin.symbol));
  const Table* const table = function == nullptr ? nullptr : function();
  if (table == nullptr || table->abi_version != plugin.abi) {
    return fail(ErrorCode::kUnsupported, path + " belongs to another version of warpsmith",
                "build both from one tree");
  }
  return table;
}

/// The outcome of one compile, encoded.
template <typename Table>
std::string compile_with(const Table& table, const std::string& request) {
  std::string outcome;
  table.compile(
      request.data(), request.size(),
      [](void* context, const char* bytes, std::size_t size) {
        static_cast<std::string*>(context)->append(bytes, size);
      },
      &outcome);
  return outcome;
}

}  // namespace ws
