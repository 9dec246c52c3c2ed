// `warpsmith config`: the settings of clients, whole, and what stays of a file that is there.
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "runtime/archive/store/test_folder.h"
#include "runtime/base/files.h"
#include "server/cli/client_settings.h"
#include "server/cli/json_member.h"
#include "server/cli/toml_table.h"
#include "tests/support/child.h"

namespace ws {
namespace {

namespace fs = std::filesystem;

struct Ended {
  int status = -1;
  std::string out;
  std::string err;
};

/// A home for clients, empty at first.
class Home {
 public:
  Ended config(std::vector<std::string> words, const std::string& input = "") {
    words.insert(words.begin(), {"-u", "CLAUDE_CONFIG_DIR", "-u", "CODEX_HOME", "-u",
                                 "XDG_CONFIG_HOME", "HOME=" + folder_.path().string(),
                                 std::string(WS_BINARY_DIR) + "/warpsmith", "config"});
    return run("/usr/bin/env", words, input);
  }

  /// As config() at a terminal, where the user types `input`.
  Ended config_at_terminal(const std::string& client, const std::string& input) {
    const std::string command = "HOME=" + folder_.path().string() + " " + WS_BINARY_DIR +
                                "/warpsmith config " + client + " 2>&1";
    return run("/usr/bin/script", {"-qec", command, "/dev/null"}, input);
  }

  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_.path() / name).string();
  }

  void put(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    REQUIRE(write_file(path(name), text).has_value());
  }

  [[nodiscard]] std::string text(const std::string& name) const {
    return read_file(path(name)).value_or("(no file)");
  }

 private:
  static Ended run(const char* program, const std::vector<std::string>& words,
                   const std::string& input) {
    Child child(fs::relative(program, WS_BINARY_DIR).string(), words);
    child.write(input);
    if (input.empty()) {
      child.close_input();
    }
    Ended ended;
    ended.out = child.rest();
    ended.err = child.errors();
    ended.status = child.wait(std::chrono::seconds(10)).value_or(-1);
    return ended;
  }

  TestFolder folder_;
};

std::string stdio_lines(const std::string& indent) {
  return indent + "\"command\": \"" + WS_BINARY_DIR + "/warpsmith\",\n" + indent + "\"args\": [\n" +
         indent + "  \"serve\",\n" + indent + "  \"--stdio\"\n" + indent + "]\n";
}

struct SettingsCase {
  const char* client;
  const char* stdio;
  const char* http;  ///< With a token.
};

constexpr SettingsCase kSettings[] = {
    {"claude-code",
     R"({
  "mcpServers": {
    "warpsmith": {
      "type": "stdio",
      "command": "/opt/it's here/warpsmith",
      "args": [
        "serve",
        "--stdio"
      ]
    }
  }
}
)",
     R"({
  "mcpServers": {
    "warpsmith": {
      "type": "http",
      "url": "http://gpu:7411/mcp",
      "headers": {
        "Authorization": "Bearer ${WARPSMITH_TOKEN}"
      }
    }
  }
}
)"},
    {"cursor",
     R"({
  "mcpServers": {
    "warpsmith": {
      "command": "/opt/it's here/warpsmith",
      "args": [
        "serve",
        "--stdio"
      ]
    }
  }
}
)",
     R"({
  "mcpServers": {
    "warpsmith": {
      "url": "http://gpu:7411/mcp",
      "headers": {
        "Authorization": "Bearer ${env:WARPSMITH_TOKEN}"
      }
    }
  }
}
)"},
    {"vscode",
     R"({
  "servers": {
    "warpsmith": {
      "type": "stdio",
      "command": "/opt/it's here/warpsmith",
      "args": [
        "serve",
        "--stdio"
      ]
    }
  }
}
)",
     R"({
  "servers": {
    "warpsmith": {
      "type": "http",
      "url": "http://gpu:7411/mcp",
      "headers": {
        "Authorization": "Bearer ${env:WARPSMITH_TOKEN}"
      }
    }
  }
}
)"},
    {"codex",
     R"([mcp_servers.warpsmith]
command = "/opt/it's here/warpsmith"
args = ["serve", "--stdio"]
)",
     R"([mcp_servers.warpsmith]
url = "http://gpu:7411/mcp"
bearer_token_env_var = "WARPSMITH_TOKEN"
)"},
    {"gemini-cli",
     R"({
  "mcpServers": {
    "warpsmith": {
      "command": "/opt/it's here/warpsmith",
      "args": [
        "serve",
        "--stdio"
      ]
    }
  }
}
)",
     R"({
  "mcpServers": {
    "warpsmith": {
      "httpUrl": "http://gpu:7411/mcp",
      "headers": {
        "Authorization": "Bearer ${WARPSMITH_TOKEN}"
      }
    }
  }
}
)"},
    {"claude-desktop",
     R"({
  "mcpServers": {
    "warpsmith": {
      "command": "/opt/it's here/warpsmith",
      "args": [
        "serve",
        "--stdio"
      ]
    }
  }
}
)",
     "unsupported: Claude Desktop reaches a server over HTTP by its own menus only; leave out "
     "--http: then it starts the server itself"},
};

std::string text_or_error(const Result<std::string>& result) {
  return result ? *result : to_text(result.error());
}

struct MergeCase {
  const char* name;
  const char* present;
  const char* merged;
};

constexpr MergeCase kJsonMerges[] = {
    {"other servers, comments and odd numbers stay as they are",
     "// mine {\n{\n\t\"a\": 1.50, // half\n\t\"servers\": {\n\t\t\"other\": {\"url\": \"x\"} // "
     "no "
     "comma }\n\t},\n\t\"z\": \"\\u0041\"\n}\n",
     "// mine {\n{\n\t\"a\": 1.50, // half\n\t\"servers\": {\n\t\t\"other\": {\"url\": \"x\"}, // "
     "no comma }\n\t\t\"ws\": {\n\t\t\t\"k\": 1\n\t\t}\n\t},\n\t\"z\": \"\\u0041\"\n}\n"},
    {"an entry of that name is replaced", R"({"servers": {"ws": {"old": [1, "]"]}, "b": 2}})",
     "{\"servers\": {\"ws\": {\n      \"k\": 1\n    }, \"b\": 2}}"},
    {"an object on one line is opened", R"({"servers": {}, "b": {}})",
     "{\"servers\": {\n    \"ws\": {\n      \"k\": 1\n    }\n  }, \"b\": {}}"},
    {"no servers yet, and lines end as on Windows", "{\r\n    \"b\": true\r\n}\r\n",
     "{\r\n    \"b\": true,\r\n    \"servers\": {\r\n        \"ws\": {\r\n            \"k\": "
     "1\r\n        }\r\n    }\r\n}\r\n"},
    {"broken", "{\"servers\": {\"a\": 1,}}",
     "invalid_argument: it is not JSON: error at byte 21; mend it, or add the lines by hand"},
    {"cut off", "{\"servers\": {",
     "invalid_argument: it is not JSON: error at byte 14; mend it, or add the lines by hand"},
    {"no number", "{\"a\": 1e999}",
     "invalid_argument: it holds a number that is too large; mend it, or add the lines by hand"},
    {"a list", "[]",
     "invalid_argument: it is not a JSON object; mend it, or add the lines by hand"},
    {"servers that are none", R"({"servers": []})",
     "invalid_argument: its \"servers\" is not an object; mend it, or add the lines by hand"},
    {"twice", R"({"servers": {}, "servers": {}})",
     "invalid_argument: it holds \"servers\" twice; mend it, or add the lines by hand"},
};

constexpr MergeCase kTomlMerges[] = {
    {"it goes to the end, and all else stays",
     "model = \"x\" # [a]\n\n[mcp_servers.other]\nargs = [\"#\", # one\n  '''a\n]''']",
     "model = \"x\" # [a]\n\n[mcp_servers.other]\nargs = [\"#\", # one\n  '''a\n]''']\n\n"
     "[mcp_servers.ws]\nk = 1\n"},
    {"a table of that name is replaced, with those below it",
     "[mcp_servers.\"ws\"] # mine\nold = 1\n[mcp_servers.ws.env]\nA = \"b\"\n\n# the next\n[c]\nd "
     "= 2\n",
     "[mcp_servers.ws]\nk = 1\n# the next\n[c]\nd = 2\n"},
    {"a string that is not closed", "a = 1\nb = \"x\n",
     "invalid_argument: it is not TOML: line 2: a string is not closed; mend it, or add the lines "
     "by hand"},
    {"a bracket that is not closed", "a = [1,\n",
     "invalid_argument: it is not TOML: line 2: a "
     "bracket is not closed; mend it, or add the lines by hand"},
    {"no value", "a = 1\nb =\n",
     "invalid_argument: it is not TOML: line 2: the value is missing; "
     "mend it, or add the lines by hand"},
    {"JSON", "{\"a\": 1}",
     "invalid_argument: it is not TOML: line 1: expected `key = value` or "
     "`[table]`; mend it, or add the lines by hand"},
    {"an inline table", "[mcp_servers]\nws = {k = 2}\n",
     "invalid_argument: line 2 sets mcp_servers.ws in another form than [mcp_servers.ws]; change "
     "that line by hand"},
};

}  // namespace

TEST_SUITE("config") {
  TEST_CASE("each client gets its own form, over stdio and over HTTP") {
    for (const SettingsCase& c : kSettings) {
      CAPTURE(c.client);
      const server::ClientLink stdio{"/opt/it's here/warpsmith", "", false};
      const server::ClientLink http{"/opt/warpsmith", "http://gpu:7411/mcp", true};
      CHECK(text_or_error(server::client_settings(c.client, stdio, "")) == c.stdio);
      CHECK(text_or_error(server::client_settings(c.client, http, "")) == c.http);
    }
    CHECK(std::size(kSettings) == server::client_words().size());
  }

  TEST_CASE("an entry is put into JSON that is there, and broken JSON is left alone") {
    for (const MergeCase& c : kJsonMerges) {
      CAPTURE(c.name);
      CHECK(text_or_error(server::put_json_member(c.present, "servers", "ws", {{"k", 1}})) ==
            c.merged);
    }
  }

  TEST_CASE("a table is put into TOML that is there, and broken TOML is left alone") {
    for (const MergeCase& c : kTomlMerges) {
      CAPTURE(c.name);
      CHECK(text_or_error(server::put_toml_table(c.present, "mcp_servers", "ws", {"k = 1"})) ==
            c.merged);
    }
  }

  TEST_CASE("nothing is written unless the user says so") {
    Home home;
    const Ended printed = home.config({"cursor"});
    CHECK(printed.status == 0);
    CHECK(printed.out == "{\n  \"mcpServers\": {\n    \"warpsmith\": {\n" + stdio_lines("      ") +
                             "    }\n  }\n}\n");
    CHECK(printed.err == "nothing was written: add --yes to put this into " +
                             home.path(".cursor/mcp.json") + "\n");
    CHECK(home.config_at_terminal("cursor", "n\n").status == 0);
    CHECK(home.text(".cursor/mcp.json") == "(no file)");
    const Ended asked = home.config_at_terminal("cursor", "y\n");
    CHECK(asked.out.find("Write this into " + home.path(".cursor/mcp.json") + "? [y/N] ") !=
          std::string::npos);
    CHECK(home.text(".cursor/mcp.json") == printed.out);
  }

  TEST_CASE("a file that is there keeps its mode and what it links to, and is written once") {
    Home home;
    home.put("dotfiles/config.toml", "model = \"x\"\n");
    fs::create_directories(home.path(".codex"));
    fs::create_symlink("../dotfiles/config.toml", home.path(".codex/config.toml"));
    constexpr mode_t kMode = 0640;
    REQUIRE(::chmod(home.path("dotfiles/config.toml").c_str(), kMode) == 0);
    const std::vector<std::string> words = {"codex", "--http", "http://127.0.0.1:7411/mcp",
                                            "--yes"};
    const Ended written = home.config(words);
    CHECK(written.status == 0);
    CHECK(written.err ==
          "written into " + home.path(".codex/config.toml") + "; start Codex again\n");
    CHECK(home.text("dotfiles/config.toml") ==
          "model = \"x\"\n\n[mcp_servers.warpsmith]\nurl = \"http://127.0.0.1:7411/mcp\"\n");
    CHECK(fs::is_symlink(home.path(".codex/config.toml")));
    CHECK((fs::status(home.path("dotfiles/config.toml")).permissions() & fs::perms::mask) ==
          fs::perms(kMode));
    CHECK(home.config(words).err == home.path(".codex/config.toml") + " has these lines already\n");
  }

  TEST_CASE("a file that cannot be read as settings is left as it is") {
    Home home;
    home.put(".claude.json", "{\"mcpServers\": ");
    const Ended broken = home.config({"claude-code", "--yes"});
    CHECK(broken.status == 1);
    CHECK(broken.err == "invalid_argument: " + home.path(".claude.json") +
                            ": it is not JSON: error at byte 16; mend it, or add the lines by "
                            "hand\n");
    CHECK(home.text(".claude.json") == "{\"mcpServers\": ");
  }

  TEST_CASE("usage errors name what is wrong") {
    Home home;
    const Ended client = home.config({"emacs"});
    CHECK(client.status == 2);
    CHECK(client.err ==
          "CLIENT: emacs not in {claude-code,cursor,vscode,codex,gemini-cli,claude-desktop}\n"
          "Run with --help for more information.\n");
    const Ended url = home.config({"cursor", "--http", "localhost:7411"});
    CHECK(url.status == 2);
    CHECK(url.err ==
          "--http: not a URL such as http://127.0.0.1:7411/mcp: localhost:7411\n"
          "Run with --help for more information.\n");
    CHECK(home.config({"cursor", "--token"}).status == 2);
  }
}

}  // namespace ws
