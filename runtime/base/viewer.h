// The one for whom a thread reads and writes the archive: what it may see there, and to whom
// belongs what it stores.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace ws {

/// The right of a node to work on a job, which another node gets when this one is late.
struct WorkLease {
  std::string job;
  std::string node;          ///< Its name.
  std::int64_t attempt = 0;  ///< Higher each time the job is given to a node.

  bool operator==(const WorkLease&) const = default;
};

/// Without a name, as on stdio and without a principals file: sees all, and what it stores is
/// everybody's.
struct Viewer {
  std::string owner{};   ///< A principal's name, without spaces; empty: nobody in particular.
  bool sees_all = true;  ///< Else what is its own, and what is shared.
  bool shares = true;    ///< Others see what it stores.
  /// As much may it have in the archive; nothing: as much as it wants.
  std::optional<std::int64_t> most_bytes{};
  /// The work of a node: an archive in a database keeps its evidence only while the lease is held.
  std::optional<WorkLease> lease{};
};

using ViewerPtr = std::shared_ptr<const Viewer>;

/// The viewer that this thread works for.
const Viewer& current_viewer() noexcept;

/// The same, to be kept for another thread. Null: the viewer without a name.
ViewerPtr kept_viewer() noexcept;

/// This thread works for a viewer for as long as this lives; then for the one before it again.
class ViewerScope {
 public:
  /// @param viewer  Null: the viewer without a name.
  explicit ViewerScope(ViewerPtr viewer) noexcept;
  ~ViewerScope();
  ViewerScope(const ViewerScope&) = delete;
  ViewerScope& operator=(const ViewerScope&) = delete;

 private:
  ViewerPtr before_;
};

}  // namespace ws
