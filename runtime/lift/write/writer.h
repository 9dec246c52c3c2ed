// The second run of a block: writes what threads do as CuIR, tile by tile.
#pragma once

#include <set>
#include <unordered_map>

#include "runtime/lift/lift.h"
#include "runtime/lift/symbolic/copies.h"
#include "runtime/lift/symbolic/layouts.h"
#include "runtime/lift/symbolic/matrices.h"
#include "runtime/lift/write/tile_numbers.h"
#include "runtime/lift/write/tile_parts.h"

namespace ws::lift {

class Writer : public Sink {
 public:
  Writer(Terms& terms, Symbols& symbols, const LaunchInput& input,
         const std::map<ObjectId, Layout>& layouts, const std::vector<std::string>& regions)
      : terms_(terms),
        input_(input),
        layouts_(layouts),
        tiles_(terms, input),
        polys_(tree_, symbols),
        statements_(tree_, regions),
        numbers_(tree_, polys_),
        parts_(tree_, polys_, statements_) {}

  /// @param objects  Of the block that runs; outlives this.
  void watch(const std::vector<Object>& objects) { objects_ = &objects; }

  Status store(const StoreGroup& group) override;
  Result<std::optional<Logical>> stage(const StoreGroup& group) override;
  Status sync(const Range& range) override;
  Status leave(TermId condition, const Range& range) override;
  Status begin_loop(const LoopEvent& loop, const std::vector<Update>& initial) override;
  Status update(const std::vector<Update>& updates, const Range& range) override;
  Status end_loop() override;

  /// A variable of the program that stands around what is written.
  void know(ObjectId id, const std::string& name) {
    names_[id] = tree_.parsed(name);
    versions_[id] = 0;
    statements_.reserve({name});
  }

  /// Names that no line may give to something else.
  void reserve(const std::set<std::string>& names) { statements_.reserve(names); }

  /// Copies of tiles that a part's threads make; says how they lie in each array.
  /// @errors kUnsupported: they are no tiles.
  Result<std::map<std::string, Logical>> copies(const std::vector<CopyEvent>& events,
                                                const Range& range);

  /// A variable's value as a tile, from what its slots hold.
  Result<ir::ExprId> value(ObjectId id, const std::vector<TermId>& now);
  /// Gives a value a name, one like `wanted`.
  std::string note(const std::string& wanted, ir::ExprId value, const Range& range);

  /// Where value() lies.
  [[nodiscard]] const ir::Program& tree() const { return tree_.program(); }

  /// The statements so far, line by line, without indentation.
  /// @errors kUnsupported: an expression is too large.
  [[nodiscard]] Result<std::vector<std::string>> lines() const;

  /// Arrays in shared memory that stores fill, by name: "self.sC".
  [[nodiscard]] const std::set<std::string>& stored() const { return stored_; }

  /// The indices that LaunchInput::probe asks for.
  [[nodiscard]] const std::vector<IndexText>& indices() const { return indices_; }

  /// The whole program, as CuIR's printer has it.
  /// @errors kUnsupported: it is too long, or an expression in it is too large.
  [[nodiscard]] Result<std::string> program(const std::string& name);

  /// Most elements of a tile, or operands of its elements, that are looked at.
  static constexpr std::size_t kMaxElements = std::size_t{1} << 22U;

 private:
  // writer.cpp
  ir::ExprId name_of(ObjectId object);

  /// `target = value`, at lines of the source.
  struct Assignment {
    ir::ExprId target = ir::kNoExpr;
    ir::ExprId value = ir::kNoExpr;
    Range range;
    std::uint64_t key = 0;  ///< The hash of the value, where it has the target's size; else 0.
  };

  /// The value that a variable got last.
  struct Held {
    std::uint64_t key = 0;  ///< Assignment::key
    std::int64_t rows = 1;
    std::int64_t cols = 1;
    ir::ExprId name = ir::kNoExpr;
  };

  Result<Assignment> assign(ObjectId object, const std::vector<TermId>& now);
  Status scatter(const StoreGroup& group, const Tile& tile, const TileExpr& value,
                 const Range& range);
  ir::ExprId shape_of(const Spot& spot, const Tile& tile);
  Status store_tensor(const StoreGroup& group);
  Status store_array(const StoreGroup& group);
  [[nodiscard]] bool reads(TermId value, ObjectId id, std::set<TermId>& seen) const;
  [[nodiscard]] bool is_separable(const StoreGroup& group) const;
  Status store_tile(const StoreGroup& group, const Tile& tile, const Spot& spot,
                    const Range& range);
  [[nodiscard]] static Range range_of(const StoreGroup& group);

  // writer_expressions.cpp
  Result<TileExpr> expression(Tile tile);
  Result<TileExpr> operation(const Tile& tile);
  Result<TileExpr> choice(const Tile& tile);
  Result<TileExpr> carried(const Tile& tile);
  Result<TileExpr> conditions(const Tile& tile, const std::vector<std::vector<TermId>>& masks);
  Tile operand(const Tile& tile, std::size_t index) const;
  TileExpr joined(TermOp op, const TileExpr& left, const TileExpr& right);
  Result<TileExpr> number_term(const Tile& tile);
  Result<TileExpr> built(const Tile& tile);
  [[nodiscard]] bool is_rounded(const Term& term) const;

  TileExpr whole(TileExpr part, std::int64_t rows, std::int64_t cols) {
    return lift::whole(tree_, std::move(part), rows, cols);
  }

  // writer_names.cpp
  [[nodiscard]] bool is_assigned(const Tile& tile) const;
  Result<TileExpr> named(const Tile& tile);
  [[nodiscard]] std::string wanted_name(const Tile& tile) const;
  std::optional<TileExpr> held(const Tile& tile);
  TileExpr hoisted(std::uint64_t key, const std::string& name, TileExpr made);
  std::uint64_t tile_hash(const Tile& tile);
  void note_indices(const Tile& tile);
  void write_assignments(std::vector<Assignment> all);

  // writer_loads.cpp
  using Places = std::array<std::vector<std::int64_t>, 2>;

  static Result<Spot> spot_of(const Tile& tile, const Places& places, const std::string& name);
  static bool only_cuts(const Spot& spot, std::size_t dim);
  [[nodiscard]] bool is_cut(const Tile& tile, const TensorInput& tensor, const Spot& spot) const;
  /// The number that a padded read has outside of its tensor.
  enum class Padding : std::uint8_t { kUnpadded, kZero, kOne, kLowest };

  /// @param edges  The dimensions at whose edges the padding stands for a condition.
  Result<TileExpr> load(const Tile& tile, Padding pad, const std::set<std::size_t>& edges = {});
  Result<TileExpr> load_shared(const Tile& tile, const Object& source);
  Result<TileExpr> load_tile(const Tile& tile, const Spot& spot, const TensorInput& tensor,
                             Padding pad, bool masked);
  Result<TileExpr> gather(const Tile& tile, const TensorInput& tensor);
  Result<std::optional<std::pair<Spot, Tile>>> load_spot(const Tile& tile,
                                                         const TensorInput& tensor);
  // writer_exits.cpp
  [[nodiscard]] Result<ir::ExprId> uniform_condition(TermId condition);

  // writer_matrix.cpp
  /// A row of a product's left operand, or a column of its right one: all threads of a warp that
  /// have it share its hash.
  struct OperandKey {
    TermId term = kNone;
    std::int32_t warp = 0;
    bool right = false;
    std::int64_t index = 0;

    friend auto operator<=>(const OperandKey&, const OperandKey&) = default;
  };

  Result<TileExpr> load_array(const Tile& tile, const Object& source);
  Result<TileExpr> matrix_product(const Tile& tile);
  Result<std::pair<Tile, Tile>> product_operands(const Tile& tile,
                                                 const std::vector<ProductChain>& chains,
                                                 std::size_t first, std::size_t end);
  std::uint64_t operand_hash(Ref product, bool right);
  Status check_rows_by_columns(const Tile& tile, const std::vector<ProductChain>& chains,
                               std::size_t first, std::size_t end);

  // writer_sums.cpp
  Result<TileExpr> reduction(const Tile& tile, TermOp op);
  void drop_equal(std::vector<Ref>& operands);
  bool stand_for(const std::vector<Ref>& some, const std::vector<Ref>& others);
  std::pair<bool, bool> shared_along(const Tile& tile,
                                     const std::vector<std::vector<Ref>>& operands);
  Result<TileExpr> reduced_class(const Tile& tile, const std::vector<std::vector<Ref>>& operands,
                                 TermOp op);
  Result<std::optional<TileExpr>> product(const Tile& tile,
                                          const std::vector<std::vector<Ref>>& operands);
  Result<std::optional<TileExpr>> across(const Tile& tile,
                                         const std::vector<std::vector<Ref>>& operands, TermOp op);
  std::optional<Tile> ordered(const std::vector<Ref>& operands);
  void anchors(Ref ref, std::map<ObjectId, std::int64_t>& found, int& left);

  [[nodiscard]] const Object& object(ObjectId id) const {
    return (*objects_)[static_cast<std::size_t>(id)];
  }

  Terms& terms_;
  const LaunchInput& input_;
  const std::map<ObjectId, Layout>& layouts_;
  Tiles tiles_;
  const std::vector<Object>* objects_ = nullptr;
  ir::TreeBuilder tree_;
  PolyTree polys_;
  Statements statements_;
  TileNumbers numbers_;
  TileParts parts_;
  std::vector<ir::StmtId> allocations_;
  std::map<ObjectId, ir::ExprId> names_;
  std::map<ObjectId, int> versions_;  // By variable, as the program holds it.
  std::map<ObjectId, std::pair<std::int64_t, std::int64_t>> shared_;  // Sizes of tiles.
  std::unordered_map<std::uint64_t, TileExpr> hoisted_;
  std::map<ObjectId, Held> held_;  // In this round.
  std::map<OperandKey, std::uint64_t> operand_hashes_;
  std::vector<Range> open_;  // Lines of the source that the statement being written stands for.
  bool top_ = false;         // The next expression is a statement of its own.
  std::vector<IndexText> indices_;
  std::set<std::string> stored_;
  int depth_ = 0;
};

}  // namespace ws::lift
