// A logarithmic axis of lengths, with ticks where something was measured.
#pragma once

#include <set>
#include <string>

namespace headway {

class LengthAxis {
 public:
  // Reaches from `shortest` to `longest`, and a bit further, over so many pixels; `measured` has at
  // least one length. All are above 0.
  LengthAxis(std::set<double> measured, double shortest, double longest, double pixels);

  // gnuplot's commands for the x axis.
  std::string commands() const;

  // Of the axis, from the left.
  double share(double length) const;

 private:
  std::string ticks() const;
  bool collide(double length, double other) const;
  std::set<double> ends() const;
  std::set<double> powers_of_two() const;

  std::set<double> measured_;
  double pixels_;
  double low_ = 0;  // as powers of two
  double high_ = 0;
};

}  // namespace headway
