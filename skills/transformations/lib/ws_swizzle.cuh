// Where a byte of a tile lies in shared memory under the swizzles of TMA and wgmma, how wgmma is told
// so, and permutations of blocks. Plain integer functions, for device and CPU engine alike.
#pragma once

namespace ws {

// The 128-, 64- and 32-byte swizzle of tensor maps: XORs the number of a 16-byte piece with that of its
// row, so that a column of pieces lies in different banks. PTX ISA: Tensor swizzle modes.
// @param offset  In bytes from the tile's begin, which is a multiple of 1024.
__host__ __device__ constexpr unsigned swizzle_128(unsigned offset) {
  return offset ^ ((offset >> 3) & 0x70u);
}

__host__ __device__ constexpr unsigned swizzle_64(unsigned offset) {
  return offset ^ ((offset >> 3) & 0x30u);
}

__host__ __device__ constexpr unsigned swizzle_32(unsigned offset) {
  return offset ^ ((offset >> 3) & 0x10u);
}

// How a tile in shared memory is swizzled, as the descriptor writes it (bits 62 and 63).
enum WgmmaSwizzle { kSwizzleNone = 0, kSwizzle128 = 1, kSwizzle64 = 2, kSwizzle32 = 3 };

// The descriptor of a tile for wgmma. PTX ISA: wgmma, matrix descriptor format.
// @param address  In shared memory, in bytes; with a swizzle the tile begins at a multiple of 1024, and
//                 a step along k inside a row adds its bytes here.
// @param leading  Bytes between repeats along the leading dimension; not used by a swizzled K-major
//                 tile that is as wide as its swizzle: 16.
// @param stride   Bytes between groups of 8 rows: 1024 for rows of 128 bytes.
__host__ __device__ constexpr unsigned long long wgmma_descriptor(unsigned address,
                                                                  unsigned leading, unsigned stride,
                                                                  WgmmaSwizzle swizzle) {
  return static_cast<unsigned long long>((address & 0x3FFFFu) >> 4) |
         static_cast<unsigned long long>((leading & 0x3FFFFu) >> 4) << 16 |
         static_cast<unsigned long long>((stride & 0x3FFFFu) >> 4) << 32 |
         static_cast<unsigned long long>(swizzle) << 62;
}

// For tiles that threads write themselves: the place of the piece of 16 bytes `piece` in row `row` of
// rows of PIECES pieces. PIECES is 4, 8 or more, a power of two.
template <int PIECES>
__host__ __device__ constexpr int swizzled_piece(int row, int piece) {
  static_assert(PIECES >= 4 && (PIECES & (PIECES - 1)) == 0, "a power of two, 4 at least");
  return PIECES >= 8 ? piece ^ (row & 7) : piece ^ ((row >> 1) & 3);
}

struct BlockPlace {
  int row;
  int column;
};

// The place of the block with number `in_order`, in groups of `group` rows: those in flight together
// form a rectangle. A permutation of rows x columns.
__host__ __device__ constexpr BlockPlace grouped_block(int in_order, int rows, int columns,
                                                       int group) {
  const int per_group = group * columns;
  const int first = in_order / per_group * group;
  const int here = rows - first < group ? rows - first : group;
  return {first + in_order % per_group % here, in_order % per_group / here};
}

}  // namespace ws
