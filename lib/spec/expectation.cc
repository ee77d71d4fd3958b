#include "lib/spec/expectation.h"

#include <fmt/format.h>

#include <utility>

#include "lib/base/text.h"
#include "lib/spec/yaml.h"

namespace headway {
namespace {

// Two-letter signs first: ">=" begins with ">".
constexpr std::pair<std::string_view, Relation> kSigns[] = {
    {"<=", Relation::kLessEqual}, {">=", Relation::kGreaterEqual}, {"==", Relation::kEqual},
    {"!=", Relation::kNotEqual},  {"<", Relation::kLess},          {">", Relation::kGreater},
};

std::optional<Expectation> parse_one(const std::string& metric, const Value& value,
                                     const std::string& subject, Diagnostics& diagnostics) {
  Expectation expectation{metric, Relation::kEqual, to_json(value), value.location};
  const std::string* text = value.text();
  if (text) {
    for (const auto& [sign, comparison] : kSigns) {
      if (!text->starts_with(sign)) continue;
      const Value bound = plain_scalar(
          std::string(trim(std::string_view(*text).substr(sign.size()))), value.location);
      expectation.comparison = comparison;
      expectation.value = to_json(bound);
      const bool orders = comparison != Relation::kEqual && comparison != Relation::kNotEqual;
      if (bound.is_null() || (orders && !expectation.value.is_number())) {
        diagnostics.add(value.location, fmt::format("{}: expected a number after '{}' in '{}'",
                                                    subject, sign, printable(*text)));
        return std::nullopt;
      }
      return expectation;
    }
  }
  if (text && !text->empty() &&
      std::string_view("=<>!~").find((*text)[0]) != std::string_view::npos) {
    diagnostics.add(value.location,
                    fmt::format("{}: '{}' is no comparison; use <, <=, ==, !=, >= or >", subject,
                                printable(*text)));
    return std::nullopt;
  }
  if (!value.is_scalar() || value.is_null()) {
    diagnostics.add(value.location,
                    fmt::format("{}: an expectation is a comparison such as '>= 0.99', got {}",
                                subject, value.describe()));
    return std::nullopt;
  }
  return expectation;
}

const Json* find_metric(const Json& metrics, const std::string& path) {
  if (metrics.is_object() && metrics.contains(path))
    return &metrics.at(path);  // a name with dots in it
  const Json* value = &metrics;
  for (const std::string& part : split(path, '.')) {
    if (!value->is_object() || !value->contains(part)) return nullptr;
    value = &value->at(part);
  }
  return value;
}

bool holds(Relation comparison, const Json& actual, const Json& bound) {
  switch (comparison) {
    case Relation::kEqual:
      return actual == bound;
    case Relation::kNotEqual:
      return actual != bound;
    case Relation::kLess:
      return actual.is_number() && actual.get<double>() < bound.get<double>();
    case Relation::kLessEqual:
      return actual.is_number() && actual.get<double>() <= bound.get<double>();
    case Relation::kGreater:
      return actual.is_number() && actual.get<double>() > bound.get<double>();
    case Relation::kGreaterEqual:
      return actual.is_number() && actual.get<double>() >= bound.get<double>();
  }
  return false;
}

}  // namespace

std::string Expectation::text() const {
  std::string sign;
  for (const auto& [text, kind] : kSigns) {
    if (kind == comparison) sign = text;
  }
  return fmt::format("{} {} {}", printable(metric), sign, excerpt(value));
}

std::vector<Expectation> parse_expectations(const Value& expect, const std::string& subject,
                                            Diagnostics& diagnostics) {
  std::vector<Expectation> expectations;
  if (!expect.map()) {
    diagnostics.add(expect.location,
                    fmt::format("{}: 'expect' is a map from metrics to comparisons, got {}",
                                subject, expect.describe()));
    return expectations;
  }
  for (const MapEntry& entry : *expect.map()) {
    const ValueList single{entry.value};
    for (const Value& value : entry.value.list() ? *entry.value.list() : single) {
      if (auto parsed = parse_one(entry.key, value, subject, diagnostics))
        expectations.push_back(std::move(*parsed));
    }
  }
  return expectations;
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
  if (holds(expectation.comparison, *actual, expectation.value)) return std::nullopt;
  return fmt::format("expected {}, got {}", expectation.text(), excerpt(*actual));
}

}  // namespace headway
