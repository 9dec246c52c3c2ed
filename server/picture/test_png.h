// A PNG of a palette read back, for tests.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <zlib.h>

namespace ws::server {

struct ReadPng {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::vector<std::uint32_t> palette;           ///< 0xRRGGBB
  std::map<std::uint32_t, std::size_t> pixels;  ///< How many have a colour.
};

inline std::uint32_t big_endian(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value = value << 8U | static_cast<unsigned char>(bytes.at(at + i));
  }
  return value;
}

/// The contents of all chunks by their types, those of one type joined; each checksum is checked.
inline std::map<std::string, std::string> chunks_of(const std::string& png) {
  REQUIRE(png.starts_with("\x89PNG\r\n\x1a\n"));
  std::map<std::string, std::string> chunks;
  for (std::size_t at = 8; at < png.size();) {
    const std::size_t length = big_endian(png, at);
    const std::string body = png.substr(at + 4, length + 4);
    const auto sum =
        crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
    REQUIRE(sum == big_endian(png, at + 8 + length));
    chunks[body.substr(0, 4)] += body.substr(4);
    at += length + 12;
  }
  REQUIRE(chunks.contains("IEND"));
  return chunks;
}

/// @source PNG specification, 2nd edition: palettes of 8 bits, rows without a filter.
inline ReadPng read_png(const std::string& png) {
  const std::map<std::string, std::string> chunks = chunks_of(png);
  const std::string& head = chunks.at("IHDR");
  ReadPng read{big_endian(head, 0), big_endian(head, 4), {}, {}};
  REQUIRE(head.substr(8) == std::string("\x08\x03\0\0\0", 5));
  const std::string& colours = chunks.at("PLTE");
  for (std::size_t at = 0; at + 2 < colours.size(); at += 3) {
    read.palette.push_back(big_endian(std::string(1, 0) + colours.substr(at, 3), 0));
  }
  std::string rows((std::size_t{read.width} + 1) * read.height, '\0');
  uLongf size = rows.size();
  const std::string& data = chunks.at("IDAT");
  REQUIRE(uncompress(reinterpret_cast<Bytef*>(rows.data()), &size,
                     reinterpret_cast<const Bytef*>(data.data()), data.size()) == Z_OK);
  REQUIRE(size == rows.size());
  for (std::size_t row = 0; row < read.height; ++row) {
    const std::size_t from = row * (std::size_t{read.width} + 1);
    REQUIRE(rows[from] == 0);
    for (std::size_t column = 1; column <= read.width; ++column) {
      ++read.pixels[read.palette.at(static_cast<unsigned char>(rows[from + column]))];
    }
  }
  return read;
}

}  // namespace ws::server
