#include "runtime/base/work_owner.h"

#include <utility>

#include "runtime/base/hash.h"

namespace ws {
namespace {

/// Null: it works for nobody that is known.
const std::string*& owner_of_thread() noexcept {
  thread_local const std::string* owner = nullptr;
  return owner;
}

}  // namespace

std::string owner_tag() {
  const std::string* const owner = owner_of_thread();
  return owner == nullptr ? random_hex(kOwnerDigits) : sha256_hex(*owner).substr(0, kOwnerDigits);
}

OwnerScope::OwnerScope(const std::string& client) noexcept
    : before_(std::exchange(owner_of_thread(), &client)) {}

OwnerScope::~OwnerScope() {
  owner_of_thread() = before_;
}

}  // namespace ws
