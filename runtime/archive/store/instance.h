// The servers that use an archive. In a data folder each has a file in it that is locked as long as
// the server lives, however it ends, so another server knows which jobs have no server any more. In
// a database each has a lease (server_lease.h) too.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "runtime/archive/store/archive_place.h"
#include "runtime/archive/store/server_lease.h"
#include "runtime/base/files.h"
#include "runtime/base/result.h"

namespace ws {

/// This process's lease. Any thread.
class Instance {
 public:
  /// Makes instances/ID in the folder and locks it; removes the files of those that are gone.
  /// @errors kIo; of a store as open_postgres().
  static Result<Instance> begin(const ArchivePlace& place);

  Instance(Instance&&) = default;
  Instance& operator=(Instance&&) = delete;
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  /// Ends the lease.
  ~Instance();

  /// 16 hex digits.
  [[nodiscard]] const std::string& id() const { return id_; }

  /// Whether the process with that lease lives; this one does.
  [[nodiscard]] bool lives(const std::string& id) const;

 private:
  Instance(std::filesystem::path folder, std::string id, Fd file)
      : folder_(std::move(folder)),
        id_(std::move(id)),
        file_(std::move(file)) {}

  std::filesystem::path folder_;
  std::string id_;
  Fd file_;                             ///< Locked. Invalid in one that was moved from.
  std::unique_ptr<ServerLease> lease_;  ///< Null: the archive is in the folder.
};

}  // namespace ws
