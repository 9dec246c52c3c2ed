// The part of the store that a log of kernels needs: names that never move, measurements, and
// passes that failed. It has connections of its own, so that a long log does not delay the storing
// of a measurement.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/archive/store/archive.h"
#include "runtime/archive/store/archive_place.h"

namespace ws {

class SharedConnection;

/// A name that points at a kernel.
struct RefRow {
  std::string name;  ///< "name@branch"
  std::string kernel_id;
  bool fixed = false;      ///< A checkpoint: it never moves.
  std::string updated_at;  ///< Set by the store.
  bool imported = false;   ///< It came by an import, as its label says; not read back.
};

struct KernelVerdict {
  std::string kernel_id;
  Verdict verdict = Verdict::kSuspect;
};

/// Beside an Archive of the same place. All methods: any thread. @errors of all of them: kIo.
class LineStore {
 public:
  /// The archive of the place must have been opened: it makes the tables.
  static Result<std::unique_ptr<LineStore>> open(const ArchivePlace& place);

  ~LineStore();
  LineStore(const LineStore&) = delete;
  LineStore& operator=(const LineStore&) = delete;

  /// Makes a ref that is not there yet: of clients that make one name at a time one succeeds.
  /// Archive::set_ref moves it, unless it is fixed.
  /// @errors kInvalidArgument: not name@branch; kNotFound: unknown kernel; kConflict: it is there.
  /// Whether the viewer (viewer.h) may store more. @errors kBusy: it has as much as it may.
  Status check_room();

  Status add_ref(const RefRow& ref);
  /// Those that point at a kernel, or all where `kernel_id` is empty; moved or made last first.
  Result<std::vector<RefRow>> refs(const std::string& kernel_id, int limit);

  /// Those of a kernel on a device, newest first.
  Result<std::vector<EvidenceRow>> newest_evidence(const std::string& kernel_id,
                                                   const std::string& device,
                                                   const std::string& kind, int limit);
  /// All that tells what a kernel is worth on a device, newest first: of what passed the newest of
  /// each key, and everything else.
  Result<std::vector<EvidenceRow>> answers(const std::string& kernel_id, const std::string& device,
                                           const std::string& kind);
  /// How many validations of a kernel on a device it passed.
  Result<std::int64_t> passed_validations(const std::string& kernel_id, const std::string& device);
  /// The verdicts, but `passed`, that validations gave kernels of a problem: each once a kernel.
  Result<std::vector<KernelVerdict>> failed_validations(const std::string& problem_id);
  /// The failed tries among those that began at this kernel.
  Result<std::vector<PassStatistic>> failed_passes(const std::string& base_id);
  /// How the newest try that made this kernel failed; nothing where none did.
  Result<std::optional<PassStatistic>> failure_of(const std::string& kernel_id);

 private:
  explicit LineStore(std::unique_ptr<SharedConnection> connection);

  std::unique_ptr<SharedConnection> connection_;
};

}  // namespace ws
