// The CUDA driver, opened with dlopen: a table of its functions, and errors that name the call.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/base/result.h"
#include "runtime/device/cuda/driver/driver_types.h"

namespace ws::cuda {

/// The driver's functions, each under its own name.
struct DriverTable {
#define WS_CU(name, version, parameters) CuResult(*name) parameters = nullptr;
#include "runtime/device/cuda/driver/driver_functions.def"
#undef WS_CU
  // Null where it is missing.
#define WS_CU_OPTIONAL(name, version, parameters) CuResult(*name) parameters = nullptr;
#include "runtime/device/cuda/driver/optional_functions.def"
#undef WS_CU_OPTIONAL
};

enum class DriverMaker : std::uint8_t { kCuda, kHip };

/// How another maker's driver differs, whose functions stand in the same table.
struct Dialect {
  DriverMaker maker = DriverMaker::kCuda;
  const char* name = "CUDA driver";  ///< For messages.
  const char* hint = "see whether nvidia-smi works here";
  bool graphs = true;  ///< Streams can be captured.
  bool ptx = true;     ///< Our own kernels are loaded as PTX.
  /// The device's own compiler target; null: it follows from its compute capability.
  CuResult (*arch)(char* name, int size, CuDevice device) = nullptr;
};

/// An opened and initialised driver. For one process and one thread; never closed again, since a
/// driver that is unloaded takes its devices with it.
class Driver {
 public:
  /// Opens the library, finds every function and calls cuInit.
  ///
  /// @param library  A path, or a name that the loader looks up; "" = libcuda.so.1.
  /// @errors kUnsupported: no driver, one older than CUDA 12.0, or one that finds no device.
  static Result<Driver> open(const std::string& library);

  /// Another maker's, opened and initialised.
  Driver(const DriverTable& table, const Dialect& dialect)
      : table_(table),
        dialect_(dialect) {}

  [[nodiscard]] const DriverTable& api() const { return table_; }

  [[nodiscard]] const Dialect& dialect() const { return dialect_; }

  /// Ok, or an error with the call's name and the driver's own name and text for `code`; the code
  /// is kept for last_failure().
  /// @errors kDeviceLost: the device is gone, see is_lost(); kInternal: all others.
  Status check(CuResult code, const char* call);

  /// The last code that check() saw and that was not success; 0 = none yet.
  [[nodiscard]] CuResult last_failure() const { return last_failure_; }

 private:
  Driver() = default;
  Status find_functions(void* library);

  DriverTable table_;
  Dialect dialect_;
  CuResult last_failure_ = kCuSuccess;
};

/// The device or the driver is gone: no kernel's fault.
bool is_lost(CuResult code);

}  // namespace ws::cuda

/// WS_CU_CALL(driver, cuMemAlloc, &address, bytes): calls it; a Status.
#define WS_CU_CALL(driver, name, ...) (driver).check((driver).api().name(__VA_ARGS__), #name)
