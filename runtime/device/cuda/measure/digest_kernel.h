// The device code that makes an OutputDigest, as PTX: a kernel for each element type.
#pragma once

#include <string>

#include "runtime/kernel/dtype.h"

namespace ws::cuda {

/// The name of the kernel in digest_ptx().
std::string digest_entry(DType type);

/// digest_entry(u64 values, u64 count, u64 key, u64 parts): adds to kDigestParts pairs of doubles,
/// which are zero before. The blocks of row y of the grid, of whole warps, do part y. The sign of
/// an element follows from its index and `key`.
/// @param type  has_digest().
std::string digest_ptx(DType type);

/// The kernels of all types that have a digest, as one module.
std::string all_digests_ptx();

}  // namespace ws::cuda
