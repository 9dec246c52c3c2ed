// The second run of a block: writes what threads do as CuIR, tile by tile.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "runtime/lift/lift.h"
#include "runtime/lift/write/assignments.h"
#include "runtime/lift/write/tile_expressions.h"
#include "runtime/lift/write/tile_stores.h"

namespace ws::lift {

class Writer : public Sink {
 public:
  /// All outlive this.
  Writer(Terms& terms, const Symbols& symbols, const LaunchInput& input,
         const std::map<ObjectId, Layout>& layouts, const std::vector<std::string>& regions)
      : on_(terms, symbols, input, layouts, regions),
        variables_(on_),
        names_(on_),
        values_(on_, variables_, names_),
        assignments_(on_, variables_, names_, values_),
        stores_(on_, variables_, names_, values_) {}

  /// @param objects  Of the block that runs; outlives this.
  void watch(const std::vector<Object>& objects) { on_.objects = &objects; }

  Status store(const StoreGroup& group) override;
  Result<std::optional<Logical>> stage(const StoreGroup& group) override;
  Status sync(const Range& range) override;
  Status leave(TermId condition, const Range& range) override;
  Status begin_loop(const LoopEvent& loop, const std::vector<Update>& initial) override;
  Status update(const std::vector<Update>& updates, const Range& range) override;
  Status end_loop() override;

  /// A variable of the program that stands around what is written.
  void know(ObjectId id, const std::string& name) { variables_.know(id, name); }

  /// Names that no line may give to something else.
  void reserve(const std::set<std::string>& names) { on_.statements.reserve(names); }

  /// Copies of tiles that a part's threads make; says how they lie in each array.
  /// @errors kUnsupported: they are no tiles.
  Result<std::map<std::string, Logical>> copies(const std::vector<CopyEvent>& events,
                                                const Range& range) {
    return stores_.copies(events, range);
  }

  /// A variable's value as a tile, from what its slots hold.
  Result<ir::ExprId> value(ObjectId id, const std::vector<TermId>& now);
  /// Gives a value a name, one like `wanted`.
  std::string note(const std::string& wanted, ir::ExprId value, const Range& range);

  /// Where value() lies.
  [[nodiscard]] const ir::Program& tree() const { return on_.tree.program(); }

  /// The statements so far, line by line, without indentation.
  /// @errors kUnsupported: an expression is too large.
  [[nodiscard]] Result<std::vector<std::string>> lines() const;

  /// Arrays in shared memory that stores fill, by name: "self.sC".
  [[nodiscard]] const std::set<std::string>& stored() const { return stores_.stored(); }

  /// The indices that LaunchInput::probe asks for.
  [[nodiscard]] const std::vector<IndexText>& indices() const { return names_.indices(); }

  /// The whole program, as CuIR's printer has it.
  /// @errors kUnsupported: it is too long, or an expression in it is too large.
  [[nodiscard]] Result<std::string> program(const std::string& name);

 private:
  Writing on_;
  ProgramVariables variables_;
  NamedValues names_;
  TileExpressions values_;
  Assignments assignments_;
  TileStores stores_;
};

}  // namespace ws::lift
