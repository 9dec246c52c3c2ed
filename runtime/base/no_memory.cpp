#include "runtime/base/no_memory.h"

namespace ws {
namespace {

thread_local int t_needs = 0;
thread_local int t_partings = 0;

}  // namespace

Need::Need() noexcept {
  ++t_needs;
}

Need::~Need() {
  --t_needs;
}

bool Need::is_here() noexcept {
  return t_needs > 0;
}

Parting::Parting() noexcept {
  ++t_partings;
}

Parting::~Parting() {
  --t_partings;
}

bool Parting::is_here() noexcept {
  return t_partings > 0;
}

}  // namespace ws
