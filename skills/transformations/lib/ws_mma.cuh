// Matrix products by a warp on registers: mma.sync and ldmatrix, sm_80 and later. PTX ISA: Matrix
// fragments for mma.m16n8k16.
#pragma once

#include "ws_cp_async.cuh"

namespace ws {

// c += a * b for 16 x 8 of f32 from 16 x 16 and 16 x 8 of f16. All lanes of the warp. With
// g = lane / 4 and t = lane % 4:
//   a[0] holds (g, 2t..), a[1] (g + 8, 2t..), a[2] (g, 2t + 8..), a[3] (g + 8, 2t + 8..), two halves each
//   b[0] holds (2t.., g), b[1] (2t + 8.., g)
//   c[0], c[1] are (g, 2t), (g, 2t + 1); c[2], c[3] the same of row g + 8
__device__ __forceinline__ void mma_f16(float (&c)[4], const unsigned (&a)[4],
                                        const unsigned (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ __forceinline__ void mma_bf16(float (&c)[4], const unsigned (&a)[4],
                                         const unsigned (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Four 8 x 8 matrices of halves. Lane i gives the address of row i % 8 of matrix i / 8, a multiple of
// 16 bytes, in shared memory. Each lane gets two neighbours of row lane / 4 of each matrix.
__device__ __forceinline__ void ldmatrix_4(unsigned (&d)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
               : "r"(shared_address(row))
               : "memory");
}

// The same, each matrix transposed: for a B that lies in rows of n.
__device__ __forceinline__ void ldmatrix_4_transposed(unsigned (&d)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
               : "r"(shared_address(row))
               : "memory");
}

}  // namespace ws
