#include "runtime/lift/values.h"

#include <array>
#include <vector>

#include "runtime/lift/symbolic/block.h"
#include "runtime/lift/symbolic/matrices.h"
#include "runtime/lift/write/writer.h"

namespace ws::lift {
namespace {

/// The other cases that are possible where a program was made for `one`.
std::vector<PipelineCase> other_cases(const PipelineCase& one, bool asks_for_last) {
  std::vector<PipelineCase> all;
  for (int inside = 0; inside < one.period; ++inside) {
    for (const bool last : {false, true}) {
      if ((inside > 0 || last) && (!last || asks_for_last)) {
        all.push_back({one.period, inside, 0, one.peeled, false, last});
      }
    }
  }
  for (int after = 1; after < one.period; ++after) {
    all.push_back({one.period, 0, after, one.peeled, false, false});
  }
  if (one.peeled) {
    all.push_back({one.period, 0, 0, true, true, false});
    all.push_back({one.period, 0, 0, true, true, true});
  }
  return all;
}

}  // namespace

/// Runs the block to see where its variables lie. @param refusal  Set where it is not understood.
Result<std::optional<ValueLift::Learned>> ValueLift::learn(const Manner& manner,
                                                           Refusal& refusal) const {
  Terms terms(input_.threads());
  Layouts layouts(terms, input_);
  Block block(tree_, input_, terms, symbols_, layouts, nullptr);
  layouts.watch(block.objects());
  if (manner.warps) {
    block.know_warps(works_by_warps(tree_));
    layouts.know_rows();
  }
  block.pipeline(manner.pipeline);
  if (const Status done = block.run(); !done) {
    if (done.error().code == ErrorCode::kCancelled) {
      return fail(done.error());
    }
    refusal = {block.where(), done.error().message};
    return std::optional<Learned>();
  }
  layouts.spread();
  return std::optional(
      Learned{layouts.layouts(), layouts.needed(), block.asks_for_first(), block.asks_for_last()});
}

/// Runs the block to write its program. @param refusal  Set where it is not understood.
Result<std::optional<Program>> ValueLift::write(const Manner& manner, const Learned& learned,
                                                Refusal& refusal) const {
  Terms terms(input_.threads());
  Writer writer(terms, symbols_, input_, learned.layouts, tree_.regions);
  Block block(tree_, input_, terms, symbols_, writer, &learned.needed);
  writer.watch(block.objects());
  if (manner.warps) {
    block.know_warps(works_by_warps(tree_));
    block.share(learned.layouts);
  }
  block.pipeline(manner.pipeline);
  if (const Status done = block.run(); !done) {
    if (done.error().code == ErrorCode::kCancelled) {
      return fail(done.error());
    }
    refusal = {block.where(), done.error().message};
    return std::optional<Program>();
  }
  Result<std::string> text = writer.program(name_);
  if (!text && text.error().code == ErrorCode::kUnsupported) {
    refusal = {{}, text.error().message};
    return std::optional<Program>();
  }
  Program made;
  WS_TRY(made.ir, std::move(text));
  made.indices = writer.indices();
  return std::optional(std::move(made));
}

Result<std::optional<Program>> ValueLift::program(const Manner& manner, Refusal& refusal) const {
  WS_TRY(const std::optional<Learned> learned, learn(manner, refusal));
  return learned ? write(manner, *learned, refusal) : std::optional<Program>();
}

Result<std::optional<Program>> ValueLift::plain(Refusal& refusal) const {
  return program({}, refusal);
}

Result<std::optional<Program>> ValueLift::of_warps(Refusal& refusal) const {
  return program({true, {}}, refusal);
}

/// Whether the program that was made for `one` is that of all other cases.
/// @param learned  The layouts of `one`. Cases that take the same branches mostly have them, too:
///                 where the program is another one with them, the case is run with its own.
Result<bool> ValueLift::is_same_in_all(const PipelineCase& one, const Learned& learned,
                                       const std::string& ir) const {
  std::map<std::pair<bool, bool>, Learned> by_place = {{{one.first, one.last}, learned}};
  for (const PipelineCase& other : other_cases(one, learned.asks_for_last)) {
    const Manner manner{true, other};
    Refusal refusal;
    const auto known = by_place.find({other.first, other.last});
    if (known != by_place.end()) {
      WS_TRY(const std::optional<Program> same, write(manner, known->second, refusal));
      if (same && same->ir == ir) {
        continue;
      }
    }
    WS_TRY(const std::optional<Learned> own, learn(manner, refusal));
    if (!own) {
      return false;
    }
    WS_TRY(const std::optional<Program> same, write(manner, *own, refusal));
    if (!same || same->ir != ir) {
      return false;
    }
    by_place.insert_or_assign({other.first, other.last}, *own);
  }
  return true;
}

Result<std::optional<Program>> ValueLift::of_rounds(Refusal& refusal) const {
  const std::array<PipelineCase, 5> tries = {{{1, 0, 0, false, false, false},
                                              {1, 0, 0, true, false, false},
                                              {2, 0, 0, false, false, false},
                                              {3, 0, 0, false, false, false},
                                              {4, 0, 0, false, false, false}}};
  for (std::size_t i = 0; i < tries.size(); ++i) {
    const PipelineCase& one = tries[i];
    WS_TRY(const std::optional<Learned> learned, learn({true, one}, refusal));
    if (!learned) {
      continue;
    }
    WS_TRY(std::optional<Program> made, write({true, one}, *learned, refusal));
    if (made) {
      WS_TRY(const bool same, is_same_in_all(one, *learned, made->ir));
      if (same) {
        return made;
      }
    } else if (one.peeled || !learned->asks_for_first) {
      return made;  // The rounds are understood, so that other stages would not say more.
    }
  }
  return std::optional<Program>();
}

}  // namespace ws::lift
