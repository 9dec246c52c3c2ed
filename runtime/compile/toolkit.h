// Where this machine's CUDA toolkit lies.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/compile/file_stamp.h"

namespace ws {

struct Toolkit {
  std::string library;  ///< libnvrtc.so.13 or .12, whole path.
  std::string include;  ///< The folder of cuda_fp16.h, links resolved; empty when there is none.
};

/// Looks in `folders` first (what the user named: a toolkit's folder, or empty), then in
/// /usr/local/cuda*, the newest first, the distribution's own folder and the loader's cache. CUDA
/// 13 goes before 12 in one folder.
/// @errors kUnsupported: "no CUDA toolkit is here: ...".
/// @threads any.
Result<Toolkit> find_toolkit(const std::vector<std::string>& folders);

/// Where toolkits lie: `folders`, then /usr/local/cuda and /usr/local/cuda-*, the newest first.
/// @threads any.
std::vector<std::string> toolkit_folders(std::vector<std::string> folders);

/// The whole path of the library `name` by the loader's cache; empty where that has none. @threads
/// any.
std::string in_loader_cache(const std::string& name);

/// nvdisasm, else cuobjdump, of a toolkit: looks in bin/ of the folders that find_toolkit looks
/// in, then in /usr/bin. Empty when there is neither. @threads any.
std::string find_disassembler(const std::vector<std::string>& folders);

/// compute-sanitizer of a toolkit, looked for where find_disassembler() looks. Empty when there is
/// none. @threads any.
std::string find_sanitizer(const std::vector<std::string>& folders);

/// CUPTI, which counts, by its whole path: beside the toolkit's NVRTC or in its extras/CUPTI.
/// Empty when there is none. @threads any.
std::string find_cupti(const Toolkit& toolkit);

/// nvJitLink of the version of the toolkit's NVRTC, by its whole path: beside it or in the folder
/// of Python's package. Empty when there is none. @threads any.
std::string find_linker(const Toolkit& toolkit);

/// Digest of what decides what NVRTC makes of a request: the stamps of the compiler's files and of
/// each header. Takes about 10 ms, by content 0.3 s. @errors kIo: a file cannot be read.
Result<std::string> identity_of(const Toolkit& toolkit, Stamp stamp);

/// The first frame to a worker of role "nvrtc".
std::string encode(const Toolkit& toolkit);
/// @errors kInternal: not what encode() writes.
Result<Toolkit> decode_toolkit(std::string_view frame);

}  // namespace ws
