// The manual page, in the macros of man(7).
#include "server/cli/manual_forms.h"

namespace ws::server {
namespace {

/// Text in which roff sees no command, no escape and no hyphen for a minus.
std::string escaped(const std::string& text) {
  std::string made;
  for (const char c : text) {
    made += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  }
  return text.starts_with('.') || text.starts_with('\'') ? "\\&" + made : made;
}

std::string option_text(const ManualOption& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += (names.empty() ? "" : ", ") + ("\\fB" + escaped(name) + "\\fR");
  }
  const std::string value = option.value.empty() ? "" : "\\fI" + escaped(option.value) + "\\fR";
  return ".TP\n" + names + (names.empty() || value.empty() ? "" : " ") + value + "\n" +
         escaped(option.description) + "\n";
}

std::string command_text(const std::string& program, const ManualCommand& command) {
  std::string text = ".SS " + program + " " + command.name;
  for (const ManualOption& argument : command.arguments) {
    text += " " + escaped(argument.value);
  }
  text += "\n" + escaped(command.description) + ".\n";
  for (const ManualOption& argument : command.arguments) {
    text += option_text(argument);
  }
  for (const ManualOption& option : command.options) {
    text += option_text(option);
  }
  return text;
}

constexpr const char* kRest = R"(.SH EXIT STATUS
.TP
0
It did what it was asked to.
.TP
1
It failed, and said why.
.TP
2
The command line is wrong.
.SH ENVIRONMENT
.TP
WARPSMITH_TOKEN
The token of requests over HTTP; \fB\-\-token\-file\fR goes before it.
.TP
WARPSMITH_CUDA, WARPSMITH_HIP
The folders of a CUDA toolkit and of ROCm in unusual places.
.TP
WARPSMITH_PYTHON
The interpreter that has PyTorch or Triton.
.TP
CUDA_VISIBLE_DEVICES, HIP_VISIBLE_DEVICES, VK_DRIVER_FILES
The devices that may be used.
.TP
AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN
The key of \fB\-\-share\-cache\-s3\fR; else AWS_PROFILE names one in AWS_SHARED_CREDENTIALS_FILE.
.SH FILES
.TP
~/.local/share/warpsmith
Problems, kernels and results, and the compile cache; $XDG_DATA_HOME changes it.
.TP
~/.config/warpsmith/transformations
Transformations of your own.
.SH EXAMPLES
.nf
warpsmith doctor
warpsmith demo
warpsmith config claude\-code
warpsmith serve \-\-http 127.0.0.1:7411
.fi
)";

}  // namespace

std::string man_page(const Manual& manual) {
  std::string text = ".TH WARPSMITH 1 \"\" \"" + manual.program + " " + manual.version +
                     "\" \"User Commands\"\n.SH NAME\n" + manual.program +
                     " \\- GPU kernel tools for AI agents\n.SH SYNOPSIS\n.B " + manual.program +
                     "\n.I COMMAND\n[\\fIOPTION\\fR]...\n.SH DESCRIPTION\n" +
                     escaped(manual.description) + ".\n.SH OPTIONS\n";
  for (const ManualOption& option : manual.options) {
    text += option_text(option);
  }
  text += ".SH COMMANDS\n";
  for (const ManualCommand& command : manual.commands) {
    text += command_text(manual.program, command);
  }
  return text + kRest;
}

}  // namespace ws::server
