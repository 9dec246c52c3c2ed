// The first run of a block: learns which variables of loops are read, and where in a tile each
// thread's slots of them lie.
#pragma once

#include "runtime/lift/symbolic/tiles.h"

namespace ws::lift {

class Layouts : public Sink {
 public:
  Layouts(Terms& terms, const LaunchInput& input)
      : terms_(terms),
        input_(input),
        tiles_(terms, input) {}

  /// @param objects  Of the block that runs; outlives this.
  void watch(const std::vector<Object>& objects) { objects_ = &objects; }

  /// Numbers that several threads have of one row lie in a column.
  void know_rows() { by_rows_ = true; }

  /// After the run: lays out what no store shows but the variables that are stored are made of.
  void spread();

  Status store(const StoreGroup& group) override;
  Result<std::optional<Logical>> stage(const StoreGroup& group) override;

  Status sync(const Range&) override { return {}; }

  Status leave(TermId, const Range&) override { return {}; }

  Status begin_loop(const LoopEvent& loop, const std::vector<Update>& initial) override;
  Status update(const std::vector<Update>& updates, const Range& range) override;

  Status end_loop() override { return {}; }

  /// Variables whose values reach a store.
  [[nodiscard]] std::set<ObjectId> needed() const;

  /// By variable. One that no store shows has the layout of what is loaded into it, or else a row
  /// of all threads for each slot.
  [[nodiscard]] const std::map<ObjectId, Layout>& layouts() const { return layouts_; }

 private:
  void note_roots(const StoreGroup& group);
  static constexpr std::int64_t kNowhere = -1;
  static constexpr std::int64_t kSeveralPlaces = -2;

  /// Where a slot of a variable appears in a tile that is stored.
  struct Appearance {
    std::int64_t row = kNowhere;
    std::int64_t col = kNowhere;
    bool own = true;  ///< Its own thread stores it.
  };

  using Appearances = std::vector<std::vector<Appearance>>;  // By slot and thread.

  struct Point {
    std::int64_t row = 0;
    std::int64_t col = 0;
    std::int32_t lane = 0;
  };

  /// A value at an element of a tile.
  struct Placed {
    Ref ref;
    std::int64_t row = 0;
    std::int64_t col = 0;
  };

  void note_layouts(const Tile& tile);
  void learn(const std::vector<Placed>& placed, std::int64_t rows, std::int64_t cols);
  static Layout layout_of(const Appearances& seen, std::int64_t rows, std::int64_t cols);
  void walk(Ref ref, const Point& at, std::map<ObjectId, Appearances>& found, int& left);
  void default_layout(const Update& update);
  std::optional<Layout> by_loads(const Update& update);
  void loads_of(TermId term, std::vector<TermId>& loads, int& left) const;

  Terms& terms_;
  const LaunchInput& input_;
  Tiles tiles_;
  const std::vector<Object>* objects_ = nullptr;
  std::vector<TermId> roots_;
  std::map<ObjectId, std::vector<TermId>> updates_;
  std::map<ObjectId, Layout> layouts_;
  std::map<ObjectId, std::vector<TermId>>
      last_;                    // The last values that a round gives each variable.
  std::set<ObjectId> learned_;  // Those whose layout follows from a store.
  bool by_rows_ = false;

  /// By which walk, and in which thread, a term was looked at last.
  struct Walked {
    std::uint64_t walk = 0;
    std::int32_t lane = 0;
  };

  std::vector<Walked> walked_;
  std::uint64_t walks_ = 0;
};

}  // namespace ws::lift
