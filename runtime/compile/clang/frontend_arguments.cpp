#include "runtime/compile/clang/frontend_arguments.h"

#include <clang/Frontend/CompilerInvocation.h>

#include "runtime/compile/clang/source_files.h"
#include "runtime/lift/tree/tree.h"

namespace ws::clang_engine {
namespace {

void add_options(const CompileRequest& request, std::vector<std::string>& arguments) {
  std::string standard = "-std=c++17";
  for (const std::string& option : request.source.options) {
    if (option.starts_with("-std=") || option.starts_with("--std=")) {
      standard = "-std=" + option.substr(option.find('=') + 1);
    } else if (option == "--use_fast_math" || option == "-use_fast_math") {
      arguments.insert(arguments.end(), {"-D__USE_FAST_MATH__", "-fapprox-func"});
    } else if (option == "--fmad=false" || option == "-fmad=false") {
      arguments.emplace_back("-ffp-contract=off");
    }
  }
  arguments.push_back(standard);
}

}  // namespace

std::vector<std::string> language_arguments(const CompileRequest& request, Headers headers) {
  // The CPU engine makes no PTX: any architecture does. A tree may be of a Hopper kernel.
  const bool tree = request.target == lift::kTreeTarget;
  std::vector<std::string> arguments = {"-triple",
                                        "nvptx64-nvidia-cuda",
                                        "-aux-triple",
                                        "x86_64-pc-linux-gnu",
                                        "-target-cpu",
                                        tree ? "sm_90a" : "sm_80",
                                        "-target-feature",
                                        "+ptx80",
                                        "-fcuda-is-device",
                                        "-fcuda-allow-variadic-functions",
                                        "-x",
                                        "cuda",
                                        "-fdeclspec",
                                        "-fno-threadsafe-statics",
                                        "-ffp-contract=fast",
                                        "-debug-info-kind=line-tables-only",
                                        "-O2",
                                        "-disable-llvm-passes",
                                        "-nostdsysteminc",
                                        "-nobuiltininc",
                                        "-ferror-limit",
                                        "50",
                                        "-ftemplate-depth=512",
                                        "-fconstexpr-steps=1000000",
                                        "-fgnuc-version=4.2.1",
                                        "-fno-caret-diagnostics",
                                        "-fno-finite-loops",
                                        "-fno-strict-float-cast-overflow",
                                        "-Wno-unused-value",
                                        "-internal-isystem",
                                        kHeaderFolder,
                                        "-internal-isystem",
                                        kClientHeaderFolder,
                                        "-include",
                                        "warpsmith_device.h",
                                        "-main-file-name",
                                        "kernel.cu"};
  if (tree) {
    // Dynamic shared memory may be a struct, as nvcc has it; the CPU engine lays out arrays only.
    arguments.emplace_back("-fgpu-rdc");
    arguments.emplace_back("-D__WARPSMITH_LIFT__");
  }
  if (headers == Headers::kAll) {
    // A template that nothing uses may name what is not there, as NVRTC has it.
    arguments.insert(arguments.end(), {"-include", "warpsmith_intrinsics.h", "-include",
                                       "warpsmith_texture.h", "-fdelayed-template-parsing"});
  }
  add_options(request, arguments);
  return arguments;
}

void add_source_arguments(const CompileRequest& request, std::vector<std::string>& arguments) {
  if (is_hip(request)) {
    arguments.insert(arguments.end(), {"-include", "warpsmith_hip.h"});
  }
  arguments.insert(arguments.end(), {"-include", kDefinesFile, "-include", kMacrosFile});
  arguments.emplace_back(kEntriesFile);
}

bool take_arguments(clang::CompilerInstance& compiler, const std::vector<std::string>& arguments) {
  std::vector<const char*> pointers;
  pointers.reserve(arguments.size());
  for (const std::string& argument : arguments) {
    pointers.push_back(argument.c_str());
  }
  return clang::CompilerInvocation::CreateFromArgs(compiler.getInvocation(), pointers,
                                                   compiler.getDiagnostics());
}

}  // namespace ws::clang_engine
