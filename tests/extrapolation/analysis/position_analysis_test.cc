// Measurements of positions whose results are known.
#include "lib/extrapolation/analysis/position_analysis.h"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "lib/numerics/random.h"
#include "tests/nn/tiny_models.h"

namespace headway::testing {
namespace {

constexpr std::int64_t kLength = 40, kTrained = 16;
constexpr PositionRange kInside{0, kTrained}, kBeyond{kTrained, kLength};

Matrix rows_of(std::int64_t rows, std::int64_t columns, auto value) {
  Matrix matrix{rows, columns, {}};
  for (std::int64_t t = 0; t < rows; ++t) {
    for (std::int64_t i = 0; i < columns; ++i) matrix.values.push_back(value(t, i));
  }
  return matrix;
}

Matrix random_rows(std::int64_t rows, std::int64_t columns) {
  RandomStream random(3);
  return rows_of(rows, columns,
                 [&](std::int64_t, std::int64_t) { return random.uniform() * 2 - 1; });
}

// (cos, sin) of an angle for each position and pair of dimensions.
Matrix turning(std::int64_t rows, std::int64_t columns, auto angle) {
  return rows_of(rows, columns, [&](std::int64_t t, std::int64_t i) {
    const double at = angle(t, i / 2);
    return i % 2 == 0 ? std::cos(at) : std::sin(at);
  });
}

Checkpoint model_of(ModelKind kind, Encoding encoding, Beyond beyond = Beyond::kClamp) {
  TransformerConfig config = tiny_config(kind, encoding);
  config.d_model = 16;
  config.trained_to = kTrained;
  config.beyond = beyond;
  return random_checkpoint(config);
}

Checkpoint classifier_of(Encoding encoding, Beyond beyond = Beyond::kClamp) {
  return model_of(ModelKind::kEncoder, encoding, beyond);
}

void check_rotating(const PositionView& view, std::int64_t columns) {
  REQUIRE(view.vectors.rows == kLength);
  REQUIRE(view.vectors.columns == columns);
  for (const PositionRange range : {kInside, kBeyond}) {
    CAPTURE(range.from);
    CHECK(distance_error(view.gram, range) < 1e-5);
    for (const std::int64_t shift : {1, 2, 7}) {
      const RotationErrors errors = rotation_errors(view.vectors, shift, kInside, range);
      CHECK(errors.by_pairs < 1e-5);
      CHECK(errors.any < 1e-5);
    }
  }
}

TEST_CASE("a shift is a rotation for sinusoidal positions and rope, within and beyond") {
  for (const ModelKind kind : kEveryKind) {
    CAPTURE(name_of(kind));
    check_rotating(view_positions(model_of(kind, Encoding::kSinusoidal), kLength), 16);
    check_rotating(view_positions(model_of(kind, Encoding::kRope), kLength), 8);
  }
}

TEST_CASE("random vectors are not related by rotation, nor their products by distance") {
  const PositionView view =
      view_positions(classifier_of(Encoding::kLearned, Beyond::kUntrained), kLength);
  for (const PositionRange range : {kInside, kBeyond}) {
    CAPTURE(range.from);
    const RotationErrors errors = rotation_errors(view.vectors, 1, kInside, range);
    CHECK(errors.by_pairs > 0.9);
    CHECK(errors.any < errors.by_pairs);
    CHECK(distance_error(view.gram, range) > 0.3);
  }
}

TEST_CASE("clamped positions are constant beyond the trained ones") {
  const PositionView view = view_positions(classifier_of(Encoding::kLearned), kLength);
  CHECK(distance_error(view.gram, kBeyond) < 1e-7);
  // The identity is a rotation too, but not the one fitted where positions move.
  const RotationErrors still = rotation_errors(view.vectors, 1, kBeyond, kBeyond);
  CHECK(still.by_pairs < 1e-7);
  CHECK(still.any < 1e-7);
  CHECK(rotation_errors(view.vectors, 1, kInside, kBeyond).by_pairs > 0.1);
  const Table table = position_table(view, kTrained, {1});
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (table.text(row, "measure") == "step") {
      CHECK(table.number(row, "inside") > 0.1);
      CHECK(table.number(row, "beyond") == 0);
    }
  }
}

TEST_CASE("encodings without vectors are viewed through their factor on the weights") {
  for (const Encoding encoding : {Encoding::kNone, Encoding::kAlibi, Encoding::kRelative}) {
    CAPTURE(name_of(encoding));
    const PositionView view = view_positions(classifier_of(encoding), kLength);
    CHECK(view.vectors.rows == 0);
    REQUIRE(view.gram.rows == kLength);
    CHECK(distance_error(view.gram, kInside) < 1e-12);
    CHECK(distance_error(view.gram, kBeyond) < 1e-12);
    if (encoding == Encoding::kNone) {
      CHECK(view.gram.at(3, 9) == 1);
      CHECK(view.gram.at(9, 3) == 1);
    } else if (encoding == Encoding::kAlibi) {  // one head looks back, one ahead, both with slope 1
      CHECK(view.gram.at(7, 7) == 1);
      CHECK(std::abs(view.gram.at(9, 7) - std::exp(-2) / 2) < 1e-7);
      CHECK(std::abs(view.gram.at(7, 10) - std::exp(-3) / 2) < 1e-7);
    } else {
      const auto table =
          classifier_of(encoding).parameters.views(false).at("positions.relative");  // [8, 2]
      const auto factor = [&](std::int64_t bucket) {
        return (std::exp(table[bucket][0].item<double>()) +
                std::exp(table[bucket][1].item<double>())) /
               2;
      };
      CHECK(std::abs(view.gram.at(7, 7) - factor(0)) < 1e-6);
      CHECK(std::abs(view.gram.at(7, 6) - factor(1)) < 1e-6);   // a key behind
      CHECK(std::abs(view.gram.at(7, 8) - factor(5)) < 1e-6);   // ahead
      CHECK(std::abs(view.gram.at(7, 39) - factor(7)) < 1e-6);  // far ahead
    }
  }
}

TEST_CASE("a decoder alone is viewed through what it sees: nothing ahead") {
  for (const Encoding encoding : {Encoding::kNone, Encoding::kAlibi, Encoding::kRelative}) {
    CAPTURE(name_of(encoding));
    const Checkpoint decoder = model_of(ModelKind::kDecoder, encoding);
    const PositionView view = view_positions(decoder, kLength);
    CHECK(view.vectors.rows == 0);
    CHECK(distance_error(view.gram, kInside) < 1e-12);
    for (std::int64_t t = 0; t < kLength; ++t) {
      for (std::int64_t s = t + 1; s < kLength; ++s) REQUIRE(view.gram.at(t, s) == 0);
    }
    if (encoding == Encoding::kNone) {
      CHECK(view.gram.at(9, 3) == 1);
    } else if (encoding == Encoding::kAlibi) {  // slopes 1/16 and 1/256
      CHECK(std::abs(view.gram.at(9, 5) - (std::exp(-0.25) + std::exp(-1.0 / 64)) / 2) < 1e-7);
    } else {
      const auto table = decoder.parameters.views(false).at("positions.relative");  // [8, 2]
      const double farthest =
          (std::exp(table[7][0].item<double>()) + std::exp(table[7][1].item<double>())) / 2;
      CHECK(std::abs(view.gram.at(39, 7) - farthest) < 1e-6);
    }
  }
}

TEST_CASE("of an encoder and a decoder, the encoder's positions are viewed") {
  const Checkpoint learned = model_of(ModelKind::kEncoderDecoder, Encoding::kLearned);
  const auto table = learned.parameters.views(false).at("encoder.positions.learned");
  const PositionView vectors = view_positions(learned, kTrained);
  CHECK(vectors.vectors.at(5, 3) == table[5][3].item<double>());
  const PositionView factors =
      view_positions(model_of(ModelKind::kEncoderDecoder, Encoding::kNone), kTrained);
  CHECK(factors.gram.at(3, 9) == 1);  // it sees what is ahead
}

TEST_CASE("the view's gram matrix holds the products of positions") {
  const PositionView view = view_positions(classifier_of(Encoding::kLearned), 20);
  REQUIRE(view.gram.rows == 20);
  double sum = 0;
  for (std::int64_t i = 0; i < 16; ++i) sum += view.vectors.at(3, i) * view.vectors.at(11, i);
  CHECK(std::abs(view.gram.at(3, 11) - sum) < 1e-12);
  CHECK(view.gram.at(3, 11) == view.gram.at(11, 3));
}

TEST_CASE("fewer positions than were trained can be viewed") {
  const PositionView view = view_positions(classifier_of(Encoding::kLearned), 5);
  CHECK(view.vectors.rows == 5);
  CHECK(view.gram.values.size() == 25);
  const Table table = position_table(view, kTrained, {1});
  for (std::size_t row = 0; row < table.size(); ++row) {
    CAPTURE(table.text(row, "measure"));
    CHECK_FALSE(table.text(row, "inside").empty());
    CHECK(table.text(row, "beyond").empty());
  }
}

TEST_CASE("a rotation by a known angle is found, and a wrong one has its exact error") {
  const double step = 0.4;
  const Matrix even = turning(
      kLength, 2, [&](std::int64_t t, std::int64_t) { return step * static_cast<double>(t); });
  CHECK(rotation_errors(even, 3, kInside, kBeyond).by_pairs < 1e-12);
  CHECK(rotation_errors(even, 3, kInside, kBeyond).any < 1e-7);
  // Beyond, it turns faster: the fitted angle is wrong by 0.1 at each step, the best one by none.
  const Matrix faster = turning(kLength, 2, [&](std::int64_t t, std::int64_t) {
    return step * static_cast<double>(t) +
           0.1 * static_cast<double>(std::max<std::int64_t>(0, t - kTrained));
  });
  const RotationErrors errors = rotation_errors(faster, 1, kInside, kBeyond);
  CHECK(std::abs(errors.by_pairs - 2 * std::sin(0.05)) < 1e-9);  // the chord of 0.1
  CHECK(errors.any < 1e-7);
  CHECK(std::abs(rotation_errors(faster, 2, kInside, kBeyond).by_pairs - 2 * std::sin(0.1)) < 1e-9);
}

TEST_CASE("a rotation may be in planes other than the pairs of dimensions") {
  // Dimensions 0 and 2 turn together, and 1 and 3: as pairs 0 1 and 2 3 they do not.
  const Matrix crossed = rows_of(kLength, 4, [](std::int64_t t, std::int64_t i) {
    const double angle = (i % 2 == 0 ? 0.3 : 0.7) * static_cast<double>(t);
    return i < 2 ? std::cos(angle) : std::sin(angle);
  });
  const RotationErrors errors = rotation_errors(crossed, 1, {0, kLength}, {0, kLength});
  CHECK(errors.any < 1e-7);
  CHECK(errors.by_pairs > 0.1);
}

TEST_CASE("no rotation of pairs beats the best general one, even with an odd dimension") {
  for (const std::int64_t columns : {1, 2, 3, 6, 7}) {
    CAPTURE(columns);
    const Matrix vectors = random_rows(60, columns);
    for (const std::int64_t shift : {1, 5}) {
      const RotationErrors errors = rotation_errors(vectors, shift, {0, 60}, {0, 60});
      CHECK(errors.any <= errors.by_pairs + 1e-9);
      CHECK(errors.any > 0.1);
    }
  }
}

TEST_CASE("a function of distance has no distance error, and anything else has its share") {
  const auto distance = [](std::int64_t t, std::int64_t s) {
    return std::cos(0.2 * static_cast<double>(t - s)) + 0.1 * static_cast<double>(t - s);
  };
  CHECK(distance_error(rows_of(9, 9, distance), {0, 9}) < 1e-12);
  // 1 and 3 alternate along each diagonal of an even length: left is 1 of a root mean square of
  // the root of 5, on the only diagonal that is not zero.
  const Matrix stripes = rows_of(
      8, 8, [](std::int64_t t, std::int64_t s) { return t == s ? (t % 2 == 0 ? 1.0 : 3.0) : 0.0; });
  CHECK(std::abs(distance_error(stripes, {0, 8}) - 1 / std::sqrt(5.0)) < 1e-12);
  CHECK(distance_error(rows_of(4, 4, [](std::int64_t, std::int64_t) { return 0.0; }), {0, 4}) == 0);
}

TEST_CASE("only positions within the range count") {
  Matrix vectors = turning(kLength, 4, [](std::int64_t t, std::int64_t pair) {
    return (pair == 0 ? 0.4 : 0.05) * static_cast<double>(t);
  });
  for (std::int64_t t = kTrained; t < kLength; ++t) {
    for (std::int64_t i = 0; i < 4; ++i) vectors.values[static_cast<std::size_t>(t * 4 + i)] = NAN;
  }
  const RotationErrors errors = rotation_errors(vectors, 2, kInside, kInside);
  CHECK(errors.by_pairs < 1e-12);
  CHECK(errors.any < 1e-7);
}

TEST_CASE("ranges too short for a shift have no rotation error") {
  const Matrix vectors = random_rows(kLength, 4);
  const auto both_nan = [](const RotationErrors& errors) {
    return std::isnan(errors.by_pairs) && std::isnan(errors.any);
  };
  CHECK(both_nan(rotation_errors(vectors, 24, kInside, kBeyond)));
  CHECK(both_nan(rotation_errors(vectors, 1, kInside, {5, 5})));
  const RotationErrors unfitted = rotation_errors(vectors, 16, kInside, kBeyond);
  CHECK(std::isnan(unfitted.by_pairs));  // nothing to fit to
  CHECK_FALSE(std::isnan(unfitted.any));
  CHECK(std::isnan(distance_error(rows_of(3, 3, [](auto, auto) { return 1.0; }), {3, 3})));
}

TEST_CASE("the table of positions has a row for each measure, and empty cells for missing ones") {
  const PositionView view = view_positions(classifier_of(Encoding::kSinusoidal), 20);
  const Table table = position_table(view, kTrained, {1, 5, 16});
  CHECK(table.columns() == std::vector<std::string>{"measure", "shift", "inside", "beyond"});
  std::vector<std::string> rows;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const auto filled = [&](const char* column) { return table.text(row, column).empty() ? 0 : 1; };
    rows.push_back(table.text(row, "measure") + "," + table.text(row, "shift") + "," +
                   std::to_string(filled("inside")) + std::to_string(filled("beyond")));
  }
  CHECK(rows == std::vector<std::string>{"distance error,,11", "length,,11", "step,1,11",
                                         "rotation of pairs,1,11", "any rotation,1,11",
                                         "rotation of pairs,5,10", "any rotation,5,10",
                                         "rotation of pairs,16,00", "any rotation,16,00"});
  // Each pair of dimensions is a point on a circle of radius 1: 16 of them make a length of root 8.
  CHECK(std::abs(table.number(1, "inside") - std::sqrt(8.0)) < 1e-5);
  CHECK(std::abs(table.number(1, "beyond") - std::sqrt(8.0)) < 1e-5);
}

TEST_CASE("the table of an encoding without vectors has only the distance error") {
  const Table table = position_table(view_positions(classifier_of(Encoding::kNone), 20), 16, {1});
  REQUIRE(table.size() == 1);
  CHECK(table.text(0, "measure") == "distance error");
  CHECK(table.text(0, "inside") == "0");
}

TEST_CASE("a view of positions as a file has its arrays and describes them") {
  const Checkpoint learned = classifier_of(Encoding::kLearned);
  const TensorFile file = to_tensor_file(view_positions(learned, 20), learned.config);
  CHECK(file.arrays.at("positions").shape == std::vector<std::int64_t>{20, 16});
  CHECK(file.arrays.at("gram").shape == std::vector<std::int64_t>{20, 20});
  CHECK(file.metadata.at("encoding") == "learned");
  CHECK(file.metadata.at("trained") == "16");
  CHECK(file.metadata.at("gram") == "P_t · P_s");
  const Checkpoint alibi = classifier_of(Encoding::kAlibi);
  const TensorFile other = to_tensor_file(view_positions(alibi, 20), alibi.config);
  CHECK(other.arrays.size() == 1);
  CHECK(other.arrays.at("gram").shape == std::vector<std::int64_t>{20, 20});
  CHECK(other.metadata.at("gram") == "factor on attention weights");
}

}  // namespace
}  // namespace headway::testing
