// A race or a deadlock: the last events of workers and engines, one below the other, as the page
// draws them in web/timeline.js.
#include <algorithm>
#include <map>
#include <set>

#include "server/picture/parts.h"

namespace ws::server {
namespace {

constexpr std::size_t kMostEvents = 64;
constexpr int kLane = 22;
constexpr std::size_t kMostLanes = 16;

struct DrawnEvent {
  std::size_t worker = 0;
  std::string kind;
  std::string object;
  std::int64_t line = 0;
};

/// An event that begins something, the one that ends it, and the engine that does it; empty: a
/// wait.
struct EventPair {
  const char* begin;
  const char* end;
  const char* engine;
};

constexpr EventPair kEventPairs[] = {
    {"wait", "pass", ""}, {"copy", "copied", "copies"}, {"product", "computed", "products"}};

/// Nothing: they are not as verify_ir writes them.
std::optional<std::vector<DrawnEvent>> events_of(const Json& timeline) {
  std::vector<DrawnEvent> events;
  const std::size_t workers = rows_in(timeline, "workers", kMostEvents).size();
  for (const Json& row : rows_in(timeline, "events", kMostEvents)) {
    const bool sound = row.is_array() && row.size() == 4 && row[0].is_number_integer() &&
                       row[0].get<std::int64_t>() >= 0 && row[0].get<std::size_t>() < workers &&
                       row[1].is_string() && row[2].is_string() && row[3].is_number_integer();
    if (!sound) {
      return std::nullopt;
    }
    events.push_back({row[0].get<std::size_t>(), row[1].get<std::string>(),
                      row[2].get<std::string>(), row[3].get<std::int64_t>()});
  }
  return events;
}

/// The columns: the workers that do something, then the engines, by name.
class Lanes {
 public:
  explicit Lanes(const std::vector<DrawnEvent>& events) {
    for (const DrawnEvent& event : events) {
      workers_.insert(event.worker);
      for (const EventPair& pair : kEventPairs) {
        if (*pair.engine != '\0' && (event.kind == pair.begin || event.kind == pair.end)) {
          engines_.insert(pair.engine);
        }
      }
    }
  }

  [[nodiscard]] std::size_t count() const {
    return std::min(workers_.size() + engines_.size(), kMostLanes);
  }

  [[nodiscard]] double of_worker(std::size_t worker) const {
    return centre(static_cast<std::size_t>(std::distance(workers_.begin(), workers_.find(worker))));
  }

  [[nodiscard]] double of_engine(const std::string& engine) const {
    return centre(workers_.size() +
                  static_cast<std::size_t>(std::distance(engines_.begin(), engines_.find(engine))));
  }

  [[nodiscard]] double of_event(const DrawnEvent& event) const {
    for (const EventPair& pair : kEventPairs) {
      if (*pair.engine != '\0' && event.kind == pair.end) {
        return of_engine(pair.engine);
      }
    }
    return of_worker(event.worker);
  }

 private:
  static double centre(std::size_t column) {
    return kMargin + kLane * (static_cast<double>(std::min(column, kMostLanes - 1)) + 0.5);
  }

  std::set<std::size_t> workers_;
  std::set<std::string> engines_;
};

double row_middle(std::size_t row) {
  return kHeadHeight + (static_cast<double>(row) + 0.5) * kRowHeight;
}

/// The row of the event that ends the one of a row; the number of events: nothing did.
std::size_t end_of(const std::vector<DrawnEvent>& events, std::size_t from, const EventPair& pair) {
  for (std::size_t row = from + 1; row < events.size(); ++row) {
    const bool same = events[row].worker == events[from].worker && events[row].kind == pair.end;
    if (same && (*pair.engine == '\0' || events[row].line == events[from].line)) {
      return row;
    }
  }
  return events.size();
}

void add_spans(Drawing& drawing, const std::vector<DrawnEvent>& events, const Lanes& lanes) {
  for (std::size_t row = 0; row < events.size(); ++row) {
    for (const EventPair& pair : kEventPairs) {
      if (events[row].kind != pair.begin) {
        continue;
      }
      const std::size_t end = end_of(events, row, pair);
      const bool waits = *pair.engine == '\0';
      const double x = waits ? lanes.of_worker(events[row].worker) : lanes.of_engine(pair.engine);
      const Ink ink = waits ? Ink::kOpen : Ink::kLink;
      if (end == events.size()) {
        drawing.dashes(x, row_middle(row), x, row_middle(end), ink);
      } else {
        drawing.line(x, row_middle(row), x, row_middle(end), ink, 4);
      }
    }
  }
}

/// The row that an index of the timeline names; nothing: it names none.
std::optional<std::size_t> marked_row(const Json& timeline, const char* key, std::size_t rows) {
  const std::optional<double> index = number_in(timeline, key);
  return index && *index >= 0 && *index < static_cast<double>(rows)
             ? std::optional(static_cast<std::size_t>(*index))
             : std::nullopt;
}

}  // namespace

std::optional<Drawing> timeline_picture(const Json& output) {
  const Json timeline = output.value("timeline", Json());
  const auto events = events_of(timeline);
  if (!events || events->empty()) {
    return std::nullopt;
  }
  const Lanes lanes(*events);
  const std::vector<Json> workers = rows_in(timeline, "workers", kMostEvents);
  const auto at = marked_row(timeline, "at", events->size());
  const auto other = marked_row(timeline, "other", events->size());
  Drawing drawing(kPictureWidth,
                  kHeadHeight + static_cast<int>(events->size()) * kRowHeight + kMargin);
  add_head(drawing, "What came before: " + text_in(output, "verdict"), output);
  for (std::size_t lane = 0; lane < lanes.count(); ++lane) {
    const double x = kMargin + kLane * (static_cast<double>(lane) + 0.5);
    drawing.line(x, kHeadHeight, x, row_middle(events->size()) - kRowHeight / 2.0, Ink::kLine);
  }
  add_spans(drawing, *events, lanes);
  if (at && other) {
    drawing.line(lanes.of_event((*events)[*other]), row_middle(*other),
                 lanes.of_event((*events)[*at]), row_middle(*at), Ink::kBad, 2);
  }
  const double left = kMargin + kLane * static_cast<double>(lanes.count()) + 8;
  for (std::size_t row = 0; row < events->size(); ++row) {
    const DrawnEvent& event = (*events)[row];
    const bool marked = row == at || row == other;
    drawing.dot(lanes.of_event(event), row_middle(row), marked ? 6 : 4,
                marked ? Ink::kBad : Ink::kText);
    const std::string name = workers[event.worker].is_string()
                                 ? workers[event.worker].get<std::string>()
                                 : std::to_string(event.worker);
    drawing.text(left, row_middle(row) - 6,
                 name + ": " + event.kind + " " + event.object + " (line " +
                     std::to_string(event.line) + ")" +
                     (row == at      ? "  <- here it was noticed"
                      : row == other ? "  <- with this it conflicts"
                                     : ""),
                 kPictureWidth - kMargin - static_cast<int>(left), marked ? Ink::kBad : Ink::kText);
  }
  return drawing;
}

}  // namespace ws::server
