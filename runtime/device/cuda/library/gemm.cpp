#include "runtime/device/cuda/library/gemm.h"

#include <algorithm>
#include <array>
#include <optional>

#include "runtime/device/cuda/library/column_major.h"
#include "runtime/device/cuda/library/cublas.h"
#include "runtime/device/cuda/library/fastest.h"

namespace ws::cuda {
namespace {

/// For algorithms that split sums: twice what PyTorch gives the library on such GPUs.
constexpr std::uint64_t kGemmWorkspace = std::uint64_t{64} << 20U;
constexpr int kGemmCandidates = 8;
constexpr std::uint64_t kMostAlignment = 256;

/// Element types as cuBLAS has them; the compute type decides how products are summed.
struct GemmTypes {
  DType type;
  int element;
  int compute;
  int scale;
};

constexpr std::array kGemmTypes = {
    GemmTypes{DType::kF16, kCudaR16f, kCublasCompute32f, kCudaR32f},
    GemmTypes{DType::kBf16, kCudaR16bf, kCublasCompute32f, kCudaR32f},
    GemmTypes{DType::kF32, kCudaR32f, kCublasCompute32f, kCudaR32f},
    GemmTypes{DType::kTf32, kCudaR32f, kCublasComputeTf32, kCudaR32f},
    GemmTypes{DType::kF64, kCudaR64f, kCublasCompute64f, kCudaR64f},
};

Result<GemmTypes> types_of(DType type) {
  const auto* const row = std::ranges::find(kGemmTypes, type, &GemmTypes::type);
  if (row == kGemmTypes.end()) {
    return fail(ErrorCode::kInternal, "a product of a type that cuBLAS does not have");
  }
  return *row;
}

class Gemm : public LibraryLaunch {
 public:
  Gemm(Context& context, Cublas library, double alpha, bool doubles)
      : context_(context),
        library_(library),
        doubles_(doubles),
        alpha64_(alpha),
        alpha32_(static_cast<float>(alpha)) {}

  Status prepare(const GemmCall& call, const GemmTypes& types,
                 const std::vector<CuDevicePtr>& buffers) {
    WS_CHECK(WS_CUBLAS_CALL(library_, cublasLtCreate, handle_.slot()));
    WS_TRY(const GemmTypes result, types_of(call.result));
    const ColumnMajorGemm form = column_major(call);
    WS_CHECK(WS_CUBLAS_CALL(library_, cublasLtMatmulDescCreate, product_.slot(), types.compute,
                            types.scale));
    WS_CHECK(set(kCublasDescTransA, form.left.transposed ? kCublasOpT : kCublasOpN));
    WS_CHECK(set(kCublasDescTransB, form.right.transposed ? kCublasOpT : kCublasOpN));
    WS_CHECK(lay_out(left_, form.left, types.element, call.batch));
    WS_CHECK(lay_out(right_, form.right, types.element, call.batch));
    WS_CHECK(lay_out(result_, form.result, result.element, call.batch));
    left_at_ = pointer(buffers.at(form.left.buffer));
    right_at_ = pointer(buffers.at(form.right.buffer));
    result_at_ = pointer(buffers.at(form.result.buffer));
    WS_TRY(workspace_, allocate_pages(context_.driver(), kGemmWorkspace));
    return choose();
  }

  Status enqueue() override { return multiply(chosen_); }

 private:
  static void* pointer(CuDevicePtr address) {
    return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr): the ABI's type
  }

  Status set(int attribute, int value) {
    return WS_CUBLAS_CALL(library_, cublasLtMatmulDescSetAttribute, product_.get(), attribute,
                          &value, sizeof value);
  }

  Status lay_out(CublasPlace& place, const ColumnMajor& matrix, int element, std::int64_t batch) {
    WS_CHECK(WS_CUBLAS_CALL(library_, cublasLtMatrixLayoutCreate, place.slot(), element,
                            static_cast<std::uint64_t>(matrix.rows),
                            static_cast<std::uint64_t>(matrix.columns), matrix.lead));
    const auto count = static_cast<std::int32_t>(batch);
    WS_CHECK(WS_CUBLAS_CALL(library_, cublasLtMatrixLayoutSetAttribute, place.get(),
                            kCublasLayoutBatchCount, &count, sizeof count));
    return WS_CUBLAS_CALL(library_, cublasLtMatrixLayoutSetAttribute, place.get(),
                          kCublasLayoutBatchOffset, &matrix.batch_stride,
                          sizeof matrix.batch_stride);
  }

  /// The largest power of two that divides the address, up to what the library asks for.
  static std::uint32_t alignment_of(const void* address) {
    const auto bits = reinterpret_cast<std::uintptr_t>(address) | kMostAlignment;
    return static_cast<std::uint32_t>(bits & (~bits + 1));
  }

  Status wish(CublasWishes& wishes) {
    WS_CHECK(WS_CUBLAS_CALL(library_, cublasLtMatmulPreferenceCreate, wishes.slot()));
    WS_CHECK(WS_CUBLAS_CALL(library_, cublasLtMatmulPreferenceSetAttribute, wishes.get(),
                            kCublasPrefWorkspaceBytes, &kGemmWorkspace, sizeof kGemmWorkspace));
    const std::array<std::pair<int, const void*>, 4> places = {
        {{kCublasPrefAlignmentA, left_at_},
         {kCublasPrefAlignmentB, right_at_},
         {kCublasPrefAlignmentC, result_at_},
         {kCublasPrefAlignmentD, result_at_}}};
    for (const auto& [attribute, address] : places) {
      const std::uint32_t bytes = alignment_of(address);
      WS_CHECK(WS_CUBLAS_CALL(library_, cublasLtMatmulPreferenceSetAttribute, wishes.get(),
                              attribute, &bytes, sizeof bytes));
    }
    return {};
  }

  Status choose() {
    CublasWishes wishes(library_);
    WS_CHECK(wish(wishes));
    std::array<CublasCandidate, kGemmCandidates> candidates = {};
    int count = 0;
    WS_CHECK(WS_CUBLAS_CALL(library_, cublasLtMatmulAlgoGetHeuristic, handle_.get(), product_.get(),
                            left_.get(), right_.get(), result_.get(), result_.get(), wishes.get(),
                            kGemmCandidates, candidates.data(), &count));
    const auto usable = static_cast<std::size_t>(std::clamp(count, 0, kGemmCandidates));
    WS_TRY(const std::size_t best, fastest(context_, usable, [&](std::size_t i) {
             return multiply(candidates.at(i).algorithm);
           }));
    chosen_ = candidates.at(best).algorithm;
    facts_ = {.name = "cuBLASLt",
              .version = library_.version(),
              .algorithm = "algorithm " + setting(kCublasAlgoId) + ", tile " +
                           setting(kCublasAlgoTile) + ", stages " + setting(kCublasAlgoStages) +
                           ", split-k " + setting(kCublasAlgoSplitK) + ", candidate " +
                           std::to_string(best + 1) + " of " + std::to_string(usable)};
    return {};
  }

  /// A number of the chosen algorithm, in text.
  std::string setting(int attribute) {
    std::uint32_t value = 0;
    std::size_t written = 0;
    const CublasStatus status = library_.api().cublasLtMatmulAlgoConfigGetAttribute(
        &chosen_, attribute, &value, sizeof value, &written);
    return status == kCublasSuccess ? std::to_string(value) : "unknown";
  }

  Status multiply(const CublasAlgorithm& algorithm) {
    const void* const alpha = doubles_ ? static_cast<const void*>(&alpha64_) : &alpha32_;
    const void* const zero = doubles_ ? static_cast<const void*>(&kZero64) : &kZero32;
    return WS_CUBLAS_CALL(library_, cublasLtMatmul, handle_.get(), product_.get(), alpha, left_at_,
                          left_.get(), right_at_, right_.get(), zero, result_at_, result_.get(),
                          result_at_, result_.get(), &algorithm, pointer(workspace_.get()),
                          workspace_.bytes, context_.stream());
  }

  static constexpr double kZero64 = 0;
  static constexpr float kZero32 = 0;

  Context& context_;
  const Cublas library_;
  const bool doubles_;  ///< The type of its factors.
  const double alpha64_;
  const float alpha32_;
  CublasContext handle_{library_};
  CublasProduct product_{library_};
  CublasPlace left_{library_};
  CublasPlace right_{library_};
  CublasPlace result_{library_};
  void* left_at_ = nullptr;
  void* right_at_ = nullptr;
  void* result_at_ = nullptr;
  Region workspace_;
  CublasAlgorithm chosen_;
};

}  // namespace

Result<std::unique_ptr<LibraryLaunch>> make_gemm(Context& context, const std::string& path,
                                                 const GemmCall& call,
                                                 const std::vector<CuDevicePtr>& buffers) {
  WS_TRY(const GemmTypes types, types_of(call.type));
  WS_TRY(const Cublas library, Cublas::open(path));
  auto gemm = std::make_unique<Gemm>(context, library, call.alpha, types.scale == kCudaR64f);
  WS_CHECK(gemm->prepare(call, types, buffers));
  return gemm;
}

}  // namespace ws::cuda
