// Kernels as words: what is indexed of them, and what a client's query asks for. Words are runs of
// ASCII letters, digits and other languages' bytes, in lower case; nothing in one is syntax.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ws {

/// The words of a text in order, each once; at most `most`, of at most 40 bytes.
/// `tmaLoad_x4` gives `tmaload`, `x4`, `tma` and `load`.
std::vector<std::string> words_of(std::string_view text, std::size_t most);

/// The words of the names in device source: not of its comments, texts and numbers.
std::vector<std::string> source_words(std::string_view source, std::size_t most);

}  // namespace ws
