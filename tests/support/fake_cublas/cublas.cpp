// cuBLASLt for tests, without a GPU: libws_fake_cublas.so, beside the fake driver, whose streams
// its products are enqueued on. Sums are of doubles. It has three algorithms, of which the first
// fails; the third is 2 % faster than the second where k = 11, and 10 % where k = 7. f64 has none,
// and a product with k = 13 is refused when it is run.
#include <cstdint>
#include <cstring>

#include "runtime/device/cuda/library/cublas_types.h"
#include "tests/support/fake_cuda/fake_cuda.h"

namespace ws::fake_cublas {

using namespace ws::cuda;

namespace {

constexpr CublasStatus kRefused = 15;
constexpr int kAlgorithms = 3;

struct Product {
  int left = kCublasOpN;
  int right = kCublasOpN;
};

struct Layout {
  int type = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t lead = 0;
  std::int32_t batch = 1;
  std::int64_t batch_offset = 0;
};

double load(const Layout& layout, const void* data, std::int64_t at) {
  if (layout.type == kCudaR64f) {
    return static_cast<const double*>(data)[at];
  }
  return static_cast<const float*>(data)[at];
}

/// Element (row, column) of batch `batch` of the operand, which may be the transpose.
std::int64_t place(const Layout& layout, int operation, std::int64_t batch, std::int64_t row,
                   std::int64_t column) {
  const bool transposed = operation == kCublasOpT;
  return batch * layout.batch_offset + (transposed ? column : row) +
         (transposed ? row : column) * layout.lead;
}

void multiply(const Product& product, const Layout& left, const void* left_at, const Layout& right,
              const void* right_at, const Layout& result, void* result_at) {
  const std::int64_t depth = product.left == kCublasOpT ? left.rows : left.columns;
  for (std::int64_t batch = 0; batch < result.batch; ++batch) {
    for (std::int64_t row = 0; row < result.rows; ++row) {
      for (std::int64_t column = 0; column < result.columns; ++column) {
        double sum = 0;
        for (std::int64_t k = 0; k < depth; ++k) {
          sum += load(left, left_at, place(left, product.left, batch, row, k)) *
                 load(right, right_at, place(right, product.right, batch, k, column));
        }
        static_cast<float*>(result_at)[place(result, kCublasOpN, batch, row, column)] =
            static_cast<float>(sum);
      }
    }
  }
}

std::uint64_t ticks_of(std::uint64_t algorithm, std::int64_t depth) {
  constexpr std::uint64_t kUsual = 100;
  constexpr std::uint64_t kThird = 2;
  constexpr std::int64_t kLittle = 11;
  constexpr std::int64_t kClearly = 7;
  if (algorithm == kThird && depth == kLittle) {
    return kUsual - 2;
  }
  return algorithm == kThird && depth == kClearly ? kUsual - 10 : kUsual;
}

}  // namespace

extern "C" {

std::size_t cublasLtGetVersion() {
  return 130203;
}

const char* cublasLtGetStatusName(CublasStatus status) {
  return status == kRefused ? "CUBLAS_STATUS_NOT_SUPPORTED" : "CUBLAS_STATUS_INTERNAL_ERROR";
}

CublasStatus cublasLtCreate(CublasHandle* handle) {
  *handle = reinterpret_cast<CublasHandle>(new int(0));
  return kCublasSuccess;
}

CublasStatus cublasLtDestroy(CublasHandle handle) {
  delete reinterpret_cast<int*>(handle);
  return kCublasSuccess;
}

CublasStatus cublasLtMatmulDescCreate(CublasMatmul* product, int, int) {
  *product = reinterpret_cast<CublasMatmul>(new Product);
  return kCublasSuccess;
}

CublasStatus cublasLtMatmulDescDestroy(CublasMatmul product) {
  delete reinterpret_cast<Product*>(product);
  return kCublasSuccess;
}

CublasStatus cublasLtMatmulDescSetAttribute(CublasMatmul product, int attribute, const void* value,
                                            std::size_t) {
  auto* const object = reinterpret_cast<Product*>(product);
  std::memcpy(attribute == kCublasDescTransA ? &object->left : &object->right, value, sizeof(int));
  return kCublasSuccess;
}

CublasStatus cublasLtMatrixLayoutCreate(CublasLayout* layout, int type, std::uint64_t rows,
                                        std::uint64_t columns, std::int64_t lead) {
  *layout = reinterpret_cast<CublasLayout>(new Layout{
      type, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns), lead, 1, 0});
  return kCublasSuccess;
}

CublasStatus cublasLtMatrixLayoutDestroy(CublasLayout layout) {
  delete reinterpret_cast<Layout*>(layout);
  return kCublasSuccess;
}

CublasStatus cublasLtMatrixLayoutSetAttribute(CublasLayout layout, int attribute, const void* value,
                                              std::size_t bytes) {
  auto* const object = reinterpret_cast<Layout*>(layout);
  std::memcpy(attribute == kCublasLayoutBatchCount ? static_cast<void*>(&object->batch)
                                                   : &object->batch_offset,
              value, bytes);
  return kCublasSuccess;
}

CublasStatus cublasLtMatmulPreferenceCreate(CublasPreference* preference) {
  *preference = reinterpret_cast<CublasPreference>(new int(0));
  return kCublasSuccess;
}

CublasStatus cublasLtMatmulPreferenceDestroy(CublasPreference preference) {
  delete reinterpret_cast<int*>(preference);
  return kCublasSuccess;
}

CublasStatus cublasLtMatmulPreferenceSetAttribute(CublasPreference, int, const void*, std::size_t) {
  return kCublasSuccess;
}

CublasStatus cublasLtMatmulAlgoGetHeuristic(CublasHandle, CublasMatmul, CublasLayout left,
                                            CublasLayout, CublasLayout, CublasLayout,
                                            CublasPreference, int most, CublasCandidate* candidates,
                                            int* count) {
  if (reinterpret_cast<Layout*>(left)->type == kCudaR64f) {
    return kRefused;
  }
  *count = most < kAlgorithms ? most : kAlgorithms;
  for (int i = 0; i < *count; ++i) {
    candidates[i].algorithm.data[0] = static_cast<std::uint64_t>(i);
  }
  return kCublasSuccess;
}

CublasStatus cublasLtMatmulAlgoConfigGetAttribute(const CublasAlgorithm* algorithm, int attribute,
                                                  void* value, std::size_t, std::size_t* written) {
  const auto number =
      static_cast<std::uint32_t>(algorithm->data[0] * 10 + static_cast<std::uint64_t>(attribute));
  std::memcpy(value, &number, sizeof number);
  *written = sizeof number;
  return kCublasSuccess;
}

CublasStatus cublasLtMatmul(CublasHandle, CublasMatmul product, const void*, const void* left_at,
                            CublasLayout left, const void* right_at, CublasLayout right,
                            const void*, const void*, CublasLayout, void* result_at,
                            CublasLayout result, const CublasAlgorithm* algorithm, void*,
                            std::size_t, CuStream) {
  constexpr std::int64_t kUnlucky = 13;
  const Product how = *reinterpret_cast<Product*>(product);
  const Layout a = *reinterpret_cast<Layout*>(left);
  const Layout b = *reinterpret_cast<Layout*>(right);
  const Layout c = *reinterpret_cast<Layout*>(result);
  const std::int64_t depth = how.left == kCublasOpT ? a.rows : a.columns;
  if (algorithm->data[0] == 0 || depth == kUnlucky) {
    return kRefused;
  }
  const std::uint64_t ticks = ticks_of(algorithm->data[0], depth);
  const CuResult enqueued = ws::fake_cuda::enqueue([=] {
    ws::fake_cuda::driver().ticks += ticks;
    multiply(how, a, left_at, b, right_at, c, result_at);
    return kCuSuccess;
  });
  return enqueued == kCuSuccess ? kCublasSuccess : kRefused;
}

}  // extern "C"

}  // namespace ws::fake_cublas
