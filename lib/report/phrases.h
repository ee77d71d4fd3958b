// Numbers for sentences. Rounding never overstates: only all is "100 %" and only nothing is "0 %".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headway {

std::string percent_text(double share);  // 0.9995 -> "99.95 %", 1 -> "100 %", 0.412 -> "41.2 %"
// "99.95 % (95 % interval 99.64 to 99.99 %)"
std::string percent_with_interval(double share, double low, double high);
// A short form for many of them: "99.95 % (99.64–99.99)"
std::string percent_with_bounds(double share, double low, double high);
std::string points_text(double points);  // 67.62 -> "67.6 points", 1 -> "1 point"
// "0.65 points (95 % interval 0.28 to 1.01)"
std::string points_with_interval(double points, double low, double high);
std::string count_text(std::size_t count);                          // 810000 -> "810,000"
std::string counted(std::size_t count, std::string_view singular);  // "1 head", "6 heads"
std::string counted(std::size_t count, std::string_view singular, std::string_view plural);
std::string n_of_m(std::size_t count, std::size_t all, std::string_view plural);  // "6 of 24 heads"
// 0.03214 -> "0.0321", 3 -> "3", 12345.6 -> "12346"
std::string decimal_text(double value, int significant = 3);

// "a", "a and b", "a, b and c"; with more than `most` (0: no limit): "a, b and 3 more".
std::string enumerated(const std::vector<std::string>& words, std::size_t most = 0);

// A Markdown list with an item for each sentence.
std::string bullets(const std::vector<std::string>& sentences);

std::string p_text(double p);  // "p = 0.031", "p < 0.001"

}  // namespace headway
