// The jobs that wait for a lane, and which of them is next: principals share the lane, and so do
// the clients of each; work that somebody waits for comes before work in the background.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "runtime/base/call_context.h"
#include "runtime/base/client_key.h"

namespace ws {

/// Weighted fair queueing. Each principal has a clock that runs with the time its work took, five
/// times as fast in the background; the principal that is furthest behind is next. Each of its
/// callers has such a clock among the others of that principal. So a principal with many callers
/// has no larger share. One that comes back begins where the others are: an idle caller saves
/// nothing up. Within a caller: first in, first out. When nothing waits or runs, the past is
/// forgotten.
///
/// Not thread-safe.
/// @source Demers, Keshav, Shenker: Analysis and Simulation of a Fair Queueing Algorithm (1989).
template <typename Item>
class FairLine {
 public:
  void add(const Caller& caller, Item item) {
    Group& group = group_of(caller);
    if (group.waiting == 0) {
      group.clock = std::max(group.clock, now_);
    }
    Queue& queue = group.queues[caller];
    if (queue.items.empty()) {
      queue.clock = std::max(queue.clock, group.now);
    }
    queue.items.push_back({order_++, std::move(item)});
    ++group.waiting;
    ++size_;
  }

  /// The item that take() would give; the line must not be empty.
  [[nodiscard]] const Item& next() const {
    return first(first(groups_)->second.queues)->second.items.front().item;
  }

  /// The line must not be empty. Each item taken needs its charge().
  Item take() {
    Group& group = first(groups_)->second;
    const auto next = first(group.queues);
    now_ = std::max(now_, group.clock);
    group.now = std::max(group.now, next->second.clock);
    ++next->second.taken;
    Item item = std::move(next->second.items.front().item);
    next->second.items.pop_front();
    --group.waiting;
    --size_;
    ++group.taken;
    ++taken_;
    return item;
  }

  /// The work that was taken for this caller has ended and took so long.
  void charge(const Caller& caller, double ms) {
    Group& group = group_of(caller);
    Queue& queue = group.queues[caller];
    group.clock += ms * weight_of(caller);
    queue.clock += ms * weight_of(caller);
    --queue.taken;
    --group.taken;
    --taken_;
    const bool idle = size_ == 0 && taken_ == 0;
    now_ = idle ? 0 : now_;
    std::erase_if(group.queues, [&](const auto& entry) {
      const auto& [clock, items, taken] = entry.second;
      return items.empty() && taken == 0 && (idle || clock <= group.now);
    });
    std::erase_if(groups_, [&](const auto& entry) {
      const Group& own = entry.second;
      return own.waiting == 0 && own.taken == 0 && (idle || own.clock <= now_);
    });
  }

  /// False where it does not wait.
  bool remove(const Item& item) {
    for (auto& [principal, group] : groups_) {
      for (auto& [caller, queue] : group.queues) {
        if (std::erase_if(queue.items, [&](const Place& at) { return at.item == item; }) != 0) {
          --group.waiting;
          --size_;
          return true;
        }
      }
    }
    return false;
  }

  /// It waits for another caller from now on, as the last one of those. False where it does not
  /// wait.
  bool hand_over(const Item& item, const Caller& to) {
    for (auto& [principal, group] : groups_) {
      for (auto& [caller, queue] : group.queues) {
        const auto at = std::find_if(queue.items.begin(), queue.items.end(),
                                     [&](const Place& place) { return place.item == item; });
        if (at != queue.items.end()) {
          const auto place = at - queue.items.begin();
          add(to, item);  // Before anything is taken out: there may be no memory for it.
          queue.items.erase(queue.items.begin() + place);
          --group.waiting;
          --size_;
          return true;
        }
      }
    }
    return false;
  }

  /// All that wait, in the order they will be taken. @param cost_ms  What an item will take.
  template <typename Cost>
  [[nodiscard]] std::vector<Item> order(const Cost& cost_ms) const {
    std::vector<Turns> groups;  // A heap whose first is the next, and so is each one's `turns`.
    for (const auto& entry : groups_) {
      if (entry.second.waiting > 0) {
        groups.push_back(turns_of(entry.second));
      }
    }
    std::make_heap(groups.begin(), groups.end(), is_later<Turns>);
    std::vector<Item> items;
    items.reserve(size_);
    while (!groups.empty()) {
      std::pop_heap(groups.begin(), groups.end(), is_later<Turns>);
      Turns& group = groups.back();
      items.push_back(group.take(cost_ms));
      if (group.turns.empty()) {
        groups.pop_back();
      } else {
        std::push_heap(groups.begin(), groups.end(), is_later<Turns>);
      }
    }
    return items;
  }

  /// All that wait, in no order.
  [[nodiscard]] std::vector<Item> all() const {
    std::vector<Item> items;
    for (const auto& [principal, group] : groups_) {
      for (const auto& [caller, queue] : group.queues) {
        for (const Place& place : queue.items) {
          items.push_back(place.item);
        }
      }
    }
    return items;
  }

  [[nodiscard]] bool empty() const { return size_ == 0; }

  [[nodiscard]] std::size_t size() const { return size_; }

  /// How many of a client's wait.
  [[nodiscard]] std::size_t count(const std::string& client) const {
    std::size_t items = 0;
    if (const auto group = groups_.find(principal_of(client)); group != groups_.end()) {
      for (const auto& [caller, queue] : group->second.queues) {
        items += caller.client == client ? queue.items.size() : 0;
      }
    }
    return items;
  }

  /// How many of a principal's wait.
  [[nodiscard]] std::size_t count_of_principal(std::string_view principal) const {
    const auto group = groups_.find(principal);
    return group == groups_.end() ? 0 : group->second.waiting;
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

  /// The callers of one principal.
  struct Group {
    double clock = 0;  // as a queue's, of all of them
    double now = 0;    // the clock of the caller that was taken last
    Queues queues{};
    std::size_t waiting = 0;
    std::size_t taken = 0;
  };

  using Groups = std::map<std::string, Group, std::less<>>;

  Group& group_of(const Caller& caller) {
    const std::string_view principal = principal_of(caller.client);
    const auto group = groups_.find(principal);  // charge() takes no memory.
    return group != groups_.end() ? group->second : groups_[std::string(principal)];
  }

  static double weight_of(const Caller& caller) {
    constexpr double kBackground = 5;
    return caller.background ? kBackground : 1;
  }

  /// The least is next: what is furthest behind; among equals the foreground, then what came first.
  using Rank = std::tuple<double, bool, std::uint64_t>;

  static Rank rank_of(const typename Queues::value_type& entry) {
    return {entry.second.clock, entry.first.background, entry.second.items.front().order};
  }

  static Rank rank_of(const typename Groups::value_type& entry) {
    Rank rank = rank_of(*first(entry.second.queues));
    std::get<0>(rank) = entry.second.clock;
    return rank;
  }

  static bool has_some(const Queue& queue) { return !queue.items.empty(); }

  static bool has_some(const Group& group) { return group.waiting > 0; }

  template <typename AnyRows>
  static auto first(AnyRows& rows) {
    auto best = rows.end();
    for (auto at = rows.begin(); at != rows.end(); ++at) {
      if (has_some(at->second) && (best == rows.end() || rank_of(*at) < rank_of(*best))) {
        best = at;
      }
    }
    return best;
  }

  /// The simulated position of one caller, used to predict the order.
  struct Turn {
    const typename Queues::value_type* entry = nullptr;
    Rank rank;
    std::size_t at = 0;  ///< The index of its next item.
  };

  /// The same of a principal.
  struct Turns {
    double clock = 0;
    std::vector<Turn> turns{};
    Rank rank{};

    void note_rank() {
      rank = turns.front().rank;
      std::get<0>(rank) = clock;
    }

    template <typename Cost>
    Item take(const Cost& cost_ms) {
      std::pop_heap(turns.begin(), turns.end(), is_later<Turn>);
      Turn& turn = turns.back();
      const auto& [caller, queue] = *turn.entry;
      Item item = queue.items[turn.at].item;
      const double cost = cost_ms(item) * weight_of(caller);
      clock += cost;
      if (++turn.at == queue.items.size()) {
        turns.pop_back();
      } else {
        std::get<0>(turn.rank) += cost;
        std::get<2>(turn.rank) = queue.items[turn.at].order;
        std::push_heap(turns.begin(), turns.end(), is_later<Turn>);
      }
      if (!turns.empty()) {
        note_rank();
      }
      return item;
    }
  };

  template <typename Any>
  static bool is_later(const Any& a, const Any& b) {
    return a.rank > b.rank;
  }

  static Turns turns_of(const Group& group) {
    Turns turns{.clock = group.clock};
    for (const auto& entry : group.queues) {
      if (!entry.second.items.empty()) {
        turns.turns.push_back({&entry, rank_of(entry), 0});
      }
    }
    std::make_heap(turns.turns.begin(), turns.turns.end(), is_later<Turn>);
    turns.note_rank();
    return turns;
  }

  Groups groups_;
  double now_ = 0;  // The clock of the principal that was taken last.
  std::size_t size_ = 0;
  std::size_t taken_ = 0;
  std::uint64_t order_ = 0;
};

}  // namespace ws
