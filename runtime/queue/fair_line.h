// The jobs that wait for a lane, and which of them is next: callers share the lane, and work that
// somebody waits for comes before work in the background.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/base/call_context.h"

namespace ws {

/// Weighted fair queueing. Each caller has a clock that runs with the time its work took, five
/// times as fast in the background; the caller that is furthest behind is next. A caller that comes
/// back begins where the others are: an idle caller saves nothing up. Within a caller: first in,
/// first out. When nothing waits or runs, the past is forgotten.
///
/// Not thread-safe.
/// @source Demers, Keshav, Shenker: Analysis and Simulation of a Fair Queueing Algorithm (1989).
template <typename Item>
class FairLine {
 public:
  void add(const Caller& caller, Item item) {
    Queue& queue = queues_[caller];
    if (queue.items.empty()) {
      queue.clock = std::max(queue.clock, now_);
    }
    queue.items.push_back({order_++, std::move(item)});
    ++size_;
  }

  /// The item that take() would give; the line must not be empty.
  [[nodiscard]] const Item& next() const { return first(queues_)->second.items.front().item; }

  /// The line must not be empty. Each item taken needs its charge().
  Item take() {
    const auto next = first(queues_);
    now_ = std::max(now_, next->second.clock);
    ++next->second.taken;
    Item item = std::move(next->second.items.front().item);
    next->second.items.pop_front();
    --size_;
    ++taken_;
    return item;
  }

  /// The work that was taken for this caller has ended and took so long.
  void charge(const Caller& caller, double ms) {
    Queue& queue = queues_[caller];
    queue.clock += ms * weight_of(caller);
    --queue.taken;
    --taken_;
    const bool idle = size_ == 0 && taken_ == 0;
    now_ = idle ? 0 : now_;
    std::erase_if(queues_, [&](const auto& entry) {
      const auto& [clock, items, taken] = entry.second;
      return items.empty() && taken == 0 && (idle || clock <= now_);
    });
  }

  /// False where it does not wait.
  bool remove(const Item& item) {
    for (auto& [caller, queue] : queues_) {
      if (std::erase_if(queue.items, [&](const Place& at) { return at.item == item; }) != 0) {
        --size_;
        return true;
      }
    }
    return false;
  }

  /// It waits for another caller from now on, as the last one of those. False where it does not
  /// wait.
  bool hand_over(const Item& item, const Caller& to) {
    for (auto& [caller, queue] : queues_) {
      const auto at = std::find_if(queue.items.begin(), queue.items.end(),
                                   [&](const Place& place) { return place.item == item; });
      if (at != queue.items.end()) {
        const auto place = at - queue.items.begin();
        add(to, item);  // Before anything is taken out: there may be no memory for it.
        queue.items.erase(queue.items.begin() + place);
        --size_;
        return true;
      }
    }
    return false;
  }

  /// All that wait, in the order they will be taken. @param cost_ms  What an item will take.
  template <typename Cost>
  [[nodiscard]] std::vector<Item> order(const Cost& cost_ms) const {
    std::vector<Turn> turns;  // A heap whose first is the next.
    for (const auto& entry : queues_) {
      if (!entry.second.items.empty()) {
        turns.push_back({&entry, rank_of(entry), 0});
      }
    }
    const auto later = [](const Turn& a, const Turn& b) { return a.rank > b.rank; };
    std::make_heap(turns.begin(), turns.end(), later);
    std::vector<Item> items;
    items.reserve(size_);
    while (!turns.empty()) {
      std::pop_heap(turns.begin(), turns.end(), later);
      Turn& turn = turns.back();
      const auto& [caller, queue] = *turn.entry;
      items.push_back(queue.items[turn.at].item);
      if (++turn.at == queue.items.size()) {
        turns.pop_back();
        continue;
      }
      auto& [clock, background, order] = turn.rank;
      clock += cost_ms(items.back()) * weight_of(caller);
      order = queue.items[turn.at].order;
      std::push_heap(turns.begin(), turns.end(), later);
    }
    return items;
  }

  /// All that wait, in no order.
  [[nodiscard]] std::vector<Item> all() const {
    std::vector<Item> items;
    for (const auto& [caller, queue] : queues_) {
      for (const Place& place : queue.items) {
        items.push_back(place.item);
      }
    }
    return items;
  }

  [[nodiscard]] bool empty() const { return size_ == 0; }

  [[nodiscard]] std::size_t size() const { return size_; }

  /// How many of a client's wait.
  [[nodiscard]] std::size_t count(const std::string& client) const {
    std::size_t items = 0;
    for (const auto& [caller, queue] : queues_) {
      items += caller.client == client ? queue.items.size() : 0;
    }
    return items;
  }

 private:
  struct Place {
    std::uint64_t order = 0;
    Item item;
  };

  struct Queue {
    double clock = 0;  // ms of work, weighted
    std::deque<Place> items;
    std::size_t taken = 0;
  };

  using Queues = std::map<Caller, Queue>;

  static double weight_of(const Caller& caller) {
    constexpr double kBackground = 5;
    return caller.background ? kBackground : 1;
  }

  /// The least is next: the caller that is furthest behind; among equals the foreground, then the
  /// one that came first.
  using Rank = std::tuple<double, bool, std::uint64_t>;

  static Rank rank_of(const typename Queues::value_type& entry) {
    return {entry.second.clock, entry.first.background, entry.second.items.front().order};
  }

  /// The simulated position of one caller, used to predict the order.
  struct Turn {
    const typename Queues::value_type* entry = nullptr;
    Rank rank;
    std::size_t at = 0;  ///< The index of its next item.
  };

  template <typename AnyQueues>
  static auto first(AnyQueues& queues) {
    auto best = queues.end();
    for (auto at = queues.begin(); at != queues.end(); ++at) {
      if (!at->second.items.empty() && (best == queues.end() || rank_of(*at) < rank_of(*best))) {
        best = at;
      }
    }
    return best;
  }

  Queues queues_;
  double now_ = 0;  // The clock of the caller that was taken last.
  std::size_t size_ = 0;
  std::size_t taken_ = 0;
  std::uint64_t order_ = 0;
};

}  // namespace ws
