// Colours of all figures: the palette of Okabe and Ito, safe for colour-blind readers.
#pragma once

#include <array>
#include <string_view>

namespace headway {

inline constexpr std::string_view kBlue = "#0072B2";
inline constexpr std::string_view kVermilion = "#D55E00";
inline constexpr std::string_view kGreen = "#009E73";
inline constexpr std::string_view kSkyBlue = "#56B4E9";
inline constexpr std::string_view kOrange = "#E69F00";
inline constexpr std::string_view kPurple = "#CC79A7";
inline constexpr std::string_view kGrey = "#999999";

// For lines without a natural order.
inline constexpr std::array<std::string_view, 7> kLineColours = {
    kBlue, kVermilion, kGreen, kOrange, kPurple, kSkyBlue, kGrey};

// White to dark blue, for weights 0..1.
inline constexpr std::string_view kWeightPalette =
    "set palette defined (0 '#FFFFFF', 0.25 '#C6DBEF', 0.5 '#6BAED6', 0.75 '#2171B5', 1 '#08306B')";

// The same for -1..1, with vermilion below 0.
inline constexpr std::string_view kSignedWeightPalette =
    "set palette defined (-1 '#D55E00', 0 '#FFFFFF', 0.25 '#C6DBEF', 0.5 '#6BAED6', 0.75 "
    "'#2171B5', "
    "1 '#08306B')";

// kWeightPalette without white, so that all cells are visible.
inline constexpr std::string_view kCellPalette =
    "set palette defined (0 '#DEEBF7', 0.3 '#9ECAE1', 0.6 '#4292C6', 0.8 '#2171B5', 1 '#08306B')";

// For lines, visible on white even at the light end: most of viridis, worst to best.
inline constexpr std::string_view kBestIsHighPalette =
    "set palette defined (0 '#ADDC30', 0.2 '#5EC962', 0.5 '#21918C', 0.75 '#3B528B', 1 '#440154')";
inline constexpr std::string_view kBestIsLowPalette =
    "set palette defined (0 '#440154', 0.25 '#3B528B', 0.5 '#21918C', 0.8 '#5EC962', 1 '#ADDC30')";

// For positive and negative values: blue below 0, white at 0, vermilion above.
inline constexpr std::string_view kDivergingPalette =
    "set palette defined (-1 '#0072B2', 0 '#FFFFFF', 1 '#D55E00')";
// The positive half of it.
inline constexpr std::string_view kPositivePalette =
    "set palette defined (0 '#FFFFFF', 1 '#D55E00')";

// For cells of a heat map that are not numbers.
inline constexpr std::string_view kGapColour = "#CCCCCC";

// For `set grid xtics` or ytics: faint lines.
inline constexpr std::string_view kGridStyle = "linetype 1 linewidth 0.5 linecolor '#DDDDDD'";

// An upper estimate, for the widest likely font (DejaVu Sans).
inline constexpr double kPixelsPerLetter = 0.62;  // times the font size

}  // namespace headway
