// cuDNN's backend interface, opened with dlopen: its functions, descriptors, and errors that name
// the step.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/device/cuda/library/cudnn_types.h"

namespace ws::cuda {

/// The library's functions, each under its own name.
struct CudnnTable {
#define WS_CUDNN(result, name, parameters) result(*name) parameters = nullptr;
#include "runtime/device/cuda/library/cudnn_functions.def"
#undef WS_CUDNN
};

class Cudnn {
 public:
  /// @param path  libcudnn.so.9, whole; its parts lie beside it. @errors As open_library().
  static Result<Cudnn> open(const std::string& path);

  [[nodiscard]] const CudnnTable& api() const { return table_; }

  /// "9.19.0"
  [[nodiscard]] std::string version() const;

  /// @errors kUnsupported, with the step, the library's name for `status` and its last message.
  [[nodiscard]] Status check(CudnnStatus status, const std::string& step) const;

 private:
  CudnnTable table_;
};

/// One descriptor: attributes are set, it is finalised, attributes are read. Must not outlive its
/// library.
class CudnnObject {
 public:
  /// @param step  For messages: "the scores". @errors As Cudnn::check().
  static Result<CudnnObject> make(const Cudnn& library, int type, std::string step);

  CudnnObject(CudnnObject&& other) noexcept;
  CudnnObject& operator=(CudnnObject&& other) noexcept;
  CudnnObject(const CudnnObject&) = delete;
  CudnnObject& operator=(const CudnnObject&) = delete;
  ~CudnnObject();

  [[nodiscard]] CudnnDescriptor get() const { return handle_; }

  // Each is @errors as Cudnn::check().
  Status set(int attribute, int type, std::int64_t count, const void* values);
  Status set(int attribute, int type, int value);
  Status set(int attribute, std::int64_t value);
  Status set(int attribute, const std::vector<std::int64_t>& values);
  Status set(int attribute, bool value);
  Status set(int attribute, const CudnnObject& value);
  Status set(int attribute, const std::vector<CudnnObject>& values);
  Status finish();

  [[nodiscard]] Result<std::int64_t> number(int attribute, int type = kCudnnTypeInt64) const;
  /// Finished objects of `type` that an attribute holds. @param most  Of them.
  [[nodiscard]] Result<std::vector<CudnnObject>> objects(int attribute, int type,
                                                         std::int64_t most) const;

 private:
  CudnnObject(const Cudnn& library, CudnnDescriptor handle, std::string step)
      : library_(&library),
        handle_(handle),
        step_(std::move(step)) {}

  const Cudnn* library_;
  CudnnDescriptor handle_;
  std::string step_;
};

}  // namespace ws::cuda
