// A vendor's library as one side of a comparison: what it is to compute, and the interface of a
// device that calls it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>

#include "runtime/device/backend.h"

namespace ws {

enum class Library : std::uint8_t { kCublas, kCudnn };

struct LibraryBaseline {
  std::string_view name;  ///< On the wire, as a baseline.
  Library library = Library::kCublas;
  std::string_view op;  ///< The problems that it is a baseline of.
  bool causal = false;  ///< Attention in which a query sees no later key.
};

inline constexpr LibraryBaseline kLibraryBaselines[] = {
    {"cublas", Library::kCublas, "matmul", false},
    {"cudnn", Library::kCudnn, "attention", false},
    {"cudnn:causal", Library::kCudnn, "attention", true},
};

/// "cuBLAS", "cuDNN".
constexpr std::string_view name_of(Library library) {
  return library == Library::kCublas ? "cuBLAS" : "cuDNN";
}

/// Nothing: no library's baseline has this name.
constexpr std::optional<LibraryBaseline> library_baseline_of(std::string_view name) {
  for (const LibraryBaseline& row : kLibraryBaselines) {
    if (row.name == name) {
      return row;
    }
  }
  return std::nullopt;
}

/// Where a matrix, or a batch of them, lies. Strides are in elements. Dense rows, or columns, do
/// not overlap.
struct GemmMatrix {
  std::uint32_t buffer = 0;  ///< Index into ResolvedPlan::buffers.
  std::int64_t batch_stride = 0;
  std::int64_t row_stride = 0;  ///< From a row to the next; one of these two is 1.
  std::int64_t column_stride = 0;
};

/// c[m, n] = alpha a[m, k] b[k, n], `batch` times.
struct GemmCall {
  DType type = DType::kF32;    ///< The inputs'.
  DType result = DType::kF32;  ///< The output's.
  std::int64_t batch = 1;
  std::int64_t m = 1;
  std::int64_t n = 1;
  std::int64_t k = 1;
  double alpha = 1;
  GemmMatrix a;
  GemmMatrix b;
  GemmMatrix c;
};

/// A tensor of [batch, heads, rows, width]; the strides of the first three, in elements, as the
/// last one's is 1.
struct AttentionTensor {
  std::uint32_t buffer = 0;  ///< Index into ResolvedPlan::buffers.
  std::array<std::int64_t, 3> strides = {};
};

/// o = softmax(scale q k^T) v, where a head of k and v serves heads / kv_heads of q.
struct AttentionCall {
  DType type = DType::kF16;
  std::int64_t batch = 1;
  std::int64_t heads = 1;
  std::int64_t kv_heads = 1;
  std::int64_t queries = 1;
  std::int64_t keys = 1;
  std::int64_t width = 1;        ///< The last extent of q and k.
  std::int64_t value_width = 1;  ///< The last extent of v and o.
  double scale = 1;
  bool causal = false;  ///< As LibraryBaseline::causal, counted from the first key.
  AttentionTensor q;
  AttentionTensor k;
  AttentionTensor v;
  AttentionTensor o;
};

using LibraryCall = std::variant<GemmCall, AttentionCall>;

constexpr Library library_of(const LibraryCall& call) {
  return std::holds_alternative<GemmCall>(call) ? Library::kCublas : Library::kCudnn;
}

/// The code that answers a call.
struct LibraryFacts {
  std::string name;       ///< "cuBLASLt"
  std::string version;    ///< "13.1.0"
  std::string algorithm;  ///< The library's own words for what it chose, and the kernels' names.

  friend bool operator==(const LibraryFacts&, const LibraryFacts&) = default;
};

struct LibrarySession {
  std::unique_ptr<Session> session;
  LibraryFacts facts;
};

/// An additional interface of a Backend whose device NVIDIA's libraries can use.
class CallsLibraries {
 public:
  virtual ~CallsLibraries() = default;

  /// A worker that has chosen an algorithm of the library's for the call; each launch of its
  /// sessions is one call.
  /// @param plan  Buffers without launches.
  /// @errors kUnsupported: the library is not installed, or does not take the call; kBusy,
  /// kTimeout, kCancelled; as Backend::open.
  virtual Result<LibrarySession> open_library(const LibraryCall& call, const ResolvedPlan& plan,
                                              std::shared_ptr<Arena> arena,
                                              const std::stop_token& stop) = 0;
};

}  // namespace ws
