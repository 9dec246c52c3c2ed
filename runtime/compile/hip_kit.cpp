#include "runtime/compile/hip_kit.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "runtime/base/hash.h"
#include "runtime/compile/file_stamp.h"

namespace ws {
namespace {

namespace fs = std::filesystem;

constexpr std::array kVersions = {"6", "5"};
constexpr std::array kRocmFolders = {"lib", "lib64", "lib/x86_64-linux-gnu"};
constexpr const char* kDistribution = "/usr/lib/x86_64-linux-gnu";
constexpr const char* kRuntime = "libamdhip64.so.";
/// Apart from the runtime since ROCm 5; Debian's 5.2 has both in one.
constexpr const char* kCompiler = "libhiprtc.so.";
/// The libraries that compile, and those that are used by them.
constexpr std::array kParts = {"libamdhip64.so.", "libhiprtc", "libamd_comgr.so.", "libLLVM"};

bool is_library(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

/// /opt/rocm, then /opt/rocm-6.2.4, /opt/rocm-5.7.0, ...
std::vector<std::string> rocm_folders() {
  std::vector<std::string> folders;
  std::error_code error;
  for (fs::directory_iterator entry("/opt", error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename().string().starts_with("rocm-")) {
      folders.push_back(entry->path().string());
    }
  }
  std::sort(folders.rbegin(), folders.rend());
  folders.insert(folders.begin(), "/opt/rocm");
  return folders;
}

/// Empty paths when there is none in `folder`.
HipKit kit_in(const fs::path& folder) {
  for (const char* version : kVersions) {
    const fs::path runtime = folder / (std::string(kRuntime) + version);
    const fs::path compiler = folder / (std::string(kCompiler) + version);
    if (is_library(runtime)) {
      return {is_library(compiler) ? compiler.string() : runtime.string(), runtime.string()};
    }
  }
  return {};
}

}  // namespace

Result<HipKit> find_hip_kit(const std::vector<std::string>& folders) {
  std::vector<std::string> places = folders;
  const std::vector<std::string> installed = rocm_folders();
  places.insert(places.end(), installed.begin(), installed.end());
  std::string looked;
  for (const std::string& place : places) {
    if (place.empty()) {
      continue;
    }
    for (const char* sub : kRocmFolders) {
      if (HipKit kit = kit_in(fs::path(place) / sub); !kit.runtime.empty()) {
        return kit;
      }
    }
    looked += place + ", ";
  }
  if (HipKit kit = kit_in(kDistribution); !kit.runtime.empty()) {
    return kit;
  }
  return fail(ErrorCode::kUnsupported,
              "no HIP library is here: neither libamdhip64.so.6 nor .5 is below " + looked +
                  "or in " + kDistribution,
              "apt install libamdhip64-5 libhiprtc-builtins5, or install ROCm, or set "
              "WARPSMITH_HIP to its folder");
}

Result<std::string> identity_of(const HipKit& kit, Stamp stamp) {
  std::vector<std::string> stamps;
  std::error_code error;
  const fs::path folder = fs::path(kit.compiler).parent_path();
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const bool ours = std::any_of(kParts.begin(), kParts.end(),
                                  [&](const char* start) { return name.starts_with(start); });
    if (ours && is_library(entry->path())) {
      WS_TRY(std::string part, library_stamp(entry->path(), stamp));
      stamps.push_back(std::move(part));
    }
  }
  if (error) {
    return fail(ErrorCode::kIo, "cannot list the folder of the HIP library", {}, error.message());
  }
  std::sort(stamps.begin(), stamps.end());
  std::string text = stamp == Stamp::kQuick ? kit.compiler + "\n" : "";
  for (const std::string& part : stamps) {
    text += part;
  }
  return sha256_hex(text);
}

std::string encode(const HiprtcSetup& setup) {
  return setup.kit.compiler + "\n" + setup.kit.runtime + "\n" + setup.arch;
}

Result<HiprtcSetup> decode_hiprtc_setup(std::string_view frame) {
  const std::size_t first = frame.find('\n');
  const std::size_t second = first == frame.npos ? frame.npos : frame.find('\n', first + 1);
  if (second == std::string_view::npos) {
    return fail(ErrorCode::kInternal, "a malformed set-up of the HIP compiler");
  }
  return HiprtcSetup{{std::string(frame.substr(0, first)),
                      std::string(frame.substr(first + 1, second - first - 1))},
                     std::string(frame.substr(second + 1))};
}

}  // namespace ws
