// Where copies and products may begin: hardware takes only some addresses. Buffers lie on a
// boundary of 1024 bytes in shared memory, and on one of 256 bytes in global memory.
#include <algorithm>

#include "runtime/ir/exec/machine.h"

namespace ws::ir {
namespace {

/// After so many rows the pattern of a swizzle begins again (CUDA driver API, CUtensorMapSwizzle).
constexpr std::int64_t kPatternRows = 8;
/// PTX 8.0, cp.async.bulk.tensor: the address in shared memory.
constexpr std::int64_t kTmaAddress = 128;
/// CUDA driver API, cuTensorMapEncodeTiled: globalStrides.
constexpr std::int64_t kTensorRow = 16;
/// PTX 7.0, cp.async: it copies 4, 8 or 16 bytes, whose addresses are multiples of their number.
constexpr std::int64_t kLeastCpAsync = 4;

std::int64_t row_bytes(const Buffer& buffer) {
  return buffer.shape.empty() ? 0 : bytes_of({buffer.shape.back()}, buffer.dtype);
}

/// Where the view's first element lies, from the buffer's start.
std::int64_t offset_bytes(const View& view) {
  std::int64_t elements = 0;
  for (std::size_t i = 0; i < view.first.size(); ++i) {
    elements = elements * view.buffer->shape[i] + view.first[i];
  }
  return bytes_of({elements}, view.buffer->dtype);
}

/// Whether it has more than one row of its buffer.
bool has_rows(const View& view) {
  return view.count.size() > 1 && std::any_of(view.count.begin(), view.count.end() - 1,
                                              [](auto count) { return count > 1; });
}

/// The swizzle by which a copy or product sees a buffer, which may name one itself.
const std::string& seen_by(const View& view, const std::string& swizzle) {
  return swizzle.empty() ? view.buffer->swizzle : swizzle;
}

std::string first_row(const View& view) {
  return std::to_string(view.first[view.first.size() - 2]);
}

bool begins_within_pattern(const View& view, const std::string& swizzle) {
  return swizzle_bytes(swizzle) > 0 && view.first.size() > 1 &&
         view.first[view.first.size() - 2] % kPatternRows != 0;
}

}  // namespace

void Machine::report_misaligned(const Actor& actor, const View& view, SourcePlace place,
                                const std::string& what, const std::string& fix) {
  report(FindingKind::kMisaligned, actor, place, view.buffer->place, name_of(view),
         "`" + name_of(view) + "` " + what, fix);
}

void Machine::check_tma_address(const Actor& actor, const View& view, const std::string& swizzle,
                                SourcePlace place) {
  const Buffer& buffer = *view.buffer;
  if (buffer.space == Space::kGlobal) {
    if (buffer.shape.size() > 1 && row_bytes(buffer) % kTensorRow != 0) {
      report_misaligned(actor, view, place,
                        "has rows of " + std::to_string(row_bytes(buffer)) +
                            " bytes: TMA takes tensors whose rows are a multiple of 16 bytes apart",
                        "pad the rows, or load without TMA");
    }
    return;
  }
  const std::string& seen = seen_by(view, swizzle);
  const std::int64_t pattern = buffer.shape.empty() ? 0 : swizzle_bytes(seen);
  if (pattern == 0) {
    if (const std::int64_t beyond = offset_bytes(view) % kTmaAddress; beyond != 0) {
      report_misaligned(actor, view, place,
                        "begins " + std::to_string(beyond) + " bytes beyond a multiple of " +
                            std::to_string(kTmaAddress) + ": TMA takes no such address",
                        "begin at a multiple of " + std::to_string(kTmaAddress) + " bytes");
    }
  } else if (begins_within_pattern(view, seen)) {
    report_misaligned(actor, view, place,
                      "begins at row " + first_row(view) + " of a buffer with swizzle \"" + seen +
                          "\": its pattern begins at every 8th row",
                      "begin at a multiple of 8 rows");
  } else if (const std::int64_t column = bytes_of({view.first.back()}, buffer.dtype) % pattern;
             column != 0) {
    report_misaligned(actor, view, place,
                      "begins " + std::to_string(column) + " bytes into a row with swizzle \"" +
                          seen + "\": TMA lays out whole rows of " + std::to_string(pattern) +
                          " bytes",
                      "begin at a multiple of " + std::to_string(pattern) + " bytes");
  }
}

void Machine::check_cp_async_address(const Actor& actor, const View& view, SourcePlace place) {
  const std::int64_t row = row_bytes(*view.buffer);
  if (offset_bytes(view) % kLeastCpAsync != 0) {
    report_misaligned(actor, view, place,
                      "begins at byte " + std::to_string(offset_bytes(view)) +
                          ": cp.async copies 4, 8 or 16 bytes, from and to a multiple of that",
                      "begin at a multiple of 4 bytes");
  } else if (has_rows(view) && row % kLeastCpAsync != 0) {
    report_misaligned(
        actor, view, place,
        "has rows of " + std::to_string(row) +
            " bytes: cp.async copies 4, 8 or 16 bytes, from and to a multiple of that",
        "pad the rows to a multiple of 4 bytes, or load and store them");
  }
}

void Machine::check_copy_addresses(const Actor& actor, const View& target, const View& source,
                                   Engine engine, const std::string& swizzle, SourcePlace place) {
  for (const View* side : {&target, &source}) {
    if (engine == Engine::kTma) {
      check_tma_address(actor, *side, swizzle, place);
    } else if (engine == Engine::kCpAsync) {
      check_cp_async_address(actor, *side, place);
    }
  }
}

void Machine::check_operand_address(const Actor& actor, const View& view,
                                    const std::string& swizzle, SourcePlace place) {
  const std::string& seen = seen_by(view, swizzle);
  if (view.buffer->space == Space::kShared && begins_within_pattern(view, seen)) {
    report_misaligned(actor, view, place,
                      "begins at row " + first_row(view) + " of a buffer with swizzle \"" + seen +
                          "\": wgmma takes operands that begin where its pattern does, at every "
                          "8th row",
                      "begin at a multiple of 8 rows");
  }
}

}  // namespace ws::ir
