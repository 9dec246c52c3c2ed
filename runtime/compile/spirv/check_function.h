// The functions that a module of Build::kBounds calls: they compare and count in variables of the
// thread, and report at its end. A report at each access would be most of the code that a driver
// compiles.
#pragma once

#include "runtime/compile/spirv/editor.h"

namespace ws::spirv {

/// The words of a BoundsReport (bounds.h).
// NOLINTNEXTLINE(performance-enum-size): members of a block, as words.
enum class ReportWord : std::uint32_t {
  kFound,
  kAccess,
  kIndex,
  kLength,
  kBlock,
  kThread = 7,
  kTurns = 10,
  kWords,
};

class CheckFunction {
 public:
  explicit CheckFunction(ModuleEditor& editor);

  [[nodiscard]] Id word() const { return word_; }

  /// The call's words; `result` becomes an index that is in bounds. @param index  A word().
  [[nodiscard]] Words call(Id result, Id index, Id length, std::uint32_t access);

  /// An index of this type, an integer of at most 32 bits, as an argument of call().
  /// @param before  Takes what computes it.
  Id as_word(Id index, const Instruction& type, Words& before);

  /// The words of a call for a turn of a loop.
  [[nodiscard]] Words call_turn(std::uint32_t access);

  /// The words of a call at the end of a thread.
  [[nodiscard]] Words call_report();

  /// All functions, when all calls are made.
  [[nodiscard]] Words write();

 private:
  void write_check();
  void write_turn();
  void write_report();
  void write_access();

  void begin(Id function, Id type, Id result);
  Id parameter();
  void label(Id id);
  void branch_if(Id condition, Id yes, Id no, Id merge);
  Id emit(Op op, Id type, std::initializer_list<std::uint32_t> operands);
  Id place(ReportWord word, std::uint32_t further);
  void store(ReportWord word, std::uint32_t further, Id value);
  Id load(Id variable);
  void keep(Id condition, Id value, Id variable);
  void store_triple(ReportWord word, Id variable);

  ModuleEditor& editor_;
  Id word_;
  Id boolean_;
  Id triple_;
  Id void_;
  Id check_type_;
  Id turn_type_;
  Id end_type_;
  Id report_;
  Id pointer_;
  Id block_;
  Id thread_;
  // Variables of each thread. They hold its first access out of bounds, as the number after its
  // own, and in the same way the loop that it was in when it had too many turns.
  Id access_;
  Id index_;
  Id length_;
  Id turns_;
  Id loop_;
  Id check_;
  Id turn_;
  Id end_;
  Words words_;
};

}  // namespace ws::spirv
