// Libraries in real workers, on the fake driver and a cuBLASLt that runs on it.
#include <cstring>

#include <doctest/doctest.h>

#include "runtime/compile/nvrtc_service.h"
#include "runtime/device/cuda/cuda_backend.h"
#include "runtime/device/library_run.h"

namespace ws {
namespace {

constexpr std::chrono::milliseconds kRunLimit{5'000};

std::unique_ptr<Backend> gpu_with(const std::string& cublas) {
  CudaOptions options;
  options.executable = std::string(WS_BINARY_DIR) + "/warpsmith";
  options.library = std::string(WS_BINARY_DIR) + "/libws_fake_cuda.so";
  options.nvml = "none";
  options.cublas = cublas;
  options.lock_folder = WS_BINARY_DIR;
  return make_cuda_backend(options,
                           std::make_shared<CompileService>(nvrtc_service(options.executable, {})));
}

CallsLibraries& gpu() {
  static const std::unique_ptr<Backend> backend =
      gpu_with(std::string(WS_BINARY_DIR) + "/libws_fake_cublas.so");
  return dynamic_cast<CallsLibraries&>(*backend);
}

/// a[m, k] b[k, n], f32, row after row, and where they lie.
struct Product {
  explicit Product(GemmCall gemm)
      : call(gemm) {
    call.a = {.buffer = 0, .batch_stride = 0, .row_stride = call.k, .column_stride = 1};
    call.b = {.buffer = 1, .batch_stride = 0, .row_stride = call.n, .column_stride = 1};
    call.c = {.buffer = 2, .batch_stride = 0, .row_stride = call.n, .column_stride = 1};
    plan.buffers = {buffer("a", call.m, call.k, BufferRole::kIn),
                    buffer("b", call.k, call.n, BufferRole::kIn),
                    buffer("c", call.m, call.n, BufferRole::kOut)};
    auto made = Arena::create(plan.buffers, std::uint64_t{1} << 20U);
    REQUIRE(made.has_value());
    arena = *std::move(made);
  }

  static BufferSpec buffer(const char* name, std::int64_t rows, std::int64_t columns,
                           BufferRole role) {
    return {.name = name,
            .type = DType::kF32,
            .role = role,
            .shape = {rows, columns},
            .strides = {columns, 1},
            .elements = rows * columns,
            .span = rows * columns};
  }

  [[nodiscard]] std::span<float> floats(std::size_t index) const {
    const std::span<std::byte> bytes = arena->buffer(index);
    return {reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float)};
  }

  [[nodiscard]] Result<LibrarySession> open() const {
    return gpu().open_library(call, plan, arena, {});
  }

  GemmCall call;
  ResolvedPlan plan;
  std::shared_ptr<Arena> arena;
};

std::string refusal_of(const Product& product) {
  const auto opened = product.open();
  return opened ? "opened" : to_text(opened.error());
}

}  // namespace

TEST_SUITE("device.cuda.library_session") {
  TEST_CASE("each launch is one call, by an algorithm that works") {
    const Product product({.m = 2, .n = 3, .k = 4});
    for (std::size_t i = 0; i < 8; ++i) {
      product.floats(0)[i] = static_cast<float>(i + 1);
    }
    for (std::size_t i = 0; i < 12; ++i) {
      product.floats(1)[i] = static_cast<float>(i % 5);
    }
    const auto opened = product.open();
    REQUIRE_MESSAGE(opened.has_value(), to_text(opened.error()));
    CHECK(opened->facts == LibraryFacts{"cuBLASLt", "13.2.3",
                                        "algorithm 10, tile 11, stages 16, split-k 12, candidate "
                                        "2 of 3"});
    const auto want = [&](std::size_t row, std::size_t column) {
      float sum = 0;
      for (std::size_t k = 0; k < 4; ++k) {
        sum += product.floats(0)[row * 4 + k] * product.floats(1)[k * 3 + column];
      }
      return sum;
    };
    const auto right = [&] {
      for (std::size_t i = 0; i < 6; ++i) {
        CHECK(product.floats(2)[i] == want(i / 3, i % 3));
      }
    };
    const auto run = opened->session->run(7, kRunLimit, {});
    REQUIRE_MESSAGE(run.has_value(), to_text(run.error()));
    CHECK(run->ok());
    right();
    std::ranges::fill(product.floats(2), -1.0F);
    const auto timing =
        opened->session->time({.poison = 3, .launches = 4, .hot = 0}, kRunLimit, {});
    REQUIRE_MESSAGE(timing.has_value(), to_text(timing.error()));
    CHECK(timing->run.ok());
    CHECK(timing->samples.size() == 4);
    right();
  }

  TEST_CASE("the first algorithm that works is kept unless another one is clearly faster") {
    const auto algorithm_of = [](std::int64_t k) {
      const auto opened = Product({.k = k}).open();
      REQUIRE_MESSAGE(opened.has_value(), to_text(opened.error()));
      return opened->facts.algorithm;
    };
    CHECK(algorithm_of(11) == "algorithm 10, tile 11, stages 16, split-k 12, candidate 2 of 3");
    CHECK(algorithm_of(7) == "algorithm 20, tile 21, stages 26, split-k 22, candidate 3 of 3");
  }

  TEST_CASE("a worker that has called a library calls it again") {
    const Product product({.m = 2, .n = 2, .k = 2});
    for (int round = 0; round < 2; ++round) {
      const auto opened = product.open();
      REQUIRE_MESSAGE(opened.has_value(), to_text(opened.error()));
      const auto run = opened->session->run(7, kRunLimit, {});
      REQUIRE(run.has_value());
      CHECK(run->ok());
    }
  }

  TEST_CASE("a product that the library does not take is refused with its own word") {
    CHECK(refusal_of(Product({.type = DType::kF64, .result = DType::kF64})) ==
          "unsupported: cuBLASLt does not take this product: cublasLtMatmulAlgoGetHeuristic "
          "answered CUBLAS_STATUS_NOT_SUPPORTED; choose another baseline or other workloads");
    CHECK(refusal_of(Product({.k = 13})) ==
          "unsupported: cuBLASLt does not take this product: cublasLtMatmul answered "
          "CUBLAS_STATUS_NOT_SUPPORTED; choose another baseline or other workloads");
  }

  TEST_CASE("a library that is not here, or is not the one, is named") {
    const auto refusal = [](const LibraryCall& call, const std::string& cublas) {
      const Product product({});
      const auto backend = gpu_with(cublas);
      const auto opened = dynamic_cast<CallsLibraries&>(*backend).open_library(call, product.plan,
                                                                               product.arena, {});
      return opened ? "opened" : to_text(opened.error());
    };
    const std::string other = std::string(WS_BINARY_DIR) + "/libws_fake_cupti.so";
    CHECK(refusal(GemmCall{}, other) == "unsupported: cuBLASLt has no cublasLtGetVersion (" +
                                            other +
                                            "); install a newer one, or choose another baseline");
    CHECK(refusal(GemmCall{}, "") ==
          "unsupported: cuBLAS is not installed here; pip install nvidia-cublas, and set "
          "WARPSMITH_PYTHON to the interpreter that has it");
    CHECK(refusal(AttentionCall{}, "") ==
          "unsupported: cuDNN is not installed here; pip install nvidia-cudnn-cu13, and set "
          "WARPSMITH_PYTHON to the interpreter that has it");
  }
}

}  // namespace ws
