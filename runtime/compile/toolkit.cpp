#include "runtime/compile/toolkit.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "runtime/base/files.h"
#include "runtime/base/hash.h"
#include "runtime/compile/file_stamp.h"

namespace ws {
namespace {

namespace fs = std::filesystem;

constexpr std::array kLibraryNames = {"libnvrtc.so.13", "libnvrtc.so.12"};
constexpr std::array kLibraryFolders = {"lib64", "lib", "targets/x86_64-linux/lib"};
/// Seen from the library's folder: of a toolkit, of its targets/, of a distribution's package.
constexpr std::array kIncludeFolders = {"../include", "../../../include", "/usr/include"};
constexpr const char* kKnownHeader = "cuda_fp16.h";
constexpr std::array kCuptiNames = {"libcupti.so.13", "libcupti.so.12"};
/// Seen from the library's folder: beside it, of a toolkit, of its targets/, of Python's packages.
constexpr std::array kCuptiFolders = {".", "../extras/CUPTI/lib64", "../../../extras/CUPTI/lib64",
                                      "../../cuda_cupti/lib"};
/// Seen from the library's folder: beside it, of Python's packages.
constexpr std::array kLinkerFolders = {".", "../../nvjitlink/lib"};
constexpr const char* kLoaderCache = "/etc/ld.so.cache";

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

/// /usr/local/cuda, then /usr/local/cuda-13.0, /usr/local/cuda-12.9, ...
std::vector<std::string> installed_folders() {
  std::vector<std::string> folders;
  std::error_code error;
  for (fs::directory_iterator entry("/usr/local", error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename().string().starts_with("cuda-")) {
      folders.push_back(entry->path().string());
    }
  }
  std::sort(folders.rbegin(), folders.rend());
  folders.insert(folders.begin(), "/usr/local/cuda");
  return folders;
}

/// Empty when there is none below `folder`.
std::string library_below(const fs::path& folder) {
  for (const char* sub : kLibraryFolders) {
    for (const char* name : kLibraryNames) {
      if (is_file(folder / sub / name)) {
        return (folder / sub / name).string();
      }
    }
  }
  return {};
}

Toolkit toolkit_of(const std::string& library) {
  Toolkit toolkit{library, {}};
  std::error_code error;
  const fs::path folder = fs::canonical(library, error).parent_path();
  for (const char* relative : kIncludeFolders) {
    const fs::path include = folder / relative;
    if (is_file(include / kKnownHeader)) {
      toolkit.include = fs::canonical(include, error).string();
      break;
    }
  }
  return toolkit;
}

/// A program in bin/ of one of these folders, of the usual places, or of /usr.
std::string find_program(const std::vector<std::string>& folders, const char* name) {
  std::vector<std::string> places = toolkit_folders(folders);
  places.emplace_back("/usr");
  for (const std::string& place : places) {
    const fs::path path = fs::path(place) / "bin" / name;
    if (!place.empty() && is_file(path)) {
      return path.string();
    }
  }
  return {};
}

}  // namespace

std::vector<std::string> toolkit_folders(std::vector<std::string> folders) {
  const std::vector<std::string> installed = installed_folders();
  folders.insert(folders.end(), installed.begin(), installed.end());
  return folders;
}

std::string in_loader_cache(const std::string& name) {
  // It is a table of strings that end with a zero byte.
  const std::string cache = read_file(kLoaderCache).value_or("");
  const std::size_t at = cache.find("/" + name + std::string(1, '\0'));
  if (at == std::string::npos) {
    return {};
  }
  const std::size_t begin = cache.rfind('\0', at) + 1;
  return cache.substr(begin, at + 1 + name.size() - begin);
}

std::string find_disassembler(const std::vector<std::string>& folders) {
  const std::string path = find_program(folders, "nvdisasm");
  return path.empty() ? find_program(folders, "cuobjdump") : path;
}

std::string find_sanitizer(const std::vector<std::string>& folders) {
  return find_program(folders, "compute-sanitizer");
}

Result<Toolkit> find_toolkit(const std::vector<std::string>& folders) {
  const std::vector<std::string> places = toolkit_folders(folders);
  std::string looked;
  for (const std::string& place : places) {
    if (place.empty()) {
      continue;
    }
    if (const std::string library = library_below(place); !library.empty()) {
      return toolkit_of(library);
    }
    looked += place + ", ";
  }
  const fs::path distribution = "/usr/lib/x86_64-linux-gnu";
  for (const char* name : kLibraryNames) {
    if (is_file(distribution / name)) {
      return toolkit_of((distribution / name).string());
    }
  }
  for (const char* name : kLibraryNames) {
    if (const std::string library = in_loader_cache(name); is_file(library)) {
      return toolkit_of(library);
    }
  }
  return fail(ErrorCode::kUnsupported,
              "no CUDA toolkit is here: neither libnvrtc.so.13 nor libnvrtc.so.12 is in " + looked +
                  distribution.string() + " or the loader's cache",
              "install the CUDA toolkit 12 or 13, or set WARPSMITH_CUDA to its folder");
}

std::string find_cupti(const Toolkit& toolkit) {
  std::error_code error;
  const fs::path folder = fs::canonical(toolkit.library, error).parent_path();
  for (const char* relative : kCuptiFolders) {
    for (const char* name : kCuptiNames) {
      if (is_file(folder / relative / name)) {
        return fs::canonical(folder / relative / name, error).string();
      }
    }
  }
  return {};
}

std::string find_linker(const Toolkit& toolkit) {
  const fs::path nvrtc(toolkit.library);
  const std::string name = nvrtc.filename().string();
  const std::size_t ending = name.find(".so");
  for (const char* relative : kLinkerFolders) {
    const fs::path library = nvrtc.parent_path() / relative /
                             ("libnvJitLink" + (ending == name.npos ? "" : name.substr(ending)));
    if (is_file(library)) {
      return library.lexically_normal().string();
    }
  }
  return {};
}

Result<std::string> identity_of(const Toolkit& toolkit, Stamp stamp) {
  const fs::path library = toolkit.library;
  WS_TRY(std::string text, library_stamp(library, stamp));
  std::vector<std::string> stamps;
  std::error_code error;
  for (fs::directory_iterator entry(library.parent_path(), error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename().string().starts_with("libnvrtc-builtins.so")) {
      WS_TRY(std::string builtins, library_stamp(entry->path(), stamp));
      stamps.push_back(std::move(builtins));
    }
  }
  if (!toolkit.include.empty()) {
    for (fs::recursive_directory_iterator entry(toolkit.include, error), end;
         !error && entry != end; entry.increment(error)) {
      std::error_code unreadable;
      if (entry->is_regular_file(unreadable)) {
        WS_TRY(const std::string header, file_stamp(entry->path(), stamp));
        stamps.push_back(entry->path().lexically_relative(toolkit.include).string() + " " + header);
      }
    }
  }
  if (error) {
    return fail(ErrorCode::kIo, "cannot list the CUDA toolkit", {}, error.message());
  }
  std::sort(stamps.begin(), stamps.end());
  for (const std::string& part : stamps) {
    text += part;
  }
  return sha256_hex(text);
}

std::string encode(const Toolkit& toolkit) {
  return toolkit.library + "\n" + toolkit.include;
}

Result<Toolkit> decode_toolkit(std::string_view frame) {
  const std::size_t line_end = frame.find('\n');
  if (line_end == std::string_view::npos) {
    return fail(ErrorCode::kInternal, "a malformed set-up of the CUDA compiler");
  }
  return Toolkit{std::string(frame.substr(0, line_end)), std::string(frame.substr(line_end + 1))};
}

}  // namespace ws
