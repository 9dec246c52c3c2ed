// ---- The program: draws inputs, runs the kernel, compares with the reference ----
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>

namespace handover {

enum class Type { f64, f32, tf32, f16, bf16, f8e4m3, f8e5m2, i64, i32, i16, i8, u64, u32, u16, u8, boolean };

template <typename T>
T at(const void* data, std::size_t i) {
  T value;
  std::memcpy(&value, static_cast<const char*>(data) + i * sizeof(T), sizeof(T));
  return value;
}
inline double load(Type type, const void* data, std::size_t i) {
  switch (type) {
    case Type::f64: return at<double>(data, i);
    case Type::f32:
    case Type::tf32: return at<float>(data, i);
    case Type::f16: return __half2float(at<__half>(data, i));
    case Type::bf16: return __bfloat162float(at<__nv_bfloat16>(data, i));
    case Type::f8e4m3: return static_cast<double>(static_cast<float>(at<__nv_fp8_e4m3>(data, i)));
    case Type::f8e5m2: return static_cast<double>(static_cast<float>(at<__nv_fp8_e5m2>(data, i)));
    case Type::i64: return static_cast<double>(at<std::int64_t>(data, i));
    case Type::i32: return at<std::int32_t>(data, i);
    case Type::i16: return at<std::int16_t>(data, i);
    case Type::i8: return at<std::int8_t>(data, i);
    case Type::u64: return static_cast<double>(at<std::uint64_t>(data, i));
    case Type::u32: return at<std::uint32_t>(data, i);
    case Type::u16: return at<std::uint16_t>(data, i);
    default: return at<std::uint8_t>(data, i);
  }
}
template <typename T>
void put(void* data, std::size_t i, T value) {
  std::memcpy(static_cast<char*>(data) + i * sizeof(T), &value, sizeof(T));
}
inline void store(Type type, void* data, std::size_t i, double value) {
  switch (type) {
    case Type::f64: return put(data, i, value);
    case Type::f32:
    case Type::tf32: return put(data, i, static_cast<float>(value));
    case Type::f16: return put(data, i, __double2half(value));
    case Type::bf16: return put(data, i, __double2bfloat16(value));
    case Type::f8e4m3: return put(data, i, __nv_fp8_e4m3(value));
    case Type::f8e5m2: return put(data, i, __nv_fp8_e5m2(value));
    case Type::i64: return put(data, i, static_cast<std::int64_t>(value));
    case Type::i32: return put(data, i, static_cast<std::int32_t>(value));
    case Type::i16: return put(data, i, static_cast<std::int16_t>(value));
    case Type::i8: return put(data, i, static_cast<std::int8_t>(value));
    case Type::u64: return put(data, i, static_cast<std::uint64_t>(value));
    case Type::u32: return put(data, i, static_cast<std::uint32_t>(value));
    case Type::u16: return put(data, i, static_cast<std::uint16_t>(value));
    default: return put(data, i, static_cast<std::uint8_t>(value));
  }
}

/// A buffer of the problem on the host, and copies of it on the device.
struct Tensor {
  const char* name;
  Type type;
  std::size_t element;      // Bytes.
  bool output;              // The kernel writes it.
  std::vector<Int> shape;   // Outermost first.
  std::vector<Int> strides; // In elements.
  Int span;                 // In elements.
  std::vector<char> bytes = {};

  std::int64_t count() const {
    std::int64_t all = 1;
    for (const Int extent : shape) all *= extent.value();
    return all;
  }
  /// The place of the element with this row-major number.
  std::size_t place(std::int64_t index) const {
    std::int64_t at = 0;
    for (std::size_t axis = shape.size(); axis-- > 0; index /= shape[axis].value()) {
      at += index % shape[axis].value() * strides[axis].value();
    }
    return static_cast<std::size_t>(at);
  }
};

/// The way in which the problem fills a buffer. @param a, b, c  The numbers of the kind.
struct Fill {
  const char* kind;
  double a, b, c;
  double low, high;  // The values stay inside.
};

/// Gives the value of element `i`; NaN stands for a kind that this program does not draw.
inline double drawn(const Fill& fill, bool real, std::int64_t i, std::mt19937_64& random) {
  const std::string kind = fill.kind;
  const double unit = std::uniform_real_distribution<double>(0, 1)(random);
  const double normal = std::normal_distribution<double>(0, 1)(random);
  const auto whole = [unit](double low, double high) { return low + std::floor(unit * (high - low + 1)); };
  if (kind == "normal") return real ? fill.a + fill.b * normal : std::round(fill.a + fill.b * normal);
  if (kind == "uniform") return real ? fill.a + (fill.b - fill.a) * unit : whole(fill.a, fill.b);
  if (kind == "ones") return 1;
  if (kind == "zeros") return 0;
  if (kind == "iota") return fill.a + fill.b * static_cast<double>(i);
  if (kind == "exact_integers") return whole(-std::floor(fill.a), std::floor(fill.a));
  if (kind == "log_uniform") return fill.a * std::exp(std::log(fill.b / fill.a) * unit);
  if (kind == "sparse") return unit < fill.a ? fill.b + fill.c * normal : 0;
  if (kind == "range") return whole(fill.a, fill.b - 1);
  return std::nan("");
}
inline void draw(Tensor& tensor, const Fill& fill, bool real, std::uint64_t seed) {
  tensor.bytes.assign(static_cast<std::size_t>(std::max<std::int64_t>(tensor.span.value(), 1)) * tensor.element, 0);
  std::mt19937_64 random(seed);
  for (std::int64_t i = 0; i < tensor.count(); ++i) {
    const double value = drawn(fill, real, i, random);
    if (std::isnan(value)) {
      throw std::runtime_error(std::string("this program does not draw inputs of kind `") + fill.kind + "`");
    }
    store(tensor.type, tensor.bytes.data(), tensor.place(i), std::clamp(value, fill.low, fill.high));
  }
}

/// Device memory that is freed at the end.
class Device {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device() {
    for (void* each : all_) cudaFree(each);
  }
  void* take(std::size_t bytes) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, std::max<std::size_t>(bytes, 1)), "cudaMalloc");
    all_.push_back(memory);
    return memory;
  }
  void* copy_of(const Tensor& tensor) {
    void* memory = take(tensor.bytes.size());
    check(cudaMemcpy(memory, tensor.bytes.data(), tensor.bytes.size(), cudaMemcpyHostToDevice), "cudaMemcpy");
    return memory;
  }

 private:
  std::vector<void*> all_;
};
inline std::vector<char> read_back(const Tensor& tensor, const void* memory) {
  std::vector<char> bytes(tensor.bytes.size());
  check(cudaMemcpy(bytes.data(), memory, bytes.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
  return bytes;
}

/// The elements, row by row.
inline std::vector<double> values_of(const Tensor& tensor, const std::vector<char>& bytes) {
  std::vector<double> values(static_cast<std::size_t>(tensor.count()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = load(tensor.type, bytes.data(), tensor.place(static_cast<std::int64_t>(i)));
  }
  return values;
}

/// How far a result may be from the reference: atol * scale + rtol * |want|. The scale is the root
/// mean square of the row, or of the whole output where rows are short.
struct Tolerance {
  bool exact;
  double rtol, atol;
  bool rtol_given, atol_given;
  double unit;    // The rounding error of one addition.
  double length;  // Terms that an element adds up.
};

/// Prints the comparison. @return Whether all elements are close enough.
inline bool compare(const Tensor& tensor, const std::vector<double>& got, const std::vector<double>& want,
                    const Tolerance& tolerance) {
  const double error = tolerance.unit * std::sqrt(std::max(1.0, tolerance.length));
  const double rtol = tolerance.rtol_given ? tolerance.rtol : std::max(tolerance.rtol, 8 * error);
  const double atol = std::max(tolerance.atol, (tolerance.atol_given ? tolerance.length > 1 ? 4 : 0 : 8) * error);
  const std::int64_t count = tensor.count();
  const std::int64_t columns = tensor.shape.empty() ? 1 : tensor.shape.back().value();
  const std::int64_t row = columns >= 16 ? columns : std::max<std::int64_t>(count, 1);
  std::int64_t wrong = 0, first = -1;
  double largest = 0;
  for (std::int64_t begin = 0; begin < count; begin += row) {
    const std::int64_t end = std::min(begin + row, count);
    double squares = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      squares += want[static_cast<std::size_t>(i)] * want[static_cast<std::size_t>(i)];
    }
    const double scale = std::sqrt(squares / static_cast<double>(end - begin));
    for (std::int64_t i = begin; i < end; ++i) {
      const double is = got[static_cast<std::size_t>(i)];
      const double should = want[static_cast<std::size_t>(i)];
      const bool alike = is == should || (std::isnan(is) && std::isnan(should));
      const double off = std::abs(is - should);
      if (!alike && (tolerance.exact || !(off <= atol * scale + rtol * std::abs(should)))) {
        first = wrong++ == 0 ? i : first;
      }
      largest = alike ? largest : std::max(largest, off);
    }
  }
  std::printf("%s: %lld elements, largest error %g", tensor.name, static_cast<long long>(count), largest);
  if (wrong > 0) {
    std::printf("; %lld are WRONG, the first is element %lld: %g, expected %g", static_cast<long long>(wrong),
                static_cast<long long>(first), got[static_cast<std::size_t>(first)], want[static_cast<std::size_t>(first)]);
  }
  std::printf("\n");
  return wrong == 0;
}

/// The values NAME=VALUE of the command line.
inline std::map<std::string, double> sizes_given(int count, char** words, const std::vector<std::string>& known) {
  std::map<std::string, double> given;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    char* end = nullptr;
    const double value = equals == std::string::npos ? 0 : std::strtod(words[i] + equals + 1, &end);
    if (end == nullptr || *end != 0 || std::find(known.begin(), known.end(), name) == known.end()) {
      refuse("expected NAME=VALUE with a size or number of the problem, got `" + word + "`");
    }
    given[name] = value;
  }
  return given;
}

inline int conclude(bool passed) {
  std::printf(passed ? "passed\n" : "FAILED\n");
  return passed ? 0 : 1;
}
inline int conclude_without(const char* reason) {
  std::printf("it ran; nothing was compared: %s\n", reason);
  return 0;
}
inline int guarded(int (*program)(int, char**), int count, char** words) {
  try {
    return program(count, words);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  }
}

}  // namespace handover
