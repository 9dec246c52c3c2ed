// cuBLASLt, opened with dlopen: a table of its functions, owners of its objects, and errors that
// name the call.
#pragma once

#include <string>
#include <utility>

#include "runtime/base/result.h"
#include "runtime/device/cuda/library/cublas_types.h"

namespace ws::cuda {

/// The library's functions, each under its own name.
struct CublasTable {
#define WS_CUBLAS(result, name, parameters) result(*name) parameters = nullptr;
#include "runtime/device/cuda/library/cublas_functions.def"
#undef WS_CUBLAS
};

class Cublas {
 public:
  /// @param path  libcublasLt.so.13 or .12, whole. @errors As open_library().
  static Result<Cublas> open(const std::string& path);

  [[nodiscard]] const CublasTable& api() const { return table_; }

  /// "13.1.0"
  [[nodiscard]] std::string version() const;

  /// @errors kUnsupported, with the call's name and the library's own for `status`.
  [[nodiscard]] Status check(CublasStatus status, const char* call) const;

 private:
  CublasTable table_;
};

/// Owns one object; `Destroy` is the table's function that takes it back. Must not outlive the
/// Cublas that it was made with.
template <typename Handle, auto Destroy>
class CublasOwned {
 public:
  explicit CublasOwned(const Cublas& library)
      : table_(&library.api()) {}

  CublasOwned(CublasOwned&& other) noexcept
      : table_(other.table_),
        handle_(std::exchange(other.handle_, nullptr)) {}

  CublasOwned& operator=(CublasOwned&&) = delete;
  CublasOwned(const CublasOwned&) = delete;
  CublasOwned& operator=(const CublasOwned&) = delete;

  ~CublasOwned() {
    if (handle_ != nullptr) {
      (table_->*Destroy)(handle_);
    }
  }

  [[nodiscard]] Handle get() const { return handle_; }

  /// For the function that makes it.
  Handle* slot() { return &handle_; }

 private:
  const CublasTable* table_;
  Handle handle_ = nullptr;
};

using CublasContext = CublasOwned<CublasHandle, &CublasTable::cublasLtDestroy>;
using CublasProduct = CublasOwned<CublasMatmul, &CublasTable::cublasLtMatmulDescDestroy>;
using CublasPlace = CublasOwned<CublasLayout, &CublasTable::cublasLtMatrixLayoutDestroy>;
using CublasWishes = CublasOwned<CublasPreference, &CublasTable::cublasLtMatmulPreferenceDestroy>;

}  // namespace ws::cuda

/// WS_CUBLAS_CALL(library, cublasLtCreate, &handle): calls it; a Status.
#define WS_CUBLAS_CALL(library, name, ...) (library).check((library).api().name(__VA_ARGS__), #name)
