#include "server/transport/http_links.h"

namespace ws::server {

HttpLink& HttpLinks::add(std::uint64_t id, std::unique_ptr<HttpLink> link) {
  const auto timer = link->deadline();
  const std::uint32_t interest = link->interest();
  // All that takes memory comes before anything that would have to be undone.
  std::set<std::pair<Clock::time_point, std::uint64_t>> own = {{timer, id}};
  std::size_t& count = addresses_[link->address()];
  HttpLink& added = *(links_[id] = Entry{std::move(link), interest, timer}).link;
  timers_.merge(own);
  ++count;
  return added;
}

void HttpLinks::remove(std::uint64_t id) {
  const auto at = links_.find(id);
  timers_.erase({at->second.timer, id});
  const auto count = addresses_.find(at->second.link->address());
  if (--count->second == 0) {
    addresses_.erase(count);
  }
  links_.erase(at);
}

HttpLink* HttpLinks::find(std::uint64_t id) const {
  const auto at = links_.find(id);
  return at == links_.end() ? nullptr : at->second.link.get();
}

bool HttpLinks::settle(std::uint64_t id) {
  Entry& entry = links_.at(id);
  if (entry.link->deadline() != entry.timer) {
    if (auto timer = timers_.extract({entry.timer, id})) {  // Moving it takes no memory.
      entry.timer = entry.link->deadline();
      timer.value().first = entry.timer;
      timers_.insert(std::move(timer));
    }
  }
  const std::uint32_t before = std::exchange(entry.interest, entry.link->interest());
  return before != entry.interest;
}

std::size_t HttpLinks::count(const std::string& address) const {
  const auto at = addresses_.find(address);
  return at == addresses_.end() ? 0 : at->second;
}

Clock::time_point HttpLinks::next_deadline() const {
  return timers_.empty() ? Clock::time_point::max() : timers_.begin()->first;
}

std::uint64_t HttpLinks::oldest_spare(const std::string* address) const {
  std::uint64_t oldest = 0;
  auto since = Clock::time_point::max();
  for (const auto& [id, entry] : links_) {
    const HttpLink& link = *entry.link;
    if (link.is_spare() && link.since() < since &&
        (address == nullptr || link.address() == *address)) {
      oldest = id;
      since = link.since();
    }
  }
  return oldest;
}

std::vector<std::uint64_t> HttpLinks::spare() const {
  std::vector<std::uint64_t> ids;
  for (const auto& [id, entry] : links_) {
    if (entry.link->is_spare()) {
      ids.push_back(id);
    }
  }
  return ids;
}

std::vector<std::uint64_t> HttpLinks::all() const {
  std::vector<std::uint64_t> ids;
  for (const auto& [id, entry] : links_) {
    ids.push_back(id);
  }
  return ids;
}

}  // namespace ws::server
