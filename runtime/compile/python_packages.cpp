#include "runtime/compile/python_packages.h"

#include <algorithm>
#include <system_error>

namespace ws {

namespace fs = std::filesystem;

std::vector<fs::path> package_folders(const fs::path& interpreter) {
  const fs::path prefix = interpreter.parent_path().parent_path();
  std::vector<fs::path> folders;
  std::error_code ignored;
  for (const fs::path& root : {prefix / "lib", prefix / "local/lib"}) {
    for (fs::directory_iterator at(root, ignored), end; at != end; at.increment(ignored)) {
      if (at->path().filename().string().starts_with("python3")) {
        folders.push_back(at->path() / "site-packages");
        folders.push_back(at->path() / "dist-packages");
      }
    }
  }
  std::ranges::sort(folders);
  return folders;
}

}  // namespace ws
