// The texts of a kernel with all that they are made of, for tests.
#pragma once

#include <utility>

#include "runtime/lift/orchestration/kernel_texts.h"

namespace ws::lift {

struct TestTexts {
  /// @param tree    Complete, with the kernel as its first function; outlives this.
  /// @param launch  Its tensors and arguments.
  explicit TestTexts(const Tree& tree, std::int64_t threads = 256, LaunchInput launch = {})
      : input(of_first(std::move(launch))),
        facts(tree),
        values(tree, {threads, 1, 1}),
        buffers(tree, input),
        draft(tree, static_cast<std::size_t>(threads)),
        texts(tree, input, symbols, facts, values, buffers, draft) {
    texts.begin_walk();
  }

  static LaunchInput of_first(LaunchInput launch) {
    launch.entry = 0;
    return launch;
  }

  LaunchInput input;
  Symbols symbols;
  KernelFacts facts;
  ThreadValues values;
  SharedBuffers buffers;
  ProgramDraft draft;
  KernelTexts texts;
};

}  // namespace ws::lift
