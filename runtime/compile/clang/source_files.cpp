#include "runtime/compile/clang/source_files.h"

#include <array>
#include <vector>

#include "runtime/compile/clang/headers.h"

namespace ws::clang_engine {
namespace {

/// Headers that kernels include by habit: all they offer is there without them.
constexpr std::array kProvidedHeaders = {
    "cuda.h",   "cuda_runtime.h", "cuda_runtime_api.h", "device_launch_parameters.h",
    "stdint.h", "cstdint",        "stddef.h",           "cstddef",
    "math.h",   "cmath",          "math_constants.h",   "vector_types.h",
    "float.h",  "cfloat",         "limits.h",           "climits",
    "assert.h", "cassert",
};

struct ProvidedText {
  const char* name;
  const char* text;
};

/// Parts of CUDA's library that lie in one header here.
constexpr std::array kForwardingHeaders = {
    ProvidedText{"cuda/barrier", "#include <cuda_barrier.h>\n"},
    ProvidedText{"cooperative_groups/reduce.h", "#include <cooperative_groups.h>\n"},
    ProvidedText{"cooperative_groups/memcpy_async.h", "#include <cooperative_groups.h>\n"},
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
  add(kMacrosFile, request.source.macros);
  add(kEntriesFile, entries_text(request.source.entries));
  for (const EmbeddedHeader& header : embedded_headers()) {
    add(std::string(kHeaderFolder) + std::string(header.name), header.text);
  }
  for (const char* name : kProvidedHeaders) {
    add(std::string(kHeaderFolder) + name, "");
  }
  for (const ProvidedText& header : kForwardingHeaders) {
    add(std::string(kHeaderFolder) + header.name, header.text);
  }
  if (is_hip(request)) {
    for (const ProvidedText& header : kHipHeaders) {
      add(std::string(kHeaderFolder) + header.name, header.text);
    }
  }
  for (const auto& [name, text] : request.source.headers) {
    add(kClientHeaderFolder + name, text);
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
