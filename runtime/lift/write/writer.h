// The second run of a block: writes what threads do as CuIR, tile by tile.
#pragma once

#include <set>
#include <unordered_map>

#include "runtime/lift/lift.h"
#include "runtime/lift/symbolic/copies.h"
#include "runtime/lift/symbolic/layouts.h"
#include "runtime/lift/symbolic/matrices.h"
#include "runtime/lift/write/statements.h"

namespace ws::lift {

/// An expression of CuIR: a tile, or a number.
struct Text {
  std::string text;
  std::int64_t rows = 1;
  std::int64_t cols = 1;
  bool number = false;  ///< It has no dimensions at all.
  bool name = false;    ///< A variable, as it is.
  bool zero = false;    ///< The number 0, as it is.
  std::string factors;  ///< "a, b", where it is the product `mma(a, b)`.
  DType type = DType::kI32;
};

class Writer : public Sink {
 public:
  Writer(Terms& terms, Symbols& symbols, const LaunchInput& input,
         const std::map<ObjectId, Layout>& layouts, const std::vector<std::string>& regions)
      : terms_(terms),
        symbols_(symbols),
        input_(input),
        layouts_(layouts),
        regions_(regions),
        tiles_(terms, input) {}

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
    names_[id] = name;
    versions_[id] = 0;
    used_names_.insert(name);
  }

  /// Names that no line may give to something else.
  void reserve(const std::set<std::string>& names) {
    used_names_.insert(names.begin(), names.end());
  }

  /// Copies of tiles that a part's threads make; says how they lie in each array.
  /// @errors kUnsupported: they are no tiles.
  Result<std::map<std::string, Logical>> copies(const std::vector<CopyEvent>& events,
                                                const Range& range);

  /// A variable's value as a tile, from what its slots hold.
  Result<std::string> value(ObjectId id, const std::vector<TermId>& now);
  /// Gives a value a name, one like `wanted`.
  std::string note(const std::string& wanted, const std::string& value, const Range& range);

  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }

  /// Arrays in shared memory that stores fill, by name: "self.sC".
  [[nodiscard]] const std::set<std::string>& stored() const { return stored_; }

  /// The indices that LaunchInput::probe asks for.
  [[nodiscard]] const std::vector<IndexText>& indices() const { return indices_; }

  /// The whole program, as CuIR's printer has it. @errors kInternal: it does not parse.
  [[nodiscard]] Result<std::string> program(const std::string& name) const;

  /// Most elements of a tile, or operands of its elements, that are looked at.
  static constexpr std::size_t kMaxElements = std::size_t{1} << 22U;

 private:
  // writer.cpp
  void line(const std::string& text, const Range* range = nullptr);
  [[nodiscard]] std::string mark(const Range& range) const;
  std::string name_of(ObjectId object);
  std::string fresh_name(const std::string& wanted);

  /// `target = value`, at lines of the source.
  struct Assignment {
    std::string target;
    std::string value;
    Range range;
    std::uint64_t key = 0;  ///< The hash of the value, where it has the target's size; else 0.
  };

  /// The value that a variable got last.
  struct Held {
    std::uint64_t key = 0;  ///< Assignment::key
    std::int64_t rows = 1;
    std::int64_t cols = 1;
    std::string name;
  };

  /// An integer that depends on the place in a tile: first + text.
  struct Varying {
    std::string text;  ///< Empty: it is the same everywhere.
    std::int64_t first = 0;
    bool by_row = false;
    bool by_col = false;
  };

  Result<Assignment> assign(ObjectId object, const std::vector<TermId>& now);
  Status scatter(const StoreGroup& group, const Tile& tile, const Text& value, const Range& range);
  static std::string shape_text(const Spot& spot, const Tile& tile);
  Status store_tensor(const StoreGroup& group);
  Status store_array(const StoreGroup& group);
  [[nodiscard]] bool reads(TermId value, ObjectId id, std::set<TermId>& seen) const;
  [[nodiscard]] bool is_separable(const StoreGroup& group) const;
  Status store_tile(const StoreGroup& group, const Tile& tile, const Spot& spot,
                    const Range& range);
  [[nodiscard]] static Range range_of(const StoreGroup& group);

  // writer_numbers.cpp
  /// @param type  Of the numbers; as indices they have kI32.
  Result<Text> integer(const Tile& tile, const std::vector<const Poly*>& polys,
                       DType type = DType::kI32);
  Result<Text> number_term(const Tile& tile);
  [[nodiscard]] static std::string fit_text(const Fit& fit, const Tile& tile,
                                            const std::string& type);
  static std::optional<Varying> by_bits(const Tile& tile, const std::vector<std::int64_t>& values,
                                        const std::string& type);
  static std::optional<Varying> varying(const Tile& tile, const std::vector<std::int64_t>& values,
                                        const std::string& type);
  static std::string real_text(double value, DType type);

  // writer_expressions.cpp
  Result<Text> expression(Tile tile);
  Result<Text> operation(const Tile& tile);
  Result<Text> choice(const Tile& tile);
  Result<Text> carried(const Tile& tile);
  Result<Text> conditions(const Tile& tile, const std::vector<std::vector<TermId>>& masks);
  Tile operand(const Tile& tile, std::size_t index) const;
  static Text joined(TermOp op, const Text& left, const Text& right);
  Result<Text> built(const Tile& tile);
  [[nodiscard]] bool is_rounded(const Term& term) const;
  static Text whole(Text text, std::int64_t rows, std::int64_t cols);

  // writer_names.cpp
  [[nodiscard]] bool is_assigned(const Tile& tile) const;
  Result<Text> named(const Tile& tile);
  [[nodiscard]] std::string wanted_name(const Tile& tile) const;
  std::optional<Text> held(const Tile& tile);
  Text hoisted(std::uint64_t key, const std::string& name, Text made);
  std::uint64_t tile_hash(const Tile& tile);
  void note_indices(const Tile& tile);
  void write_assignments(std::vector<Assignment> all);

  // writer_loads.cpp
  using Places = std::array<std::vector<std::int64_t>, 2>;

  static Result<Spot> spot_of(const Tile& tile, const Places& places, const std::string& name);
  static bool only_cuts(const Spot& spot, std::size_t dim);
  [[nodiscard]] bool is_cut(const Tile& tile, const TensorInput& tensor, const Spot& spot) const;
  /// @param edges  The dimensions at whose edges the padding stands for a condition.
  Result<Text> load(const Tile& tile, const std::string& pad,
                    const std::set<std::size_t>& edges = {});
  Result<Text> load_shared(const Tile& tile, const Object& source);
  Result<Text> load_tile(const Tile& tile, const Spot& spot, const TensorInput& tensor,
                         const std::string& pad, bool masked);
  Result<Text> gather(const Tile& tile, const TensorInput& tensor);
  Result<std::optional<std::pair<Spot, Tile>>> load_spot(const Tile& tile,
                                                         const TensorInput& tensor);
  [[nodiscard]] std::optional<std::string> tile_index(const Spot& spot, const Tile& tile) const;
  std::string slice(const std::string& base, const Spot& spot, const Tile& tile,
                    std::vector<std::size_t>& kept);
  static Text oriented(const std::string& text, const std::vector<std::size_t>& kept,
                       const Spot& spot, const Tile& tile);

  // writer_exits.cpp
  [[nodiscard]] Result<std::string> uniform_condition(TermId condition) const;

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

  Result<Text> load_array(const Tile& tile, const Object& source);
  std::string array_text(const Object& array, const Poly& first, const Spot& spot, const Tile& tile,
                         std::vector<std::size_t>& kept);
  Result<Text> matrix_product(const Tile& tile);
  Result<std::pair<Tile, Tile>> product_operands(const Tile& tile,
                                                 const std::vector<ProductChain>& chains,
                                                 std::size_t first, std::size_t end);
  std::uint64_t operand_hash(Ref product, bool right);
  Status check_rows_by_columns(const Tile& tile, const std::vector<ProductChain>& chains,
                               std::size_t first, std::size_t end);

  // writer_sums.cpp
  Result<Text> reduction(const Tile& tile, TermOp op);
  void drop_equal(std::vector<Ref>& operands);
  bool stand_for(const std::vector<Ref>& some, const std::vector<Ref>& others);
  std::pair<bool, bool> shared_along(const Tile& tile,
                                     const std::vector<std::vector<Ref>>& operands);
  Result<Text> reduced_class(const Tile& tile, const std::vector<std::vector<Ref>>& operands,
                             TermOp op);
  Result<std::optional<Text>> product(const Tile& tile,
                                      const std::vector<std::vector<Ref>>& operands);
  Result<std::optional<Text>> across(const Tile& tile,
                                     const std::vector<std::vector<Ref>>& operands, TermOp op);
  std::optional<Tile> ordered(const std::vector<Ref>& operands);
  void anchors(Ref ref, std::map<ObjectId, std::int64_t>& found, int& left);

  [[nodiscard]] const Object& object(ObjectId id) const {
    return (*objects_)[static_cast<std::size_t>(id)];
  }

  Terms& terms_;
  Symbols& symbols_;
  const LaunchInput& input_;
  const std::map<ObjectId, Layout>& layouts_;
  const std::vector<std::string>& regions_;
  Tiles tiles_;
  const std::vector<Object>* objects_ = nullptr;
  std::vector<std::string> allocations_;
  std::vector<std::string> lines_;
  std::map<ObjectId, std::string> names_;
  std::map<ObjectId, int> versions_;  // By variable, as the program holds it.
  std::map<ObjectId, std::pair<std::int64_t, std::int64_t>> shared_;  // Sizes of tiles.
  std::set<std::string> used_names_;
  std::unordered_map<std::uint64_t, Text> hoisted_;
  std::map<ObjectId, Held> held_;  // In this round.
  std::map<OperandKey, std::uint64_t> operand_hashes_;
  std::vector<Range> open_;  // Lines of the source that the statement being written stands for.
  bool top_ = false;         // The next expression is a statement of its own.
  std::vector<Range> syncs_;
  static constexpr std::size_t kNoLines = static_cast<std::size_t>(-1);
  /// How many lines there were when the last barrier was written, if the next may be joined with
  /// it.
  std::size_t after_sync_ = kNoLines;
  std::vector<IndexText> indices_;
  std::set<std::string> stored_;
  int indent_ = 2;
  std::vector<std::size_t> loop_bodies_;  // For each open loop, the lines before its body.
  int depth_ = 0;
};

}  // namespace ws::lift
