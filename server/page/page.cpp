#include "server/page/page.h"

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/base/hash.h"
#include "runtime/base/text.h"
#include "runtime/compile/store.h"
#include "runtime/lineage/kernel_page.h"
#include "server/page/hidden_marks.h"
#include "server/page/page_assets.h"
#include "server/page/page_jobs.h"
#include "server/page/page_query.h"
#include "server/page/plain_job.h"
#include "server/page/plain_page.h"
#include "server/page/plain_source.h"
#include "server/transport/operator_pages.h"

namespace ws::server {
namespace {

constexpr int kNotModified = 304;
constexpr int kNotFound = 404;
constexpr std::string_view kDataFolder = "/page/data/";
constexpr std::string_view kPlainFolder = "/page/plain";

constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src "
    "'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'";
/// A page without scripts has its style in itself.
constexpr const char* kPlainPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; "
    "form-action 'none'";

HttpReply guarded(HttpReply reply, const char* cache, const char* policy = kPolicy) {
  reply.headers.emplace_back("Content-Security-Policy", policy);
  reply.headers.emplace_back("X-Content-Type-Options", "nosniff");
  reply.headers.emplace_back("Referrer-Policy", "no-referrer");
  reply.headers.emplace_back("Cross-Origin-Resource-Policy", "same-origin");
  reply.headers.emplace_back("Cache-Control", cache);
  return reply;
}

std::string_view type_of_asset(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kTypes = {
      {{".html", "text/html; charset=utf-8"},
       {".js", "text/javascript; charset=utf-8"},
       {".css", "text/css; charset=utf-8"},
       {".svg", "image/svg+xml"}}};
  for (const auto& [end, type] : kTypes) {
    if (name.ends_with(end)) {
      return type;
    }
  }
  return "text/plain; charset=utf-8";
}

HttpReply json_page(int status, const Json& body) {
  return guarded({.status = status, .body = to_line(body)}, "no-store");
}

/// The head of a stream of events. Proxies hold back what they do not know to be one.
HttpReply stream_head() {
  HttpReply head = guarded({.content_type = "text/event-stream"}, "no-store");
  head.headers.emplace_back("X-Accel-Buffering", "no");
  return head;
}

HttpReply error_page(const Error& error) {
  return json_page(status_of_error(error), {{"error", to_text(error)}});
}

/// A weak tag, as the same text may be sent packed or not.
std::string tag_of(std::string_view text) {
  return "W/\"" + short_hash(text) + "\"";
}

/// Whether the tags that a browser holds have this one. @source RFC 9110, sections 8.8.3.2, 13.1.2.
bool holds_tag(std::string_view held, std::string_view tag) {
  const auto opaque = [](std::string_view one) {
    return one.substr(one.starts_with("W/") ? 2 : 0);
  };
  while (!held.empty()) {
    const std::size_t comma = std::min(held.find(','), held.size());
    const std::string_view one = trimmed(held.substr(0, comma));
    if (one == "*" || opaque(one) == opaque(tag)) {
      return true;
    }
    held.remove_prefix(std::min(comma + 1, held.size()));
  }
  return false;
}

/// A browser asks again each time, and gets only a word that nothing has changed.
HttpReply asset_reply(const HttpHead& head, std::string_view name) {
  const std::string_view text = page_asset(name);
  if (text.empty()) {
    return json_page(kNotFound, {{"error", "not_found: the page has no such part"}});
  }
  const std::string tag = tag_of(text);
  HttpReply reply{.content_type = std::string(type_of_asset(name))};
  if (holds_tag(head.header("if-none-match").value_or(""), tag)) {
    reply.status = kNotModified;
  } else {
    reply.body = text;
  }
  reply.headers.emplace_back("ETag", tag);
  return guarded(std::move(reply), "no-cache");
}

}  // namespace

Page::Page(Archive& archive, const std::filesystem::path& folder,
           std::unique_ptr<ArchiveListing> listing, std::unique_ptr<LineStore> lines,
           RunningServer running)
    : archive_(archive),
      listing_(std::move(listing)),
      lines_(std::move(lines)),
      cache_(folder / kStoreFolder, bool(running.devices)),
      data_(*listing_, running),
      streams_(running.wait_for_change ? std::make_unique<WorkStreams>(std::move(running))
                                       : nullptr) {}

Result<std::unique_ptr<Page>> Page::open(Archive& archive, const ArchivePlace& place,
                                         RunningServer running) {
  WS_TRY(auto listing, ArchiveListing::open(place));
  WS_TRY(auto lines, LineStore::open(place));
  return std::unique_ptr<Page>(
      new Page(archive, place.folder, std::move(listing), std::move(lines), std::move(running)));
}

HttpReply Page::reply(const HttpHead& head) {
  if (head.path == kPagePath) {
    return asset_reply(head, "index.html");
  }
  if (head.path.starts_with(kPageAssets)) {
    return asset_reply(head,
                       std::string_view(head.path).substr(std::string_view(kPageAssets).size()));
  }
  if (head.path == kPageEvents && streams_) {
    return stream_head();
  }
  return head.path.starts_with(kPlainFolder) ? plain(head) : data(head);
}

int Page::follow(const HttpHead& head, const std::shared_ptr<HttpResponder>& responder,
                 const std::stop_token& gone) {
  const std::string principal = head.principal ? head.principal->name : std::string();
  HttpReply begun = stream_head();
  const int status = begun.status;
  const Status opened = streams_->open(principal, std::move(begun), responder, gone);
  if (opened) {
    return status;
  }
  HttpReply refusal = error_page(opened.error());
  const int refused = refusal.status;
  refusal.headers.emplace_back("Retry-After", kRetryAfter);
  responder->reply(std::move(refusal));
  return refused;
}

Result<Json> Page::answer_to(const PageQuestion& question) {
  const std::vector<std::string>& parts = question.parts;
  if (parts.size() == 1 && parts[0] == "cache") {
    return cache_.form();
  }
  return parts.size() == 2 && parts[0] == "job" ? job_form(*listing_, parts[1])
                                                : data_.answer(question);
}

HttpReply Page::data(const HttpHead& head) {
  PageQuestion question;
  if (head.path.starts_with(kDataFolder)) {
    question.parts = path_parts(std::string_view(head.path).substr(kDataFolder.size()));
    question.query = query_values(head.query);
  }
  const Result<Json> answer = answer_to(question);
  return answer ? json_page(200, *answer) : error_page(answer.error());
}

Result<std::string> Page::plain_text(const std::vector<std::string>& parts, const HttpHead& head) {
  const std::string what = parts.empty() ? "" : parts[0];
  if (parts.size() == 2 && what == "kernel") {
    return kernel_page(archive_, *lines_, parts[1], {});
  }
  if ((parts.size() == 2 || parts.size() == 3) && what == "source") {
    return plain_source(*listing_, parts[1], parts.size() == 3 ? parts[2] : "");
  }
  if (parts.size() == 1 && what == "cache") {
    WS_TRY(const Json look, cache_.form());
    return plain_cache(look);
  }
  if (parts.size() == 2 && what == "job") {
    WS_TRY(const Json job, job_form(*listing_, parts[1]));
    return plain_job(job);
  }
  return plain_list(*listing_, parts, query_values(head.query));
}

HttpReply Page::plain(const HttpHead& head) {
  const auto parts = path_parts(std::string_view(head.path).substr(kPlainFolder.size()));
  const Result<std::string> text = plain_text(parts, head);
  return text ? guarded(
                    {.content_type = "text/html; charset=utf-8", .body = hidden_marks_shown(*text)},
                    "no-store", kPlainPolicy)
              : error_page(text.error());
}

}  // namespace ws::server
