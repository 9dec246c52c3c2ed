// Series: what several kernels that count as one have earned or shown, one row for each time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/archive/store/archive_place.h"
#include "runtime/base/result.h"

namespace ws {

class SharedConnection;

/// One value in a series.
struct SeriesRow {
  std::string kernel_id;
  double value = 0;
};

/// Beside an Archive of the same place, with a connection of its own. All methods: any thread.
/// @errors of all of them: kIo.
class SeriesStore {
 public:
  /// The archive of the place must have been opened: it makes the tables.
  static Result<std::unique_ptr<SeriesStore>> open(const ArchivePlace& place);

  ~SeriesStore();
  SeriesStore(const SeriesStore&) = delete;
  SeriesStore& operator=(const SeriesStore&) = delete;

  /// Appends a row; the series is made by its first one.
  /// @return The whole series with it, oldest first.
  Result<std::vector<SeriesRow>> add(const std::string& series, const SeriesRow& row);

  /// Oldest first; none where there is no such series.
  Result<std::vector<SeriesRow>> rows(const std::string& series);

 private:
  explicit SeriesStore(std::unique_ptr<SharedConnection> connection);

  std::unique_ptr<SharedConnection> connection_;
};

}  // namespace ws
