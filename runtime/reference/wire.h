// Between the judge's buffers, strided and of any type, and the rows of plain elements that host
// programs work on.
#pragma once

#include <cstddef>
#include <span>

#include "runtime/device/arena.h"
#include "runtime/kernel/plan/plan.h"
#include "runtime/reference/host_job.h"

namespace ws {

/// The tensor of a buffer: inputs in the type that `language` has for them (NumPy has no bf16 and
/// no f8: f32), what is written by float programs in f64, so that the judge rounds and not they.
HostTensor host_tensor(const BufferSpec& spec, HostLanguage language);

/// How the tensor lies in an arena.
BufferSpec wire_spec(const HostTensor& tensor);

/// Copies what the program reads. @param from  As `spec` says; @param to  As wire_spec() says.
void to_wire(const BufferSpec& spec, std::span<const std::byte> from, const HostTensor& tensor,
             std::span<std::byte> to);

/// Copies what it has written, rounded to the buffer's type; gaps stay as they are.
void from_wire(const HostTensor& tensor, std::span<const std::byte> from, const BufferSpec& spec,
               std::span<std::byte> to);

}  // namespace ws
