// The statements of a program that is being written, with the loops that are open.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "runtime/ir/syntax/tree_builder.h"
#include "runtime/lift/tree/tree.h"

namespace ws::lift {

/// Makes `range` cover the lines of `other` too, where both are of one file.
void widen(Range& range, const Range& other);

class Statements {
 public:
  /// @param regions  The names of the source's parts, by Range::region. Both outlive this.
  Statements(ir::TreeBuilder& tree, const std::vector<std::string>& regions)
      : tree_(tree),
        regions_(regions) {}

  /// @param range  The lines of the source that the statement stands for; nullptr: none.
  void assign(ir::ExprId target, ir::ExprId value, const Range* range);
  /// A call for what it does.
  void call(ir::ExprId value, const Range& range);
  /// Those after it are in the loop. @errors kUnsupported: loops that are nested too deep.
  Status open_loop(const std::string& variable, ir::ExprId rounds, const Range& range);
  /// The loop goes where nothing is in it. @return False: it is gone.
  bool close_loop();
  /// The program ends here where the condition holds. @errors As open_loop().
  Status leave(ir::ExprId condition, const Range& range);

  /// The block waits for its threads. Barriers with nothing between them are one.
  void sync(const Range& range);

  /// The number of statements since the innermost loop was opened.
  [[nodiscard]] std::size_t count() const { return bodies_.back().size(); }

  /// Takes back all of them but the first `count`.
  void drop(std::size_t count) { bodies_.back().resize(count); }

  /// The statements outside of open loops.
  [[nodiscard]] const std::vector<ir::StmtId>& body() const { return bodies_.front(); }

  /// A name like `wanted` that nothing of the program has.
  std::string fresh_name(const std::string& wanted);

  /// Names that no statement may give to something else.
  void reserve(const std::set<std::string>& names) { names_.insert(names.begin(), names.end()); }

  /// "# @ region:3-4"; empty: the lines are not known.
  [[nodiscard]] std::string mark(const Range& range) const;

 private:
  struct Loop {
    std::string variable;
    ir::ExprId rounds = ir::kNoExpr;
    Range range;
  };

  void add(ir::StmtId id) { bodies_.back().push_back(id); }

  [[nodiscard]] Status check_depth() const;

  ir::TreeBuilder& tree_;
  const std::vector<std::string>& regions_;
  std::vector<std::vector<ir::StmtId>> bodies_ = {{}};  // One more than loops are open.
  std::vector<Loop> loops_;
  std::set<std::string> names_;
  ir::StmtId barrier_ = ir::kNoExpr;  // The last one.
  Range synced_;                      // Its lines.
};

}  // namespace ws::lift
