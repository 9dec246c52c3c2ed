// Tests of the document that is shown inside the chat.
#include "server/page/app_page.h"

#include <doctest/doctest.h>

namespace ws::server {

TEST_SUITE("server.page.app") {
  TEST_CASE("modules become one script, each once, behind those that it needs") {
    const std::string script = bundled("tune.js");
    CHECK(script.starts_with(
        "\"use strict\";\nconst modules = {};\nmodules[\"dom.js\"] = (() => {\n"));
    CHECK(script.find("import ") == std::string::npos);
    CHECK(script.find("export ") == std::string::npos);
    CHECK(script.find("modules[\"dom.js\"] = ") == script.rfind("modules[\"dom.js\"] = "));
    CHECK(script.find("const {digits} = modules[\"words.js\"];\n") != std::string::npos);
    CHECK(script.find("modules[\"words.js\"] = ") < script.find("modules[\"tune.js\"] = "));
    CHECK(script.ends_with("return {tunePart};\n})();\n"));
  }

  TEST_CASE("no text of a module ends the script before its end") {
    const std::string& html = result_page();
    CHECK(html.find("</script") == html.rfind("</script"));
    CHECK(html.find("</style") == html.rfind("</style"));
    CHECK(html.find("import {") == std::string::npos);
  }
}

}  // namespace ws::server
