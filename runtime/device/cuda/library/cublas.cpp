#include "runtime/device/cuda/library/cublas.h"

#include "runtime/device/cuda/library/open_library.h"

namespace ws::cuda {

Result<Cublas> Cublas::open(const std::string& path) {
  Cublas library;
  const LibrarySymbol symbols[] = {
#define WS_CUBLAS(result, name, parameters) {#name, reinterpret_cast<void**>(&library.table_.name)},
#include "runtime/device/cuda/library/cublas_functions.def"
#undef WS_CUBLAS
  };
  WS_CHECK(open_library(path, "cuBLASLt", symbols));
  return library;
}

std::string Cublas::version() const {
  constexpr std::size_t kMajor = 10000;
  constexpr std::size_t kMinor = 100;
  const std::size_t number = table_.cublasLtGetVersion();
  return std::to_string(number / kMajor) + "." + std::to_string(number % kMajor / kMinor) + "." +
         std::to_string(number % kMinor);
}

Status Cublas::check(CublasStatus status, const char* call) const {
  if (status == kCublasSuccess) {
    return {};
  }
  return fail(ErrorCode::kUnsupported,
              "cuBLASLt does not take this product: " + std::string(call) + " answered " +
                  table_.cublasLtGetStatusName(status),
              "choose another baseline or other workloads");
}

}  // namespace ws::cuda
