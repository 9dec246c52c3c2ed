#include "runtime/base/temp_folder.h"

#include <cstdlib>
#include <string>
#include <system_error>

namespace ws {

Result<std::unique_ptr<TempFolder>> TempFolder::make() {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  std::string name = parent / "warpsmith-XXXXXX";
  if (error || ::mkdtemp(name.data()) == nullptr) {
    return fail_errno("mkdtemp", "cannot make a folder for temporary files",
                      "set TMPDIR to a folder that can be written");
  }
  return std::unique_ptr<TempFolder>(new TempFolder(name));
}

TempFolder::~TempFolder() {
  std::error_code ignored;  // A destructor cannot report.
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace ws
