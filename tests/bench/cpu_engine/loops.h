// Plain loops that compute what the kernels of kernels.cu do, on one thread.
#pragma once

namespace ws::bench {

/// `b` is null where the kernel has one input.
using PlainLoop = void (*)(const float* a, const float* b, float* c, int rows, int columns);

void loop_vadd(const float* a, const float* b, float* c, int n, int unused);
void loop_matmul(const float* a, const float* b, float* c, int n, int unused);
void loop_transpose(const float* a, const float* b, float* c, int n, int unused);
void loop_softmax(const float* a, const float* b, float* c, int rows, int columns);
/// The sum, in c[0].
void loop_sum(const float* a, const float* b, float* c, int n, int unused);
void loop_layernorm(const float* a, const float* b, float* c, int rows, int columns);

}  // namespace ws::bench
