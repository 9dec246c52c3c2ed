#include "server/page/page_server.h"

#include <cerrno>
#include <optional>
#include <thread>
#include <utility>

#include <poll.h>

#include "server/protocol/request_log.h"
#include "server/transport/growing_pool.h"
#include "server/transport/http_checks.h"
#include "server/transport/operator_pages.h"

namespace ws::server {
namespace {

constexpr const char* kBusyPage = "busy: too many requests are queued; try again";

HttpReply page_refusal(int status, const std::string& message) {
  return {.status = status, .body = to_line(Json{{"error", message}})};
}

std::optional<HttpReply> screen_page_request(HttpHead& head, const HttpAccess& access) {
  const std::optional<HttpRefusal> refusal = screen_request(head, access);
  constexpr int kForeign = 403;
  constexpr int kNowhere = 404;
  const bool foreign = refusal && refusal->status == kForeign;
  if (!is_page_path(head.path) && !foreign) {
    return page_refusal(kNowhere, "there is nothing here; the page is at /");
  }
  if (!refusal) {
    return {};
  }
  HttpReply reply = page_refusal(refusal->status, refusal->message);
  if (!refusal->allow.empty()) {
    reply.headers.emplace_back("Allow", refusal->allow);
  }
  return reply;
}

}  // namespace

struct PageServer::State {
  explicit State(Page& own)
      : page(own) {}

  std::function<void()> serve(HttpRequest request,
                              const std::shared_ptr<HttpResponder>& responder) {
    const auto asked = std::make_shared<const HttpRequest>(std::move(request));
    if (!pool.submit([this, asked, responder] {
          HttpReply reply = page.reply(asked->head);
          log_page({.client = asked->head.address}, asked->head.method, asked->head.path,
                   reply.status);
          responder->reply(std::move(reply));
        })) {
      constexpr int kUnavailable = 503;
      responder->reply(page_refusal(kUnavailable, kBusyPage));
    }
    return {};
  }

  Page& page;
  std::unique_ptr<HttpServer> http;
  GrowingPool pool{GrowingPool::Options{}};  ///< The first to go: its tasks use the rest.
};

PageServer::PageServer(std::unique_ptr<State> state)
    : state_(std::move(state)) {}

PageServer::~PageServer() = default;

Result<std::unique_ptr<PageServer>> PageServer::open(Page& page, const ListenAddress& address) {
  auto state = std::make_unique<State>(page);
  WS_TRY(std::shared_ptr<const Principals> nobody, Principals::open({}, {}));
  const HttpAccess access{.gate = std::make_shared<Gate>(std::move(nobody)),
                          .has_page = is_page_path};
  HttpHandlers handlers;
  handlers.screen = [access](HttpHead& head) { return screen_page_request(head, access); };
  handlers.serve = [own = state.get()](HttpRequest request,
                                       const std::shared_ptr<HttpResponder>& responder) {
    return own->serve(std::move(request), responder);
  };
  handlers.refuse = [](const std::string& /*address*/, int status, const std::string& message) {
    return page_refusal(status, message);
  };
  WS_TRY(state->http, bind_http({.address = address}, std::move(handlers)));
  return std::unique_ptr<PageServer>(new PageServer(std::move(state)));
}

int PageServer::port() const {
  return state_->http->port();
}

void PageServer::run(int stop_fd) {
  std::thread serving([this] { state_->http->run(); });
  pollfd wait{stop_fd, POLLIN, 0};
  while (::poll(&wait, 1, -1) < 0 && errno == EINTR) {
  }
  state_->http->stop();
  serving.join();
}

}  // namespace ws::server
