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

/// Folders that are one installation: the newest version in any of them is its library.
using LibraryFolders = std::vector<fs::path>;

/// The folders nvidia/*/lib of an interpreter's packages.
LibraryFolders nvidia_folders(const std::string& interpreter) {
  LibraryFolders found;
  for (const fs::path& packages : package_folders(interpreter)) {
    std::error_code ignored;
    for (fs::directory_iterator at(packages / "nvidia", ignored), end; !ignored && at != end;
         at.increment(ignored)) {
      found.push_back(at->path() / "lib");
    }
  }
  std::ranges::sort(found);
  return found;
}

std::vector<LibraryFolders> places_of_libraries(const std::vector<std::string>& folders,
                                                const std::vector<std::string>& interpreters) {
  std::vector<LibraryFolders> places;
  const auto add_toolkit = [&places](const fs::path& folder) {
    places.push_back({folder / "lib64", folder / "lib", folder / "targets/x86_64-linux/lib"});
  };
  for (const std::string& folder : folders) {
    if (!folder.empty()) {
      add_toolkit(folder);
    }
  }
  for (const std::string& interpreter : interpreters) {
    places.push_back(nvidia_folders(interpreter));
  }
  for (const std::string& folder : toolkit_folders({})) {
    add_toolkit(folder);
  }
  places.push_back({"/usr/lib/x86_64-linux-gnu"});
  return places;
}

}  // namespace

std::string find_gpu_library(GpuLibrary library, const std::vector<std::string>& folders,
                             const std::vector<std::string>& interpreters) {
  std::error_code error;
  const std::vector<std::string> names = names_of(library);
  for (const LibraryFolders& place : places_of_libraries(folders, interpreters)) {
    for (const std::string& name : names) {
      for (const fs::path& folder : place) {
        if (fs::is_regular_file(folder / name, error)) {
          return (folder / name).string();
        }
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
