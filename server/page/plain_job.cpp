#include "server/page/plain_job.h"

#include <algorithm>

#include "runtime/lineage/svg.h"
#include "server/page/plain_document.h"

namespace ws::server {
namespace {

constexpr std::size_t kMostWords = 2000;      // Bytes of a sentence,
constexpr std::size_t kMostAnswer = 200'000;  // and of the whole answer.
constexpr std::size_t kMostPlainEvents = 64;

std::string paragraph(const Json& text) {
  return text.is_string() ? "<p>" + svg::escaped(text.get<std::string>(), kMostWords) + "</p>\n"
                          : std::string();
}

/// One part of an event, whatever it is.
std::string event_cell(const Json& part) {
  return "<td>" + svg::escaped(part.is_string()
                                   ? part.get<std::string>()
                                   : part.dump(-1, ' ', true, Json::error_handler_t::replace),
                               kMostWords);
}

/// The name of the worker that an event names by its number.
Json worker_of(const Json& timeline, const Json& event) {
  const Json workers = timeline.value("workers", Json::array());
  const bool known = workers.is_array() && event[0].is_number_unsigned() &&
                     event[0].get<std::size_t>() < workers.size();
  return known ? workers[event[0].get<std::size_t>()] : event[0];
}

std::string timeline_table(const Json& timeline) {
  const Json events = timeline.is_object() ? timeline.value("events", Json()) : Json();
  std::string rows;
  for (std::size_t at = 0; events.is_array() && at < std::min(events.size(), kMostPlainEvents);
       ++at) {
    const Json& event = events[at];
    if (event.is_array() && event.size() == 4) {
      const Json index = at;
      const char* const mark = timeline.value("at", Json()) == index      ? "here it was noticed"
                               : timeline.value("other", Json()) == index ? "with this it conflicts"
                                                                          : "";
      rows += "<tr>" + event_cell(worker_of(timeline, event)) + event_cell(event[1]) +
              event_cell(event[2]) + event_cell(event[3]) + "<td>" + mark + "</tr>\n";
    }
  }
  return rows.empty()
             ? rows
             : "<h2>What came before it</h2>\n<table><tr><th>worker<th>does<th>with<th>line"
               "<th></tr>\n" +
                   rows + "</table>\n";
}

}  // namespace

std::string plain_job(const Json& job) {
  std::string body = "<p>" + svg::escaped(job["id"], kMostWords) + ", " +
                     svg::escaped(job["created_at"], kMostWords) + "</p>\n" +
                     paragraph(job.value("error", Json()));
  const Json output = job.value("output", Json());
  if (output.is_object()) {
    body += paragraph(output.value("summary", Json())) +
            timeline_table(output.value("timeline", Json())) + "<h2>The answer</h2>\n<pre>" +
            svg::escaped(output.dump(-1, ' ', false, Json::error_handler_t::replace), kMostAnswer) +
            "</pre>\n";
  }
  return plain_document(job["tool"].get<std::string>() + ": " + job["status"].get<std::string>(),
                        body);
}

}  // namespace ws::server
