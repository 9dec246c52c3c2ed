// Numbers as people read them.
#pragma once

#include <string>

namespace ws {

/// Four significant digits: a measured number has no more. 0 for what is not finite.
double rounded(double value);

/// With so many digits after the point, whatever the locale: "12.30".
std::string fixed_digits(double value, int digits);

/// With at most so many significant digits, whatever the locale: "12.3", "1.23e+04".
std::string significant_digits(double value, int digits);

/// Three significant digits: "12.3", "1.23e+04".
std::string three_digits(double value);

}  // namespace ws
