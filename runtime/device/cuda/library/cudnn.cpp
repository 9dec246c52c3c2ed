#include "runtime/device/cuda/library/cudnn.h"

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/device/cuda/library/open_library.h"

namespace ws::cuda {

Result<Cudnn> Cudnn::open(const std::string& path) {
  Cudnn library;
  const LibrarySymbol symbols[] = {
#define WS_CUDNN(result, name, parameters) {#name, reinterpret_cast<void**>(&library.table_.name)},
#include "runtime/device/cuda/library/cudnn_functions.def"
#undef WS_CUDNN
  };
  WS_CHECK(open_library(path, "cuDNN", symbols));
  return library;
}

std::string Cudnn::version() const {
  constexpr std::size_t kMajor = 10000;
  constexpr std::size_t kMinor = 100;
  const std::size_t number = table_.cudnnGetVersion();
  return std::to_string(number / kMajor) + "." + std::to_string(number % kMajor / kMinor) + "." +
         std::to_string(number % kMinor);
}

Status Cudnn::check(CudnnStatus status, const std::string& step) const {
  if (status == kCudnnSuccess) {
    return {};
  }
  std::array<char, 512> last = {};
  table_.cudnnGetLastErrorString(last.data(), last.size() - 1);
  return fail(
      ErrorCode::kUnsupported,
      "cuDNN does not take this attention: " + step + ": " + table_.cudnnGetErrorString(status),
      "choose another baseline or other workloads", last.data());
}

Result<CudnnObject> CudnnObject::make(const Cudnn& library, int type, std::string step) {
  CudnnDescriptor handle = nullptr;
  WS_CHECK(library.check(library.api().cudnnBackendCreateDescriptor(type, &handle), step));
  return CudnnObject(library, handle, std::move(step));
}

CudnnObject::CudnnObject(CudnnObject&& other) noexcept
    : library_(other.library_),
      handle_(std::exchange(other.handle_, nullptr)),
      step_(std::move(other.step_)) {}

CudnnObject& CudnnObject::operator=(CudnnObject&& other) noexcept {
  std::swap(library_, other.library_);
  std::swap(handle_, other.handle_);
  std::swap(step_, other.step_);
  return *this;
}

CudnnObject::~CudnnObject() {
  if (handle_ != nullptr) {
    library_->api().cudnnBackendDestroyDescriptor(handle_);
  }
}

Status CudnnObject::set(int attribute, int type, std::int64_t count, const void* values) {
  return library_->check(
      library_->api().cudnnBackendSetAttribute(handle_, attribute, type, count, values),
      step_ + ", attribute " + std::to_string(attribute));
}

Status CudnnObject::set(int attribute, int type, int value) {
  return set(attribute, type, 1, &value);
}

Status CudnnObject::set(int attribute, std::int64_t value) {
  return set(attribute, kCudnnTypeInt64, 1, &value);
}

Status CudnnObject::set(int attribute, const std::vector<std::int64_t>& values) {
  return set(attribute, kCudnnTypeInt64, static_cast<std::int64_t>(values.size()), values.data());
}

Status CudnnObject::set(int attribute, bool value) {
  return set(attribute, kCudnnTypeBoolean, 1, &value);
}

Status CudnnObject::set(int attribute, const CudnnObject& value) {
  return set(attribute, kCudnnTypeDescriptor, 1, &value.handle_);
}

Status CudnnObject::set(int attribute, const std::vector<CudnnObject>& values) {
  std::vector<CudnnDescriptor> handles;
  for (const CudnnObject& value : values) {
    handles.push_back(value.handle_);
  }
  return set(attribute, kCudnnTypeDescriptor, static_cast<std::int64_t>(handles.size()),
             handles.data());
}

Status CudnnObject::finish() {
  return library_->check(library_->api().cudnnBackendFinalize(handle_), step_);
}

Result<std::int64_t> CudnnObject::number(int attribute, int type) const {
  std::int64_t value = 0;  // Wide enough for a number of 32 bits, too.
  std::int64_t count = 0;
  WS_CHECK(library_->check(
      library_->api().cudnnBackendGetAttribute(handle_, attribute, type, 1, &count, &value),
      step_ + ", attribute " + std::to_string(attribute)));
  return value;
}

Result<std::vector<CudnnObject>> CudnnObject::objects(int attribute, int type,
                                                      std::int64_t most) const {
  std::vector<CudnnObject> found;
  std::vector<CudnnDescriptor> handles;
  for (std::int64_t i = 0; i < most; ++i) {
    WS_TRY(CudnnObject object, make(*library_, type, step_));
    handles.push_back(object.handle_);
    found.push_back(std::move(object));
  }
  std::int64_t count = 0;
  WS_CHECK(
      library_->check(library_->api().cudnnBackendGetAttribute(
                          handle_, attribute, kCudnnTypeDescriptor, most, &count, handles.data()),
                      step_ + ", attribute " + std::to_string(attribute)));
  found.erase(found.begin() + std::clamp<std::int64_t>(count, 0, most), found.end());
  return found;
}

}  // namespace ws::cuda
