// Entries of the compile cache that several machines share.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/result.h"

namespace ws {

/// A place for entries by key, which others may write to as well. Any thread.
class EntryPlace {
 public:
  EntryPlace() = default;
  EntryPlace(const EntryPlace&) = delete;
  EntryPlace& operator=(const EntryPlace&) = delete;
  virtual ~EntryPlace() = default;

  /// Nothing: there is none. @errors kIo, kBusy: the place cannot be read.
  virtual Result<std::optional<std::string>> find(const std::string& key) = 0;

  /// Replaces one that is there. @errors kIo, kBusy.
  virtual Status put(const std::string& key, std::string_view bytes) = 0;
};

/// The least bytes that a secret has.
inline constexpr std::size_t kLeastSecret = 32;

/// An entry, and before it a line that only those who know the secret can make.
std::string sign_entry(const std::string& secret, std::string_view entry);

/// The entry of signed bytes. @errors kInvalidArgument: somebody without the secret made or changed
/// them.
Result<std::string_view> open_entry(const std::string& secret, std::string_view bytes);

}  // namespace ws
