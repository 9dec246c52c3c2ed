#include <doctest/doctest.h>

#include "server/cli/manual_forms.h"

namespace ws::server {
namespace {

Manual small_manual() {
  Manual manual;
  manual.program = "tool";
  manual.version = "1.2";
  manual.description = "Does it";
  manual.options = {{{"-h", "--help"}, "", "Say this"}};
  manual.commands = {{"run",
                      "Run a file, it's quick",
                      {{{}, "FILE", "Its [path]"}},
                      {{{"--out"}, "PATH", "Where to: a folder"}, {{"-v", "--json"}, "", "\\n"}}}};
  return manual;
}

}  // namespace

TEST_SUITE("manual") {
  TEST_CASE("the manual page has every command, option and argument, and no text is a macro") {
    const std::string page = man_page(small_manual());
    CHECK(page.starts_with(".TH WARPSMITH 1 \"\" \"tool 1.2\" \"User Commands\"\n"));
    CHECK(page.find(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nSay this\n") != std::string::npos);
    CHECK(page.find(".SS tool run FILE\nRun a file, it's quick.\n.TP\n\\fIFILE\\fR\nIts [path]\n"
                    ".TP\n\\fB\\-\\-out\\fR \\fIPATH\\fR\nWhere to: a folder\n"
                    ".TP\n\\fB\\-v\\fR, \\fB\\-\\-json\\fR\n\\en\n") != std::string::npos);
    Manual dotted = small_manual();
    dotted.description = ".so /etc/passwd";
    CHECK(man_page(dotted).find("\n\\&.so /etc/passwd.\n") != std::string::npos);
  }

  TEST_CASE("bash completes commands first, then the options of the command") {
    const std::string text = bash_completion(small_manual());
    CHECK(text.find("words='run -h --help'") != std::string::npos);
    CHECK(text.find("    run) words='--out -v --json' ;;\n") != std::string::npos);
    CHECK(text.ends_with("complete -o default -F _tool tool\n"));
  }

  TEST_CASE("zsh shows descriptions, in which brackets and colons are escaped") {
    const std::string text = zsh_completion(small_manual());
    CHECK(text.find("    'run:Run a file, it'\\''s quick'\n") != std::string::npos);
    CHECK(text.find("'--out[Where to\\: a folder]:PATH:_files'") != std::string::npos);
    CHECK(text.find("'-v[\\n]'") != std::string::npos);
  }

  TEST_CASE("fish knows which options take a value") {
    CHECK(fish_completion(small_manual()) ==
          "# fish completion of tool\n"
          "complete -c tool -n __fish_use_subcommand -a run -d 'Run a file, it\\'s quick'\n"
          "complete -c tool -n '__fish_seen_subcommand_from run' -l out -r -d 'Where to: a "
          "folder'\n"
          "complete -c tool -n '__fish_seen_subcommand_from run' -s v -l json -d '\\\\n'\n");
  }
}

}  // namespace ws::server
