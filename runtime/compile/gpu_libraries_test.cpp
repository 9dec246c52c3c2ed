#include "runtime/compile/gpu_libraries.h"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <unistd.h>

namespace ws {
namespace {

namespace fs = std::filesystem;

struct LibraryFolder {
  LibraryFolder()
      : path(fs::temp_directory_path() / ("ws_libraries_" + std::to_string(::getpid()))) {
    fs::create_directories(path);
  }

  LibraryFolder(const LibraryFolder&) = delete;
  LibraryFolder& operator=(const LibraryFolder&) = delete;
  LibraryFolder(LibraryFolder&&) = delete;
  LibraryFolder& operator=(LibraryFolder&&) = delete;

  ~LibraryFolder() { fs::remove_all(path); }

  /// @return Its whole path.
  [[nodiscard]] std::string put(const std::string& file) const {
    fs::create_directories((path / file).parent_path());
    std::ofstream(path / file) << "x";
    return (path / file).string();
  }

  const fs::path path;
};

}  // namespace

TEST_SUITE("compile.gpu_libraries") {
  TEST_CASE("what the user names goes first, then what PyTorch brings, the newest first") {
    const LibraryFolder folder;
    const std::string python = folder.put("env/bin/python3");
    const std::string packages = "env/lib/python3.12/site-packages/nvidia/";
    const std::string old = folder.put(packages + "cublas/lib/libcublasLt.so.12");
    CHECK(find_gpu_library(GpuLibrary::kCublasLt, {}, {python}) == old);
    const std::string brought = folder.put(packages + "cu13/lib/libcublasLt.so.13");
    CHECK(find_gpu_library(GpuLibrary::kCublasLt, {}, {python}) == brought);
    const std::string other = folder.put("other/bin/python3");
    const std::string first =
        folder.put("other/lib/python3.12/site-packages/nvidia/cublas/lib/libcublasLt.so.12");
    CHECK(find_gpu_library(GpuLibrary::kCublasLt, {}, {other, python}) == first);
    const std::string dnn = folder.put(packages + "cudnn/lib/libcudnn.so.9");
    CHECK(find_gpu_library(GpuLibrary::kCudnn, {}, {"/no/such/python3", python}) == dnn);
    const std::string own = folder.put("cuda/lib64/libcublasLt.so.13");
    const std::string toolkit = (folder.path / "cuda").string();
    CHECK(find_gpu_library(GpuLibrary::kCublasLt, {"", toolkit}, {python}) == own);
    CHECK(find_gpu_library(GpuLibrary::kCudnn, {toolkit}, {python}) == dnn);
  }
}

}  // namespace ws
