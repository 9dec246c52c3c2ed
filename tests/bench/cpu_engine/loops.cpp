#include "tests/bench/cpu_engine/loops.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ws::bench {

void loop_vadd(const float* a, const float* b, float* c, int n, int /*unused*/) {
  for (int i = 0; i < n; ++i) {
    c[i] = a[i] + b[i];
  }
}

void loop_matmul(const float* a, const float* b, float* c, int n, int /*unused*/) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      c[i * n + j] = 0;
    }
    for (int k = 0; k < n; ++k) {
      const float x = a[i * n + k];
      for (int j = 0; j < n; ++j) {
        c[i * n + j] += x * b[k * n + j];
      }
    }
  }
}

void loop_transpose(const float* a, const float* /*b*/, float* c, int n, int /*unused*/) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      c[j * n + i] = a[i * n + j];
    }
  }
}

void loop_softmax(const float* a, const float* /*b*/, float* c, int rows, int columns) {
  for (int i = 0; i < rows; ++i) {
    const float* from = a + i * columns;
    float* to = c + i * columns;
    float most = -std::numeric_limits<float>::infinity();
    for (int j = 0; j < columns; ++j) {
      most = std::max(most, from[j]);
    }
    float sum = 0;
    for (int j = 0; j < columns; ++j) {
      to[j] = std::exp(from[j] - most);
      sum += to[j];
    }
    for (int j = 0; j < columns; ++j) {
      to[j] /= sum;
    }
  }
}

void loop_sum(const float* a, const float* /*b*/, float* c, int n, int /*unused*/) {
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += a[i];
  }
  c[0] = sum;
}

void loop_layernorm(const float* a, const float* /*b*/, float* c, int rows, int columns) {
  for (int i = 0; i < rows; ++i) {
    const float* from = a + i * columns;
    float sum = 0;
    for (int j = 0; j < columns; ++j) {
      sum += from[j];
    }
    const float mean = sum / static_cast<float>(columns);
    float squares = 0;
    for (int j = 0; j < columns; ++j) {
      squares += (from[j] - mean) * (from[j] - mean);
    }
    const float scale = 1 / std::sqrt(squares / static_cast<float>(columns) + 1e-5F);
    for (int j = 0; j < columns; ++j) {
      c[i * columns + j] = (from[j] - mean) * scale;
    }
  }
}

}  // namespace ws::bench
