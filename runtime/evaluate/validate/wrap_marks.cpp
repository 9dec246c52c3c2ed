#include "runtime/evaluate/validate/wrap_marks.h"

#include <algorithm>
#include <span>

namespace ws {
namespace {

constexpr std::int64_t kWrap = std::int64_t{1} << 32U;  // Bytes.
/// No result of zeros has such bytes.
constexpr std::byte kMark{0x3f};

std::span<std::byte> bytes_of(const Arena& arena, const BufferSpec& spec, std::size_t buffer,
                              std::int64_t element) {
  const std::size_t size = size_of(spec.type);
  return arena.buffer(buffer).subspan(static_cast<std::size_t>(element) * size, size);
}

}  // namespace

WrapMarks::WrapMarks(const ResolvedPlan& plan, const Arena& arena)
    : plan_(plan),
      arena_(arena) {
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const BufferSpec& spec = plan.buffers[i];
    // An inout buffer is read as well: a mark could lead its reader astray.
    if (spec.role != BufferRole::kOut || spec.elements == 0) {
      continue;
    }
    Marked marked{.buffer = i, .elements = {}};
    const std::int64_t step = kWrap / static_cast<std::int64_t>(size_of(spec.type));
    for (std::int64_t element = spec.span - 1; element >= 0; element -= step) {
      std::ranges::fill(bytes_of(arena, spec, i, element), kMark);
      marked.elements.push_back(element);
    }
    marked_.push_back(std::move(marked));
  }
}

bool WrapMarks::is_written(const Marked& marked, std::int64_t element) const {
  const std::span<const std::byte> bytes =
      bytes_of(arena_, plan_.buffers[marked.buffer], marked.buffer, element);
  return std::ranges::any_of(bytes, [](std::byte value) { return value != kMark; });
}

std::optional<Wrapped> WrapMarks::find() const {
  for (const Marked& marked : marked_) {
    const std::int64_t last = marked.elements.front();
    if (is_written(marked, last)) {
      continue;
    }
    const auto written = std::ranges::find_if(
        marked.elements, [&](std::int64_t element) { return is_written(marked, element); });
    if (written != marked.elements.end()) {
      return Wrapped{plan_.buffers[marked.buffer].name, *written, last};
    }
  }
  return std::nullopt;
}

std::set<std::string> WrapMarks::ended() const {
  std::set<std::string> names;
  for (const Marked& marked : marked_) {
    if (is_written(marked, marked.elements.front())) {
      names.insert(plan_.buffers[marked.buffer].name);
    }
  }
  return names;
}

}  // namespace ws
