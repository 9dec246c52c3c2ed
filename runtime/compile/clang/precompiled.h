// Device headers that are parsed once, as most of the front end's time goes to them: files in
// clang's form of a precompiled header, kept in memory.
#pragma once

#include <string>
#include <vector>

#include <clang/Frontend/CompilerInstance.h>
#include <llvm/Support/VirtualFileSystem.h>

#include "runtime/compile/compile.h"

namespace ws::clang_engine {

struct PrecompiledFile {
  std::string name;    ///< In the front end's file system, as are those below.
  std::string source;  ///< The file that it was made of, and its text.
  std::string text;
  std::vector<std::string> headers;    ///< Those of `text`.
  std::vector<std::string> arguments;  ///< The language_arguments that it was parsed with.
  std::string bytes;                   ///< Empty: it could not be made.
};

/// Makes the file for what `request` includes before all else, unless it is there. It takes about
/// as long as parsing these headers.
/// @return  Whether it was made now.
/// @threads one, without a compile at the same time.
bool precompile(const CompileRequest& request);

/// The file that precompile() made for `request`, which tells no more names than the source
/// includes.
/// @param arguments  The language_arguments of the compile.
/// @return  Null: there is none.
const PrecompiledFile* precompiled_for(const CompileRequest& request,
                                       const std::vector<std::string>& arguments);

/// Before the compiler gets `files`.
void use_precompiled(const PrecompiledFile& file, clang::CompilerInstance& compiler,
                     llvm::vfs::InMemoryFileSystem& files);

}  // namespace ws::clang_engine
