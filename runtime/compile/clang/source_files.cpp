#include "runtime/compile/clang/source_files.h"

#include <array>
#include <set>
#include <vector>

#include "runtime/compile/clang/headers.h"
#include "runtime/compile/clang/toolkit_headers.h"

namespace ws::clang_engine {
namespace {

struct ProvidedText {
  const char* name;
  const char* text;
};

/// Headers that kernels in HIP include by habit.
constexpr std::array kHipHeaders = {
    ProvidedText{"hip/hip_runtime.h", ""},
    ProvidedText{"hip/hip_runtime_api.h", ""},
    ProvidedText{"hip/hip_vector_types.h", ""},
    ProvidedText{"hip/hip_fp16.h", "#include \"cuda_fp16.h\"\n"},
    ProvidedText{"hip/hip_bf16.h",
                 "#include \"cuda_bf16.h\"\ntypedef __nv_bfloat16 __hip_bfloat16;\n"},
};

/// A host function that names each kernel: clang then instantiates templates for the device, as it
/// does for `sgemm<32><<<...>>>` in ordinary CUDA.
std::string entries_text(const std::vector<std::string>& entries) {
  std::string text = "#include \"source\"\n";
  for (std::size_t i = 0; i < entries.size(); ++i) {
    text += "static void " + std::string(kProbePrefix) + std::to_string(i) + "() { (void)&" +
            entries[i] + "; }\n";
  }
  return text;
}

/// The headers of the toolkit that a request and our own headers include.
std::set<std::string> toolkit_names(const CompileRequest& request) {
  std::set<std::string> names = included_names(request.source.source);
  names.merge(included_names(request.source.macros));
  for (const auto& [name, text] : request.source.headers) {
    names.merge(included_names(text));
  }
  std::erase_if(names, [&](const std::string& name) {
    return !toolkit_header(name) || request.source.headers.contains(name);
  });
  return names;
}

/// The request's macros as lines of a file that is read behind the engine's own headers: `-DN=8`
/// must not change a parameter of theirs that is called so.
std::string defines_text(const CompileRequest& request) {
  std::string text;
  const auto add = [&](std::string definition) {
    const std::size_t equals = definition.find('=');
    if (equals == std::string::npos) {
      definition += " 1";
    } else {
      definition[equals] = ' ';
    }
    text += "#define " + definition + "\n";
  };
  for (const std::string& option : request.source.options) {
    if (option.starts_with("-D")) {
      add(option.substr(2));
    }
  }
  for (const std::string& define : request.defines) {
    add(define);
  }
  return text;
}

}  // namespace

bool is_hip(const CompileRequest& request) {
  return request.source.language == "hip";
}

llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> memory_files(
    const CompileRequest& request) {
  llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> files(
      new llvm::vfs::InMemoryFileSystem());
  const auto add = [&](const std::string& name, llvm::StringRef text) {
    files->addFile(name, 0, llvm::MemoryBuffer::getMemBufferCopy(text, name));
  };
  add(kSourceFile, request.source.source);
  add(kDefinesFile, defines_text(request));
  add(kMacrosFile, request.source.macros);
  add(kEntriesFile, entries_text(request.source.entries));
  for (const EmbeddedHeader& header : embedded_headers()) {
    add(std::string(kHeaderFolder) + std::string(header.name), header.text);
  }
  if (is_hip(request)) {
    for (const ProvidedText& header : kHipHeaders) {
      add(std::string(kHeaderFolder) + header.name, header.text);
    }
  }
  for (const auto& [name, text] : request.source.headers) {
    add(kClientHeaderFolder + name, text);
  }
  for (const std::string& name : toolkit_names(request)) {
    add(std::string(kHeaderFolder) + name, *toolkit_header(name));
  }
  return files;
}

std::string region_of(std::string_view file) {
  const std::string_view headers = kClientHeaderFolder;
  if (file == kSourceFile) {
    return "source";
  }
  if (file == kMacrosFile) {
    return "macros";
  }
  if (file == kEntriesFile) {
    return "entry";
  }
  return file.starts_with(headers) ? std::string(file.substr(headers.size())) : std::string();
}

}  // namespace ws::clang_engine
