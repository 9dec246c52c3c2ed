#include "runtime/compile/gpu_libraries.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "runtime/compile/python_packages.h"
#include "runtime/compile/toolkit.h"

namespace ws {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names_of(GpuLibrary library) {
  return library == GpuLibrary::kCudnn
             ? std::vector<std::string>{"libcudnn.so.9"}
             : std::vector<std::string>{"libcublasLt.so.13", "libcublasLt.so.12"};
}

/// The folders nvidia/*/lib of an interpreter's packages: that of CUDA 13 and later, "cu13", before
/// "cublas".
std::vector<fs::path> nvidia_folders(const std::string& interpreter) {
  std::vector<fs::path> found;
  for (const fs::path& packages : package_folders(interpreter)) {
    std::error_code ignored;
    for (fs::directory_iterator at(packages / "nvidia", ignored), end; !ignored && at != end;
         at.increment(ignored)) {
      found.push_back(at->path() / "lib");
    }
  }
  std::ranges::sort(found, std::greater<>());
  return found;
}

std::vector<fs::path> places_of_libraries(const std::vector<std::string>& folders,
                                          const std::vector<std::string>& interpreters) {
  std::vector<fs::path> places;
  const auto add_toolkit = [&places](const std::string& folder) {
    for (const char* below : {"lib64", "lib", "targets/x86_64-linux/lib"}) {
      places.push_back(fs::path(folder) / below);
    }
  };
  for (const std::string& folder : folders) {
    if (!folder.empty()) {
      add_toolkit(folder);
    }
  }
  for (const std::string& interpreter : interpreters) {
    const std::vector<fs::path> packages = nvidia_folders(interpreter);
    places.insert(places.end(), packages.begin(), packages.end());
  }
  for (const std::string& folder : toolkit_folders({})) {
    add_toolkit(folder);
  }
  places.emplace_back("/usr/lib/x86_64-linux-gnu");
  return places;
}

}  // namespace

std::string find_gpu_library(GpuLibrary library, const std::vector<std::string>& folders,
                             const std::vector<std::string>& interpreters) {
  std::error_code error;
  const std::vector<std::string> names = names_of(library);
  for (const fs::path& place : places_of_libraries(folders, interpreters)) {
    for (const std::string& name : names) {
      if (fs::is_regular_file(place / name, error)) {
        return (place / name).string();
      }
    }
  }
  for (const std::string& name : names) {
    if (std::string path = in_loader_cache(name); fs::is_regular_file(path, error)) {
      return path;
    }
  }
  return {};
}

}  // namespace ws
