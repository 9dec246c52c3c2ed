// Owners of the driver's objects: each gives back what it holds. They must not outlive the Driver.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/device/cuda/driver/driver.h"

namespace ws::cuda {

/// Owns one handle; `Destroy` is the table's function that takes it back. What that function
/// answers is not looked at: after a sticky error they all fail, and the process ends.
template <typename Handle, auto Destroy>
class Owned {
 public:
  Owned() = default;

  Owned(const Driver& driver, Handle handle)
      : table_(&driver.api()),
        handle_(handle) {}

  Owned(Owned&& other) noexcept
      : table_(other.table_),
        handle_(std::exchange(other.handle_, Handle{})) {}

  Owned& operator=(Owned&& other) noexcept {
    std::swap(table_, other.table_);
    std::swap(handle_, other.handle_);
    return *this;
  }

  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;

  ~Owned() {
    if (handle_ != Handle{}) {
      (table_->*Destroy)(handle_);
    }
  }

  [[nodiscard]] Handle get() const { return handle_; }

  [[nodiscard]] bool valid() const { return handle_ != Handle{}; }

 private:
  const DriverTable* table_ = nullptr;
  Handle handle_{};
};

using Memory = Owned<CuDevicePtr, &DriverTable::cuMemFree>;
using LinkState = Owned<CuLinkState, &DriverTable::cuLinkDestroy>;
using Module = Owned<CuModule, &DriverTable::cuModuleUnload>;
using Stream = Owned<CuStream, &DriverTable::cuStreamDestroy>;
using Event = Owned<CuEvent, &DriverTable::cuEventDestroy>;
using Graph = Owned<CuGraph, &DriverTable::cuGraphDestroy>;
using Array = Owned<CuArray, &DriverTable::cuArrayDestroy>;
using TextureObject = Owned<CuTexObject, &DriverTable::cuTexObjectDestroy>;
using GraphExec = Owned<CuGraphExec, &DriverTable::cuGraphExecDestroy>;

/// Device memory, aligned to 256 bytes at least; never empty.
/// @errors kInvalidArgument: the GPU has too little memory left; as Driver::check.
Result<Memory> allocate(Driver& driver, std::uint64_t bytes);

/// Device memory that shares its pages with nothing else. The driver maps whole pages, so that a
/// kernel can also reach what lies beyond the bytes that were asked for.
struct Region {
  Memory memory;
  std::uint64_t bytes = 0;   ///< As asked for.
  std::uint64_t mapped = 0;  ///< With the rest of the last page.

  [[nodiscard]] CuDevicePtr get() const { return memory.get(); }
};

/// No memory for 0 bytes. @errors as allocate().
Result<Region> allocate_pages(Driver& driver, std::uint64_t bytes);

/// Enqueues what writes `word` over the region's memory from `from` on, in bytes.
/// @errors as Driver::check.
Status overwrite(Driver& driver, CuStream stream, const Region& region, std::uint64_t from,
                 std::uint32_t word);

/// A stream that waits for no other. @errors as Driver::check.
Result<Stream> make_stream(Driver& driver);

/// An event that takes times. @errors as Driver::check.
Result<Event> make_event(Driver& driver);

/// Machine code for the current context's device, of all sources together.
/// @errors as Driver::check.
Result<std::string> compile_ptx(Driver& driver, const std::vector<const char*>& sources);

/// Machine code or PTX text, which must end with a zero byte. @errors as Driver::check.
Result<Module> load_module(Driver& driver, const char* code);

/// @errors as Driver::check: no such function.
Result<CuFunction> find_function(Driver& driver, const Module& module, const char* name);

}  // namespace ws::cuda
