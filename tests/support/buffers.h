// Buffers of plans that tests make by hand.
#pragma once

#include <string>

#include "runtime/kernel/plan/plan.h"

namespace ws::test {

/// A contiguous buffer that a kernel may read and write.
inline BufferSpec buffer_of(const std::string& name, DType type, std::int64_t elements) {
  BufferSpec spec;
  spec.name = name;
  spec.type = type;
  spec.role = BufferRole::kInout;
  spec.shape = {elements};
  spec.strides = {1};
  spec.elements = elements;
  spec.span = elements;
  return spec;
}

}  // namespace ws::test
