// Copies, and the words that choose how they are done.
#include <algorithm>

#include "runtime/base/nearest.h"
#include "runtime/ir/check/infer.h"

namespace ws::ir {
namespace {

struct TagRow {
  Op op;
  std::vector<std::string> tags;
};

// The only list of instruction tags; the first of a row is its default.
const std::vector<TagRow>& tag_rows() {
  static const std::vector<TagRow> rows = {
      {Op::kGemm, {"mma.sync", "wmma", "fma"}},
      {Op::kGemmAsync, {"wgmma"}},
      {Op::kCopy, {"", "ld", "st", "ldmatrix", "stmatrix"}},
      {Op::kCopyAsync, {"tma", "cp.async"}},
  };
  return rows;
}

// PTX 8.0, ldmatrix and stmatrix: 8 x 8 matrices of 16 bits between shared memory and registers.
Status check_matrix_copy(const Type& target, const Type& source, const std::string& tag) {
  const bool loads = tag == "ldmatrix";
  if (!loads && tag != "stmatrix") {
    return {};
  }
  const Type& memory = loads ? source : target;
  const Type& registers = loads ? target : source;
  if (memory.kind != Kind::kBuffer || memory.space != Space::kShared ||
      (registers.kind == Kind::kBuffer && registers.space != Space::kRegister)) {
    return bad(tag +
                   (loads ? " copies from shared memory to registers"
                          : " copies from registers to shared memory") +
                   ", got " + describe(source) + " to " + describe(target),
               "leave the instruction out");
  }
  if (size_of(memory.dtype) > 2) {
    return bad(tag + " moves elements of 8 or 16 bits, got " + std::string(name_of(memory.dtype)),
               loads ? "use \"ld\"" : "use \"st\"");
  }
  return {};
}

Status check_same(const Type& target, const Type& source) {
  if (!source.is_tile()) {
    return {};
  }
  if (source.shape != target.shape) {
    return bad("`target` is " + to_text(target.shape) + " and `source` " + to_text(source.shape));
  }
  return {};
}

// CUDA driver API, cuTensorMapEncodeTiled: what a box may be.
Status check_box(const Type& target, const Type& source, const std::string& swizzle) {
  constexpr std::int64_t max_size = 256;
  constexpr std::size_t max_rank = 5;
  if (target.shape.size() > max_rank) {
    return bad("a tma box of " + to_text(target.shape) + ": it has at most 5 dimensions");
  }
  for (const std::int64_t size : target.shape) {
    if (size > max_size) {
      return bad("a tma box of " + to_text(target.shape) + ": each size is at most 256");
    }
  }
  const std::int64_t row = (target.shape.empty() ? 1 : target.shape.back()) *
                           static_cast<std::int64_t>(size_of(target.dtype));
  if (row % 16 != 0) {
    return bad("a tma box has rows of " + std::to_string(row) + " bytes: they are multiples of 16");
  }
  const Type& shared = target.space == Space::kShared ? target : source;
  const std::string& word = swizzle.empty() ? shared.text : swizzle;
  const std::int64_t span = swizzle_bytes(word);
  if (span > 0 && row > span) {
    return bad("a tma box with swizzle " + word + " has rows of " + std::to_string(row) +
                   " bytes: they are at most " + std::to_string(span),
               "copy it in parts, or use a wider swizzle");
  }
  return {};
}

Status check_tma(const Type& target, const Type& source, const Type& barrier,
                 const std::string& swizzle) {
  const bool in = target.space == Space::kShared && source.space == Space::kGlobal;
  const bool out = target.space == Space::kGlobal && source.space == Space::kShared;
  if (!in && !out) {
    return bad("tma copies between global and shared memory, not from " + word_of(source.space) +
               " to " + word_of(target.space));
  }
  if (in && barrier.kind == Kind::kNone) {
    return bad("a tma load needs a barrier", "tma_load(target, source, barrier)");
  }
  if (out && barrier.kind != Kind::kNone) {
    return bad("a tma store completes by group, not on a barrier",
               "commit_group(\"tma\"), then wait_group(0, \"tma\")");
  }
  return check_box(target, source, swizzle);
}

}  // namespace

Status check_tag(Op op, const Type& tag) {
  const auto row = std::find_if(tag_rows().begin(), tag_rows().end(),
                                [&](const TagRow& entry) { return entry.op == op; });
  const bool known = tag.kind == Kind::kNone ||
                     std::find(row->tags.begin(), row->tags.end(), tag.text) != row->tags.end();
  return known ? Status()
               : bad("unknown instruction `" + tag.text + "`", suggest(tag.text, row->tags));
}

Status check_word(const std::string& name, const Type& value,
                  const std::vector<std::string>& words) {
  if (value.kind == Kind::kNone ||
      std::find(words.begin(), words.end(), value.text) != words.end()) {
    return {};
  }
  return bad("`" + name + "` is \"" + value.text + "\"", suggest(value.text, words));
}

Result<Type> infer_copy(std::span<const Type> args) {
  WS_CHECK(check_tag(Op::kCopy, args[2]));
  WS_CHECK(check_same(args[0], args[1]));
  WS_CHECK(check_matrix_copy(args[0], args[1], args[2].text));
  return Type();
}

Result<Type> infer_copy_async(std::span<const Type> args) {
  WS_CHECK(check_tag(Op::kCopyAsync, args[3]));
  WS_CHECK(check_word("swizzle", args[4], {"", "none", "32B", "64B", "128B"}));
  WS_CHECK(check_same(args[0], args[1]));
  if (args[0].dtype != args[1].dtype) {
    return bad("`target` is of " + std::string(name_of(args[0].dtype)) + " and `source` of " +
               std::string(name_of(args[1].dtype)) + ": a copy does not convert");
  }
  WS_CHECK(check_word("pad", args[5], {"", "zero"}));
  const bool tma = args[3].text != "cp.async";
  if (args[6].kind != Kind::kNone && (!tma || args[0].space != Space::kShared)) {
    return bad("`multicast` is for tma from global to shared memory");
  }
  if (args[6].constant() && (*args[6].constant() < 1 || *args[6].constant() > 0xffff)) {
    return bad("`multicast` is " + std::to_string(*args[6].constant()) +
                   ": it has a bit for each of at most 16 blocks",
               "1 << rank is the bit of one block");
  }
  if (tma) {
    if (!args[5].text.empty()) {
      return bad("`pad` is for cp.async: tma reads zeros beyond the edge in any case");
    }
    WS_CHECK(check_tma(args[0], args[1], args[2], args[4].text));
  } else if (args[0].space != Space::kShared || args[1].space != Space::kGlobal) {
    return bad("cp.async copies from global to shared memory, not from " + word_of(args[1].space) +
               " to " + word_of(args[0].space));
  }
  return Type();
}

}  // namespace ws::ir
