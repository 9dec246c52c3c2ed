// Compile outcomes on disk: shared by all compilers of this server, and by all servers that use
// one data folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "runtime/compile/compile.h"
#include "runtime/compile/entry_writer.h"
#include "runtime/compile/shared_entries.h"

namespace ws {

/// Below the data folder.
inline constexpr const char* kStoreFolder = "cache";

/// Reads never lock, and a compile never waits for a write: a thread for each place writes later.
/// Two servers may compile one thing at the same time; the later entry replaces the earlier one.
class CompileStore {
 public:
  static constexpr std::uint64_t kDefaultBytes = std::uint64_t{2} << 30U;

  struct Options {
    std::filesystem::path folder;  ///< Made when it is first written to.
    std::uint64_t max_bytes = kDefaultBytes;
    std::shared_ptr<EntryPlace> shared = nullptr;  ///< Null: nothing is shared.
    std::string secret{};  ///< Signs what is shared: entries of others without it are refused.
  };

  struct Keys {
    std::string key;       ///< In the folder.
    std::string shared{};  ///< In the shared place; empty: it is not put there.
  };

  explicit CompileStore(Options options);
  /// Writes what waits for the folder, and what can be shared in five seconds.
  ~CompileStore() = default;
  CompileStore(const CompileStore&) = delete;
  CompileStore& operator=(const CompileStore&) = delete;

  /// Null: not there, or damaged, which is put aside. Any thread.
  /// @param key  64 hexadecimal digits that no client names: see CompileService.
  [[nodiscard]] std::shared_ptr<const CompileOutcome> find(const std::string& key) const;

  [[nodiscard]] bool shares() const { return options_.shared != nullptr; }

  /// From the shared place. Null: not there, or damaged, or not signed with the secret, or the
  /// place cannot be read, which is logged. Any thread; waits for the place.
  /// @param key  64 hexadecimal digits.
  [[nodiscard]] std::shared_ptr<const CompileOutcome> find_shared(const std::string& key) const;

  /// Writes it soon. What cannot be written is logged, and lost. Any thread.
  void keep(const Keys& keys, const std::shared_ptr<const CompileOutcome>& outcome);

  /// Waits until nothing waits to be written. Any thread.
  void flush();

 private:
  void write(const EntryWriter::Entry& entry);
  void share(const EntryWriter::Entry& entry);

  const Options options_;
  std::uint64_t bytes_ = 0;          // The folder's writer's: as last counted and since.
  std::uint64_t until_counted_ = 0;  // The same: writes until the folder is counted again.
  EntryWriter folder_writer_;
  std::optional<EntryWriter> place_writer_;  ///< Where something is shared.
};

}  // namespace ws
