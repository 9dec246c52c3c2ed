#include "runtime/ir/exec/cluster.h"

#include <algorithm>

#include "runtime/ir/exec/block.h"

namespace ws::ir {
namespace {

// The numbers in the grid of a cluster's blocks, by rank.
std::vector<std::int64_t> blocks_of(const Grid& grid, std::int64_t cluster) {
  const std::array<std::int64_t, 3> clusters = clusters_of(grid);
  const std::array<std::int64_t, 3> at = {cluster % clusters[0],
                                          cluster / clusters[0] % clusters[1],
                                          cluster / clusters[0] / clusters[1]};
  std::vector<std::int64_t> blocks;
  for (std::int64_t z = 0; z < grid.cluster[2]; ++z) {
    for (std::int64_t y = 0; y < grid.cluster[1]; ++y) {
      for (std::int64_t x = 0; x < grid.cluster[0]; ++x) {
        blocks.push_back(at[0] * grid.cluster[0] + x +
                         grid.size[0] * (at[1] * grid.cluster[1] + y +
                                         grid.size[1] * (at[2] * grid.cluster[2] + z)));
      }
    }
  }
  return blocks;
}

class ClusterRun {
 public:
  ClusterRun(Grid& grid, std::int64_t cluster)
      : grid_(grid),
        numbers_(blocks_of(grid, cluster)),
        machine_(grid, numbers_) {}

  bool run() {
    for (std::size_t rank = 0; rank < numbers_.size(); ++rank) {
      blocks_.push_back(std::make_unique<Block>(grid_, machine_, rank));
      if (!blocks_.back()->setup()) {
        return false;
      }
    }
    for (const std::unique_ptr<Block>& block : blocks_) {
      std::ranges::move(block->start_roles(), std::back_inserter(workers_));
    }
    std::ranges::transform(workers_, std::back_inserter(actors_),
                           [](const auto& worker) { return &worker->actor; });
    if (!schedule()) {
      return false;
    }
    machine_.check_end(actors_);
    return true;
  }

  bool measure() { return Block(grid_, machine_, 0).measure(); }

 private:
  static constexpr std::size_t kNobody = SIZE_MAX;

  // Until all are through.
  bool schedule() {
    std::uint64_t random = grid_.schedule.seed + static_cast<std::uint64_t>(numbers_.front());
    std::size_t last = workers_.size() - 1;
    while (true) {
      complete_at_random(random);
      const std::size_t next = pick(last, random);
      if (next != kNobody) {
        Worker& worker = *workers_[next];
        if (worker.actor.wait) {
          worker.actor.wait->passed();
          worker.actor.wait.reset();
        }
        resume(worker);
        if (worker.end == Flow::kStop) {
          return false;
        }
        last = next;
      } else if (machine_.pending() > 0) {
        machine_.complete_one(grid_.schedule.completion == Completion::kRandom
                                  ? next_random(random) % machine_.pending()
                                  : 0);
      } else {
        return all_done();
      }
    }
  }

  bool all_done() {
    const bool done = std::ranges::all_of(actors_, [](const Actor* actor) { return actor->done; });
    if (!done) {
      machine_.report_deadlock(actors_);
    }
    return done;
  }

  void complete_at_random(std::uint64_t& random) {
    constexpr std::uint64_t kOneIn = 4;
    if (grid_.schedule.completion == Completion::kRandom && machine_.pending() > 0 &&
        next_random(random) % kOneIn == 0) {
      machine_.complete_one(next_random(random) % machine_.pending());
    }
  }

  [[nodiscard]] bool can_run(std::size_t index) const {
    const Actor& actor = workers_[index]->actor;
    return !actor.done && (!actor.wait || actor.wait->ready());
  }

  std::size_t pick(std::size_t last, std::uint64_t& random) const {
    const std::size_t count = workers_.size();
    const Schedule& schedule = grid_.schedule;
    if (count == 0) {
      return kNobody;
    }
    const std::size_t starved = schedule.starved % count;
    const std::size_t offset =
        schedule.workers == WorkerOrder::kRandom ? next_random(random) % count : last + 1;
    std::size_t fallback = kNobody;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t index =
          schedule.workers == WorkerOrder::kReverse ? count - 1 - i : (offset + i) % count;
      if (!can_run(index)) {
        continue;
      }
      if (schedule.workers != WorkerOrder::kStarveOne || index != starved) {
        return index;
      }
      fallback = index;
    }
    return fallback;
  }

  Grid& grid_;
  std::vector<std::int64_t> numbers_;
  Machine machine_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Actor*> actors_;
};

}  // namespace

std::array<std::int64_t, 3> clusters_of(const Grid& grid) {
  return {grid.size[0] / grid.cluster[0], grid.size[1] / grid.cluster[1],
          grid.size[2] / grid.cluster[2]};
}

bool run_cluster(Grid& grid, std::int64_t cluster) {
  return ClusterRun(grid, cluster).run();
}

bool measure_grid(Grid& grid) {
  return ClusterRun(grid, 0).measure();
}

}  // namespace ws::ir
