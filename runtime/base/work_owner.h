// The client that a thread works for: what is kept from one piece of work to the next, such as a
// compiler's process, is kept for work of the same client.
#pragma once

#include <cstddef>
#include <string>

namespace ws {

/// Hexadecimal digits of a tag.
inline constexpr std::size_t kOwnerDigits = 16;

/// The same text for all work of one client; another one each time where the thread works for
/// nobody that is known.
std::string owner_tag();

/// This thread works for a client, for as long as it lives; then for the one before it again.
class OwnerScope {
 public:
  /// @param client  As client_key() makes it. It outlives the scope.
  explicit OwnerScope(const std::string& client) noexcept;
  ~OwnerScope();
  OwnerScope(const OwnerScope&) = delete;
  OwnerScope& operator=(const OwnerScope&) = delete;

 private:
  const std::string* before_;
};

}  // namespace ws
