// What the tools share. The server opens it once and owns it; tools hold references.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "runtime/archive/archive.h"
#include "runtime/base/result.h"
#include "runtime/compile/store.h"
#include "runtime/device/backend.h"
#include "runtime/queue/job_queue.h"
#include "tools/common/noise_floor.h"
#include "tools/tool.h"

namespace ws {

struct ServicesOptions {
  /// Of compile outcomes below data_dir; what was used longest ago goes first.
  std::uint64_t cache_bytes = CompileStore::kDefaultBytes;
  std::filesystem::path data_dir;    ///< Where the archive lies; made when it is not there.
  std::filesystem::path executable;  ///< For worker processes; empty: this program.
};

/// A device and the name of its lane in the job queue.
struct Device {
  std::string id;  ///< "cpu:0"
  std::unique_ptr<Backend> backend;
};

struct Services {
  ServicesOptions options;
  std::unique_ptr<Archive> archive;
  std::unique_ptr<NoiseFloors> noise_floors;
  std::vector<Device> devices;  ///< The first is the default.
  std::unique_ptr<ResourceReader> resources;
  std::unique_ptr<JobQueue> jobs;  ///< Last: its jobs use the rest.

  /// @param id  Empty: the default device. @errors kNotFound, with the known ids.
  Result<Device*> device(const std::string& id);

  /// Starts workers and compilers in the background; returns at once. Any thread.
  void warm();
};

/// The compile queue's name; devices' queues bear their ids.
inline constexpr const char* kCompileLane = "compile";

/// Opens the archive and starts the queues. Nothing of a device or a compiler is touched before a
/// tool needs it. @errors kIo: the archive cannot be opened (says why and what to do).
Result<std::unique_ptr<Services>> open_services(const ServicesOptions& options);

}  // namespace ws
