// Completions of the shells.
#include "server/cli/manual_forms.h"

namespace ws::server {
namespace {

/// Within single quotes of bash and zsh.
std::string shell_quoted(const std::string& text) {
  std::string made = "'";
  for (const char c : text) {
    made += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return made + "'";
}

/// Within single quotes of fish, which knows escapes there.
std::string fish_quoted(const std::string& text) {
  std::string made = "'";
  for (const char c : text) {
    made += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  }
  return made + "'";
}

std::string option_words(const std::vector<ManualOption>& options) {
  std::string words;
  for (const ManualOption& option : options) {
    for (const std::string& name : option.names) {
      words += (words.empty() ? "" : " ") + name;
    }
  }
  return words;
}

/// Within the brackets and colons of zsh's _arguments.
std::string zsh_escaped(const std::string& text) {
  std::string made;
  for (const char c : text) {
    made += c == '[' || c == ']' || c == ':' ? std::string("\\") + c : std::string(1, c);
  }
  return made;
}

std::string zsh_options(const std::vector<ManualOption>& options, const std::string& indent) {
  std::string text;
  for (const ManualOption& option : options) {
    for (const std::string& name : option.names) {
      const std::string value =
          option.value.empty() ? "" : ":" + zsh_escaped(option.value) + ":_files";
      text += " \\\n" + indent +
              shell_quoted(name + "[" + zsh_escaped(option.description) + "]" + value);
    }
  }
  return text;
}

}  // namespace

std::string bash_completion(const Manual& manual) {
  std::string commands;
  std::string cases;
  for (const ManualCommand& command : manual.commands) {
    commands += (commands.empty() ? "" : " ") + command.name;
    cases += "    " + command.name + ") words='" + option_words(command.options) + "' ;;\n";
  }
  const std::string function = "_" + manual.program;
  return "# bash completion of " + manual.program + "\n" + function + "() {\n" +
         "  local now=${COMP_WORDS[COMP_CWORD]} words\n"
         "  COMPREPLY=()\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
         "    words='" +
         commands + " " + option_words(manual.options) +
         "'\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$now\"))\n"
         "    return\n"
         "  fi\n"
         "  case ${COMP_WORDS[1]} in\n" +
         cases +
         "  esac\n"
         "  case $now in\n"
         "    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$now\")) ;;\n"
         "  esac\n"
         "}\n"
         "complete -o default -F " +
         function + " " + manual.program + "\n";
}

std::string zsh_completion(const Manual& manual) {
  std::string commands;
  std::string cases;
  for (const ManualCommand& command : manual.commands) {
    commands += "    " + shell_quoted(command.name + ":" + command.description) + "\n";
    cases += "    " + command.name + ")\n      _arguments" +
             zsh_options(command.options, "        ") + " \\\n        '*:file:_files'\n      ;;\n";
  }
  return "#compdef " + manual.program + "\n_" + manual.program +
         "() {\n"
         "  local -a commands\n"
         "  commands=(\n" +
         commands +
         "  )\n"
         "  if (( CURRENT == 2 )); then\n"
         "    _describe command commands\n"
         "    return\n"
         "  fi\n"
         "  local command=${words[2]}\n"
         "  shift words\n"
         "  (( CURRENT-- ))\n"
         "  case $command in\n" +
         cases +
         "  esac\n"
         "}\n"
         "_" +
         manual.program + " \"$@\"\n";
}

std::string fish_completion(const Manual& manual) {
  std::string text = "# fish completion of " + manual.program + "\n";
  const std::string start = "complete -c " + manual.program;
  for (const ManualCommand& command : manual.commands) {
    text += start + " -n __fish_use_subcommand -a " + command.name + " -d " +
            fish_quoted(command.description) + "\n";
    for (const ManualOption& option : command.options) {
      text += start + " -n '__fish_seen_subcommand_from " + command.name + "'";
      for (const std::string& name : option.names) {
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      text += std::string(option.value.empty() ? "" : " -r") + " -d " +
              fish_quoted(option.description) + "\n";
    }
  }
  return text;
}

}  // namespace ws::server
