// The data of the page: what each address below /page/data/ gives.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "runtime/archive/search/listing.h"
#include "server/protocol/protocol.h"

namespace ws::server {

/// The parts of a running server that the page shows. All empty: it shows a folder, no server.
/// Called by threads that may block.
struct RunningServer {
  std::function<Json()> devices;  ///< [{id, key, name, arch, emulated} or {id, error}]
  std::function<Json()> work;     ///< {lanes, jobs}
  /// As QueueChanges::wait().
  std::function<std::uint64_t(std::uint64_t seen, const std::stop_token& stop)> wait_for_change;
};

/// A question of a browser: the parts of the path behind /page/data/, and the query.
struct PageQuestion {
  std::vector<std::string> parts;
  std::map<std::string, std::string> query;

  /// Empty where it was not given.
  [[nodiscard]] std::string value(const std::string& name) const;
};

/// Any thread.
class PageData {
 public:
  /// @param listing  Outlives it.
  PageData(ArchiveListing& listing, RunningServer running)
      : listing_(listing),
        running_(std::move(running)) {}

  /// @errors kNotFound: there is nothing at that address; those of ArchiveListing.
  Result<Json> answer(const PageQuestion& question);

 private:
  Result<Json> of_problem(const PageQuestion& question);
  Result<Json> of_kernel(const PageQuestion& question);
  Result<Json> kernels(const std::string& problem_id, const PageQuestion& question);
  Result<Json> whole_problem(const std::string& id);
  Result<Json> whole_kernel(const KernelRow& kernel);
  Result<Json> difference(const KernelRow& to, const std::string& from);

  ArchiveListing& listing_;
  const RunningServer running_;
};

}  // namespace ws::server
