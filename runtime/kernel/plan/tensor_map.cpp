#include "runtime/kernel/plan/tensor_map.h"

#include <algorithm>

#include "runtime/kernel/expr/evaluate.h"

namespace ws {
namespace {

constexpr std::size_t kLeastInterleavedRank = 3;
constexpr std::int64_t kMaxExtent = std::int64_t{1} << 32U;
constexpr std::int64_t kMaxStride = (std::int64_t{1} << 40U) - 1;
constexpr std::int64_t kMaxBox = 256;
constexpr std::int64_t kMaxElementStride = 8;
constexpr std::int64_t kGrain = 16;  // Bytes: of addresses, strides and a box's rows.
constexpr std::uint32_t kInterleave32 = 2;
constexpr std::uint32_t kSwizzle32 = 1;

std::string text_of(std::int64_t value) {
  return std::to_string(value);
}

/// The buffer's own extents or strides, innermost first.
std::vector<std::int64_t> reversed(const std::vector<std::int64_t>& values) {
  return {values.rbegin(), values.rend()};
}

class MapResolver {
 public:
  MapResolver(const TensorMapSpec& spec, const BufferSpec& buffer, const Bindings& names,
              const std::string& path)
      : spec_(spec),
        buffer_(buffer),
        names_(names),
        path_(path),
        bytes_(static_cast<std::int64_t>(size_of(spec.type.value_or(buffer.type)))) {}

  Result<TensorMap> resolve() {
    WS_CHECK(find_shape());
    WS_CHECK(find_strides());
    WS_CHECK(find_box());
    WS_CHECK(check_modes());
    WS_CHECK(check_reach());
    TensorMap map;
    map.name = spec_.name;
    map.type = spec_.type.value_or(buffer_.type);
    map.shape.assign(shape_.begin(), shape_.end());
    map.strides.assign(strides_.begin(), strides_.end());
    std::copy(box_.begin(), box_.end(), std::back_inserter(map.box));
    std::copy(steps_.begin(), steps_.end(), std::back_inserter(map.element_strides));
    map.modes = spec_.modes;
    return map;
  }

 private:
  /// Each of `values` in [1, most] and a multiple of `grain`.
  Status check_range(const char* field, const std::vector<std::int64_t>& values, std::int64_t most,
                     std::int64_t grain) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string place = item(path_ + "." + field, i);
      if (values[i] < 1 || values[i] > most) {
        return bad(place, text_of(values[i]) + " is not in 1 to " + text_of(most));
      }
      if (values[i] % grain != 0) {
        return bad(place,
                   text_of(values[i]) + " bytes is not a multiple of " + text_of(grain) + " bytes",
                   "pad the rows");
      }
    }
    return {};
  }

  Status find_shape() {
    const std::string place = path_ + ".shape";
    if (spec_.shape) {
      WS_TRY(shape_, evaluate_sizes(*spec_.shape, names_, place, 1));
    } else {
      shape_ = reversed(buffer_.shape);
    }
    const std::size_t least = spec_.modes.interleave == 0 ? 1 : kLeastInterleavedRank;
    if (shape_.size() < least || shape_.size() > kMaxMapRank) {
      return bad(place, text_of(static_cast<std::int64_t>(shape_.size())) +
                            " dimensions, expected " + text_of(static_cast<std::int64_t>(least)) +
                            " to " + text_of(kMaxMapRank));
    }
    return check_range("shape", shape_, kMaxExtent, 1);
  }

  Status find_strides() {
    const std::string place = path_ + ".strides";
    if (spec_.strides) {
      WS_TRY(strides_, evaluate_sizes(*spec_.strides, names_, place, 1));
      if (strides_.size() + 1 != shape_.size()) {
        return bad(place, "expected one for each dimension but the innermost, " +
                              text_of(static_cast<std::int64_t>(shape_.size()) - 1) + " in all");
      }
    } else {
      WS_CHECK(own_strides(place));
    }
    return check_range("strides", strides_, kMaxStride,
                       spec_.modes.interleave == kInterleave32 ? 2 * kGrain : kGrain);
  }

  /// The buffer's.
  Status own_strides(const std::string& place) {
    std::vector<std::int64_t> own = reversed(buffer_.strides);
    if (own.size() != shape_.size()) {
      return bad(place, "missing, and the map's shape is not that of `" + buffer_.name + "`",
                 "give the bytes from one item to the next of each outer dimension");
    }
    if (own.front() != 1 && shape_.front() > 1) {
      return bad(place, "the innermost dimension of `" + buffer_.name + "` has gaps",
                 "a tensor map needs neighbours there");
    }
    const auto bytes = static_cast<std::int64_t>(size_of(buffer_.type));
    for (std::size_t i = 1; i < own.size(); ++i) {
      strides_.push_back(own[i] * bytes);
    }
    return {};
  }

  Status find_box() {
    const std::string place = path_ + ".box";
    WS_TRY(box_, evaluate_sizes(spec_.box, names_, place, 1));
    steps_.assign(shape_.size(), 1);
    if (spec_.element_strides) {
      WS_TRY(steps_, evaluate_sizes(*spec_.element_strides, names_, path_ + ".element_strides", 1));
    }
    for (const auto& [field, values] :
         {std::pair{".box", &box_}, std::pair{".element_strides", &steps_}}) {
      if (values->size() != shape_.size()) {
        return bad(path_ + field, "expected one for each dimension, " +
                                      text_of(static_cast<std::int64_t>(shape_.size())) +
                                      " in all");
      }
    }
    WS_CHECK(check_range("box", box_, kMaxBox, 1));
    WS_CHECK(check_range("element_strides", steps_, kMaxElementStride, 1));
    const std::int64_t row = box_.front() * bytes_;
    if (spec_.modes.interleave == 0 && row % kGrain != 0) {
      return bad(item(place, 0),
                 text_of(row) + " bytes is not a multiple of " + text_of(kGrain) + " bytes");
    }
    return {};
  }

  [[nodiscard]] Status check_modes() const {
    const TensorMapModes& modes = spec_.modes;
    if (modes.interleave == 0 && modes.swizzle != 0) {
      const std::int64_t span = kGrain << modes.swizzle;
      if (const std::int64_t row = box_.front() * bytes_; row > span) {
        return bad(item(path_ + ".box", 0), text_of(row) + " bytes is more than the " +
                                                text_of(span) + " bytes that are swizzled");
      }
    }
    if (modes.interleave == kInterleave32 && modes.swizzle != kSwizzle32) {
      return bad(path_ + ".swizzle", "an interleave of 32B needs a swizzle of 32B");
    }
    if (modes.oob != 0 && !is_float(spec_.type.value_or(buffer_.type))) {
      return bad(path_ + ".oob", "only a map of floats can be filled with NaN");
    }
    return {};
  }

  /// The last byte that a fetch may touch lies in the buffer: no other is the kernel's.
  [[nodiscard]] Status check_reach() const {
    std::int64_t reach = shape_.front() * bytes_;
    bool fits = true;
    for (std::size_t i = 1; i < shape_.size(); ++i) {
      std::int64_t more = 0;
      fits = fits && !__builtin_mul_overflow(shape_[i] - 1, strides_[i - 1], &more) &&
             !__builtin_add_overflow(reach, more, &reach);
    }
    const auto size = static_cast<std::int64_t>(buffer_.bytes());
    if (!fits || reach > size) {
      return bad(path_, "the map reaches " + (fits ? text_of(reach) : "more than 2^63") +
                            " bytes into `" + buffer_.name + "`, which has " + text_of(size));
    }
    return {};
  }

  const TensorMapSpec& spec_;
  const BufferSpec& buffer_;
  const Bindings& names_;
  const std::string& path_;
  const std::int64_t bytes_;  // The size of one element.
  std::vector<std::int64_t> shape_;
  std::vector<std::int64_t> strides_;
  std::vector<std::int64_t> box_;
  std::vector<std::int64_t> steps_;
};

}  // namespace

Result<TensorMap> resolve_tensor_map(const TensorMapSpec& spec, const BufferSpec& buffer, int index,
                                     const Bindings& names, const std::string& path) {
  WS_TRY(TensorMap map, MapResolver(spec, buffer, names, path).resolve());
  map.buffer = index;
  return map;
}

}  // namespace ws
