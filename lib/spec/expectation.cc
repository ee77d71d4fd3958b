#include "lib/spec/expectation.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "lib/base/text.h"
#include "lib/spec/yaml.h"

namespace headway {
namespace {

template <class Order>
bool in_order(const Json& actual, const Json& bound) {
  return actual.is_number() && Order()(actual.get<double>(), bound.get<double>());
}

struct Comparison {
  std::string_view sign;
  bool (*holds)(const Json& actual, const Json& bound);
  bool is_of_numbers = true;
};

// Two-letter signs first: ">=" begins with ">".
constexpr Comparison kComparisons[] = {
    {"<=", in_order<std::less_equal<>>},
    {">=", in_order<std::greater_equal<>>},
    {"==", [](const Json& actual, const Json& bound) { return actual == bound; }, false},
    {"!=", [](const Json& actual, const Json& bound) { return actual != bound; }, false},
    {"<", in_order<std::less<>>},
    {">", in_order<std::greater<>>},
};

void parse_one(const std::string& metric, const Value& value, bool warns,
               const std::string& subject, std::vector<Expectation>& expectations,
               Diagnostics& diagnostics) {
  Expectation expectation{metric, "==", to_json(value), value.location, warns};
  const std::string_view text = value.text() ? std::string_view(*value.text()) : "";
  const auto comparison = std::ranges::find_if(
      kComparisons, [&](const Comparison& one) { return text.starts_with(one.sign); });
  if (comparison != std::end(kComparisons)) {
    const std::string_view bound = trim(text.substr(comparison->sign.size()));
    expectation.sign = comparison->sign;
    expectation.value = to_json(plain_scalar(std::string(bound), value.location));
    if (expectation.value.is_null() ||
        (comparison->is_of_numbers && !expectation.value.is_number()))
      return diagnostics.add(value.location, "{}: expected a number after '{}' in '{}'", subject,
                             comparison->sign, printable(text));
  } else if (text.find_first_of("=<>!~") == 0) {
    return diagnostics.add(value.location, "{}: '{}' is no comparison; use <, <=, ==, !=, >= or >",
                           subject, printable(text));
  } else if (!value.is_scalar() || value.is_null()) {
    return diagnostics.add(value.location,
                           "{}: an expectation is a comparison such as '>= 0.99', got {}", subject,
                           value.describe());
  }
  expectations.push_back(std::move(expectation));
}

// {warn: ">= 0.99"}
void parse_warning(const std::string& metric, const Value& warning, const std::string& subject,
                   std::vector<Expectation>& expectations, Diagnostics& diagnostics) {
  if (warning.map()->empty())
    diagnostics.add(warning.location, "{}: this expects nothing of '{}'; 'warn' is missing",
                    subject, printable(metric));
  for (const MapEntry& entry : *warning.map()) {
    if (entry.key != "warn") {
      diagnostics.add(entry.key_location,
                      "{}: an expectation is a comparison such as '>= 0.99', or {{warn: '>= "
                      "0.99'}}; it has no '{}'",
                      subject, printable(entry.key));
      continue;
    }
    for (const Value& value : items_of(entry.value))
      parse_one(metric, value, true, subject, expectations, diagnostics);
  }
}

// A measured number with few digits, but as many as show that the comparison does not hold.
std::string measured_text(const Json& actual, const Comparison& comparison, const Json& bound) {
  if (!actual.is_number_float()) return excerpt(actual);
  for (int digits = 4; digits < 17; ++digits) {
    const std::string text = fmt::format("{:.{}g}", actual.get<double>(), digits);
    const std::optional<Json> rounded = parse_json(text);
    if (rounded && !comparison.holds(*rounded, bound)) return text;
  }
  return excerpt(actual);
}

// Names may have dots ("groups.density.0.5"): the longest is tried first.
const Json* find_metric(const Json& metrics, std::string_view path) {
  if (!metrics.is_object()) return nullptr;
  for (std::size_t end = path.size(); end != std::string_view::npos;
       end = end == 0 ? std::string_view::npos : path.rfind('.', end - 1)) {
    const auto found = metrics.find(std::string(path.substr(0, end)));
    if (found == metrics.end()) continue;
    if (end == path.size()) return &*found;
    if (const Json* inner = find_metric(*found, path.substr(end + 1))) return inner;
  }
  return nullptr;
}

}  // namespace

std::string Expectation::text() const {
  return fmt::format("{} {} {}", printable(metric), sign, excerpt(value));
}

std::vector<Expectation> parse_expectations(const Value& expect, const std::string& subject,
                                            Diagnostics& diagnostics) {
  std::vector<Expectation> expectations;
  if (!expect.map()) {
    diagnostics.add(expect.location, "{}: 'expect' is a map from metrics to comparisons, got {}",
                    subject, expect.describe());
    return expectations;
  }
  for (const MapEntry& entry : *expect.map()) {
    for (const Value& value : items_of(entry.value)) {
      if (value.map())
        parse_warning(entry.key, value, subject, expectations, diagnostics);
      else
        parse_one(entry.key, value, false, subject, expectations, diagnostics);
    }
  }
  return expectations;
}

UnmetExpectations unmet(const std::vector<Expectation>& expectations, const Json& metrics) {
  UnmetExpectations all;
  for (const Expectation& expectation : expectations) {
    const std::optional<std::string> message = unmet(expectation, metrics);
    if (!message) continue;
    std::string& text = expectation.warns ? all.warnings : all.failures;
    text +=
        fmt::format("{}{} ({})", text.empty() ? "" : "; ", *message, expectation.location.text());
  }
  return all;
}

std::optional<std::string> unmet(const Expectation& expectation, const Json& metrics) {
  const Json* actual = find_metric(metrics, expectation.metric);
  if (!actual) {
    std::vector<std::string> names;
    if (metrics.is_object()) {
      for (const auto& [name, value] : metrics.items()) names.push_back(name);
    }
    return fmt::format("expected {}, but there is no metric '{}'{}", expectation.text(),
                       printable(expectation.metric), did_you_mean(expectation.metric, names));
  }
  const auto comparison = std::ranges::find(kComparisons, expectation.sign, &Comparison::sign);
  if (comparison->holds(*actual, expectation.value)) return std::nullopt;
  return fmt::format("expected {}, got {}", expectation.text(),
                     measured_text(*actual, *comparison, expectation.value));
}

}  // namespace headway
