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

  Status store(const StoreGroup& group) override;
  Result<std::optional<Logical>> stage(const StoreGroup& group) override;

  Status sync(const Range&) override { return {}; }

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
  void note_layouts(const Tile& tile);
  void walk(Ref ref, std::int64_t place, std::map<ObjectId, Layout>& found, int& left) const;
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
};

}  // namespace ws::lift
