#include "server/transport/request_ids.h"

#include <string>

#include <doctest/doctest.h>

namespace ws::server {

TEST_SUITE("http.request_ids") {
  TEST_CASE("a client's own id is taken where it is a plain word, or a trace; else one is drawn") {
    struct Case {
      const char* name;
      std::string value;
      std::string id;  ///< Empty: it is drawn.
    };

    const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    const Case cases[] = {
        {"x-request-id", "Abc-1.2_3", "Abc-1.2_3"},
        {"x-request-id", std::string(64, 'a'), std::string(64, 'a')},
        {"x-request-id", std::string(65, 'a'), ""},
        {"x-request-id", "", ""},
        {"x-request-id", "a b", ""},
        {"x-request-id", "a\"b", ""},
        {"x-request-id", "caf\xc3\xa9", ""},
        {"traceparent", "00-" + trace + "-00f067aa0ba902b7-01", trace},
        {"traceparent", "00-" + std::string(32, '0') + "-00f067aa0ba902b7-01", ""},
        {"traceparent", "00-" + std::string(32, 'G') + "-00f067aa0ba902b7-01", ""},
        {"traceparent", "00-" + trace, ""},
    };
    for (const Case& one : cases) {
      CAPTURE(one.value);
      HttpHead head;
      head.headers.emplace_back(one.name, one.value);
      const std::string id = request_id_of(head);
      CHECK((one.id.empty() ? id.size() == 16 : id == one.id));
    }
    HttpHead both;
    both.headers = {{"traceparent", "00-" + trace + "-00f067aa0ba902b7-01"},
                    {"x-request-id", "own"}};
    CHECK(request_id_of(both) == "own");
    CHECK(drawn_request_id() != drawn_request_id());
  }

  TEST_CASE("a client's span is the parent of the request's where the request is in its trace") {
    const std::string trace = "00-0af7651916cd43dd8448eb211c80319c-";
    const auto parent = [](std::vector<std::pair<std::string, std::string>> headers) {
      HttpHead head;
      head.headers = std::move(headers);
      return parent_span_of(head);
    };
    CHECK(parent({{"traceparent", trace + "00f067aa0ba902b7-01"}}) == "00f067aa0ba902b7");
    CHECK(
        parent({{"traceparent", trace + "00f067aa0ba902b7-01"}, {"x-request-id", "own"}}).empty());
    CHECK(parent({{"traceparent", trace + std::string(16, '0') + "-01"}}).empty());
    CHECK(parent({{"traceparent", trace + "00F067AA0BA902B7-01"}}).empty());
    CHECK(parent({{"traceparent", trace + "00f067aa0ba902b7"}}).empty());
    CHECK(parent({}).empty());
  }
}

}  // namespace ws::server
