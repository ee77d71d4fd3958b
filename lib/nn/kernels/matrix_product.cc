#include "lib/nn/kernels/matrix_product.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "lib/nn/kernels/aligned_scratch.h"
#include "lib/nn/kernels/transpose.h"

namespace headway {
namespace {

// A tile of results stays in registers while the inner dimension is summed: `kRows` rows, and
// `kVectors` vectors of `kLanes` columns.
template <int Lanes, int Vectors, int Rows>
struct TileShape {
  static constexpr int kLanes = Lanes, kVectors = Vectors, kRows = Rows;
  static constexpr int kColumns = Lanes * Vectors;
  typedef float Vector __attribute__((vector_size(Lanes * sizeof(float))));
  // The same in memory, at any address.
  typedef float Stored __attribute__((vector_size(Lanes * sizeof(float)), aligned(4), may_alias));
};
// As many registers as the instruction set has, less those for a row of the panel and a factor.
using TileOfAny = TileShape<4, 2, 4>;
using TileOfV3 = TileShape<8, 2, 6>;
using TileOfV4 = TileShape<16, 2, 14>;

// The left operand: element (i, k) is at data[i * row + k * step].
struct Left {
  const float* data;
  std::int64_t row, step;

  Left from(std::int64_t first) const { return {data + first * row, row, step}; }
};

// Where a tile goes. `columns` may be fewer than the tile has.
struct Target {
  float* out;
  std::int64_t stride;
  std::int64_t columns;
  const float* bias;  // of these columns; null: 0
};

// What is done to rows of a panel's results while they are in the cache.
struct Nothing {
  HEADWAY_INLINE void operator()(float*, std::int64_t, std::int64_t, std::int64_t) const {}
};
struct ReluDropout {
  Dropout dropout;
  const float* begin;  // of the matrix, whose elements the mask counts

  HEADWAY_INLINE void operator()(float* out, std::int64_t rows, std::int64_t columns,
                                 std::int64_t stride) const {
    const Dropout mask = dropout;
    for (std::int64_t i = 0; i < rows; ++i) {
      float* __restrict row = out + i * stride;
      const auto first = static_cast<std::uint32_t>(row - begin);
      // Most panels are whole; then the compiler knows the number of columns.
      if (columns == kPanelWidth) {
        relu_dropout(mask, first, kPanelWidth, row);
      } else {
        relu_dropout(mask, first, columns, row);
      }
    }
  }
  // NaN stays, so that a broken training is noticed.
  HEADWAY_INLINE static float relu(float x) { return x < 0 ? 0 : x; }
  HEADWAY_INLINE static void relu_dropout(const Dropout& mask, std::uint32_t first,
                                          std::int64_t columns, float* __restrict row) {
    if (!mask.active()) {
      for (std::int64_t c = 0; c < columns; ++c) row[c] = relu(row[c]);
      return;
    }
    for (std::int64_t c = 0; c < columns; ++c)
      row[c] = relu(row[c]) * mask.factor(first + static_cast<std::uint32_t>(c));
  }
};

// Unrolled, so that no sum leaves its register before it is stored.
template <class Tile, int Rows>
HEADWAY_INLINE void store_rows(const typename Tile::Vector (&sums)[Rows][Tile::kVectors],
                               float* out, std::int64_t stride) {
#pragma GCC unroll 16
  for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 4
    for (std::int64_t v = 0; v < Tile::kVectors; ++v)
      *reinterpret_cast<typename Tile::Stored*>(out + i * stride + v * Tile::kLanes) = sums[i][v];
  }
}

template <class Tile, int Rows>
HEADWAY_INLINE void multiply_tile(std::int64_t inner, Left left, const float* panel,
                                  const Target& target) {
  typedef typename Tile::Vector Vector;
  typedef typename Tile::Stored Stored;
  constexpr int kLanes = Tile::kLanes, kVectors = Tile::kVectors;
  const bool whole = target.columns == Tile::kColumns;
  float padded[Tile::kColumns] = {};  // the bias, where there are fewer columns
  const float* bias = target.bias && whole ? target.bias : padded;
  if (target.bias && !whole) std::copy_n(target.bias, target.columns, padded);
  Vector sums[Rows][kVectors];
#pragma GCC unroll 4
  for (std::int64_t v = 0; v < kVectors; ++v) {
    const Vector start = *reinterpret_cast<const Stored*>(bias + v * kLanes);
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i) sums[i][v] = start;
  }
  for (std::int64_t k = 0; k < inner; ++k) {
    Vector columns[kVectors];
#pragma GCC unroll 4
    for (std::int64_t v = 0; v < kVectors; ++v)
      columns[v] = *reinterpret_cast<const Stored*>(panel + v * kLanes);
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i) {
      const float factor = left.data[i * left.row];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sums[i][v] += factor * columns[v];
    }
    panel += kPanelWidth;
    left.data += left.step;
  }
  if (whole) {
    store_rows<Tile>(sums, target.out, target.stride);
  } else {
    float all[Rows * Tile::kColumns];
    store_rows<Tile>(sums, all, Tile::kColumns);
    for (int i = 0; i < Rows; ++i)
      std::copy_n(all + i * Tile::kColumns, target.columns, target.out + i * target.stride);
  }
}

// At most as many rows as a tile has. The last rows of a matrix are a few smaller tiles.
template <class Tile>
HEADWAY_INLINE void multiply_rows(std::int64_t rows, std::int64_t inner, Left left,
                                  const float* panel, Target target) {
  if (rows == Tile::kRows) return multiply_tile<Tile, Tile::kRows>(inner, left, panel, target);
  const auto part = [&]<int Rows>(std::integral_constant<int, Rows>) HEADWAY_INLINE_LAMBDA {
    if ((rows & Rows) == 0) return;
    multiply_tile<Tile, Rows>(inner, left, panel, target);
    left = left.from(Rows);
    target.out += Rows * target.stride;
  };
  if constexpr (Tile::kRows > 8) part(std::integral_constant<int, 8>());
  if constexpr (Tile::kRows > 4) part(std::integral_constant<int, 4>());
  part(std::integral_constant<int, 2>());
  part(std::integral_constant<int, 1>());
}

constexpr std::int64_t kLineFloats = 16;  // of a cache line

// Asks for memory that is used soon, and seldom cached: operands come from a larger working set
// than fits the second-level cache.
HEADWAY_INLINE void fetch(const float* from, std::int64_t floats) {
  for (std::int64_t i = 0; i < floats; i += kLineFloats) __builtin_prefetch(from + i);
}
HEADWAY_INLINE void fetch_to_write(const float* rows, std::int64_t count, std::int64_t stride,
                                   std::int64_t floats) {
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t c = 0; c < floats; c += kLineFloats)
      __builtin_prefetch(rows + i * stride + c, 1);
  }
}

// All rows with one panel. `next` is what is read after it, as long as the panel; null: nothing.
template <class Code, class Finish>
HEADWAY_INLINE void multiply_panel(std::int64_t rows, std::int64_t inner, const Left& left,
                                   const float* panel, const float* next, const Target& target,
                                   const Finish& finish) {
  using Tile = typename Code::Tile;
  const std::int64_t tiles = (rows + Tile::kRows - 1) / Tile::kRows;
  const std::int64_t share = next ? (inner * kPanelWidth + tiles - 1) / tiles : 0;
  for (std::int64_t tile = 0; tile < tiles; ++tile) {
    const std::int64_t first = tile * Tile::kRows;
    const std::int64_t count = std::min<std::int64_t>(Tile::kRows, rows - first);
    float* const out = target.out + first * target.stride;
    fetch_to_write(out, count, target.stride, target.columns);
    if (next) fetch(next + tile * share, std::min(share, inner * kPanelWidth - tile * share));
    for (std::int64_t column = 0; column < target.columns; column += Tile::kColumns) {
      const Target part{out + column, target.stride,
                        std::min<std::int64_t>(Tile::kColumns, target.columns - column),
                        target.bias ? target.bias + column : nullptr};
      Code::multiply_rows(count, inner, left.from(first), panel + column, part);
    }
    finish(out, count, target.columns, target.stride);
  }
}

// Rows that stay in the second-level cache while all panels are multiplied with them. Not more,
// lest a few rows are left over: all of a usual batch are one block.
constexpr std::int64_t kRowsAtOnce = 252;

template <class Code, class Finish>
HEADWAY_INLINE void multiply_block(const LinearProduct& product, const Finish& finish) {
  const auto& [rows, inner, columns, left, panels, bias, out] = product;
  for (std::int64_t column = 0; column < columns; column += kPanelWidth) {
    const float* const panel = panels + column * inner;
    const float* const next =
        column + kPanelWidth < columns ? panel + inner * kPanelWidth : nullptr;
    multiply_panel<Code>(rows, inner, {left, inner, 1}, panel, next,
                         {out + column, columns, std::min(kPanelWidth, columns - column),
                          bias ? bias + column : nullptr},
                         finish);
  }
}

template <class Code, class Finish>
HEADWAY_INLINE void multiply_all(const LinearProduct& product, const Finish& finish) {
  for (std::int64_t first = 0; first < product.rows; first += kRowsAtOnce) {
    LinearProduct block = product;
    block.rows = std::min(kRowsAtOnce, product.rows - first);
    block.left += first * product.inner;
    block.out += first * product.columns;
    multiply_block<Code>(block, finish);
  }
}

std::int64_t rows_of(std::span<const LinearFactors> parts) {
  std::int64_t rows = 0;
  for (const LinearFactors& part : parts) rows += part.rows;
  return rows;
}

HEADWAY_INLINE void add_row(std::int64_t count, const float* __restrict row,
                            float* __restrict sums) {
  for (std::int64_t i = 0; i < count; ++i) sums[i] += row[i];
}

// Columns first … last - 1 of all parts, one below the other, in strips of `Width`: [rows, Width]
// each, the last one padded with zeros. `get` chooses the matrix of a part. Adds the rows to `sums`
// [last - first], unless that is null.
template <int Width, class Get>
HEADWAY_INLINE void stack_columns(std::span<const LinearFactors> parts, const Get& get,
                                  std::int64_t stride, std::int64_t first, std::int64_t last,
                                  std::int64_t rows, float* __restrict out, float* sums) {
  for (const LinearFactors& part : parts) {
    constexpr std::int64_t kAhead = 8;  // rows
    const float* __restrict from = get(part);
    for (std::int64_t row = 0; row < part.rows; ++row, from += stride, out += Width) {
      if (row + kAhead < part.rows) fetch(from + kAhead * stride + first, last - first);
      if (sums) add_row(last - first, from + first, sums);
      float* __restrict to = out;
      std::int64_t column = first;
      for (; column + Width <= last; column += Width, to += rows * Width)
        std::memcpy(to, from + column, Width * sizeof(float));
      if (column == last) continue;
      for (int i = 0; i < Width; ++i) to[i] = column + i < last ? from[column + i] : 0;
    }
  }
}

// Both operands are packed, so that they are read in order: all slopes in strips as wide as a tile
// has rows, and some panels of inputs at a time.
template <class Code>
HEADWAY_INLINE void multiply_all_factors(std::span<const LinearFactors> parts,
                                         const LinearGradient& gradient) {
  constexpr std::int64_t kRows = Code::Tile::kRows, kPanels = 4;
  const auto& [in, out, first, last, weight, bias] = gradient;
  const std::int64_t rows = rows_of(parts), tiles = (last - first + kRows - 1) / kRows;
  AlignedScratch scratch(AlignedScratch::size_of(tiles * rows * kRows) +
                         AlignedScratch::size_of(kPanels * rows * kPanelWidth));
  float* const slopes = scratch.take(tiles * rows * kRows);          // [tiles, rows, kRows]
  float* const panels = scratch.take(kPanels * rows * kPanelWidth);  // [kPanels, rows, 32]
  std::fill(bias + first, bias + last, 0.0F);
  stack_columns<kRows>(
      parts, [](const LinearFactors& part) { return part.slopes; }, out, first, last, rows, slopes,
      bias + first);
  for (std::int64_t group = 0; group < in; group += kPanels * kPanelWidth) {
    const std::int64_t end = std::min(in, group + kPanels * kPanelWidth);
    stack_columns<kPanelWidth>(
        parts, [](const LinearFactors& part) { return part.in; }, in, group, end, rows, panels,
        nullptr);
    for (std::int64_t column = group; column < end; column += kPanelWidth) {
      const float* const panel = panels + (column - group) * rows;
      for (std::int64_t tile = 0; tile < tiles; ++tile) {
        const std::int64_t begin = first + tile * kRows;
        multiply_panel<Code>(
            std::min(kRows, last - begin), rows, {slopes + tile * rows * kRows, 1, kRows}, panel,
            nullptr,
            {weight + begin * in + column, in, std::min(kPanelWidth, in - column), nullptr},
            Nothing());
      }
    }
  }
}

// Each instruction set has its own copy of all that is inlined here.
#define HEADWAY_PRODUCTS(Name, TileOfName, ...)                                                    \
  struct Name {                                                                                    \
    using Tile = TileOfName;                                                                       \
    [[gnu::noinline]] __VA_ARGS__ static void multiply_rows(std::int64_t rows, std::int64_t inner, \
                                                            const Left& left, const float* panel,  \
                                                            const Target& target) {                \
      headway::multiply_rows<Tile>(rows, inner, left, panel, target);                              \
    }                                                                                              \
    __VA_ARGS__ static void plain(const LinearProduct& product) {                                  \
      multiply_all<Name>(product, Nothing());                                                      \
    }                                                                                              \
    __VA_ARGS__ static void relu(const LinearProduct& product, const ReluDropout& finish) {        \
      multiply_all<Name>(product, finish);                                                         \
    }                                                                                              \
    __VA_ARGS__ static void factors(std::span<const LinearFactors> parts,                          \
                                    const LinearGradient& gradient) {                              \
      multiply_all_factors<Name>(parts, gradient);                                                 \
    }                                                                                              \
  };
HEADWAY_PRODUCTS(Any, TileOfAny)
HEADWAY_PRODUCTS(V3, TileOfV3, HEADWAY_TARGET("x86-64-v3"))
HEADWAY_PRODUCTS(V4, TileOfV4, HEADWAY_TARGET("x86-64-v4"))
#undef HEADWAY_PRODUCTS

}  // namespace

void pack_panels(std::int64_t inner, std::int64_t columns, const float* from, float* panels) {
  vectorised([=]() HEADWAY_INLINE_LAMBDA {
    float* out = panels;
    for (std::int64_t first = 0; first < columns; first += kPanelWidth) {
      const std::int64_t count = std::min(kPanelWidth, columns - first);
      for (std::int64_t k = 0; k < inner; ++k, out += kPanelWidth) {
        const float* __restrict row = from + k * columns + first;
        if (count == kPanelWidth) {
          std::memcpy(out, row, kPanelWidth * sizeof(float));
        } else {
          for (std::int64_t i = 0; i < kPanelWidth; ++i) out[i] = i < count ? row[i] : 0;
        }
      }
    }
  });
}

void pack_transposed_panels(std::int64_t inner, std::int64_t columns, const float* from,
                            float* panels) {
  vectorised([=]() HEADWAY_INLINE_LAMBDA {
    for (std::int64_t first = 0; first < columns; first += kPanelWidth) {
      float* const panel = panels + first * inner;
      const std::int64_t count = std::min(kPanelWidth, columns - first);
      const std::int64_t whole = count == kPanelWidth ? inner / kTransposed * kTransposed : 0;
      for (std::int64_t k = 0; k < whole; k += kTransposed) {
        for (std::int64_t i = 0; i < kPanelWidth; i += kTransposed)
          transpose(from + (first + i) * inner + k, inner, kTransposed, panel + k * kPanelWidth + i,
                    kPanelWidth);
      }
      for (std::int64_t k = whole; k < inner; ++k) {
        for (std::int64_t i = 0; i < kPanelWidth; ++i)
          panel[k * kPanelWidth + i] = i < count ? from[(first + i) * inner + k] : 0;
      }
    }
  });
}

void multiply(const LinearProduct& product, InstructionSet set) {
  switch (set) {
    case InstructionSet::kV4:
      return V4::plain(product);
    case InstructionSet::kV3:
      return V3::plain(product);
    case InstructionSet::kAny:
      return Any::plain(product);
  }
}

void multiply_relu_dropout(const LinearProduct& product, const Dropout& dropout,
                           InstructionSet set) {
  const ReluDropout finish{dropout, product.out};
  switch (set) {
    case InstructionSet::kV4:
      return V4::relu(product, finish);
    case InstructionSet::kV3:
      return V3::relu(product, finish);
    case InstructionSet::kAny:
      return Any::relu(product, finish);
  }
}

void multiply_factors(std::span<const LinearFactors> parts, const LinearGradient& gradient,
                      InstructionSet set) {
  switch (set) {
    case InstructionSet::kV4:
      return V4::factors(parts, gradient);
    case InstructionSet::kV3:
      return V3::factors(parts, gradient);
    case InstructionSet::kAny:
      return Any::factors(parts, gradient);
  }
}

}  // namespace headway
