// ---- Whole numbers, sizes and their checks ----
#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace handover {

[[noreturn]] inline void refuse(const std::string& why) { throw std::invalid_argument(why); }

/// A whole number of 64 bits whose arithmetic refuses what does not fit.
class Int {
 public:
  constexpr Int(std::int64_t value = 0) : value_(value) {}
  constexpr std::int64_t value() const { return value_; }
  constexpr explicit operator bool() const { return value_ != 0; }

 private:
  std::int64_t value_;
};

inline namespace literals {
constexpr Int operator""_i(unsigned long long value) { return Int(static_cast<std::int64_t>(value)); }
}  // namespace literals

inline std::string text_of(Int value) { return std::to_string(value.value()); }

[[noreturn]] inline void overflow() { refuse("a size does not fit in 64 bits"); }

inline Int operator+(Int a, Int b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a.value(), b.value(), &sum) ? (overflow(), a) : Int(sum);
}
inline Int operator-(Int a, Int b) {
  std::int64_t rest = 0;
  return __builtin_sub_overflow(a.value(), b.value(), &rest) ? (overflow(), a) : Int(rest);
}
inline Int operator-(Int a) { return Int(0) - a; }
inline Int operator*(Int a, Int b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a.value(), b.value(), &product) ? (overflow(), a) : Int(product);
}
constexpr Int operator==(Int a, Int b) { return a.value() == b.value() ? 1 : 0; }
constexpr Int operator!=(Int a, Int b) { return a.value() != b.value() ? 1 : 0; }
constexpr Int operator<(Int a, Int b) { return a.value() < b.value() ? 1 : 0; }
constexpr Int operator<=(Int a, Int b) { return a.value() <= b.value() ? 1 : 0; }
constexpr Int operator>(Int a, Int b) { return a.value() > b.value() ? 1 : 0; }
constexpr Int operator>=(Int a, Int b) { return a.value() >= b.value() ? 1 : 0; }
constexpr Int operator!(Int a) { return a.value() == 0 ? 1 : 0; }

/// Rounds down, as Python's // does.
inline Int floordiv(Int a, Int b) {
  if (b.value() == 0) refuse("a size is divided by zero");
  if (b.value() == -1) return -a;
  const std::int64_t quotient = a.value() / b.value();
  return a.value() % b.value() != 0 && (a.value() < 0) != (b.value() < 0) ? quotient - 1 : quotient;
}
/// The rest has the sign of `b`, as that of Python's % has.
inline Int mod(Int a, Int b) { return b.value() == -1 ? Int(0) : a - floordiv(a, b) * b; }
inline Int cdiv(Int a, Int b) { return floordiv(a, b) + (mod(a, b) != Int(0)); }
inline Int power(Int base, Int exponent) {
  if (exponent.value() < 0) refuse("a negative exponent");
  const std::int64_t of = base.value();
  if (of == 0 || of == 1) return exponent.value() == 0 ? Int(1) : base;
  if (of == -1) return exponent.value() % 2 == 0 ? 1 : -1;
  Int result = 1;
  for (std::int64_t i = 0; i < exponent.value(); ++i) result = result * base;
  return result;
}
template <typename... More>
Int least(Int first, More... more) {
  std::int64_t found = first.value();
  ((found = std::min(found, Int(more).value())), ...);
  return found;
}
template <typename... More>
Int most(Int first, More... more) {
  std::int64_t found = first.value();
  ((found = std::max(found, Int(more).value())), ...);
  return found;
}
inline Int magnitude(Int a) { return a.value() < 0 ? -a : a; }
inline Int log2_floor(Int a) {
  if (a.value() < 1) refuse("log2 of " + text_of(a));
  std::int64_t bits = 0;
  for (std::int64_t rest = a.value(); rest > 1; rest /= 2) ++bits;
  return bits;
}
inline Int gcd(Int a, Int b) { return std::gcd(magnitude(a).value(), magnitude(b).value()); }
inline Int lcm(Int a, Int b) {
  const Int divisor = gcd(a, b);
  return divisor ? magnitude(floordiv(a, divisor) * b) : divisor;
}
inline Int pow2ceil(Int a) {
  Int result = 1;
  while (result.value() < a.value()) result = result * Int(2);
  return result;
}
/// The first value that is not 0, as Python's `or` has it; the second is a function.
template <typename Second>
Int either(Int first, const Second& second) {
  return first ? first : second();
}

inline void check_range(const char* dim, Int value, Int low, Int high, Int multiple_of) {
  if (value < low || value > high || mod(value, multiple_of)) {
    refuse(std::string("dim `") + dim + "` is " + text_of(value) + ", outside the range " + text_of(low) + " to " +
           text_of(high) + (multiple_of.value() > 1 ? " in multiples of " + text_of(multiple_of) : ""));
  }
}
inline void check_listed(const char* dim, Int value, std::initializer_list<std::int64_t> listed) {
  std::string all;
  for (const std::int64_t each : listed) {
    if (each == value.value()) return;
    all += (all.empty() ? "" : ", ") + std::to_string(each);
  }
  refuse(std::string("dim `") + dim + "` is " + text_of(value) + ", outside the sizes " + all);
}
inline void check_condition(Int holds, const char* condition) {
  if (!holds) refuse(std::string("the sizes break the condition `") + condition + "`");
}
/// A buffer's address is a multiple of 16, as wide accesses and tensor maps need it.
inline void check_buffer(const char* name, const void* pointer, Int elements) {
  if (elements.value() > 0 && pointer == nullptr) refuse(std::string("buffer `") + name + "` is null");
  if (reinterpret_cast<std::uintptr_t>(pointer) % 16 != 0) {
    refuse(std::string("the address of buffer `") + name + "` is not a multiple of 16");
  }
}
inline Int size(Int value, const char* what) {
  if (value.value() < 0) refuse(std::string(what) + " is " + text_of(value));
  return value;
}
/// An address in a buffer. @param offset, span  In elements.
inline const void* inside(const void* buffer, Int offset, Int span, std::size_t element, const char* what) {
  if (offset.value() < 0 || offset.value() >= std::max<std::int64_t>(span.value(), 1)) {
    refuse(std::string(what) + " is " + text_of(offset) + ", outside a buffer of " + text_of(span) + " elements");
  }
  return static_cast<const char*>(buffer) + static_cast<std::size_t>(offset.value()) * element;
}
template <typename T>
T narrow(Int value, const char* what) {
  const T result = static_cast<T>(value.value());
  if (static_cast<std::int64_t>(result) != value.value() || (std::is_unsigned_v<T> && value.value() < 0)) {
    refuse(std::string(what) + " is " + text_of(value) + ", which its type does not hold");
  }
  return result;
}

/// Gives device memory of so many bytes that lives until the launches on the stream have ended.
using Memory = std::function<void*(std::size_t)>;

/// Where the elements of a buffer lie. All numbers count elements; the outermost dimension is first.
struct Layout {
  std::vector<Int> shape;
  std::vector<Int> strides;
  Int span;  // From the first element to the last one, gaps included.
};
inline Layout layout(const char* name, const std::vector<Int>& shape, std::vector<Int> strides) {
  Int last = 0;
  bool empty = false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    empty = empty || size(shape[i], name).value() == 0;
    last = last + (empty ? Int(0) : (shape[i] - Int(1)) * size(strides.at(i), name));
  }
  return {shape, std::move(strides), empty ? Int(0) : last + Int(1)};
}
inline Layout layout(const char* name, const std::vector<Int>& shape) {
  std::vector<Int> strides(shape.size());
  Int stride = 1;
  for (std::size_t i = shape.size(); i-- > 0; stride = stride * most(shape[i], Int(1))) strides[i] = stride;
  return layout(name, shape, strides);
}
inline std::size_t bytes_of(const Layout& of, std::size_t element) {
  return static_cast<std::size_t>((of.span * Int(static_cast<std::int64_t>(element))).value());
}

}  // namespace handover
